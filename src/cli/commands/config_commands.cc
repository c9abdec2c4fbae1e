// The commands that show and change configuration: config, add, remove, enable, disable, import.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/shell_word.h"
#include "base/text.h"
#include "cli/commands/add_words.h"
#include "cli/commands/commands.h"
#include "cli/commands/config_change.h"
#include "cli/commands/import_facts.h"
#include "cli/commands/server_file.h"
#include "cli/real_files.h"
#include "cli/sharing/shared_commands.h"
#include "cli/show/config_keys.h"
#include "cli/show/config_view.h"
#include "cli/trust_record.h"
#include "cli/unknown_server.h"
#include "config/edit.h"
#include "io/process/executable.h"
#include "json/document.h"
#include "json/writer.h"
#include "tool/failures.h"

namespace pi_mcp::cli {
namespace {

// A server that says nothing for so long after it was added is left alone.
constexpr std::chrono::seconds check_max{30};

class ConfigCommand {
 public:
  explicit ConfigCommand(const Setup& setup)
      : setup_(setup), console_(*setup.console), home_(setup.environment.home) {}

  ExitStatus run() {
    const Result<std::string> said = command();
    const ExitStatus status = print_or_report(setup_, said);
    return unreadable_ ? ExitStatus::configuration : given_up_.value_or(status);
  }

  // Also for a server that another command keeps.
  Result<std::string> add() {
    const Result<std::string> path = chosen_file(config::Target::global);
    if (!path) {
      return fail(path.error());
    }
    const bool in_project = is_for_project() || setup_.line.has(OptionId::server_cwd);
    tool::NewServerFacts facts = new_server_facts(setup_);
    facts.folder = in_project ? "" : setup_.environment.cwd;
    const Result<std::vector<tool::NewServer>> servers =
        added_servers(setup_.line, facts, read_input);
    if (!servers) {
      return fail(servers.error());
    }
    const config::Settings before = load();
    if (const Result<void> added = add_servers(setup_, *path, *servers); !added) {
      return failed_at(*path, added.error());
    }
    std::string out;
    for (const tool::NewServer& server : *servers) {
      if (const config::Server* other = before.find(server.name)) {
        console_.note("warning: " + quoted(server.name) + " is also configured in " +
                      shown(other->origin.path) + "; pi-mcp config " + server.name +
                      " shows what counts");
      }
      note_missing_program(server.entry_json);
      out += said("added", server.name, *path, "");
    }
    return with_check(*servers, std::move(out));
  }

 private:
  // What to print: text, or with --json a JSON value.
  Result<std::string> command() {
    switch (setup_.line.command()->id) {
      case CommandId::add:
        return add();
      case CommandId::remove:
        return remove();
      case CommandId::enable:
        return set_disabled(false);
      case CommandId::disable:
        return set_disabled(true);
      case CommandId::import:
        return import();
      default:
        return show();
    }
  }

  // ---- config

  Result<std::string> show() {
    if (setup_.line.has(OptionId::keys)) {
      return setup_.json ? keys_json(setup_.line.words())
                         : keys_text(setup_.line.words(), console_.style(), console_.columns());
    }
    if (setup_.line.words().size() > 1) {
      return fail(ErrorCode::invalid_argument,
                  "config wants one server, or --keys and names of keys. " +
                      see_help(setup_.line.command()));
    }
    const config::Settings settings = load();
    unreadable_ = is_unreadable(settings);
    ConfigView view{.settings = &settings,
                    .servers = {},
                    .files = {},
                    .warnings = settings.warnings,
                    .everything = true,
                    .home = home_,
                    .columns = console_.room()};
    if (setup_.line.words().empty()) {
      for (const config::Server& server : settings.servers) {
        view.servers.push_back(&server);
      }
      view.files = looked_at(settings);
      if (settings.servers.empty() && !unreadable_) {
        note_import(setup_);
      }
    } else {
      const Result<const config::Server*> server = find(settings, setup_.line.words().front());
      if (!server) {
        return fail(server.error());
      }
      view.servers.push_back(*server);
      view.warnings = warnings_about(settings, std::vector{(*server)->name});
      view.everything = false;
    }
    return setup_.json ? config_json(view) : config_text(view, console_.style());
  }

  [[nodiscard]] std::vector<LookedAt> looked_at(const config::Settings& settings) const {
    std::vector<LookedAt> files;
    for (config::SourceFile& file :
         config::source_files(setup_.environment, RealFiles(), setup_.load_options)) {
      const bool exists = RealFiles().exists(file.path);
      const bool unreadable = is_unreadable(settings, file.path);
      files.push_back({.file = std::move(file), .exists = exists, .unreadable = unreadable});
    }
    return files;
  }

