#include "cli/show/doctor_view.h"

#include <algorithm>
#include <array>

#include "base/count_text.h"
#include "base/text.h"
#include "cli/show/config_view.h"
#include "cli/show/status_view.h"
#include "json/writer.h"

namespace pi_mcp::cli {
namespace {

using doctor::Finding;
using doctor::ServerFacts;
using doctor::Severity;

constexpr std::size_t name_columns_max = 24;
constexpr std::int64_t milliseconds_per_second = 1000;

// "0.4 s".
std::string seconds_text(Milliseconds time) {
  constexpr std::int64_t tenth = 100;
  const std::int64_t tenths = (time.count() + tenth / 2) / tenth;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " s";
}

class DoctorText {
 public:
  DoctorText(const DoctorReport& report, const Style& style, std::size_t columns)
      : report_(report), facts_(report.facts), style_(style), columns_(columns) {}

  std::string text() {
    for (const std::string& fixed : report_.fixed) {
      out_ += style_.green("✓") + " " + for_reading(fixed) + "\n";
    }
    out_ += report_.fixed.empty() ? "" : "\n";
    add_files();
    add_servers();
    add_findings();
    return std::move(out_);
  }

 private:
  void add_files() {
    TextTable table;
    for (const doctor::FileFacts& file : facts_.files) {
      if (file.exists) {
        table.add({!file.problem.empty() ? style_.red("✗") : style_.green("✓"),
                   shown(file.path),
                   style_.dim(file.role)});
      }
    }
    const std::string lines = fitted(table.text("  ", columns_), columns_);
    out_ += style_.bold("Files, the later ones win") + "\n" + (lines.empty() ? "  none\n" : lines);
  }

  void add_servers() {
    out_ += "\n" + style_.bold("Servers") + "\n";
    std::size_t widest = 0;
    for (const ServerFacts& server : facts_.servers) {
      const std::size_t columns = columns_of(text::printable_line(server.name));
      widest = columns <= name_columns_max ? std::max(widest, columns) : widest;
    }
    for (const ServerFacts& server : facts_.servers) {
      add_server(server, widest);
    }
    if (!facts_.servers.empty()) {
      return;
    }
    const bool is_broken = std::ranges::any_of(facts_.files, [](const doctor::FileFacts& file) {
      return !file.problem.empty() && !file.is_projects;
    });
    out_ += is_broken ? "  none is known, since a file above cannot be read\n"
                      : "  none; pi-mcp setup takes over those of other programs,\n"
                        "  pi-mcp add NAME -- COMMAND adds one\n";
  }

  void add_server(const ServerFacts& server, std::size_t name_columns) {
    constexpr std::size_t before_name = 4;  // indent, mark, space
    const std::string name = text::printable_line(server.name);
    const std::size_t columns = columns_of(name);
    const std::string indent(before_name + name_columns + 2, ' ');
    std::string lines;
    for (const std::string& line : lines_of(server)) {
      lines += wrapped(text::printable_line(line), indent, columns_);
    }
    out_ += "  " + mark(server) + " " + style_.bold(name);
    if (columns > name_columns) {
      out_ += "\n" + lines;
    } else {
      out_ += std::string(name_columns - columns, ' ') + lines.substr(before_name + name_columns);
    }
  }

  [[nodiscard]] std::vector<std::string> lines_of(const ServerFacts& server) const {
    std::vector<std::string> lines;
    lines.push_back(
        shown(server.origin.path) +
        (server.origin.import_kind.empty() ? "" : " (import " + server.origin.import_kind + ")") +
        (server.disabled ? ", disabled" : ""));
    if (!server.address.empty()) {
      lines.push_back(server.address);
    } else if (server.program) {
      const std::string& path = server.program->path;
      lines.push_back(path.empty() ? server.program->command + ": not found" : shown(path));
    }
    if (server.login && server.login->is_there) {
      lines.push_back(login_line(*server.login));
    }
    if (server.start && server.start->problem.empty()) {
      lines.push_back("started in " + seconds_text(server.start->took) + ", speaks " +
                      server.start->protocol + ", " +
                      text::count_text(server.start->tools, "tool"));
    }
    for (const doctor::RunFacts& run : facts_.runs) {
      if (run.server == server.name && run.configured) {
        lines.push_back(run.state + " in process " + std::to_string(run.owner) + " for " +
                        (run.client.empty() ? "a shell" : run.client) + " in " + shown(run.cwd));
      }
    }
    return lines;
  }

  [[nodiscard]] std::string login_line(const doctor::LoginFacts& login) const {
    if (!login.ends_at) {
      return "logged in";
    }
    const std::int64_t seconds =
        (login.ends_at->value - facts_.now.value) / milliseconds_per_second;
    return seconds > 0 ? "logged in, for another " + text::age_text(seconds)
                       : "login ended " + text::age_text(-seconds) + " ago";
  }

  [[nodiscard]] std::string mark(const ServerFacts& server) const {
    Severity worst = Severity::note;
    for (const Finding& finding : report_.findings) {
      if (finding.about.server == server.name) {
        worst = std::min(worst, row_of(finding.code).severity);
      }
    }
    return server.disabled              ? style_.dim("-")
           : worst == Severity::error   ? style_.red("✗")
           : worst == Severity::warning ? style_.yellow("!")
                                        : style_.green("✓");
  }

  void add_findings() {
    if (report_.findings.empty()) {
      out_ += "\n" + style_.green("Nothing to mend.") + "\n";
      return;
    }
    for (const Finding& finding : report_.findings) {
      const doctor::CodeRow& row = row_of(finding.code);
      const std::string sentence = for_reading(row.sentence(finding.about));
      out_ += "\n" + coloured(row.severity, severity_name(row.severity)) + " " +
              style_.bold(row.name) + "\n" + wrapped(sentence, "  ", columns_) + "  " +
              style_.dim("→ ") + text::printable_line(row.command(finding.about)) + "\n";
    }
    out_ += "\n" + totals() + "; docs/doctor.md explains each code\n";
  }

