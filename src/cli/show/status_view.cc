#include "cli/show/status_view.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <optional>
#include <utility>

#include "base/count_text.h"
#include "base/shell_word.h"
#include "base/text.h"
#include "cli/show/shared_lines.h"

namespace pi_mcp::cli {
namespace {

using State = servers::ServerStatus::State;

// How a state looks in the table.
struct Look {
  using Colour = std::string (Style::*)(std::string_view) const;
  constexpr Look(State of, std::string_view sign, Colour in, std::string_view word)
      : state(of), glyph(sign), colour(in), name(word) {}

  State state;
  std::string_view glyph;
  Colour colour;
  std::string_view name;
};

constexpr std::array looks = {
    Look(State::connected, "✓", &Style::green, "connected"),
    Look(State::connecting, "○", &Style::yellow, "connecting"),
    Look(State::cached, "○", &Style::green, "ready"),
    Look(State::not_connected, "○", &Style::dim, "never used"),
    Look(State::failed, "✗", &Style::red, "failed"),
    Look(State::needs_auth, "⚠", &Style::yellow, "needs auth"),
    Look(State::disabled, "⊘", &Style::dim, "disabled"),
    Look(State::needs_trust, "⚠", &Style::yellow, "needs trust"),
};

// What a server looks like here: where it runs if it does, else what this process knows of it.
struct Row {
  servers::ServerStatus status;
  std::vector<const RunningServer*> running;  // one process, as each session that uses it says
  bool configured = true;                     // here; another project may have servers of its own
  std::string process_of;  // the server above that is the same process; often none
  const servers::Copies* copies = nullptr;
};

bool is_shown(const RunningServer& server) {
  return server.status.state == State::connected || server.status.state == State::connecting ||
         server.status.state == State::failed || server.status.state == State::needs_auth;
}

bool is_process_of(const Row& row, const RunningServer& server) {
  return server.status.process_id != 0 && row.status.process_id == server.status.process_id;
}

// Sessions that share a process are one row, and so is what two of them say of it.
void add_running(std::vector<Row>& rows, const RunningServer& server, bool configured) {
  std::string process_of;
  for (Row& row : rows) {
    if (is_process_of(row, server) && row.status.name == server.status.name) {
      row.running.push_back(&server);
      return;
    }
    if (is_process_of(row, server) && process_of.empty()) {
      process_of = row.status.name;
    }
  }
  rows.push_back({.status = server.status,
                  .running = {&server},
                  .configured = configured,
                  .process_of = std::move(process_of)});
}

std::vector<Row> rows_of(const std::vector<servers::ServerStatus>& configured,
                         const std::vector<RunningServer>& running) {
  std::vector<Row> rows;
  std::vector<bool> taken(running.size());
  for (const servers::ServerStatus& server : configured) {
    bool found = false;
    for (std::size_t i = 0; i < running.size(); ++i) {
      if (is_shown(running[i]) && running[i].configured && running[i].status.name == server.name) {
        add_running(rows, running[i], true);
        found = taken[i] = true;
      }
    }
    if (!found) {
      rows.push_back({.status = server, .running = {}, .process_of = {}});
    }
  }
  for (std::size_t i = 0; i < running.size(); ++i) {
    if (is_shown(running[i]) && !taken[i]) {
      add_running(rows, running[i], false);
    }
  }
  return rows;
}

// Under the last row of a server.
void add_copies(std::vector<Row>& rows, const std::vector<servers::Copies>& copies) {
  for (const servers::Copies& each : copies) {
    const auto found = std::find_if(rows.rbegin(), rows.rend(), [&each](const Row& row) {
      return row.status.name == each.server;
    });
    if (found != rows.rend()) {
      found->copies = &each;
    }
  }
}

// The line under a row: why it failed, or what went wrong before it worked again.
std::string trouble(const servers::ServerStatus& server) {
  const auto since = [](std::optional<std::int64_t> seconds) {
    return seconds ? text::age_text(*seconds) + " ago: " : std::string();
  };
  if (server.state == State::disabled || server.state == State::needs_trust) {
    return "";
  }
  if (!server.reason.empty()) {
    return since(server.failed_seconds_ago) + text::printable_line(server.reason);
  }
  if (server.last_error.empty()) {
    std::vector<std::string> notes = server.notes;
    if (!server.login_ends.empty()) {
      notes.push_back(server.login_ends + "; \"pi-mcp auth " + text::shell_word(server.name) +
                      "\" renews it");
    }
    return text::printable_line(text::join(notes, "; "));
  }
  const std::string again =
      server.restarts == 0 ? "" : "restarted " + text::count_text(server.restarts, "time") + "; ";
  return again + since(server.last_error_seconds_ago) + text::printable_line(server.last_error);
}

class Table {
 public:
  Table(const std::vector<Row>& rows, const Style& style, std::size_t columns)
      : style_(style), columns_(columns) {
    lines_.push_back({.cells = {"", "server", "state", "tools", "process", "memory", "up", "for"},
                      .below = {},
                      .bad = false});
    for (const Row& row : rows) {
      lines_.push_back(line_of(row));
    }
    measure();
  }

