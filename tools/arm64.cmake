# Linux on arm64, cross-built by the compiler that builds everything else: docs/decisions/0068-arm64.md
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER_TARGET aarch64-linux-gnu)
get_filename_component(CMAKE_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../build/sysroot-arm64/root ABSOLUTE)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
# As on x64, so that both compute the same.
add_compile_options(-fsigned-char)
# What is tried out while configuring, too: the folder has no shared libraries.
add_link_options(-static)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static)
# Programs are of this machine, all else is of the other.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
