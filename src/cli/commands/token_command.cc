// `pi-mcp token`: who may come over HTTP, each by a token of its own.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "access/expiry.h"
#include "access/narrow.h"
#include "access/rate.h"
#include "access/token_file.h"
#include "base/count_text.h"
#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/http/replica_store.h"
#include "cli/principals/forget_principal.h"
#include "cli/principals/principal_option.h"
#include "cli/real_files.h"
#include "cli/unknown_server.h"
#include "config/load.h"
#include "io/loop/clock.h"
#include "io/loop/loop.h"
#include "json/writer.h"

namespace pi_mcp::cli {
namespace {

using access::Principal;
using access::TokenRecord;

// "github, jira", or "all".
std::string names_text(const std::vector<std::string>& names) {
  return names.empty() ? "all" : text::printable_line(text::join(names, ", "));
}

std::string until_text(const std::optional<EpochMs>& expires) {
  return expires ? access::time_text(*expires) : "removed";
}

void write_names(json::Writer& out, std::string_view key, const std::vector<std::string>& names) {
  out.key(key);
  if (names.empty()) {
    out.null();  // all
    return;
  }
  out.begin_array();
  for (const std::string& name : names) {
    out.string(name);
  }
  out.end_array();
}

void write_principal(json::Writer& out, const Principal& principal) {
  out.member("name", principal.name);
  write_names(out, "servers", principal.servers);
  write_names(out, "tools", principal.tools);
  out.key("expires");
  principal.expires ? out.number(principal.expires->value) : out.null();
  out.key("rate");
  if (principal.rate) {
    access::write_rate(out, *principal.rate);
  } else {
    out.null();  // as settings.http.rate says
  }
  if (principal.metrics_alone) {
    out.member("metrics", true);
  }
}

// `store`: of replicas, which have logins of it too.
io::Task<std::size_t> end_logins(io::Executor executor,
                                 const Setup* setup,
                                 std::string id,
                                 std::optional<ReplicaStore::Options> store) {
  const Setup served = as_served(*setup);
  config::Settings settings = load_settings(served);
  std::unique_ptr<ReplicaStore> shared;
  if (store) {
    shared = std::make_unique<ReplicaStore>(executor, served, *std::move(store));
    shared->start();
    settings.shared_logins = &shared->logins();
  }
  const std::size_t logins = co_await forget_principal(
      executor,
      {.id = std::move(id), .environment = served.environment, .settings = std::move(settings)});
  if (shared) {
    co_await shared->close();
  }
  co_return logins;
}

class TokenCommand {
 public:
  explicit TokenCommand(const Setup& setup)
      : setup_(setup),
        console_(*setup.console),
        words_(setup.line.words()),
        file_(config::agent_dir(setup.environment)),
        now_(io::epoch_now()) {}

  ExitStatus run() {
    const std::string& action = words_.front();
    if (action == "list") {
      return words_.size() == 1 && !has_limits()
                 ? show_list()
                 : report(setup_, usage("list takes no name and no other option"));
    }
    if (action != "add" && action != "remove" && action != "rm") {
      return report(setup_, usage("token wants add, list or remove"));
    }
    if (words_.size() != 2) {
      return report(setup_, usage(action + " wants the name of a token"));
    }
    if (action == "add") {
      return add();
    }
    return has_limits() ? report(setup_, usage(action + " takes a name alone"))
                        : of_file(print_or_report(setup_, remove()));
  }

 private:
  [[nodiscard]] Error usage(const std::string& problem) const {
    return {ErrorCode::invalid_argument, problem + ". " + see_help(setup_.line.command())};
  }

  [[nodiscard]] bool has_limits() const {
    return std::ranges::any_of(std::initializer_list<OptionId>{OptionId::servers,
                                                               OptionId::tools,
                                                               OptionId::expires,
                                                               OptionId::rate,
                                                               OptionId::metrics},
                               [this](OptionId id) { return setup_.line.has(id); });
  }

  // ---- add

  ExitStatus add() {
    const Result<Principal> principal = wanted();
    if (!principal) {
      return report(setup_, principal.error());
    }
    const Result<std::string> token = file_.add(*principal, now_);
    if (!token) {
      return of_file(report(setup_, token.error()));
    }
    if (setup_.json) {
      json::Writer out;
      out.begin_object().member("mode", "token").member("token", *token);
      write_principal(out, *principal);
      print_json(console_, out.end_object().take());
      return ExitStatus::done;
    }
    explain(*principal);
    console_.print(*token + "\n");
    return ExitStatus::done;
  }

