#include "packages/installer.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "packages/launcher_table.h"

namespace pi_mcp::packages {
namespace {

// A program and its first argument; empty: any.
using Installer = std::pair<std::string_view, std::string_view>;

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

}  // namespace

std::string possible_installation(const std::string& command,
                                  const std::vector<std::string>& args) {
  const std::string_view program = file_name(command);
  const bool known =
      std::any_of(installers.begin(), installers.end(), [&](const Installer& installer) {
        const auto& [name, word] = installer;
        return name == program && (word.empty() || (!args.empty() && args[0] == word));
      });
  return known ? "starting it with " + std::string(program) + ", which may install it first" : "";
}

}  // namespace pi_mcp::packages
