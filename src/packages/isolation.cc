#include "packages/isolation.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "packages/handover.h"
#include "packages/launcher_scripts.h"
#include "packages/python_line.h"
#include "packages/uv_tool.h"

namespace pi_mcp::packages {
namespace {

std::string quoted_for_shell(const std::string& text) {
  return "'" + text::replace_all(text, "'", R"('\'')") + "'";
}

// Builds the changed command line of one call.
class Keeper {
 public:
  Keeper(const CommandLine& line, LauncherCall call, const std::string& session_folder)
      : call_(std::move(call)), session_folder_(session_folder) {
    isolated_.launcher = call_.row->launcher;
    isolated_.line.command = line.command;
    isolated_.folder = launch_folder;
  }

  std::optional<Isolated> keep() {
    if (call_.names_folder || call_.names_file || names_package_in_folder()) {
      return std::nullopt;
    }
    if (!change()) {
      return std::nullopt;
    }
    return std::move(isolated_);
  }

 private:
  [[nodiscard]] bool names_package_in_folder() const {
    const bool python = isolated_.launcher == Launcher::uv_tool ||
                        isolated_.launcher == Launcher::uv_run ||
                        isolated_.launcher == Launcher::pipx_run;
    const auto in_folder = [python](const std::string& text) {
      return python ? is_python_package_in_folder(text) : is_in_folder(text);
    };
    const bool named =
        isolated_.launcher == Launcher::uv_tool ? call_.has("from") : !call_.packages.empty();
    return std::any_of(call_.packages.begin(), call_.packages.end(), in_folder) ||
           (!call_.program.empty() && !named && in_folder(call_.program.front()));
  }

  // False: as written.
  bool change() {
    switch (isolated_.launcher) {
      case Launcher::npm_exec:
        return change_npm();
      case Launcher::pnpm_dlx:
        return change_pnpm();
      case Launcher::bunx:
        return step(call_.packages.empty());
      case Launcher::uv_tool:
        return change_uvx();
      case Launcher::uv_run:
        return change_uv_run();
      case Launcher::deno:
        return change_deno();
      case Launcher::bun_file:
        isolated_.folder = session_folder_;
        isolated_.variables["BUN_OPTIONS"] = bun_options;
        return as_it_is() && call_.program.front().starts_with('/') && !call_.has("config") &&
               !call_.has("c");
      case Launcher::yarn_dlx:
        isolated_.helper = Helper::node;
        return as_it_is();
      case Launcher::pipx_run:
        isolated_.helper = Helper::python;
        return as_it_is();
      case Launcher::dotnet_tool:
        isolated_.folder = session_folder_;
        isolated_.needs_clean_folder = true;
        return as_it_is();
      case Launcher::python:
        break;
    }
    return false;
  }

  bool as_it_is() {
    isolated_.line.args = call_.options;
    return append(call_.program);
  }

  bool append(const std::vector<std::string>& more) {
    isolated_.line.args.insert(isolated_.line.args.end(), more.begin(), more.end());
    return !call_.program.empty();
  }

  // The launcher installs the package and runs a shell, which goes to the session's folder and
  // becomes the program. `unnamed`: the package decides which program.
  bool step(bool unnamed) {
    if (call_.program.empty()) {
      return false;
    }
    isolated_.line.args = call_.options;
    if (unnamed) {
      isolated_.line.args.push_back("--package=" + call_.program.front());
    }
    isolated_.line.args.insert(isolated_.line.args.end(),
                               {shell,
                                "-c",
                                unnamed ? std::string(choose_program) + std::string(step_to_choice)
                                        : std::string(step_to_program),
                                session_folder_});
    if (isolated_.launcher != Launcher::uv_tool && isolated_.launcher != Launcher::uv_run) {
      isolated_.variables["BUN_OPTIONS"] = bun_options;
      return append(call_.program);
    }
    return append(without_folder_modules(call_.program, session_folder_));
  }

