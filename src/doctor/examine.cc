#include "doctor/examine.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>

#include "base/count_text.h"
#include "base/text.h"

namespace pi_mcp::doctor {
namespace {

// The first few, and how many there are besides.
std::string names_text(const std::vector<std::string>& names) {
  constexpr std::size_t shown_max = 5;
  const std::size_t shown = std::min(names.size(), shown_max);
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(shown);
  return text::join({names.begin(), end}, ", ") +
         (names.size() > shown ? " and " + std::to_string(names.size() - shown) + " more" : "");
}

class Examination {
 public:
  explicit Examination(const Facts& facts) : facts_(facts) {}

  std::vector<Finding> run() {
    look_at_files();
    for (const ServerFacts& server : facts_.servers) {
      if (!server.disabled && !server.needs_trust) {
        look_at(server);
      }
    }
    look_at_others();
    std::vector<Finding> sorted;
    for (const Severity severity : {Severity::error, Severity::warning, Severity::note}) {
      std::ranges::copy_if(found_, std::back_inserter(sorted), [severity](const Finding& finding) {
        return row_of(finding.code).severity == severity;
      });
    }
    return sorted;
  }

 private:
  void add(Code code, About about) { found_.push_back({.code = code, .about = std::move(about)}); }

  void look_at_files() {
    for (const FileFacts& file : facts_.files) {
      if (!file.problem.empty()) {
        add(Code::file_unreadable,
            {.server = {}, .path = file.path, .what = {}, .why = file.problem});
      }
      if (file.is_open) {
        add(Code::file_open, {.server = {}, .path = file.path, .what = {}, .why = {}});
      }
    }
    for (const config::Warning& warning : facts_.warnings) {
      add(Code::file_warning,
          {.server = warning.server, .path = warning.path, .what = {}, .why = warning.message});
    }
    for (const config::HiddenServer& hidden : facts_.hidden) {
      add(Code::name_hidden,
          {.server = hidden.name, .path = hidden.path, .what = hidden.by_path, .why = {}});
    }
    for (const config::TrustRequest& request : facts_.trust_requests) {
      add(Code::trust_needed,
          {.server = request.server, .path = request.path, .what = {}, .why = {}});
    }
  }

  void look_at(const ServerFacts& server) {
    const About about{.server = server.name, .path = server.origin.path, .what = {}, .why = {}};
    if (!server.problem.empty()) {
      About invalid = about;
      invalid.why = server.problem;
      add(Code::entry_invalid, std::move(invalid));
    }
    for (const UnsetVariable& variable : server.unset) {
      About unset = about;
      unset.what = variable.name;
      unset.why =
          variable.field + (variable.prevents ? ", which is not set: it is not started without it"
                                              : ", which is not set and counts as empty");
      add(Code::variable_unset, std::move(unset));
    }
    look_at_secrets(about, server);
    if (server.program) {
      look_at_program(about, *server.program);
    }
    if (!server.missing_folder.empty()) {
      About folder = about;
      folder.path = server.missing_folder;
      add(Code::folder_missing, std::move(folder));
    }
    const bool ran = server.last_failure && !server.start && !runs_now(server.name);
    // Where no login is possible, the server refuses what its entry says.
    const bool login_failed =
        server.login && ((server.start && server.start->wants_login) ||
                         (ran && server.last_failure->wants_login && !server.login->is_there));
    if (login_failed) {
      add(Code::login_needed, about);
    } else if (server.login) {
      look_at_login(about, *server.login);
    }
    if (server.start) {
      look_at_start(about, *server.start, server.login.has_value());
    } else if (ran && !(server.last_failure->wants_login && server.login) && can_start(server)) {
      // What keeps it from being started has been said above.
      About failed = about;
      failed.why = server.last_failure->reason;
      add(Code::run_failed, std::move(failed));
    }
  }

  [[nodiscard]] bool runs_now(const std::string& server) const {
    return std::ranges::any_of(facts_.runs, [&server](const RunFacts& run) {
      return run.server == server && run.configured && run.process_id != 0;
    });
  }

  void look_at_secrets(const About& about, const ServerFacts& server) {
    for (const MissingSecret& secret : server.missing_secrets) {
      About missing = about;
      missing.what = secret.name;
      missing.no_keyring = !secret.problem.empty();
      missing.why = secret.field + (secret.problem.empty()
                                        ? ", which is not stored"
                                        : ", and the keyring cannot be asked: " + secret.problem);
      add(Code::secret_missing, std::move(missing));
    }
    for (const PlainToken& token : server.plain_tokens) {
      About plain = about;
      plain.path = token.path;
      plain.what = token.name;
      plain.no_keyring = token.no_keyring;
      plain.why = token.field + " of " + token.path + ", " + token.exposure +
                  "; store it, then write " + token.replacement + " there";
      add(Code::token_plain, std::move(plain));
    }
  }

