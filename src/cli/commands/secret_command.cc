// `pi-mcp secret`: what the user has stored for ${keyring:NAME}.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "auth/secret_store.h"
#include "base/text.h"
#include "base/variable_reference.h"
#include "cli/commands/commands.h"
#include "cli/real_files.h"
#include "cli/timed_command.h"
#include "cli/trust_record.h"
#include "config/secret_use.h"
#include "io/files/file.h"
#include "io/loop/clock.h"
#include "io/loop/loop.h"
#include "io/loop/stream.h"
#include "io/loop/task_group.h"
#include "io/process/terminal.h"
#include "json/writer.h"
#include "servers/launch/oauth_access.h"

namespace pi_mcp::cli {
namespace {

// Linux cuts a line of a terminal there, without a word.
constexpr std::size_t terminal_line_max = 4095;

Error usage(const Setup& setup, const std::string& problem) {
  return {ErrorCode::invalid_argument, problem + ". " + see_help(setup.line.command())};
}

// Nothing that was typed is repeated: it may be the secret.
std::optional<Error> problem_of(const Setup& setup) {
  const std::vector<std::string>& words = setup.line.words();
  const std::string& action = words.front();
  if (action == "list") {
    return words.size() == 1 ? std::nullopt : std::optional(usage(setup, "list takes no name"));
  }
  if (action != "set" && action != "rm") {
    return usage(setup, "secret wants set, list or rm");
  }
  if (action == "set" &&
      (words.size() > 2 || (words.size() == 2 && words[1].find('=') != std::string::npos))) {
    return Error(ErrorCode::invalid_argument,
                 "the value of a secret is never an argument: other programs can see arguments, "
                 "and shells remember them; without it you are asked for it, or give it on stdin: "
                 "pi-mcp secret set NAME < FILE");
  }
  if (words.size() != 2 || !is_name_of_secret(words[1])) {
    return usage(setup,
                 action + " wants a name: letters, digits, \"_\", \".\" and \"-\", 64 at most");
  }
  return std::nullopt;
}

Result<std::string> value_of(std::string text) {
  if (text.ends_with('\n')) {
    text.pop_back();
    if (text.ends_with('\r')) {
      text.pop_back();
    }
  }
  const std::string problem = text.empty()                           ? "it is empty"
                              : text.size() > auth::secret_bytes_max ? "it has more than 64 KiB"
                              : text.find('\0') != std::string::npos ? "it has a zero byte"
                              : !text::is_valid_utf8(text)
                                  ? "it is not UTF-8 text; encode it, in base64"
                                  : "";
  return problem.empty() ? Result<std::string>(std::move(text))
                         : fail(ErrorCode::invalid_argument, "nothing was stored: " + problem);
}

class SecretCommand {
 public:
  // `piped`: what came through stdin, for `set` without a terminal.
  SecretCommand(io::Executor executor, const Setup& setup, std::optional<std::string> piped)
      : setup_(setup),
        console_(*setup.console),
        executor_(std::move(executor)),
        piped_(std::move(piped)),
        settings_(load_configuration(setup, RealFiles())),
        store_(servers::store_access(setup.environment, settings_)),
        frame_(executor_, setup) {}

  io::Task<ExitStatus> run() {
    const std::string& action = setup_.line.words().front();
    const ExitStatus status =
        co_await frame_.run(action == "set"    ? set(setup_.line.words()[1])
                            : action == "list" ? list()
                                               : remove(setup_.line.words()[1]),
                            "this was not done within --timeout");
    const bool is_damaged = action == "list" && status == ExitStatus::usage;
    co_return is_damaged ? ExitStatus::configuration : status;
  }

 private:
  // ---- set

  io::Task<Result<std::string>> set(std::string name) {
    const bool to_file = setup_.line.has(OptionId::file);
    // Before anybody types it for nothing.
    if (auto usable = co_await store_.find(name); !to_file && !usable) {
      co_return fail(std::move(usable).error().while_doing(name + " was not stored"));
    }
    Result<std::string> typed = std::string();
    if (piped_) {
      typed = *piped_;
    } else {
      typed = co_await ask(name);
    }
    Result<std::string> value = typed ? value_of(*std::move(typed)) : typed;
    if (!value) {
      co_return value;
    }
    Result<void> kept = co_await store_.keep(
        name, *std::move(value), to_file ? auth::SecretPlace::file : auth::SecretPlace::keyring);
    if (!kept) {
      co_return fail(std::move(kept).error().while_doing(name + " was not stored"));
    }
    if (setup_.json) {
      json::Writer out = begin(name);
      co_return out.member("stored", to_file ? "file" : "keyring").end_object().take();
    }
    co_return name + " is stored in " + (to_file ? store_.path() : "the keyring") +
        "; servers take it with ${keyring:" + name + "}\n";
  }

  io::Task<Result<std::string>> ask(std::string name) {
    io::Fd terminal = io::open_terminal();
    const int number = terminal.get();
    io::ReadStream input(executor_, std::move(terminal));
    const io::HiddenInput hidden(number);
    if (!hidden.is_hidden()) {
      co_return fail(ErrorCode::io,
                     "this terminal cannot hide what you type; give the value on stdin: "
                     "pi-mcp secret set " +
                         name + " < FILE");
    }
    console_.prompt("Value of " + name + " (it is not shown): ");
    std::string line;
    std::array<char, 4096> space{};
    while (!line.ends_with('\n') && line.size() <= terminal_line_max) {
      const Result<std::size_t> count = co_await input.read_some(space);
      if (!count) {
        co_return fail(count.error());
      }
      if (*count == 0) {
        break;
      }
      line.append(space.data(), *count);
    }
    if (line.size() >= terminal_line_max || input.read_now(space) > 0) {
      co_return fail(ErrorCode::invalid_argument,
                     "nothing was stored: a terminal takes one line of less than 4095 bytes; give "
                     "the value on stdin: pi-mcp secret set " +
                         name + " < FILE");
    }
    co_return line;
  }

