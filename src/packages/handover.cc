#include "packages/handover.h"

#include <utility>

#include "packages/launcher_scripts.h"

namespace pi_mcp::packages {
namespace {

void append(std::vector<std::string>& words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
}

}  // namespace

CommandLine npx_handover(const std::string& command,
                         const LauncherCall& call,
                         const std::string& folder) {
  const bool unnamed = call.packages.empty();
  const std::string tell =
      unnamed ? std::string(choose_program) + std::string(tell_choice) : std::string(tell_program);
  std::vector<std::string> words = {command};
  append(words, call.options);
  if (unnamed) {
    words.push_back("--package=" + call.program.front());
  }
  append(words, {"--", shell, "-c", tell, folder, call.program.front()});
  CommandLine line{
      .command = shell,
      .args = {"-c", std::string(npx_to_program), folder, std::to_string(words.size())}};
  append(line.args, words);
  line.args.insert(line.args.end(), call.program.begin() + 1, call.program.end());
  return line;
}

CommandLine uv_handover(const UvTool& tool, const UvNote& note, const std::string& folder) {
  std::vector<std::string> words = {tool.launcher.command};
  append(words, tool.launcher.args);
  append(words, {shell, "-c", std::string(tell_environment)});
  CommandLine line{.command = shell,
                   .args = {"-c",
                            std::string(uv_to_program),
                            folder,
                            note.path,
                            note.stamp,
                            note.last,
                            std::to_string(words.size())}};
  append(line.args, words);
  append(line.args, tool.program);
  return line;
}

}  // namespace pi_mcp::packages