  [[nodiscard]] std::string text() const {
    std::string out;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const std::string row = row_text(lines_[i]);
      out += (i == 0 ? style_.dim(row) : row) + "\n";
      for (const std::string& line : lines_[i].below) {
        const std::string below = cut_to_columns(
            line, columns_ > below_indent.size() + 1 ? columns_ - below_indent.size() : 1);
        out += std::string(below_indent) + (lines_[i].bad ? style_.red(below) : style_.dim(below)) +
               "\n";
      }
    }
    return out;
  }

 private:
  enum Column : std::uint8_t { mark, name, state, tools, process, memory, up, client, count };
  static constexpr std::string_view indent = "  ";
  static constexpr std::string_view below_indent = "       ";
  static constexpr std::size_t gap = 2;
  // The first column to go when there is no room.
  static constexpr std::array dispensable = {client, process, up, memory, tools};

  struct Line {
    std::array<std::string, count> cells;
    std::vector<std::string> below;
    bool bad = false;
  };

  [[nodiscard]] Line line_of(const Row& row) const {
    const servers::ServerStatus& status = row.status;
    Line line;
    if (std::string text = trouble(status); !text.empty()) {
      line.below.push_back(std::move(text));
    }
    if (!row.process_of.empty()) {
      line.below.push_back("the same process as " + text::printable_line(row.process_of) +
                           ": their entries start the same");
    }
    if (row.copies != nullptr) {
      std::ranges::move(copies_lines(*row.copies), std::back_inserter(line.below));
    }
    line.bad = status.state == State::failed ||
               (status.state == State::not_connected && !status.reason.empty());
    const Look& look = *std::ranges::find(looks, status.state, &Look::state);
    line.cells[mark] = (style_.*look.colour)(look.glyph);
    line.cells[name] =
        cut_to_columns(text::printable_line(status.name) + (status.is_projects ? " (project)" : ""),
                       std::max<std::size_t>(columns_ / 3, 8));
    line.cells[state] = status.state == State::not_connected && line.bad ? "wrong" : look.name;
    const bool known =
        status.state == State::cached || status.state == State::connected || status.tools > 0;
    line.cells[tools] = known ? std::to_string(status.tools) : "";
    line.cells[process] = status.process_id == 0 ? "" : std::to_string(status.process_id);
    line.cells[up] = status.connected_seconds ? text::age_text(*status.connected_seconds) : "";
    if (!row.running.empty()) {
      const std::optional<io::TreeUse>& use = row.running.front()->use;
      line.cells[memory] = use && row.process_of.empty() ? memory_text(use->memory_bytes) : "";
      line.cells[client] = clients(row);
    }
    return line;
  }

  // Each once, with how often it is there: "codex 1.0, claude-code 2.1 (3)".
  static std::string clients(const Row& row) {
    std::vector<std::pair<std::string, std::size_t>> counted;
    for (const RunningServer* running : row.running) {
      std::string who = text::printable_line(running->client);
      if (!row.configured) {
        who += (who.empty() ? "in " : " in ") + text::printable_line(running->cwd);
      }
      const auto known =
          std::ranges::find(counted, who, &std::pair<std::string, std::size_t>::first);
      if (known == counted.end()) {
        counted.emplace_back(std::move(who), 1);
      } else {
        ++known->second;
      }
    }
    std::vector<std::string> texts;
    texts.reserve(counted.size());
    for (const auto& [who, count] : counted) {
      texts.push_back(who + (count == 1 ? "" : " (" + std::to_string(count) + ")"));
    }
    return text::join(texts, ", ");
  }

  // Columns that are empty or do not fit get no width.
  void measure() {
    for (std::size_t column = 0; column < count; ++column) {
      for (std::size_t i = 1; i < lines_.size(); ++i) {
        widths_[column] = std::max(widths_[column], columns_of(lines_[i].cells[column]));
      }
      if (widths_[column] > 0) {
        widths_[column] = std::max(widths_[column], columns_of(lines_[0].cells[column]));
      }
    }
    for (const Column column : dispensable) {
      const std::size_t without = total() - taken(column);
      const bool cut = column == client && without + min_client_columns <= columns_;
      if (total() > columns_) {
        widths_[column] = cut ? columns_ - without - gap : 0;
      }
    }
  }

  [[nodiscard]] std::size_t taken(Column column) const {
    return widths_[column] == 0 ? 0 : widths_[column] + gap;
  }
  [[nodiscard]] std::size_t total() const {
    std::size_t columns = 0;
    for (std::size_t column = 0; column < count; ++column) {
      columns += taken(static_cast<Column>(column));
    }
    return columns;  // the gap behind the last column stands for the indent
  }

  [[nodiscard]] std::string row_text(const Line& line) const {
    std::string out(indent);
    for (std::size_t column = 0; column < count; ++column) {
      if (widths_[column] == 0) {
        continue;
      }
      const std::string cell =
          column == mark ? line.cells[column] : cut_to_columns(line.cells[column], widths_[column]);
      const std::size_t rest = widths_[column] - columns_of(cell);
      const bool number = column == tools || column == process || column == memory;
      out.append(number ? rest : 0, ' ');
      out += column == state ? coloured(line, cell) : cell;
      out.append((number ? 0 : rest) + gap, ' ');
    }
    out.erase(out.find_last_not_of(' ') + 1);
    return out;
  }