  bool change_npm() {
    if (call_.call) {
      std::string& option = call_.options[*call_.call];
      const std::size_t equals = option.starts_with('-') ? option.find('=') + 1 : 0;
      option.insert(equals, "cd " + quoted_for_shell(session_folder_) + " && ");
      isolated_.variables["BUN_OPTIONS"] = bun_options;
      isolated_.line.args = call_.options;
      return true;
    }
    if (call_.program.empty()) {
      return false;
    }
    isolated_.variables["BUN_OPTIONS"] = bun_options;
    isolated_.line = npx_handover(isolated_.line.command, call_, session_folder_);
    return true;
  }

  bool change_pnpm() {
    if (call_.program.empty() || (!call_.has("c") && !call_.has("shell-mode"))) {
      return step(call_.packages.empty());
    }
    call_.program.front().insert(0, "cd " + quoted_for_shell(session_folder_) + " && ");
    return as_it_is();
  }

  bool change_uvx() {
    if (call_.has("from") || call_.program.empty()) {
      return step(false);
    }
    const std::string spec = call_.program.front();
    const std::string program = python_program(spec);
    if (program.empty()) {  // of a url nobody but uv knows it; uvx reads no settings of a folder
      return false;
    }
    call_.options.push_back("--from=" + spec);
    call_.program.front() = program;
    return step(false);
  }

  bool change_uv_run() {
    if (call_.program.empty()) {
      return false;
    }
    if (call_.has("m") || call_.has("module")) {
      std::erase(call_.options, "-m");
      std::erase(call_.options, "--module");
      call_.program.insert(call_.program.begin(), {"python", "-m"});
      return step(false);
    }
    const std::string& program = call_.program.front();
    const bool script = call_.has("s") || call_.has("script") || call_.has("gui-script") ||
                        program.ends_with(".py") || program.find("://") != std::string::npos ||
                        program == "-";
    if (!script) {
      return step(false);
    }
    if (!program.starts_with('/') && program.find("://") == std::string::npos && program != "-") {
      return false;
    }
    // Dependencies that the script names are found only when uv runs it itself.
    isolated_.folder = session_folder_;
    if (!call_.has("project")) {
      call_.options.push_back("--project=" + std::string(launch_folder));
    }
    return as_it_is();
  }

  bool change_deno() {
    const std::string first = call_.program.empty() ? "" : call_.program.front();
    const bool remote = first.starts_with("npm:") || first.starts_with("jsr:") ||
                        first.starts_with("http:") || first.starts_with("https:");
    const bool installs = call_.row->program == "dx" || call_.row->words == "x";
    if (call_.has("config") || call_.has("c") || !(remote || installs)) {
      return false;
    }
    isolated_.folder = session_folder_;
    if (call_.row->program == "deno" && call_.row->words.empty()) {
      call_.options.insert(call_.options.begin(), "run");
    }
    if (!call_.has("no-config")) {
      call_.options.emplace_back("--no-config");
    }
    if (!call_.has("lock") && !call_.has("no-lock") && !installs) {
      call_.options.emplace_back("--no-lock");
    }
    return as_it_is();
  }

  LauncherCall call_;
  const std::string& session_folder_;
  Isolated isolated_;
};

}  // namespace

std::optional<Isolated> isolate(const CommandLine& line, const std::string& session_folder) {
  const std::string below = session_folder + (session_folder.ends_with('/') ? "" : "/");
  if (session_folder != launch_folder && line.command.starts_with(below)) {
    return std::nullopt;
  }
  if (std::optional<CommandLine> python = without_folder_modules(line, session_folder)) {
    Isolated isolated;
    isolated.launcher = Launcher::python;
    isolated.line = *std::move(python);
    isolated.folder = launch_folder;
    return isolated;
  }
  std::optional<LauncherCall> call = read_launcher_call(line);
  return call ? Keeper(line, *std::move(call), session_folder).keep() : std::nullopt;
}

}  // namespace pi_mcp::packages
