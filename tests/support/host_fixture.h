// A session and the host it serves, over a link in memory: what a host sends and what it gets.
#pragma once

#include <string>

#include "host/host_server.h"
#include "io/loop/task_group.h"
#include "support/session_fixture.h"
#include "tool/definition.h"

namespace pi_mcp::test {

class HostFixture : public SessionFixture {
 protected:
  void begin() {
    serving.spawn("serve",
                  host::serve_host(&host, &session(), {.version = "1.2.3", .on_met = {}}),
                  io::log_only);
  }
  void begin_initialized(const std::string& version = "2025-06-18") {
    begin();
    initialize(version);
    host.deliver(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  }
  std::string initialize(const std::string& version) {
    return ask(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":")" +
               version + R"(","capabilities":)" + capabilities +
               R"(,"clientInfo":{"name":"h","version":"1"}}})");
  }

  // What is sent next after this line.
  std::string ask(const std::string& line) {
    const std::size_t before = host.sent.size();
    host.deliver(line);
    run_until([this, before] { return host.sent.size() > before; });
    return host.sent[before];
  }
  std::string call(const std::string& arguments, const std::string& id = "1") {
    return ask(call_line(arguments, id));
  }
  static std::string call_line(const std::string& arguments,
                               const std::string& id,
                               const std::string& meta = "{}") {
    return R"({"jsonrpc":"2.0","id":)" + id +
           R"(,"method":"tools/call","params":{"name":"mcp","arguments":)" + arguments +
           R"(,"_meta":)" + meta + "}}";
  }

  // A call of a tool other than `mcp`.
  std::string call_direct(const std::string& name, const std::string& arguments) {
    return ask(R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":")" + name +
               R"(","arguments":)" + arguments + "}}");
  }
  // Of our own tools in this session.
  tool::ToolForm own_form() { return tool::tool_form(session().settings(), session().host_kind()); }
  std::string list_tools() { return ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})"); }

  // The host hangs up; everything has to end by itself.
  void hang_up() {
    host.end_with("closed its output");
    wait(serving.join());
  }

  // Of the host: it wants details, so that tests can look at them.
  std::string capabilities = R"({"experimental":{"pi-mcp/details":{}}})";
  ScriptedLink host{context.get_executor(), {}};
  io::TaskGroup serving{context.get_executor()};
};

}  // namespace pi_mcp::test