  [[nodiscard]] std::string coloured(const Line& line, const std::string& cell) const {
    if (&line == lines_.data()) {
      return cell;
    }
    return line.bad              ? style_.red(cell)
           : cell == "connected" ? style_.green(cell)
                                 : style_.dim(cell);
  }

  static constexpr std::size_t min_client_columns = 10;

  const Style& style_;
  std::size_t columns_;
  std::vector<Line> lines_;
  std::array<std::size_t, count> widths_{};
};

// Counts what the rows show; of several rows of one server the first.
std::string heading(const std::vector<Row>& rows, const Style& style) {
  std::size_t enabled = 0;
  std::size_t disabled = 0;
  std::size_t untrusted = 0;
  std::size_t tools = 0;
  std::string_view before;
  for (const Row& row : rows) {
    const servers::ServerStatus& status = row.status;
    if (!row.configured || status.name == before) {
      continue;
    }
    before = status.name;
    std::size_t& kind = status.state == State::disabled      ? disabled
                        : status.state == State::needs_trust ? untrusted
                                                             : enabled;
    ++kind;
    tools += &kind == &enabled ? status.tools : 0U;
  }
  const auto running = static_cast<std::size_t>(std::ranges::count_if(rows, [](const Row& row) {
    return row.status.state == State::connected && row.process_of.empty();
  }));
  const std::string line =
      style.bold(text::count_text(enabled, "server") + ", " + text::count_text(tools, "tool")) +
      (running == 0 ? "" : ", " + style.green(std::to_string(running) + " running"));
  return line + (disabled == 0 ? "" : style.dim(" (" + std::to_string(disabled) + " disabled)")) +
         (untrusted == 0 ? ""
                         : style.yellow(" (" + std::to_string(untrusted) +
                                        (untrusted == 1 ? " needs" : " need") + " trust)"));
}

// A command that can be copied, unless the name is too long for the terminal.
std::string about_server(std::string_view before,
                         const Row& row,
                         std::string_view after,
                         std::size_t columns) {
  const std::string line =
      std::string(before) + text::shell_word(row.status.name) + std::string(after);
  return columns_of(line) <= columns ? line : std::string(before) + "SERVER" + std::string(after);
}

std::string next_step(const std::vector<Row>& rows, std::size_t columns) {
  if (std::ranges::any_of(rows,
                          [](const Row& row) { return row.status.state == State::needs_trust; })) {
    return "pi-mcp trust shows what this project's servers want, and allows it";
  }
  const auto failed =
      std::ranges::find_if(rows, [](const Row& row) { return row.status.state == State::failed; });
  if (failed != rows.end()) {
    return about_server("pi-mcp logs ", *failed, " shows its last words", columns);
  }
  const auto unknown = [](const Row& row) {
    return row.status.state == State::not_connected && row.status.reason.empty();
  };
  const auto count = static_cast<std::size_t>(std::ranges::count_if(rows, unknown));
  if (count == 1) {
    return about_server(
        "pi-mcp connect ", *std::ranges::find_if(rows, unknown), " learns its tools", columns);
  }
  if (count > 1) {
    return "pi-mcp connect --all learns the tools of " + text::count_text(count, "server");
  }
  return "pi-mcp search WORDS finds a tool";
}

constexpr std::string_view no_servers =
    "No servers are configured.\n"
    "\n"
    "  pi-mcp setup                   take over those of Cursor, Claude Code and others\n"
    "  pi-mcp add NAME -- COMMAND     add one\n";

constexpr std::string_view unreadable =
    "No server is known, since a file of the configuration cannot be read.\n"
    "\n"
    "  pi-mcp config                  shows which, and where in it\n";

}  // namespace

std::string unreadable_status_view() {
  return std::string(unreadable);
}

std::string memory_text(std::size_t bytes) {
  constexpr double megabyte = 1024.0 * 1024.0;
  constexpr double whole_from = 9.95;  // one decimal below ten
  const double megabytes = static_cast<double>(bytes) / megabyte;
  std::array<char, 32> text{};
  const int length = std::snprintf(
      text.data(), text.size(), megabytes < whole_from ? "%.1f MB" : "%.0f MB", megabytes);
  return {text.data(), static_cast<std::size_t>(length)};
}

std::string status_view(const std::vector<servers::ServerStatus>& configured,
                        const std::vector<RunningServer>& running,
                        const std::vector<servers::Copies>& copies,
                        const Style& style,
                        std::size_t columns) {
  std::vector<Row> rows = rows_of(configured, running);
  add_copies(rows, copies);
  if (rows.empty()) {
    return std::string(no_servers);
  }
  return heading(rows, style) + "\n\n" + Table(rows, style, columns).text() + "\n" +
         style.dim(next_step(rows, columns)) + "\n";
}

}  // namespace pi_mcp::cli
