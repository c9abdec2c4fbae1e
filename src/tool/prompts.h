// The prompts of all servers as prompts of ours, so that a host can show them as commands.
#pragma once

#include <string>
#include <string_view>

#include "io/loop/task.h"
#include "registry/server_registry.h"
#include "rpc/message.h"
#include "rpc/outgoing.h"
#include "tool/call_context.h"

namespace pi_mcp::tool {

class Prompts {
 public:
  struct Target {
    std::string server;  // empty: nobody has such a prompt
    std::string prompt;
    std::string ambiguous;  // several servers have it: who, and how to say whose is meant
  };
  // `registry` outlives the value.
  explicit Prompts(registry::ServerRegistry& registry) : registry_(registry) {}

  // The result of prompts/list, JSON: "<server>__<prompt>" of every enabled server, from the cache
  // where a server does not run. One that several have comes once for each, with the server in its
  // title.
  std::string list_result();

  // By its name in that list, of any server or of the one that is named.
  [[nodiscard]] Target find(std::string_view name, std::string_view named_server = {}) const;
  // The same for a name that is in no list: asks the server whose name it begins with, which is
  // started, or whose lists are waited for. An error: it could not be asked.
  io::Task<Result<Target>> find_anew(std::string name, CallContext context);

  // True once after list_result() has changed: the host has to be told.
  bool needs_notice();

  // The server's answer to a prompts/get of the host; a result passes unchanged. The
  // server is started when it does not run. Cancelling the task cancels the server's request.
  // `context` is that of the request.
  io::Task<rpc::Outgoing> get(const rpc::Message* request, CallContext context);

 private:
  [[nodiscard]] std::string listed() const;
  // ", did you mean "x"?"; empty when no prompt has a name like it.
  [[nodiscard]] std::string nearest_text(std::string_view wrong) const;

  registry::ServerRegistry& registry_;
  std::string told_;      // what the host knows; empty: it never asked
  bool noticed_ = false;  // the host was told that its list is out of date
};

}  // namespace pi_mcp::tool
