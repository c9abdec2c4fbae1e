// What a session tells those who show it to somebody: the server of its host, the record of its
// run, a shell command.
#pragma once

#include <string_view>
#include <vector>

#include "json/document.h"
#include "mcp/lists.h"
#include "registry/notice.h"

namespace pi_mcp::registry {

// What may have changed since the observer was told or asked for it.
struct Changes {
  bool listings = false;   // some server's listing, as Session::catalog() has it
  bool state = false;      // Session::status() and new_stderr()
  bool tools = false;      // DirectTools::list_result(); said once until somebody asks for it again
  bool prompts = false;    // Prompts::list_result(), said likewise
  bool resources = false;  // Resources::list(), said likewise
};

// Called from the loop, while the session works: an observer may ask the session for values, and
// must not start or end anything in it. Arguments are valid during the call.
class SessionObserver {
 public:
  SessionObserver() = default;
  SessionObserver(const SessionObserver&) = delete;
  SessionObserver& operator=(const SessionObserver&) = delete;
  SessionObserver(SessionObserver&&) = delete;
  SessionObserver& operator=(SessionObserver&&) = delete;
  virtual ~SessionObserver() = default;

  virtual void changed(Changes /*changes*/) {}
  // A server says so of its lists, whether they are other ones or not.
  virtual void lists_changed(std::string_view /*server*/, mcp::ChangedLists /*lists*/) {}
  // The params of a notifications/message of a server: {level, logger, data}.
  virtual void server_said(std::string_view /*server*/, json::Value /*params*/) {}
  virtual void noticed(const Notice& /*notice*/) {}
  // That resource of the server has changed, which somebody watches.
  virtual void resource_updated(std::string_view /*server*/, std::string_view /*uri*/) {}
  // The params of a notifications/elicitation/complete, for a host that opens URLs.
  virtual void elicitation_completed(json::Value /*params*/) {}
};

// Several observers as one, told in the order in which they came. One may go while it is told.
class SessionObservers final : public SessionObserver {
 public:
  // `observer` must live until remove().
  void add(SessionObserver& observer) { observers_.push_back(&observer); }
  // Does nothing for one that was never added.
  void remove(SessionObserver& observer);
  [[nodiscard]] bool empty() const { return observers_.empty(); }

  void changed(Changes changes) override;
  void server_said(std::string_view server, json::Value params) override;
  void noticed(const Notice& notice) override;
  void elicitation_completed(json::Value params) override;
  void resource_updated(std::string_view server, std::string_view uri) override;

 private:
  // Calls `tell` with each.
  template <class Tell>
  void tell_each(const Tell& tell);

  std::vector<SessionObserver*> observers_;
};

}  // namespace pi_mcp::registry
