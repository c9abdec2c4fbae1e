#include "cli/show/activity.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"

namespace pi_mcp::cli {

void Activity::begin(std::size_t request, std::string subject, TimePoint now) {
  next_ = std::min(next_, now + line_pause);
  requests_[request] = {.subject = std::move(subject), .what = "", .since = now};
}

void Activity::say(std::size_t request, std::string what) {
  if (const auto found = requests_.find(request); found != requests_.end()) {
    found->second.what = std::move(what);
  }
}

void Activity::end(std::size_t request) {
  requests_.erase(request);
  next_ = requests_.empty() ? TimePoint::max() : next_;
}

std::string Activity::take_line(TimePoint now) {
  if (now < next_) {
    return {};
  }
  next_ = now + line_pause;
  std::vector<std::string> parts;
  TimePoint since = now;
  for (const auto& [number, request] : requests_) {
    if (!request.what.empty()) {
      const bool is_named = request.what.find(request.subject) != std::string::npos;
      parts.push_back(is_named ? request.what : request.subject + ": " + request.what);
      since = std::min(since, request.since);
    }
  }
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - since).count();
  return parts.empty() ? "" : text::join(parts, "; ") + " (" + std::to_string(seconds) + " s)";
}

}  // namespace pi_mcp::cli