  void look_at_start(About about, const StartFacts& start, bool may_log_in) {
    if (!start.problem.empty() && !(start.wants_login && may_log_in)) {
      About failed = about;
      failed.why = start.problem;
      failed.what = start.behind_proxy;
      add(Code::start_failed, std::move(failed));
    }
    std::vector<std::string> parts;
    for (const auto& [names, what] : {std::pair(&start.added, "new: "),
                                      std::pair(&start.changed, "changed: "),
                                      std::pair(&start.gone, "gone: ")}) {
      if (!names->empty()) {
        parts.push_back(what + names_text(*names));
      }
    }
    if (!parts.empty()) {
      about.why = text::join(parts, "; ");
      add(Code::tools_changed, std::move(about));
    }
  }

  void look_at_program(About about, const ProgramFacts& program) {
    if (program.has_spaces) {
      about.what = program.name;
      about.why = program.advice;
      about.words = program.words;
      add(Code::command_spaces, std::move(about));
    } else if (program.path.empty()) {
      about.what = program.name;
      about.why = program.problem;
      add(Code::command_missing, std::move(about));
    } else if (!program.seen_by_desktop) {
      about.path = program.path;
      about.what = program.interpreter;
      about.why = program.problem.empty() ? "a host that no shell has started does not look there"
                                          : program.problem;
      add(Code::command_shell_only, std::move(about));
    }
  }

  void look_at_login(About about, const LoginFacts& login) {
    constexpr std::int64_t ms_per_s = 1000;
    constexpr std::int64_t soon_s = std::int64_t{24} * 3600;
    if (!login.is_there) {
      if (login.is_asked_for) {
        add(Code::login_needed, std::move(about));
      }
      return;
    }
    const std::int64_t left_s =
        login.ends_at ? (login.ends_at->value - facts_.now.value) / ms_per_s : soon_s;
    if (left_s <= 0) {
      add(Code::login_expired, std::move(about));
    } else if (left_s < soon_s) {
      about.why = text::age_text(left_s);
      add(Code::login_ends, std::move(about));
    }
  }

  void look_at_others() {
    for (const HostFacts& host : facts_.hosts) {
      if (host.is_lost) {
        add(Code::host_broken,
            {.server = {}, .path = host.path, .what = host.kind, .why = host.command});
      }
      for (const HostFacts::Entry& entry : host.twice) {
        add(Code::started_twice,
            {.server = entry.name, .path = entry.path, .what = host.kind, .why = {}});
      }
    }
    for (const StaleImport& stale : facts_.stale_imports) {
      add(Code::import_stale,
          {.server = {}, .path = stale.path, .what = stale.kind, .why = stale.name});
    }
    for (const LeftProcess& left : facts_.left) {
      add(Code::process_left,
          {.server = {},
           .path = {},
           .what = std::to_string(left.process_id),
           .why = left.program.empty() ? "what a server has left" : left.program});
    }
    if (!facts_.alone.why.empty()) {
      add(Code::runs_alone,
          {.server = {},
           .path = facts_.alone.folder,
           .what = facts_.alone.file,
           .why = facts_.alone.why});
    }
    for (const OtherProgram& program : facts_.programs) {
      if (program.version != facts_.version) {
        add(Code::version_other,
            {.server = {},
             .path = program.path,
             .what = facts_.path,
             .why = "version " + program.version + ", and " +
                    (program.by.empty() ? "PATH leads to it" : program.by + " names it") +
                    "; this one is " + facts_.version});
      }
    }
  }

  const Facts& facts_;
  std::vector<Finding> found_;
};

}  // namespace

std::vector<Finding> examine(const Facts& facts) {
  return Examination(facts).run();
}

bool can_start(const ServerFacts& server) {
  const bool lacks_program =
      server.program && (server.program->path.empty() || !server.program->problem.empty());
  const bool lacks_login = server.login && server.login->is_asked_for && !server.login->is_there;
  return !server.disabled && !server.needs_trust && server.problem.empty() &&
         server.missing_folder.empty() && server.missing_secrets.empty() && !lacks_program &&
         !lacks_login && std::ranges::none_of(server.unset, &UnsetVariable::prevents);
}

bool is_clean(const std::vector<Finding>& findings) {
  return std::ranges::all_of(findings, [](const Finding& finding) {
    return row_of(finding.code).severity == Severity::note;
  });
}

}  // namespace pi_mcp::doctor