  [[nodiscard]] Result<Principal> wanted() const {
    const std::string expires =
        setup_.line.value(OptionId::expires).value_or(std::string(access::expiry_default));
    const Result<std::optional<EpochMs>> end = access::parse_expiry(expires, now_);
    if (!end) {
      return fail(Error(end.error()).while_doing("--expires"));
    }
    Principal principal{.name = words_[1],
                        .id = {},
                        .servers = setup_.load_options.servers,
                        .tools = {},
                        .expires = *end,
                        .metrics_alone = setup_.line.has(OptionId::metrics)};
    if (principal.metrics_alone &&
        (!principal.servers.empty() || setup_.line.has(OptionId::tools) ||
         setup_.line.has(OptionId::rate))) {
      return fail(
          usage("--metrics is for /metrics alone: it goes with neither --servers nor "
                "--tools nor --rate"));
    }
    if (const std::optional<std::string> text = setup_.line.value(OptionId::rate)) {
      const Result<access::Rate> rate = access::parse_rate(*text);
      if (!rate) {
        return fail(Error(rate.error()).while_doing("--rate"));
      }
      principal.rate = *rate;
    }
    if (const Result<void> known = check_servers(principal.servers); !known) {
      return fail(known.error());
    }
    for (const std::string& patterns : setup_.line.values(OptionId::tools)) {
      for (const std::string_view pattern : text::split(patterns, ',')) {
        principal.tools.emplace_back(text::trim(pattern));
      }
    }
    if (std::ranges::find(principal.tools, "") != principal.tools.end()) {
      return fail(ErrorCode::invalid_argument,
                  "--tools wants names or patterns with commas between them");
    }
    return principal;
  }

  [[nodiscard]] Result<void> check_servers(const std::vector<std::string>& wanted) const {
    if (wanted.empty()) {
      return {};
    }
    config::LoadOptions options = setup_.load_options;
    options.servers.clear();
    options.users_alone = true;
    const config::Settings settings = config::load(setup_.environment, RealFiles(), options);
    const std::vector<std::string> unknown = access::unknown_servers(settings, wanted);
    if (unknown.empty()) {
      return {};
    }
    return fail(ErrorCode::not_found,
                "--servers: there is no server " + text::join(unknown, ", ") + " of your own; " +
                    configured_text(settings) + " (those of a project are not served over HTTP)");
  }

  void explain(const Principal& principal) const {
    console_.note("the token of " + principal.name +
                  " is printed this once; only a digest of it is kept\n" +
                  (principal.metrics_alone ? "  for: /metrics alone"
                                           : "  servers: " + names_text(principal.servers) +
                                                 "\n  tools: " + names_text(principal.tools)) +
                  (principal.rate ? "\n  rate: " + access::rate_text(*principal.rate) : "") +
                  "\n  until: " + until_text(principal.expires) +
                  "\n  use: as the header \"Authorization: Bearer TOKEN\", with `pi-mcp serve "
                  "--http`\n  revoke: pi-mcp token remove " +
                  principal.name);
  }

  // ---- list

  ExitStatus show_list() { return of_file(print_or_report(setup_, list())); }

  // A file that is damaged is no mistake of the command line.
  [[nodiscard]] ExitStatus of_file(ExitStatus status) const {
    const Result<std::vector<TokenRecord>> records = file_.list();
    const bool is_damaged = !records && records.error().code() == ErrorCode::invalid_argument;
    return status == ExitStatus::usage && is_damaged ? ExitStatus::configuration : status;
  }

  [[nodiscard]] Result<std::string> list() const {
    const Result<std::vector<TokenRecord>> records = file_.list();
    if (!records) {
      return fail(records.error());
    }
    if (setup_.json) {
      return as_json(*records);
    }
    if (records->empty()) {
      return std::string("there is no token; to make one: pi-mcp token add NAME\n");
    }
    return console_.output_is_terminal() ? as_table(*records) : as_lines(*records);
  }

