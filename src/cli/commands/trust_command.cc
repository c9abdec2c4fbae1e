// `pi-mcp trust`: what this project's files want, and the user's answer.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/principals/principal_option.h"
#include "cli/principals/principal_trust.h"
#include "cli/real_files.h"
#include "cli/sharing/shared_commands.h"
#include "cli/show/approval_lines.h"
#include "cli/show/config_view.h"
#include "cli/trust_prompt.h"
#include "cli/trust_record.h"
#include "cli/unknown_server.h"
#include "config/paths.h"
#include "config/trust/approval_store.h"
#include "config/trust/trust_store.h"
#include "json/writer.h"
#include "tool/consent/trust_file.h"
#include "tool/consent/trust_view.h"

namespace pi_mcp::cli {
namespace {

using config::TrustRequest;

class TrustCommand {
 public:
  explicit TrustCommand(const Setup& setup)
      : setup_(setup),
        console_(*setup.console),
        words_(setup.line.words()),
        settings_(load_configuration(setup, RealFiles())),
        file_(settings_.agent_dir) {}

  ExitStatus run() {
    const bool list = setup_.line.has(OptionId::list);
    const bool revoke = setup_.line.has(OptionId::revoke);
    if (list && (revoke || !words_.empty())) {
      return refuse("trust --list takes no server and no other option");
    }
    const Result<std::string> text = file_.read();
    if (!text) {
      return report(setup_, text.error());
    }
    if (list) {
      return show(*text);
    }
    return revoke ? take_back() : allow();
  }

 private:
  // ---- trust

  ExitStatus allow() {
    const Result<std::vector<TrustRequest>> wanted = wanted_requests();
    if (!wanted) {
      return report(setup_, wanted.error());
    }
    const bool whole = words_.empty();
    if (wanted->empty() && settings_.folder_trusted) {
      return said(*wanted, "this folder is trusted already, and nothing in it asks for more\n");
    }
    if (!setup_.line.has(OptionId::yes)) {
      if (!console_.input_is_terminal() || setup_.json) {
        console_.error(wanted->empty() ? folder_question()
                                       : trust_introduction(tool::trust_view(*wanted)));
        return refuse("nobody can be asked here; to allow this, repeat with --yes");
      }
      if (!ask(*wanted)) {
        console_.note("nothing was changed");
        return ExitStatus::done;
      }
    }
    const Result<void> kept = record_trust(
        setup_, {.requests = *wanted, .folder = whole ? settings_.folder : std::string()});
    if (!kept) {
      return report(setup_, kept.error());
    }
    std::string text = "trusted: ";
    text += wanted->empty() ? "the folder " + shown(settings_.folder) : names(*wanted);
    return said(*wanted, text + "\n");
  }

  // The requests of the named servers, else all, also about files of a folder above: each is shown
  // with its file.
  Result<std::vector<TrustRequest>> wanted_requests() {
    std::vector<TrustRequest> wanted;
    for (const TrustRequest& request : settings_.trust_requests) {
      if (words_.empty() || std::ranges::find(words_, request.server) != words_.end()) {
        wanted.push_back(request);
      }
    }
    for (const std::string& name : words_) {
      const bool asked = std::ranges::find(wanted, name, &TrustRequest::server) != wanted.end();
      const config::Server* server = settings_.find(name);
      if (!asked && server == nullptr) {
        return fail(unknown_server(settings_, name));
      }
      if (!asked) {
        console_.note(text::printable(name) + (server->standing == config::Standing::project
                                                   ? " is trusted already"
                                                   : " is a server of your own"));
      }
    }
    return wanted;
  }

  [[nodiscard]] std::string folder_question() const {
    return "Trust the folder " + text::printable(settings_.folder) +
           "? Programs that your own servers start may then read its files.";
  }

  bool ask(const std::vector<TrustRequest>& wanted) {
    if (wanted.empty()) {
      return ask_yes(console_, folder_question());
    }
    console_.prompt(trust_introduction(tool::trust_view(wanted)) + "\n\n");
    return ask_yes(console_, "Trust them, as they are now?");
  }

  // ---- --revoke

  ExitStatus take_back() {
    if (words_.empty()) {
      std::vector<std::string> servers = servers_of_project();
      const Result<void> changed = file_.update([this, &servers](const std::string& text) {
        Result<std::string> without = without_trust(text, "");
        add_trusted(text, servers);
        return without;
      });
      return revoked(changed, changed ? std::move(servers) : std::vector<std::string>());
    }
    for (auto name = words_.begin(); name != words_.end(); ++name) {
      if (const Result<void> changed = take_back(*name); !changed) {
        return revoked(changed, {words_.begin(), name});
      }
    }
    return revoked({}, words_);
  }

  [[nodiscard]] std::vector<std::string> servers_of_project() const {
    std::vector<std::string> names;
    for (const config::Server& server : settings_.servers) {
      if (server.standing != config::Standing::user) {
        names.push_back(server.name);
      }
    }
    return names;
  }

  // Also what its files name no more, and may run still.
  void add_trusted(const std::string& text, std::vector<std::string>& servers) const {
    const config::TrustStore store = config::TrustStore::parse(text);
    if (const config::TrustedFolder* const folder = store.find(folder_)) {
      for (const config::TrustedEntry& entry : folder->entries) {
        if (!entry.server.empty() && std::ranges::find(servers, entry.server) == servers.end()) {
          servers.push_back(entry.server);
        }
      }
    }
  }

