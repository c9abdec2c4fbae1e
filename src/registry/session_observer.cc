#include "registry/session_observer.h"

#include <algorithm>

namespace pi_mcp::registry {

void SessionObservers::remove(SessionObserver& observer) {
  std::erase(observers_, &observer);
}

template <class Tell>
void SessionObservers::tell_each(const Tell& tell) {
  const std::vector<SessionObserver*> now = observers_;
  for (SessionObserver* const observer : now) {
    if (std::ranges::find(observers_, observer) != observers_.end()) {
      tell(*observer);
    }
  }
}

void SessionObservers::changed(Changes changes) {
  tell_each([changes](SessionObserver& observer) { observer.changed(changes); });
}

void SessionObservers::server_said(std::string_view server, json::Value params) {
  tell_each([server, params](SessionObserver& observer) { observer.server_said(server, params); });
}

void SessionObservers::noticed(const Notice& notice) {
  tell_each([&notice](SessionObserver& observer) { observer.noticed(notice); });
}

void SessionObservers::resource_updated(std::string_view server, std::string_view uri) {
  tell_each([&](SessionObserver& observer) { observer.resource_updated(server, uri); });
}

void SessionObservers::elicitation_completed(json::Value params) {
  tell_each([params](SessionObserver& observer) { observer.elicitation_completed(params); });
}

}  // namespace pi_mcp::registry
