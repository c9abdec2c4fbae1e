#include "tool/sharing/shared_view.h"

#include <chrono>

#include "base/count_text.h"
#include "base/text.h"
#include "json/writer.h"

namespace pi_mcp::tool {
namespace {

std::string age_text(Milliseconds age) {
  const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(age).count();
  if (minutes < 1) {
    return "less than a minute";
  }
  constexpr std::size_t minutes_of_hour = 60;
  const auto count = static_cast<std::size_t>(minutes);
  return count < 2 * minutes_of_hour ? text::count_text(count, "minute")
                                     : text::count_text(count / minutes_of_hour, "hour");
}

std::string names(const std::vector<std::string>& servers) {
  std::string text;
  for (const std::string& server : servers) {
    text += (text.empty() ? "" : ", ") + text::printable_line(server);
  }
  return text;
}

}  // namespace

Answer shared_answer(const SharedView& view) {
  const std::string process = " process " + std::to_string(view.process_id);
  std::string text =
      view.sessions.empty() ? "No session has" + process + ":"
      : view.sessions.size() == 1
          ? "1 session has" + process + ":"
          : text::count_text(view.sessions.size(), "session") + " share" + process + ":";
  json::Writer sessions;
  sessions.begin_array();
  for (const SharedView::Session& session : view.sessions) {
    const std::string client =
        session.client.empty() ? "a host" : text::printable_line(session.client);
    text += "\n  " + client + " in " + text::printable_line(session.folder) + ", for " +
            age_text(session.age) + (session.servers.empty() ? "" : ": " + names(session.servers));
    sessions.begin_object().member("client", session.client).member("folder", session.folder);
    sessions.member("ageMs", std::int64_t{session.age.count()}).key("servers").begin_array();
    for (const std::string& server : session.servers) {
      sessions.string(server);
    }
    sessions.end_array().end_object();
  }
  if (!view.resting.empty()) {
    text += "\n  kept for the next command: " + names(view.resting);
  }
  return Reply(std::nullopt, std::move(text))
      .with("process", static_cast<std::size_t>(view.process_id))
      .with_json("sessions", sessions.end_array().take())
      .take();
}

}  // namespace pi_mcp::tool