  // What the server may do in this folder, and its approvals everywhere.
  Result<void> take_back(const std::string& name) {
    return file_.update([this, &name](const std::string& old) -> Result<std::string> {
      Result<std::string> text = config::without_approvals(
          old, [&name](const config::KeptApproval& approval) { return approval.server == name; });
      if (!text) {
        return text;
      }
      Result<std::string> without = without_trust(*text, name);
      const bool only_approvals =
          !without && without.error().code() == ErrorCode::not_found && *text != old;
      return only_approvals ? std::move(text) : std::move(without);
    });
  }

  // What is trusted for a file of a folder above counts here, too: the nearest one is meant.
  Result<std::string> without_trust(const std::string& text, const std::string& server) {
    Result<std::string> here = config::remove_trust(text, settings_.folder, server);
    for (const std::string& folder : config::with_parents(setup_.environment, settings_.folder)) {
      Result<std::string> without = config::remove_trust(text, folder, server);
      if (without || without.error().code() != ErrorCode::not_found) {
        folder_ = folder;
        return without;
      }
    }
    return here;
  }

  // Trust in these servers was taken back, also where more should have been. Sessions see it by
  // themselves, and end what they use; the rest is ended here.
  ExitStatus revoked(const Result<void>& changed, std::vector<std::string> servers) {
    stop_resting(setup_, std::move(servers));
    if (!changed) {
      return report(setup_, changed.error());
    }
    return said(
        {},
        "withdrawn: " +
            (words_.empty() ? "everything in " + shown(folder_) : text::join(words_, ", ")) + "\n");
  }

  // ---- --list

  ExitStatus show(const std::string& text) {
    const config::TrustStore store = config::TrustStore::parse(text);
    const Result<std::vector<config::KeptApproval>> approvals = config::kept_approvals(text);
    if (!store.problem().empty() || !approvals) {
      return report(
          setup_,
          {ErrorCode::invalid_argument,
           file_.path() + ": " + (approvals ? store.problem() : approvals.error().message())});
    }
    if (setup_.json) {
      print_json(console_, list_json(store, *approvals));
      return ExitStatus::done;
    }
    std::string out;
    for (const auto& [name, folder] : store.folders()) {
      const bool has_any = folder.whole || !folder.entries.empty() || !folder.choices.empty();
      out += has_any ? folder_text(name, folder) : "";
    }
    out += approval_lines(*approvals);
    console_.print(out.empty() ? "nothing is trusted or allowed for good\n" : out);
    return ExitStatus::done;
  }

  [[nodiscard]] std::string folder_text(const std::string& name,
                                        const config::TrustedFolder& folder) const {
    std::string out = console_.style().bold(text::printable(shown(name)));
    out += folder.whole ? " (the whole folder)\n" : "\n";
    for (const config::TrustedEntry& entry : folder.entries) {
      out += "  " + (entry.server.empty() ? "settings" : text::printable(entry.server)) + "  " +
             console_.style().dim(text::printable(shown(entry.path)) + ", by " +
                                  text::printable(entry.by)) +
             "\n";
    }
    for (const auto& [server, keys] : folder.choices) {
      out += "  " + text::printable(server) + "  " +
             console_.style().dim("here: " + text::printable(keys.text())) + "\n";
    }
    return out;
  }

  static std::string list_json(const config::TrustStore& store,
                               const std::vector<config::KeptApproval>& approvals) {
    json::Writer out;
    out.begin_object().member("mode", "trust").key("folders").begin_array();
    for (const auto& [name, folder] : store.folders()) {
      out.begin_object().member("folder", name).member("trusted", folder.whole);
      out.key("entries").begin_array();
      for (const config::TrustedEntry& entry : folder.entries) {
        out.begin_object().member("server", entry.server).member("file", entry.path);
        out.member("by", entry.by).member("digest", entry.digest).end_object();
      }
      out.end_array().key("choices").begin_object();
      for (const auto& [server, keys] : folder.choices) {
        out.member_raw(server, keys.text());
      }
      out.end_object().end_object();
    }
    out.end_array();
    write_approvals(out, approvals);
    return out.end_object().take();
  }

  // ---- shared

  ExitStatus refuse(const std::string& message) {
    return report(setup_,
                  {ErrorCode::invalid_argument, message + ". " + see_help(setup_.line.command())});
  }

  ExitStatus said(const std::vector<TrustRequest>& trusted, const std::string& text) {
    if (!setup_.json) {
      console_.print(text);
      return ExitStatus::done;
    }
    json::Writer out;
    out.begin_object().member("mode", "trust").member("folder", settings_.folder);
    out.key("trusted").begin_array();
    for (const TrustRequest& request : trusted) {
      out.begin_object().member("server", request.server).member("file", request.path).end_object();
    }
    print_json(console_, out.end_array().end_object().take());
    return ExitStatus::done;
  }

  static std::string names(const std::vector<TrustRequest>& requests) {
    std::vector<std::string> names;
    names.reserve(requests.size());
    for (const TrustRequest& request : requests) {
      names.push_back(request.server.empty() ? "settings" : text::printable(request.server));
    }
    return text::join(names, ", ");
  }

  [[nodiscard]] std::string shown(std::string_view path) const {
    return short_path(path, setup_.environment.home);
  }

  const Setup& setup_;
  Console& console_;
  const std::vector<std::string>& words_;
  config::Settings settings_;
  tool::TrustFile file_;
  std::string folder_;  // of what was withdrawn
};

}  // namespace

ExitStatus run_trust_command(const Setup& setup) {
  const Result<std::optional<access::Principal>> principal = principal_option(setup);
  if (!principal) {
    return report(setup, principal.error());
  }
  return *principal ? run_trust_for(setup, **principal) : TrustCommand(setup).run();
}

}  // namespace pi_mcp::cli
