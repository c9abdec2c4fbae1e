#include "cli/commands/setup/setup_plan.h"

#include <array>
#include <ctime>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "cli/real_files.h"
#include "config/edit.h"
#include "io/files/file.h"
#include "io/process/kernel.h"

namespace pi_mcp::cli {
namespace {

// The path that hosts start: as the shell finds it where that is this program, so that an update
// behind a link is followed.
std::string program_path(const config::Environment& environment) {
  std::string self = io::canonical_path(io::own_program());
  const std::string path = environment.variable("PATH").value_or("");
  for (const std::string_view folder : text::split(path, ':')) {
    const std::string candidate = std::string(folder) + "/pi-mcp";
    if (folder.starts_with('/') && io::canonical_path(candidate) == self) {
      return candidate;
    }
  }
  return self;
}

}  // namespace

Result<setup::Plan> plan_setup(const Setup& setup, std::vector<std::string> hosts, bool copy) {
  return setup::make_plan(setup.environment,
                          RealFiles(),
                          {.hosts = std::move(hosts),
                           .copy = copy,
                           .program = program_path(setup.environment),
                           .user_file = config::target_file(
                               setup.environment, setup.load_options, config::Target::global),
                           .refusal = [](const std::string& path) {
                             return io::write_refusal(path);
                           }});
}

std::string stamp_of_now() {
  const std::time_t now = std::time(nullptr);
  std::array<char, 32> text{};
  // NOLINTNEXTLINE(concurrency-mt-unsafe): the program has one thread
  const std::tm* const local = std::localtime(&now);
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y%m%d-%H%M%S", local);
  return {text.data(), length};
}

}  // namespace pi_mcp::cli
