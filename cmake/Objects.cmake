# Objects of several files under one set of options.
#
#     ldp_objects(NAME FILES file... [LINK library...] [SANITIZED] [OPTIONS option...])
#
# makes the object library NAME. With SANITIZED it also makes NAME_sanitized: the same files under the address and
# undefined-behaviour sanitizers, which `make check` tests in the same build.
#
# The files of a folder are compiled as one unit, and the headers that nearly every file includes are precompiled: half
# of the time. A compiler cache (CMAKE_CXX_COMPILER_LAUNCHER) keeps single files better, so both are off with one; that
# build also shows that every file includes what it uses. UNITY_ALONE lists files that a unit must not contain.

if(CMAKE_CXX_COMPILER_LAUNCHER OR LDP_SEPARATE_FILES)
    set(ldp_units OFF)
else()
    set(ldp_units ON)
endif()

# A product and a sum are rounded one by one, as on processors without an instruction for both: a server and devices with another
# processor compute the same parameters.
set(ldp_options -ffp-contract=off)
# GCC runs its garbage collection from 1 GB on instead of 128 MB: a seventh less time.
list(APPEND ldp_options $<$<CXX_COMPILER_ID:GNU>:SHELL:--param ggc-min-heapsize=1000000>)
# Boost 1.74 knows coroutines of clang with its own standard library only.
list(APPEND ldp_options $<$<CXX_COMPILER_ID:Clang>:-DBOOST_ASIO_HAS_CO_AWAIT>
    $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>)
separate_arguments(ldp_warnings UNIX_COMMAND "${LDP_WARNINGS}")

set(ldp_sanitizers -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
# Checks at every use of a pointer double the time of compiling; the address sanitizer finds most of the same faults, and
# the fuzzer's build has these checks. GCC gives false warnings of uninitialised values in sanitized code. Eigen
# must allocate as in the tests, which are not sanitized.
set(ldp_sanitized_options ${ldp_sanitizers} -fno-sanitize=null,alignment,object-size,pointer-overflow,vptr
    -Wno-maybe-uninitialized -DEIGEN_MALLOC_ALREADY_ALIGNED=1)

function(ldp_unit_groups)
    foreach(file IN LISTS ARGN)
        cmake_path(IS_PREFIX PROJECT_BINARY_DIR "${file}" NORMALIZE generated)
        if(generated)
            continue()
        endif()
        cmake_path(RELATIVE_PATH file BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE path)
        if(NOT path IN_LIST UNITY_ALONE)
            cmake_path(GET path PARENT_PATH folder)
            string(REPLACE "/" "_" group "${folder}")
            set_source_files_properties("${file}" PROPERTIES UNITY_GROUP "${group}")
        endif()
    endforeach()
endfunction()

# One precompiled header for each set of options: `owner` compiles it, later targets of the same options reuse it.
function(ldp_precompile target header owner)
    if(NOT ldp_units)
        return()
    endif()
    if(TARGET ${owner} AND NOT target STREQUAL owner)
        target_precompile_headers(${target} REUSE_FROM ${owner})
    elseif(target STREQUAL owner)
        target_precompile_headers(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${header}>")
    endif()
endfunction()

function(ldp_target target)
    target_include_directories(${target} PUBLIC "${PROJECT_SOURCE_DIR}/src")
    target_compile_options(${target} PRIVATE ${ldp_options} ${ldp_warnings})
    target_include_directories(${target} SYSTEM PRIVATE "$<TARGET_PROPERTY:Eigen3::Eigen,INTERFACE_INCLUDE_DIRECTORIES>")
    if(ldp_units)
        set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    endif()
endfunction()

function(ldp_objects name)
    cmake_parse_arguments(PARSE_ARGV 1 arg SANITIZED "PRECOMPILED" "FILES;LINK;OPTIONS")
    ldp_unit_groups(${arg_FILES})
    add_library(${name} OBJECT ${arg_FILES})
    ldp_target(${name})
    target_link_libraries(${name} PRIVATE ${arg_LINK})
    target_compile_options(${name} PRIVATE ${arg_OPTIONS})
    if(NOT arg_OPTIONS)
        ldp_precompile(${name} "${PROJECT_SOURCE_DIR}/src/precompiled.hpp" ldp_core_objects)
    endif()
    if(arg_SANITIZED AND LDP_TESTS)
        add_library(${name}_sanitized OBJECT EXCLUDE_FROM_ALL ${arg_FILES})
        ldp_target(${name}_sanitized)
        target_link_libraries(${name}_sanitized PRIVATE ${arg_LINK})
        target_compile_options(${name}_sanitized PRIVATE ${arg_OPTIONS} ${ldp_sanitized_options})
        ldp_precompile(${name}_sanitized "${PROJECT_SOURCE_DIR}/src/precompiled.hpp" ldp_core_objects_sanitized)
    endif()
endfunction()
