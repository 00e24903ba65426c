# What is installed of the client library and the command.
include(CMakePackageConfigHelpers)

install(TARGETS ldp ldp_static EXPORT ldp-targets)
install(TARGETS ldp_command RUNTIME)
set_target_properties(ldp_static PROPERTIES EXPORT_NAME static)
set(package "${CMAKE_INSTALL_LIBDIR}/cmake/ldp")
install(EXPORT ldp-targets NAMESPACE ldp:: DESTINATION "${package}")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/ldp-config.cmake.in" ldp-config.cmake INSTALL_DESTINATION "${package}")
write_basic_package_version_file(ldp-config-version.cmake COMPATIBILITY SameMajorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/ldp-config.cmake" "${CMAKE_CURRENT_BINARY_DIR}/ldp-config-version.cmake"
    DESTINATION "${package}")

# pkg-config: ldp for C++, ldp-c for C.
foreach(language "" -c)
    if(language STREQUAL "")
        set(LDP_CFLAGS " -std=c++20")
    else()
        set(LDP_CFLAGS "")
    endif()
    set(LDP_PACKAGE "ldp${language}")
    configure_file("${PROJECT_SOURCE_DIR}/cmake/ldp.pc.in" "${LDP_PACKAGE}.pc" @ONLY)
    install(FILES "${CMAKE_CURRENT_BINARY_DIR}/${LDP_PACKAGE}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endforeach()

# The headers that programs include and the headers that these include. Sources write "core/…", from the root of the
# sources; installed headers write "ldp/core/…".
list(TRANSFORM PQXX_INCLUDE_DIRS PREPEND "-isystem;" OUTPUT_VARIABLE pqxx_includes)
string(JOIN " " pqxx_includes ${pqxx_includes})
file(CONFIGURE OUTPUT install-headers.cmake @ONLY CONTENT [[
execute_process(COMMAND "@CMAKE_CXX_COMPILER@" -std=c++20 -I. @pqxx_includes@ -MM ldp.hpp client/uploader.hpp client/http/http_uploader.hpp
    WORKING_DIRECTORY "@CMAKE_CURRENT_SOURCE_DIR@" OUTPUT_VARIABLE needed COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^ \n\\]+\\.hpp" headers "${needed}")
list(REMOVE_DUPLICATES headers)
set(to "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/@CMAKE_INSTALL_INCLUDEDIR@/ldp")
foreach(header IN LISTS headers)
    file(READ "@CMAKE_CURRENT_SOURCE_DIR@/${header}" text)
    string(REGEX REPLACE "(^|\n)#include \"" "\\1#include \"ldp/" text "${text}")
    file(WRITE "${to}/${header}" "${text}")
endforeach()
]])
install(SCRIPT "${CMAKE_CURRENT_BINARY_DIR}/install-headers.cmake")
install(FILES capi/ldp.h capi/ldp_curl.h capi/ldp_device.h DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/ldp")

# The conformance kit, without the specs from which a test makes its vectors.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/conformance/" DESTINATION "${CMAKE_INSTALL_DATADIR}/ldp/conformance" USE_SOURCE_PERMISSIONS
    PATTERN specs.txt EXCLUDE PATTERN __pycache__ EXCLUDE PATTERN .gitignore EXCLUDE)

# The examples of a device and of Oblivious HTTP.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/demo/device" "${PROJECT_SOURCE_DIR}/demo/ohttp" DESTINATION "${CMAKE_INSTALL_DATADIR}/ldp/examples"
    PATTERN __pycache__ EXCLUDE)

# Queries, alerts and a dashboard for Prometheus and Grafana.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/monitoring" DESTINATION "${CMAKE_INSTALL_DATADIR}/ldp")

# The command writes its own manual page and completions, and the JSON Schema of specs.
foreach(reference "reference man:man/man1/ldp.1" "reference bash:bash-completion/completions/ldp"
        "reference zsh:zsh/site-functions/_ldp" "reference fish:fish/vendor_completions.d/ldp.fish"
        "spec schema:ldp/spec.schema.json")
    string(REPLACE ":" ";" reference "${reference}")
    list(GET reference 0 words)
    list(GET reference 1 path)
    set(file "${CMAKE_CURRENT_BINARY_DIR}/${path}")
    cmake_path(GET file PARENT_PATH folder)
    add_custom_command(OUTPUT "${file}" DEPENDS ldp_command VERBATIM
        COMMAND "${CMAKE_COMMAND}" -E make_directory "${folder}"
        COMMAND sh -c "\"$1\" $2 >\"$3\"" sh "$<TARGET_FILE:ldp_command>" "${words}" "${file}")
    list(APPEND references "${file}")
    cmake_path(GET path PARENT_PATH folder)
    install(FILES "${file}" DESTINATION "${CMAKE_INSTALL_DATADIR}/${folder}")
endforeach()
add_custom_target(references ALL DEPENDS ${references})
