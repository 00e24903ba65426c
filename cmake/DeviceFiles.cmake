# What the module for browsers and libldp-device have in common: their files without the system, results, plans and
# choices, in `files`, and a folder of headers, in `headers`. The linker leaves out what nothing calls.
set(source "${PROJECT_SOURCE_DIR}/src")
set(patterns core/base core/math core/channel core/format core/delivery core/mechanism core/mechanism/* core/contract accounting client client/budget)
list(TRANSFORM patterns REPLACE "(.+)" "${source}/\\1/*.cpp")
file(GLOB files CONFIGURE_DEPENDS ${patterns})
foreach(file core/base/system_random core/base/exact core/math/statistics core/math/tails client/sqlite_store)
    list(REMOVE_ITEM files "${source}/${file}.cpp")
endforeach()
list(APPEND files "${source}/core/summary/batch.cpp" "${source}/core/summary/summary.cpp")
option(LDP_LITERATURE "With the mechanisms that are kept for comparison with the literature" OFF)
if(NOT LDP_LITERATURE)
    list(FILTER files EXCLUDE REGEX "/mechanism/literature/")
endif()

# Headers alone: those of the system's C library must not be found beside them.
set(headers "${CMAKE_CURRENT_BINARY_DIR}/include")
file(MAKE_DIRECTORY "${headers}")
file(CREATE_LINK /usr/include/boost "${headers}/boost" SYMBOLIC)
file(CREATE_LINK /usr/include/nlohmann "${headers}/nlohmann" SYMBOLIC)
file(CREATE_LINK /usr/include/eigen3/Eigen "${headers}/Eigen" SYMBOLIC)