  // ---- add, remove

  // Starts what was added, so that a mistake shows at once; the servers stay added.
  std::string with_check(const std::vector<tool::NewServer>& servers, std::string out) {
    if (setup_.json) {
      return out;
    }
    if (setup_.line.has(OptionId::no_check)) {
      return out + "Next: pi-mcp connect " +
             (servers.size() == 1 ? servers.front().name : "--all") + "\n";
    }
    console_.print(out);
    (void)console_.finish();  // a failure is reported at the end of the program
    std::vector<std::string> words{
        "connect",
        "--brief",
        "--timeout",
        setup_.line.value(OptionId::timeout).value_or(std::to_string(check_max.count()))};
    for (const tool::NewServer& server : servers) {
      words.push_back(server.name);
    }
    Setup check = setup_;
    check.timeout = check.timeout.value_or(check_max);
    if (Result<CommandLine> line = CommandLine::parse(words)) {
      check.line = *std::move(line);
      const ExitStatus status = run_session_command(check);  // it has said what is wrong
      if (status == ExitStatus::timed_out || status >= ExitStatus::interrupted) {
        given_up_ = status;
        console_.note(servers.size() == 1 ? quoted(servers.front().name) + " stays added"
                                          : "they stay added");
      }
    }
    return "";
  }

  [[nodiscard]] bool is_for_project() const {
    return setup_.line.has(OptionId::project) || setup_.line.value(OptionId::scope) == "project" ||
           setup_.line.value(OptionId::scope) == "local";
  }

  Result<std::string> remove() {
    const config::Settings settings = load();
    const std::string& name = setup_.line.words().front();
    const config::Server* const server = settings.find(name);
    const std::vector<std::string> files =
        server != nullptr ? config::own_files(*server) : own_files_with(name);
    if (server == nullptr && files.empty()) {
      return fail(unknown_server(settings, name));
    }
    if (files.empty()) {
      const config::Origin origin = config::definition(*server);
      return fail(ErrorCode::invalid_argument,
                  quoted(name) + " is imported from " + shown(origin.path) +
                      ", which pi-mcp does not change; to hide it: pi-mcp disable " +
                      text::shell_word(name));
    }
    Result<std::string> path = files.back();
    if (chosen_target()) {
      path = chosen_file(config::Target::global);
    }
    if (!path) {
      return fail(path.error());
    }
    const auto edit = [&name](std::string_view text) {
      return config::remove_server(text, name);
    };
    if (const Result<void> inside = check_inside_project(setup_, *path); !inside) {
      return fail(inside.error());
    }
    if (const Result<Change> changed = change_file(setup_, *path, edit); !changed) {
      return failed_at(*path, changed.error());
    }
    stop_resting(setup_, {name});
    const config::Settings after = load();
    const config::Server* left = after.find(name);
    return said("removed",
                name,
                *path,
                left == nullptr ? "" : "\nIt is still configured in " + shown(left->origin.path));
  }

  // Files with an entry that is no server: pi-mcp itself, or choices about one that is gone.
  [[nodiscard]] std::vector<std::string> own_files_with(const std::string& name) const {
    std::vector<std::string> found;
    for (const config::SourceFile& file :
         config::source_files(setup_.environment, RealFiles(), setup_.load_options)) {
      const bool is_own = !file.role.starts_with("import ");
      const std::string text =
          is_own ? RealFiles().read(file.path).value_or(std::nullopt).value_or("") : "";
      if (has_server(text, name)) {
        found.push_back(file.path);
      }
    }
    return found;
  }

  // ---- enable, disable

  Result<std::string> set_disabled(bool disabled) {
    ServerChange change{.server = setup_.line.words().front(),
                        .key = "disabled",
                        .value_json = disabled ? "true" : "false",
                        .path = {},
                        .for_folder = setup_.line.has(OptionId::project)};
    if (chosen_target()) {
      const Result<std::string> path = chosen_file(config::Target::global);
      if (!path) {
        return fail(path.error());
      }
      change.path = change.for_folder ? std::nullopt : std::optional(*path);
    }
    const Result<std::string> path = change_server(setup_, change);
    if (path && disabled) {
      stop_resting(setup_, {change.server});
    }
    return path ? Result<std::string>(
                      said(disabled ? "disabled" : "enabled", change.server, *path, ""))
                : fail(path.error());
  }