  [[nodiscard]] std::string as_json(const std::vector<TokenRecord>& records) const {
    json::Writer out;
    out.begin_object().member("mode", "token").key("tokens").begin_array();
    for (const TokenRecord& record : records) {
      out.begin_object();
      write_principal(out, *record.principal);
      out.member("ending", record.ending).member("created", record.created.value);
      out.member("expired", record.principal->is_expired(now_)).end_object();
    }
    return out.end_array().end_object().take();
  }

  [[nodiscard]] std::string end_of(const Principal& principal) const {
    return (principal.is_expired(now_) ? "expired " : "until ") + until_text(principal.expires);
  }

  [[nodiscard]] std::string as_table(const std::vector<TokenRecord>& records) const {
    const Style& style = console_.style();
    const bool have_rates = std::ranges::any_of(
        records, [](const TokenRecord& record) { return record.principal->rate.has_value(); });
    const auto row = [have_rates](std::vector<std::string> cells, std::string rate) {
      if (have_rates) {
        cells.insert(cells.end() - 1, std::move(rate));
      }
      return cells;
    };
    TextTable table;
    table.add(row({style.bold("NAME"),
                   style.bold("TOKEN"),
                   style.bold("SERVERS"),
                   style.bold("TOOLS"),
                   style.bold("GOOD")},
                  style.bold("RATE")));
    for (const TokenRecord& record : records) {
      const Principal& principal = *record.principal;
      const std::string end = end_of(principal);
      table.add(row({principal.name,
                     ending_of(record),
                     principal.metrics_alone ? "/metrics alone" : names_text(principal.servers),
                     principal.metrics_alone ? "" : names_text(principal.tools),
                     principal.is_expired(now_) ? style.red(end) : end},
                    principal.rate ? access::rate_text(*principal.rate) : ""));
    }
    return table.text("", console_.columns());
  }

  [[nodiscard]] std::string as_lines(const std::vector<TokenRecord>& records) const {
    std::string out;
    for (const TokenRecord& record : records) {
      const Principal& principal = *record.principal;
      out += principal.name + "  " + ending_of(record) +
             (principal.metrics_alone ? "  /metrics alone  "
                                      : "  servers: " + names_text(principal.servers) +
                                            "  tools: " + names_text(principal.tools) + "  ") +
             (principal.rate ? "rate: " + access::rate_text(*principal.rate) + "  " : "") +
             end_of(principal) + "\n";
    }
    return out;
  }

  static std::string ending_of(const TokenRecord& record) {
    return "…" + text::printable_line(record.ending);
  }

  // ---- remove

  [[nodiscard]] Result<std::string> remove() const {
    const std::string& name = words_[1];
    const std::string id = id_of(name);
    Result<std::optional<ReplicaStore::Options>> store = ReplicaStore::options(setup_);
    if (!store) {
      return fail(std::move(store).error());
    }
    const Result<void> removed = file_.remove(name);
    if (!removed && removed.error().code() == ErrorCode::not_found) {
      return fail(ErrorCode::not_found,
                  removed.error().message() + "; pi-mcp token list shows all");
    }
    if (!removed) {
      return fail(removed.error());
    }
    const std::size_t logins = id.empty() ? 0 : io::run([&](const io::Executor& executor) {
      return end_logins(executor, &setup_, id, *std::move(store));
    });
    if (setup_.json) {
      json::Writer out;
      out.begin_object().member("mode", "token").member("name", name).member("removed", true);
      return out.end_object().take();
    }
    return "the token of " + text::printable_line(name) + " is good for nothing from now on" +
           (logins == 0 ? "" : "; " + text::count_text(logins, "login") + " of it ended") + "\n";
  }

  // Empty: there is no such token, or the file cannot be read.
  [[nodiscard]] std::string id_of(const std::string& name) const {
    const Result<std::vector<TokenRecord>> records = file_.list();
    for (const TokenRecord& record : records ? *records : std::vector<TokenRecord>()) {
      if (record.principal->name == name) {
        return record.principal->id;
      }
    }
    return "";
  }

  const Setup& setup_;
  Console& console_;
  const std::vector<std::string>& words_;
  access::TokenFile file_;
  EpochMs now_;
};

}  // namespace

ExitStatus run_token_command(const Setup& setup) {
  return TokenCommand(setup).run();
}

}  // namespace pi_mcp::cli
