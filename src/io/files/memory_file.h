// Files that are only in memory, passed between processes by their descriptors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "io/files/fd.h"

namespace pi_mcp::io {

enum class MemoryFileUse : std::uint8_t { data, program };

// Empty, with seals to be set. io: the system refuses, as it may for programs (vm.memfd_noexec).
Result<Fd> make_memory_file(const std::string& name, MemoryFileUse use = MemoryFileUse::data);

// One with this text that nobody can change any more.
Result<Fd> make_sealed_file(const std::string& name,
                            std::string_view text,
                            MemoryFileUse use = MemoryFileUse::data);

// The text of a file that make_sealed_file() has made, in whichever process. protocol: it is none,
// or can still be changed, or is over `bytes_max`.
Result<std::string> read_sealed_file(const Fd& file, std::size_t bytes_max);

// Its size is fixed from now on; its content is not.
Result<void> fix_size(const Fd& file);
[[nodiscard]] bool has_fixed_size(const Fd& file);

}  // namespace pi_mcp::io
