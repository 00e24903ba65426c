# Toolchain of the preset device: clang, and libc++ with the headers of the C library that LDP_DEVICE_LIBC names. For another
# processor than this machine's, LDP_DEVICE_MACHINE names it, LDP_DEVICE_LIBCXX is a folder with its libc++, and its binutils and
# C library have the names of Debian's cross-compilers.
set(LDP_LLVM 19 CACHE STRING "Version of clang, libc++ and LLVM's tools")
set(LDP_DEVICE_LIBC gnu CACHE STRING "C library of the device: gnu or musl")
execute_process(COMMAND uname -m OUTPUT_VARIABLE machine OUTPUT_STRIP_TRAILING_WHITESPACE)
set(LDP_DEVICE_MACHINE "${machine}" CACHE STRING "Processor of the device, as uname -m names it")
set(LDP_DEVICE_LIBCXX "/usr/lib/llvm-${LDP_LLVM}/lib" CACHE PATH "Folder of libc++.a, libc++abi.a and libunwind.a")
set(CMAKE_C_COMPILER clang-${LDP_LLVM})
set(CMAKE_CXX_COMPILER clang++-${LDP_LLVM})
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES LDP_LLVM LDP_DEVICE_LIBC LDP_DEVICE_MACHINE)
set(CMAKE_C_COMPILER_TARGET ${LDP_DEVICE_MACHINE}-linux-${LDP_DEVICE_LIBC})
set(CMAKE_CXX_COMPILER_TARGET ${LDP_DEVICE_MACHINE}-linux-${LDP_DEVICE_LIBC})
if(NOT LDP_DEVICE_MACHINE STREQUAL machine)
    set(LDP_DEVICE_BINUTILS ${CMAKE_CXX_COMPILER_TARGET}-)
endif()