  // ---- rm

  io::Task<Result<std::string>> remove(std::string name) {
    const Result<bool> removed = co_await store_.remove(name);
    if (!removed) {
      co_return fail(removed.error().code(),
                     name + " was not removed: " + removed.error().message());
    }
    if (!*removed) {
      co_return fail(ErrorCode::not_found,
                     "there is no secret " + name + "; pi-mcp secret list shows all");
    }
    if (setup_.json) {
      co_return begin(name).member("removed", true).end_object().take();
    }
    co_return name + " is removed\n";
  }

  // ---- list

  struct Row {
    std::string place;  // "keyring", "file"; empty: it is in neither
    std::vector<std::string> servers;
  };

  io::Task<Result<std::string>> list() {
    std::map<std::string, Row> rows;
    for (const config::Server& server : settings_.servers) {
      for (const config::SecretUse& use : config::secret_uses(server)) {
        std::vector<std::string>& servers = rows[use.name].servers;
        if (servers.empty() || servers.back() != server.name) {
          servers.push_back(server.name);
        }
      }
    }
    const Result<std::vector<std::string>> in_keyring = co_await store_.names_in_keyring();
    if (!in_keyring && in_keyring.error().code() == ErrorCode::cancelled) {
      co_return fail(in_keyring.error());
    }
    for (const std::string& name : in_keyring.value_or(std::vector<std::string>())) {
      rows[name].place = "keyring";
    }
    const Result<std::vector<std::string>> in_file = store_.names_in_file();
    if (!in_file) {
      co_return fail(in_file.error());
    }
    for (const std::string& name : *in_file) {
      rows[name].place = "file";
    }
    const std::string problem = in_keyring ? "" : in_keyring.error().message();
    co_return setup_.json ? as_json(rows, problem) : as_text(rows, problem);
  }

  static std::string as_json(const std::map<std::string, Row>& rows, const std::string& problem) {
    json::Writer out;
    out.begin_object().member("mode", "secret");
    if (!problem.empty()) {
      out.member("keyringError", problem);
    }
    out.key("secrets").begin_array();
    for (const auto& [name, row] : rows) {
      out.begin_object().member("name", name).key("stored");
      row.place.empty() ? out.null() : out.string(row.place);
      out.key("servers").begin_array();
      for (const std::string& server : row.servers) {
        out.string(server);
      }
      out.end_array().end_object();
    }
    return out.end_array().end_object().take();
  }

  [[nodiscard]] std::string as_text(const std::map<std::string, Row>& rows,
                                    const std::string& problem) const {
    if (!problem.empty()) {
      console_.note("secrets in the keyring are not shown: " + problem);
    }
    std::size_t width = 0;
    for (const auto& [name, row] : rows) {
      width = std::max(width, name.size());
    }
    const std::string to_file = problem.empty() ? "" : " --file";
    std::string out;
    for (const auto& [name, row] : rows) {
      // Only a keyring that was asked can say that something is missing.
      const std::string absent = problem.empty() ? "missing" : "not in the file";
      out += text::printable(name) + std::string(width - name.size() + 2, ' ') +
             (row.place.empty() ? absent : row.place) + ", " +
             (row.servers.empty() ? "not used"
                                  : "used by " + text::printable(text::join(row.servers, ", ")));
      out += row.place.empty()
                 ? "; to store it: pi-mcp secret set " + text::printable(name) + to_file + "\n"
                 : "\n";
    }
    return out.empty() ? "no secret is stored or used; to store one: pi-mcp secret set NAME" +
                             to_file + "\n"
                       : out;
  }

  static json::Writer begin(const std::string& name) {
    json::Writer out;
    out.begin_object().member("mode", "secret").member("name", name);
    return out;
  }

  const Setup& setup_;
  Console& console_;
  io::Executor executor_;
  std::optional<std::string> piped_;
  config::Settings settings_;
  auth::SecretStore store_;
  TimedCommand frame_;
};

io::Task<ExitStatus> secret_main(io::Executor executor,
                                 const Setup* setup,
                                 std::optional<std::string> piped) {
  SecretCommand command(std::move(executor), *setup, std::move(piped));
  co_return co_await command.run();
}

}  // namespace

ExitStatus run_secret_command(const Setup& setup) {
  if (const std::optional<Error> problem = problem_of(setup)) {
    return report(setup, *problem);
  }
  const bool is_piped = setup.line.words().front() == "set" && !setup.console->input_is_terminal();
  std::optional<std::string> piped;
  if (is_piped) {
    // With the end of its line; what is longer is refused here.
    Result<std::string> text = io::read_stdin(auth::secret_bytes_max + 2);
    if (!text) {
      return report(setup, text.error());
    }
    piped = *std::move(text);
  }
  return io::run([&setup, &piped](const io::Executor& executor) {
    return secret_main(executor, &setup, piped);
  });
}

}  // namespace pi_mcp::cli