  [[nodiscard]] std::string coloured(Severity severity, std::string_view text) const {
    return severity == Severity::error     ? style_.red(text)
           : severity == Severity::warning ? style_.yellow(text)
                                           : style_.dim(text);
  }

  [[nodiscard]] std::string totals() const {
    std::vector<std::string> parts;
    for (const Severity severity : {Severity::error, Severity::warning, Severity::note}) {
      const auto count = static_cast<std::size_t>(
          std::ranges::count(report_.findings, severity, [](const Finding& finding) {
            return row_of(finding.code).severity;
          }));
      if (count > 0) {
        parts.push_back(text::count_text(count, severity_name(severity)));
      }
    }
    return text::join(parts, ", ");
  }

  [[nodiscard]] std::string for_reading(const std::string& sentence) const {
    return text::replace_all(text::printable_line(sentence), report_.home + "/", "~/");
  }

  [[nodiscard]] std::string shown(const std::string& path) const {
    return text::printable_line(short_path(path, report_.home));
  }

  const DoctorReport& report_;
  const doctor::Facts& facts_;
  const Style& style_;
  std::size_t columns_;
  std::string out_;
};

void optional_member(json::Writer& out, std::string_view name, const std::string& value) {
  if (!value.empty()) {
    out.member(name, value);
  }
}

void write_program(json::Writer& out, const doctor::ProgramFacts& program) {
  out.key("program").begin_object().member("command", program.command);
  optional_member(out, "path", program.path);
  optional_member(out, "problem", program.problem);
  out.member("seenByDesktop", program.seen_by_desktop).end_object();
}

void write_names(json::Writer& out, std::string_view key, const std::vector<std::string>& names) {
  out.key(key).begin_array();
  for (const std::string& name : names) {
    out.string(name);
  }
  out.end_array();
}

void write_start(json::Writer& out, const doctor::StartFacts& start) {
  out.key("start").begin_object().member("works", start.problem.empty());
  out.member("milliseconds", start.took.count());
  optional_member(out, "problem", start.problem);
  if (start.problem.empty()) {
    out.member("protocolVersion", start.protocol).member("toolCount", start.tools);
    write_names(out, "newTools", start.added);
    write_names(out, "changedTools", start.changed);
    write_names(out, "goneTools", start.gone);
  }
  out.end_object();
}

void write_server(json::Writer& out, const ServerFacts& server) {
  out.begin_object().member("name", server.name).member("path", server.origin.path);
  optional_member(out, "import", server.origin.import_kind);
  out.member("disabled", server.disabled).member("needsTrust", server.needs_trust);
  optional_member(out, "address", server.address);
  if (server.program) {
    write_program(out, *server.program);
  }
  out.key("unsetVariables").begin_array();
  for (const doctor::UnsetVariable& variable : server.unset) {
    out.begin_object().member("name", variable.name).member("field", variable.field);
    out.member("preventsStart", variable.prevents).end_object();
  }
  out.end_array();
  if (server.login) {
    out.key("login").begin_object().member("stored", server.login->is_there);
    if (server.login->ends_at) {
      out.member("endsAt", server.login->ends_at->value);
    }
    out.end_object();
  }
  if (server.start) {
    write_start(out, *server.start);
  }
  out.end_object();
}

void write_run(json::Writer& out, const doctor::RunFacts& run) {
  out.begin_object().member("server", run.server).member("status", run.state);
  out.member("client", run.client).member("cwd", run.cwd).member("ownerProcessId", run.owner);
  if (run.process_id != 0) {
    out.member("processId", run.process_id);
  }
  out.end_object();
}

void write_finding(json::Writer& out, const Finding& finding) {
  const doctor::CodeRow& row = row_of(finding.code);
  out.begin_object().member("code", row.name).member("severity", severity_name(row.severity));
  optional_member(out, "server", finding.about.server);
  optional_member(out, "path", finding.about.path);
  out.member("message", row.sentence(finding.about));
  out.member("command", row.command(finding.about));
  out.member("fixable", is_fixable(finding)).end_object();
}

template <class Items, class Write>
void write_array(json::Writer& out, std::string_view key, const Items& items, Write write) {
  out.key(key).begin_array();
  for (const auto& item : items) {
    write(out, item);
  }
  out.end_array();
}

}  // namespace

std::string doctor_text(const DoctorReport& report, const Style& style, std::size_t columns) {
  return DoctorText(report, style, columns).text();
}

std::string doctor_json(const DoctorReport& report) {
  json::Writer out;
  out.begin_object().member("mode", "doctor").member("clean", is_clean(report.findings));
  write_names(out, "fixed", report.fixed);
  write_array(out, "findings", report.findings, write_finding);
  write_array(
      out, "files", report.facts.files, [](json::Writer& to, const doctor::FileFacts& file) {
        to.begin_object().member("path", file.path).member("role", file.role);
        to.member("exists", file.exists);
        optional_member(to, "problem", file.problem);
        to.end_object();
      });
  write_array(out, "servers", report.facts.servers, write_server);
  write_array(
      out, "hosts", report.facts.hosts, [](json::Writer& to, const doctor::HostFacts& host) {
        to.begin_object().member("kind", host.kind).member("path", host.path);
        to.member("command", host.command).end_object();
      });
  write_array(out, "running", report.facts.runs, write_run);
  return out.end_object().take();
}

}  // namespace pi_mcp::cli
