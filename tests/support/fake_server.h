// The scripted MCP server of the tests: what its two source files share. fake_server.cc documents
// the options.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "json/document.h"
#include "json/writer.h"

namespace fake {

using pi_mcp::json::Value;
using pi_mcp::json::Writer;

struct Options {
  std::map<std::string, std::string> values;  // "--name value" and "--flag" (value "1")

  [[nodiscard]] bool has(const std::string& name) const { return values.contains(name); }
  [[nodiscard]] std::string text(const std::string& name, const std::string& fallback = "") const;
  [[nodiscard]] std::int64_t number(const std::string& name, std::int64_t fallback) const;
};

struct Call {
  std::string id;  // JSON
  std::string tool;
  std::string params;          // JSON
  Value args;                  // valid while the request is being handled
  std::string progress_token;  // JSON, or empty
};

// Something that is written later unless its request is cancelled first.
struct Due {
  std::int64_t at_ms = 0;  // on the steady clock
  std::string id;          // JSON
  std::string line;
};

class Server {
 public:
  explicit Server(Options options);

  int run();

  [[nodiscard]] const Options& options() const { return options_; }
  // Writes all of it at once, as it is.
  void write(std::string_view bytes);
  void send(std::string line) { write(line += '\n'); }
  void reply(const std::string& id, std::string_view result);
  void reply_text(const std::string& id, std::string_view text, bool is_error = false);
  void notify(std::string_view method, std::string_view params);
  void reply_later(const Call& call, std::int64_t delay_ms, std::string_view result);
  // Asks the client; its answer becomes the text of this call's result.
  void ask(const Call& call, std::string_view method, std::string_view params);
  void add_tool(std::string name) { extra_tools_.push_back(std::move(name)); }
  [[nodiscard]] const std::vector<std::string>& extra_tools() const { return extra_tools_; }

 private:
  void start_misbehaviour();
  bool read_more(int timeout_ms);
  void handle(const std::string& line);
  void handle_request(Value message, const std::string& id, const std::string& method);
  void initialize(const std::string& id, Value params);
  void list(const std::string& id, Value params, const std::string& method);
  [[nodiscard]] std::string tools_page(Value params) const;
  [[nodiscard]] std::string resources() const;
  void refuse(const std::string& id);
  void call(const std::string& id, Value params);
  void cancel(const std::string& id);
  void settle_asked(Value message);
  int write_due();

  Options options_;
  std::vector<std::string> extra_tools_;
  std::vector<Due> due_;
  std::map<std::string, std::string> asked_;  // id of our request -> id of the call that wants it
  std::int64_t asked_count_ = 0;
  std::int64_t calls_ = 0;
  std::string buffer_;
};

std::int64_t clock_ms();

// fake_tools.cc
std::vector<std::string> tool_names(const Server& server);
// One element of the result of tools/list.
// `is_open`: it takes arguments beside those it lists.
void describe_tool(Writer& out, const std::string& name, bool is_open);
// False when there is no such tool.
bool call_tool(Server& server, const Call& call);
// A result with one text block.
std::string text_result(std::string_view text, bool is_error = false);

}  // namespace fake
