#include "io/process/net_program.h"

#include <link.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <string>
#include <system_error>
#include <vector>

#include "io/files/file.h"

// The head of the file that runs, by the linker's word.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming): the linker's name
extern "C" const ElfW(Ehdr) __ehdr_start;

namespace pi_mcp::io {
namespace {

constexpr std::size_t arguments_max = 2UL * 1024 * 1024;  // the kernel's own limit, by default

// Empty: where there is no /proc.
std::string folder_of_own_file() {
  std::array<char, PATH_MAX> path{};
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
  const std::string file(path.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
  return file.substr(0, file.rfind('/') + 1);
}

}  // namespace

bool is_net_program() {
  return __ehdr_start.e_type == ET_DYN;
}

Error become_net_program() {
  const std::string folder = folder_of_own_file();
  const std::string path = folder + net_program_name;
  const Result<std::optional<std::string>> said = read_file("/proc/self/cmdline", arguments_max);
  if (folder.empty() || !said || !*said) {
    return Error(ErrorCode::io, "/proc, which says where this program is, cannot be read");
  }
  std::string text = **said;  // each ends with a NUL
  std::vector<char*> arguments;
  for (std::size_t at = 0; at < text.size(); at = text.find('\0', at) + 1) {
    arguments.push_back(text.data() + at);
  }
  arguments.push_back(nullptr);
  (void)::execv(path.c_str(), arguments.data());
  const int why = errno;
  if (why == ENOENT) {
    return Error(ErrorCode::not_found, std::string(net_program_name) + " is not in " + folder);
  }
  return Error(ErrorCode::io, path + ": " + std::generic_category().message(why));
}

}  // namespace pi_mcp::io
