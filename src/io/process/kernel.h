// What we need of a kernel that POSIX does not have. kernel_linux.cc has it for Linux.
#pragma once

#include <sys/types.h>

#include <string>

#include "io/files/fd.h"

namespace pi_mcp::io {

// A path by which this program can be started once more.
std::string own_program();

// On: a descendant whose parent has ended becomes our child; off: a child of the init process.
void adopt_descendants(bool on);

// Becomes readable when this child of ours ends. Not open where the kernel has nothing like it.
Fd end_of_child(pid_t child);

// Makes room for so many bytes in a pipe, if the user may have that much; else it stays as it is.
void widen_pipe(int pipe, int bytes);

// Opens the file behind a descriptor a second time, with flags of its own (O_CLOEXEC is added). Not
// open where the system refuses.
Fd open_anew(int file, int flags);
Fd open_to_read(int file);

unsigned own_user_id();

// The program that runs, also when its file was replaced meanwhile: to be executed, not read.
Fd open_own_program();
// Tells builds of it apart by what the linker has made of their content (NT_GNU_BUILD_ID), so that
// copies have the same wherever they stand; without it by size and time of the file.
std::string own_program_stamp();

// What this process is called in lists; the kernel keeps 15 bytes.
void name_process(const char* name);

// Between fork and exec:
void close_files(unsigned first, unsigned last);
// Every signal gets SIG_DFL or SIG_IGN.
void reset_signals(void (*handler)(int));

}  // namespace pi_mcp::io
