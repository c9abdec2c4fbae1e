#include "servers/installer.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace pi_mcp::servers {
namespace {

struct Installer {
  std::string_view program;
  std::string_view word;  // its first argument; empty: any
};

constexpr auto installers = std::to_array<Installer>({
    {"npx", ""},
    {"npm", "exec"},
    {"npm", "x"},
    {"bunx", ""},
    {"bun", "x"},
    {"pnpx", ""},
    {"pnpm", "dlx"},
    {"yarn", "dlx"},
    {"uvx", ""},
    {"uv", "run"},
    {"uv", "tool"},
    {"pipx", "run"},
    {"deno", "run"},
    {"dnx", ""},
    {"docker", "run"},
    {"podman", "run"},
});

std::string_view file_name(std::string_view path) {
  return path.substr(path.find_last_of('/') + 1);
}

}  // namespace

std::string possible_installation(const std::string& command,
                                  const std::vector<std::string>& args) {
  const std::string_view program = file_name(command);
  const bool known =
      std::any_of(installers.begin(), installers.end(), [&](const Installer& installer) {
        const bool fits = installer.word.empty() || (!args.empty() && args[0] == installer.word);
        return installer.program == program && fits;
      });
  return known ? "starting it with " + std::string(program) + ", which may install it first" : "";
}

}  // namespace pi_mcp::servers
