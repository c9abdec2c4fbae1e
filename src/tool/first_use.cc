#include "tool/first_use.h"

#include <algorithm>
#include <utility>

#include <boost/asio/this_coro.hpp>

#include "base/text.h"
#include "io/loop/clock.h"
#include "io/loop/condition.h"
#include "registry/session_observer.h"
#include "servers/launch/oauth_access.h"
#include "tool/failures.h"
#include "tool/mode_parts.h"
#include "tool/text.h"

namespace pi_mcp::tool {
namespace {

constexpr std::size_t servers_named_max = 5;
constexpr std::size_t reason_units_max = 160;

using Why = UnknownServer::Why;

// Says "look again" whenever anything changes in the session.
class Changes final : public registry::SessionObserver {
 public:
  Changes(const io::Executor& executor, registry::SessionObservers& session)
      : seen_(executor), session_(session) {
    session_.add(*this);
  }
  Changes(const Changes&) = delete;
  Changes& operator=(const Changes&) = delete;
  Changes(Changes&&) = delete;
  Changes& operator=(Changes&&) = delete;
  ~Changes() override { session_.remove(*this); }

  void changed(registry::Changes /*changes*/) override { seen_.notify_all(); }
  io::Condition& seen() { return seen_; }

 private:
  io::Condition seen_;
  registry::SessionObservers& session_;
};

UnknownServer unknown_server(const servers::ServerStatus& status,
                             const config::Server* configured) {
  using State = servers::ServerStatus::State;
  UnknownServer server{.name = status.name, .reason = {}, .keeping = {}};
  server.wants_login = status.state == State::needs_auth && configured != nullptr &&
                       servers::may_use_oauth(*configured);
  if (server.wants_login) {
    server.keeping = keeping_step(*configured);
  }
  if (status.state == State::connecting) {
    server.why = Why::connecting;
  } else if (!status.last_error.empty() || status.failed_seconds_ago) {
    const auto ago = status.failed_seconds_ago.value_or(status.last_error_seconds_ago.value_or(0));
    const std::string& reason = status.failed_seconds_ago ? status.reason : status.last_error;
    server.why = Why::failed;
    server.reason = std::to_string(ago) + "s ago: " + text::cut(one_line(reason), reason_units_max);
  }
  return server;
}

std::vector<std::string> names_with(const std::vector<UnknownServer>& servers, Why why) {
  std::vector<std::string> names;
  names.reserve(servers.size());
  for (const UnknownServer& server : servers) {
    if (server.why == why) {
      names.push_back(server.name);
    }
  }
  return names;
}

Message connecting_text(const std::vector<std::string>& names) {
  if (names.empty()) {
    return {};
  }
  const NextStep wait{.mode = Mode::connect, .subject = names.front()};
  return "Still connecting: " + name_list(names, servers_named_max) + "." +
         Message(Reader::model, " Ask again in a moment.") +
         Message(Reader::shell, " To wait for it: " + Message(wait));
}

// Of several only the names: status has the reasons.
Message failed_text(const std::vector<UnknownServer>& servers) {
  const std::vector<std::string> names = names_with(servers, Why::failed);
  if (names.empty()) {
    return {};
  }
  const auto first = std::ranges::find(servers, Why::failed, &UnknownServer::why);
  const Message text = "Failed to connect: " + name_list(names, servers_named_max) +
                       (names.size() == 1 ? ", " + first->reason : ".");
  const Mode mode = first->wants_login ? Mode::auth_start : Mode::connect;
  return text + "\n" + first->keeping + NextStep{.mode = mode, .subject = first->name} +
         (first->wants_login ? " starts a login." : " tries again.");
}

Message never_connected_text(const std::vector<std::string>& names) {
  if (names.empty()) {
    return {};
  }
  const Message connect = NextStep{.mode = Mode::connect, .subject = names.front()};
  const Message text =
      "Not searched, because never connected: " + name_list(names, servers_named_max);
  return names.size() == 1
             ? text + ". Use " + connect + " to include it."
             : text +
                   Message(Reader::model,
                           ". To include them, connect each: " + connect + " and so on.") +
                   Message(Reader::shell, ". To include them: pi-mcp connect --all");
}

std::string short_form(const std::vector<UnknownServer>& servers) {
  std::vector<std::string> named;
  named.reserve(servers.size());
  for (const UnknownServer& server : servers) {
    named.push_back(server.name + (server.why == Why::connecting ? " (connecting)"
                                   : server.why == Why::failed   ? " (failed)"
                                                                 : ""));
  }
  return "Not searched: " + name_list(named, servers_named_max) + ".";
}

// Nobody has tried it in this session, and nothing forbids it.
bool may_start(const registry::ServerRegistry& registry, const UnknownServer& server) {
  const config::Server* configured = registry.find(server.name);
  return server.why == Why::never_connected && configured != nullptr && !configured->disabled &&
         configured->standing != config::Standing::needs_trust;
}

// Of these, those of which nothing is known yet and that have not failed.
bool are_on_their_way(const registry::ServerRegistry& registry,
                      const std::vector<std::string>& names) {
  return std::ranges::any_of(names, [&registry](const std::string& name) {
    return registry.is_enabled(name) && registry.knowledge(name) == catalog::Knowledge::unknown &&
           !registry.backoff(name);
  });
}

}  // namespace

std::vector<UnknownServer> unknown_servers(const registry::ServerRegistry& registry,
                                           std::string_view server) {
  std::vector<UnknownServer> unknown;
  for (const std::string& name : registry.enabled_servers()) {
    if ((server.empty() || server == name) &&
        registry.knowledge(name) == catalog::Knowledge::unknown) {
      unknown.push_back(unknown_server(registry.status(name), registry.find(name)));
    }
  }
  return unknown;
}

std::vector<std::string> names_of(const std::vector<UnknownServer>& servers) {
  std::vector<std::string> names;
  names.reserve(servers.size());
  for (const UnknownServer& server : servers) {
    names.push_back(server.name);
  }
  return names;
}

Message unknown_text(const std::vector<UnknownServer>& servers, const ToldServers& told) {
  const bool is_told = std::ranges::all_of(servers, [&told](const UnknownServer& server) {
    return told.contains({server.name, server.why});
  });
  if (is_told && !servers.empty()) {
    return short_form(servers);
  }
  Message text = connecting_text(names_with(servers, Why::connecting));
  for (const Message& more :
       {failed_text(servers), never_connected_text(names_with(servers, Why::never_connected))}) {
    text += text.empty() || more.empty() ? "" : "\n";
    text += more;
  }
  return text;
}

io::Task<std::set<std::string>> first_run_servers(registry::ServerRegistry* registry) {
  std::set<std::string> names;
  if (!registry->known().take_first_run()) {
    co_return names;
  }
  if (catalog::SharedListings* const others = registry->known().others()) {
    co_await others->settle(io::now() + catalog::hearing_max);
  }
  const catalog::Catalog& catalog = registry->known().catalog();
  for (const config::Server& server : registry->settings().servers) {
    if (server.standing == config::Standing::user &&
        catalog.knowledge(server.name) == catalog::Knowledge::unknown) {
      names.insert(server.name);
    }
  }
  co_return names;
}

io::Task<void> wait_for_unknown(ModeParts* parts,
                                std::string server,
                                CallContext context,
                                std::function<bool()> found,
                                TimePoint deadline) {
  const registry::ServerRegistry& registry = *parts->registry;
  const io::Executor executor = co_await boost::asio::this_coro::executor;
  if (catalog::SharedListings* const others = registry.known().others()) {
    co_await others->settle(std::min(deadline, io::now() + catalog::hearing_max));
    if (found()) {
      co_return;
    }
  }
  std::vector<std::string> awaited;
  for (const UnknownServer& unknown : unknown_servers(registry, server)) {
    const bool starts = may_start(registry, unknown);
    if (starts) {
      parts->start(executor, unknown.name);
    }
    if (starts || unknown.why == Why::connecting) {
      awaited.push_back(unknown.name);
    }
  }
  if (awaited.empty()) {
    co_return;
  }
  context.phase("starting " + name_list(awaited, servers_named_max));
  Changes changes(executor, *parts->observers);
  while (!found() && are_on_their_way(registry, awaited)) {
    if (co_await changes.seen().wait_until(deadline) != io::Wake::notified) {
      break;
    }
  }
}

}  // namespace pi_mcp::tool