  // ---- import

  Result<std::string> import() {
    Result<std::string> said = run_import(setup_);
    return said ? std::move(said)
                : failed_at(config::target_file(
                                setup_.environment, setup_.load_options, config::Target::global),
                            said.error());
  }

  // ---- shared

  // Whether it is because nothing in that file can be read decides about the exit status.
  Result<std::string> failed_at(const std::string& path, const Error& error) {
    unreadable_ = is_unreadable(load(), path);
    return fail(error);
  }

  // Does not print the warnings: they are part of what `config` shows.
  [[nodiscard]] config::Settings load() const { return load_configuration(setup_, RealFiles()); }

  static Result<const config::Server*> find(const config::Settings& settings,
                                            const std::string& name) {
    if (const config::Server* server = settings.find(name)) {
      return server;
    }
    return fail(unknown_server(settings, name));
  }

  [[nodiscard]] bool chosen_target() const {
    return setup_.line.has(OptionId::project) || setup_.line.has(OptionId::global) ||
           setup_.line.has(OptionId::scope);
  }

  [[nodiscard]] Result<std::string> chosen_file(config::Target standard) const {
    const bool project = is_for_project();
    if (project && setup_.line.has(OptionId::global)) {
      return fail(ErrorCode::invalid_argument, "--project and --global exclude each other");
    }
    if (project && setup_.load_options.config_file) {
      return fail(ErrorCode::invalid_argument, "--project and --config exclude each other");
    }
    return config::target_file(
        setup_.environment, setup_.load_options, project ? config::Target::project : standard);
  }

  // A misspelt program is noticed here rather than at its first use.
  void note_missing_program(const std::string& entry_json) {
    const Result<json::Document> entry = json::Document::parse_view(entry_json);
    const std::string command = entry ? entry->root().find("command").string_or("") : "";
    if (command.empty() || command.find_first_of("$~!{") != std::string::npos) {
      return;
    }
    const Result<std::string> found = find_program(command);
    if (!found) {
      console_.note("warning: " + found.error().message());
    }
  }

  [[nodiscard]] Result<std::string> find_program(const std::string& command) const {
    return io::find_executable(command, setup_.environment.variables, setup_.environment.cwd);
  }

  [[nodiscard]] std::string shown(std::string_view path) const { return short_path(path, home_); }

  [[nodiscard]] std::string said(std::string_view done,
                                 const std::string& name,
                                 const std::string& path,
                                 const std::string& next) const {
    if (setup_.json) {
      json::Writer out;
      out.begin_object().member("mode", setup_.line.command()->name).member("server", name);
      out.member("path", path).member("changed", !path.empty()).end_object();
      return out.take();
    }
    if (path.empty()) {
      return name + " is already " + std::string(done) + "\n";
    }
    const char* preposition = done == "removed" ? " from " : (done == "added" ? " to " : " in ");
    return std::string(done) + " " + name + preposition + shown(path) + next + "\n";
  }

  const Setup& setup_;
  Console& console_;
  std::string home_;
  bool unreadable_ = false;             // a file that the command is about
  std::optional<ExitStatus> given_up_;  // the trial of what was added did not come to its end
};

}  // namespace

Result<std::string> read_input(const std::string& path) {
  if (path == "-") {
    return io::read_stdin();
  }
  Result<std::optional<std::string>> text = io::read_file(path);
  if (!text) {
    return fail(text.error());
  }
  return *text ? Result<std::string>(**std::move(text))
               : fail(ErrorCode::invalid_argument, "there is no file " + path);
}

tool::NewServerFacts new_server_facts(const Setup& setup) {
  return {.is_program =
              [&setup](const std::string& word) {
                return io::find_executable(word, setup.environment.variables, setup.environment.cwd)
                    .has_value();
              },
          .folder = {}};
}

ExitStatus keep_server(const Setup& setup, const std::string& name, const std::string& entry_json) {
  Setup adding = setup;
  Result<CommandLine> line = CommandLine::parse({"add", "--no-check", name, entry_json});
  if (!line) {
    return report(setup, line.error());
  }
  adding.line = *std::move(line);
  adding.json = false;
  const Result<std::string> said = ConfigCommand(adding).add();
  if (!said) {
    return report(setup, said.error());
  }
  setup.console->note(said->substr(0, said->find('\n')));
  return ExitStatus::done;
}

ExitStatus run_config_command(const Setup& setup) {
  return ConfigCommand(setup).run();
}

}  // namespace pi_mcp::cli
