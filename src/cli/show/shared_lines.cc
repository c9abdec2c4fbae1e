#include "cli/show/shared_lines.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <utility>

#include "base/count_text.h"
#include "base/text.h"

namespace pi_mcp::cli {
namespace {

// A client says what it likes of itself.
constexpr std::size_t client_columns_max = 60;

// Two environments may differ in dozens of variables; details have them all.
constexpr std::size_t partings_max = 4;

std::string duration_text(Milliseconds age) {
  constexpr std::size_t minutes_of_hour = 60;
  const auto count =
      static_cast<std::size_t>(std::chrono::duration_cast<std::chrono::minutes>(age).count());
  return count < 1                     ? "less than a minute"
         : count < 2 * minutes_of_hour ? text::count_text(count, "minute")
                                       : text::count_text(count / minutes_of_hour, "hour");
}

std::string names(const std::vector<std::string>& servers) {
  std::string text;
  for (const std::string& server : servers) {
    text += (text.empty() ? "" : ", ") + text::printable_line(server);
  }
  return text;
}

std::string heading(const tool::SharedView& view) {
  return "Shared process " + std::to_string(view.process_id) + ": " +
         (view.sessions.empty() ? "no session" : text::count_text(view.sessions.size(), "session"));
}

// Nothing that is written into an entry joins those.
void add_of_other_limits(servers::Copies& copies, const servers::Copies& others) {
  std::vector<servers::Parting> partings = others.parted_by;
  partings.push_back({.by = servers::PartedBy::limits});
  for (servers::Parting& parting : partings) {
    if (std::ranges::find(copies.parted_by, parting) == copies.parted_by.end()) {
      copies.parted_by.push_back(std::move(parting));
    }
  }
  copies.count += others.count;
  copies.join.clear();
}

}  // namespace

std::string sessions_text(const tool::SharedView& view) {
  std::string text = heading(view) + "\n";
  for (const tool::SharedView::Session& session : view.sessions) {
    const std::string client =
        text::shortened(text::printable_line(session.client), client_columns_max);
    text += "  " + (client.empty() ? "a host" : client) + " in " +
            text::printable_line(session.folder) + ", for " + duration_text(session.age) +
            (session.servers.empty() ? "" : ": " + names(session.servers)) + "\n";
  }
  if (!view.resting.empty()) {
    text += "  kept for the next command: " + names(view.resting) + "\n";
  }
  return text;
}

std::string silent_text(int process) {
  const std::string id = std::to_string(process);
  return "process " + id +
         ", which sessions share, is there and does not answer. If it stays so, end it; its "
         "sessions go on with the next one: kill -9 " +
         id;
}

std::string other_build_text(int process) {
  const std::string id = std::to_string(process);
  return "process " + id +
         " is of another build of pi-mcp: sessions that began with that build stay with it, and "
         "this command does not see what runs there. To end its servers: kill " +
         id;
}

std::vector<servers::Copies> all_copies(const std::vector<tool::SharedView>& views) {
  std::map<std::string, servers::Copies> found;
  for (const tool::SharedView& view : views) {
    std::set<std::string> running(view.resting.begin(), view.resting.end());
    for (const tool::SharedView::Session& session : view.sessions) {
      running.insert(session.servers.begin(), session.servers.end());
    }
    std::map<std::string, servers::Copies> here;
    for (const std::string& name : running) {
      here[name] = {.server = name, .count = 1, .parted_by = {}};
    }
    for (const servers::Copies& copies : view.copies) {
      here[copies.server] = copies;
    }
    for (auto& [name, copies] : here) {
      const auto [known, is_first] = found.try_emplace(name, copies);
      if (!is_first) {
        add_of_other_limits(known->second, copies);
      }
    }
  }
  std::vector<servers::Copies> all;
  for (auto& [name, copies] : found) {
    if (copies.count > 1) {
      all.push_back(std::move(copies));
    }
  }
  return all;
}

std::vector<std::string> copies_lines(const servers::Copies& copies) {
  std::string reasons;
  const std::size_t shown = std::min(copies.parted_by.size(), partings_max);
  const std::size_t left = copies.parted_by.size() - shown;
  for (std::size_t i = 0; i < shown; ++i) {
    const bool is_last = left == 0 && i + 1 == shown;
    reasons += (i == 0    ? ""
                : is_last ? " and "
                          : ", ") +
               text::printable_line(servers::parting_text(copies.parted_by[i]));
  }
  reasons += left == 0 ? "" : " and " + std::to_string(left) + " more";
  std::vector<std::string> lines = {std::to_string(copies.count) + " copies run" +
                                    (reasons.empty() ? "" : ", parted by " + reasons)};
  if (!copies.join.empty()) {
    lines.push_back(text::printable_line(copies.join) + " in its entry makes them one");
  }
  return lines;
}

std::string sharing_text(const std::vector<tool::SharedView>& views,
                         const std::vector<int>& silent,
                         const std::vector<int>& of_other_builds,
                         const std::string& obstacle) {
  std::string text;
  for (const tool::SharedView& view : views) {
    text += "\n" + sessions_text(view);
  }
  for (const int process : silent) {
    text += "\n" + silent_text(process) + "\n";
  }
  for (const int process : of_other_builds) {
    text += "\n" + other_build_text(process) + "\n";
  }
  if (!obstacle.empty()) {
    text += "\nSessions that are started like this command share no process: " +
            text::printable_line(obstacle) + "\n";
  }
  return text;
}

}  // namespace pi_mcp::cli
