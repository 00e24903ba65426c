# Toolchain of the preset arm64: Debian's cross compiler, and the libraries of Debian's arm64 in build/arm64/root, which
# tools/arm64-root unpacks. qemu runs the programs.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
# GCC notes calls that GCC 9 compiled in another way.
set(CMAKE_CXX_FLAGS_INIT -Wno-psabi)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
cmake_path(SET arm64_root NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../build/arm64/root")
set(CMAKE_SYSROOT "${arm64_root}")
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L "${arm64_root}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
    set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${arm64_root}")
set(ENV{PKG_CONFIG_LIBDIR} "${arm64_root}/usr/lib/aarch64-linux-gnu/pkgconfig:${arm64_root}/usr/share/pkgconfig")
