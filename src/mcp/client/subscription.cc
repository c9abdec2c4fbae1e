#include "mcp/client/subscription.h"

#include <algorithm>
#include <utility>

#include "json/writer.h"

namespace pi_mcp::mcp {
namespace {

constexpr Milliseconds pause_max{60'000};
// A stream that lived so long was not refused.
constexpr std::chrono::seconds lived_long{30};

}  // namespace

bool Subscription::remove(const std::string& uri) {
  const auto found = uris_.find(uri);
  if (found == uris_.end() || --found->second > 0) {
    return false;
  }
  uris_.erase(found);
  return true;
}

std::optional<SharedText> Subscription::begin(const ServerCapabilities& can, TimePoint now) {
  json::Writer out;
  out.begin_object().key("notifications").begin_object();
  bool any = false;
  for (const auto& [wanted, name] : {std::pair(can.tools_list_changed, "toolsListChanged"),
                                     std::pair(can.resources_list_changed, "resourcesListChanged"),
                                     std::pair(can.prompts_list_changed, "promptsListChanged")}) {
    if (wanted) {
      out.member(name, true);
      any = true;
    }
  }
  if (!uris_.empty()) {
    out.key("resourceSubscriptions").begin_array();
    for (const auto& [uri, count] : uris_) {
      out.string(uri);
    }
    out.end_array();
    any = true;
  }
  if (!any) {
    is_open_ = false;
    return std::nullopt;
  }
  again_.reset();
  is_open_ = true;
  began_ = now;
  return SharedText(out.end_object().end_object().take());
}

std::optional<std::string> Subscription::on_answer(const Result<rpc::Message>& answer,
                                                   TimePoint now) {
  is_open_ = false;
  if (answer && answer->kind() == rpc::Message::Kind::failure) {
    return "it does not tell what changes: " + error_text(answer->error());
  }
  if (now - began_ > lived_long) {
    pause_ = pause_min_;
  }
  again_ = now + pause_;
  pause_ = std::min(pause_ * 2, pause_max);
  return std::nullopt;
}

bool Subscription::take_due(TimePoint now) {
  const bool is_due = again_ && now >= *again_;
  if (is_due) {
    again_.reset();
  }
  return is_due;
}

}  // namespace pi_mcp::mcp
