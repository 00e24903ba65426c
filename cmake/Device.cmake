# libldp-device, a static library for devices, in build/device: cmake --preset device, or make device. One object has the
# functions of src/capi/ldp_device.h and the parts of libc++ that they use, in a section for each function and constant. Two
# more objects are the defaults of what a program may define: the list of all mechanisms, and the random generator of the
# system. Programs link it with their C library alone, with --gc-sections, and with --eh-frame-hdr, which musl-gcc does not
# pass for static programs.

include("${PROJECT_SOURCE_DIR}/cmake/DeviceFiles.cmake")
foreach(file c_client c_collection c_error c_ledger delivery flush)
    list(APPEND files "${source}/capi/${file}.cpp")
endforeach()
list(APPEND files "${source}/device/block_report.cpp")

set(headers_of_system "/usr/lib/llvm-${LDP_LLVM}/include/c++/v1" "${headers}")
set(flags -std=c++20 -Oz -flto -ffp-contract=off -fvisibility=hidden -fwhole-program-vtables -fvirtual-function-elimination -fno-stack-protector
    -nostdinc++ -Wall -Wextra -Werror)
# An error of Boost is a NaN, since its text needs streams.
set(definitions NDEBUG LDP_LINKED_MECHANISMS JSON_NO_IO BOOST_DISABLE_THREADS
    BOOST_MATH_DOMAIN_ERROR_POLICY=errno_on_error BOOST_MATH_EVALUATION_ERROR_POLICY=errno_on_error _LIBCPP_ENABLE_CXX17_REMOVED_UNARY_BINARY_FUNCTION
    _LIBCPP_HARDENING_MODE=_LIBCPP_HARDENING_MODE_NONE "LDP_VERSION=\"${PROJECT_VERSION}\"")
if(LDP_DEVICE_LIBC STREQUAL musl)
    # libc++ of Debian is built for glibc. This macro selects what its headers assume of the C library.
    list(APPEND definitions _LIBCPP_HAS_MUSL_LIBC LDP_SMALL_NUMBERS)  # no locale of musl changes how it writes numbers
    list(APPEND flags -nostdlibinc)
    list(APPEND headers_of_system "/usr/include/${CMAKE_CXX_COMPILER_TARGET}")
endif()
if(NOT LDP_LITERATURE)
    list(APPEND definitions LDP_WITHOUT_LITERATURE)
endif()

function(ldp_bitcode name)
    ldp_unit_groups(${ARGN})
    add_library(${name} OBJECT EXCLUDE_FROM_ALL ${ARGN})
    if(ldp_units)
        set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    endif()
    target_compile_options(${name} PRIVATE ${flags})
    target_compile_definitions(${name} PRIVATE ${definitions})
    target_include_directories(${name} PRIVATE "${source}")
    target_include_directories(${name} SYSTEM PRIVATE ${headers_of_system})
endfunction()
set(UNITY_ALONE src/core/base/json.cpp)
ldp_bitcode(device_objects ${files})
ldp_bitcode(device_random "${source}/device/device_random.cpp")
ldp_bitcode(device_generator "${source}/device/default_generator.cpp")
# Random words that tests choose, in an archive that is never installed.
ldp_bitcode(device_scripted "${PROJECT_SOURCE_DIR}/test/capi/scripted_random.cpp")

foreach(archive "libldp-device device_random" "test/libldp-device device_scripted")
    separate_arguments(archive)
    list(GET archive 0 name)
    list(GET archive 1 random)
    set(output "${CMAKE_CURRENT_BINARY_DIR}/${name}.a")
    cmake_path(GET output PARENT_PATH folder)
    file(MAKE_DIRECTORY "${folder}")
    add_custom_command(OUTPUT "${output}" DEPENDS device_objects ${random} device_generator $<TARGET_OBJECTS:device_objects>
        $<TARGET_OBJECTS:${random}> $<TARGET_OBJECTS:device_generator> "${PROJECT_SOURCE_DIR}/cmake/prelink" VERBATIM COMMAND_EXPAND_LISTS
        COMMAND "${CMAKE_COMMAND}" -E env LDP_LLVM=${LDP_LLVM} LDP_LIBCXX=${LDP_DEVICE_LIBCXX} LDP_BINUTILS=${LDP_DEVICE_BINUTILS} "${PROJECT_SOURCE_DIR}/cmake/prelink" "${output}"
            "${PROJECT_SOURCE_DIR}" $<TARGET_OBJECTS:device_generator>
            "${CMAKE_CXX_COMPILER}" "--target=${CMAKE_CXX_COMPILER_TARGET}" -- $<TARGET_OBJECTS:device_objects> $<TARGET_OBJECTS:${random}>)
    list(APPEND archives "${output}")
endforeach()
add_custom_target(ldp_device ALL DEPENDS ${archives})

set(LDP_CFLAGS "")
configure_file("${PROJECT_SOURCE_DIR}/cmake/ldp-device.pc.in" ldp-device.pc @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/libldp-device.a" DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/ldp-device.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
install(FILES "${source}/capi/ldp.h" "${source}/capi/ldp_device.h" "${source}/capi/ldp_curl.h"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/ldp")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/demo/device" DESTINATION "${CMAKE_INSTALL_DATADIR}/ldp/examples")
