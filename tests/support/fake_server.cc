// One MCP server on stdio for every misbehaviour a test needs. Options are command line arguments;
// an argument "@FILE" stands for the lines of that file, one argument a line.
//
// Who it says it is
//   --name NAME  --version TEXT     serverInfo (fake, 1.0)
//   --instructions TEXT             of the initialize result
//   --protocol VERSION              answered whatever was asked for (default: what was asked for)
//   --capabilities a,b              default: tools,resources,prompts,logging
// What it offers
//   --tools a,b | all | none        names of fake_tools.cc (default: echo,add); see there what each
//   does
//   --open-schemas                  every tool takes arguments beside those it lists
//   --many N                        also tool_1 ... tool_N, which answer with their own name
//   --pages N                       tools/list in pages of N tools
//   --endless-cursor                every page of tools/list says there is one more
//   --resources a,b                 resources demo://a ...; default: one, "My Resource!", demo://r
//   --subscribe                     resources can be watched (each changes at once), and there are
//   a template and completion
//   --refuse METHOD[,METHOD]        answered with "method not found"
//   --hang METHOD[,METHOD]          never answered (initialize, tools/list, tools/call, ping ...)
//   --delay MS                      before every answer of initialize and of the lists
// How it starts and ends
//   --exit-at METHOD  --exit-status N   ends when that request arrives (use "start" for at once)
//   --kill-at METHOD                same, by SIGKILL
//   --fail-starts N --state FILE    the first N starts end with status 1; FILE counts them
//   --exit-after N                  ends after that many answered calls
//   --ignore-eof  --ignore-sigterm  goes on (SIGINT and SIGHUP are ignored as well)
//   --grandchild                    forks a process that ignores SIGTERM and keeps the pipes open
//   --escaped-grandchild            the same in a session of its own
//   --pid-file FILE                 appends the process ids of itself and its grandchildren, one a
//   line
// What else it does
//   --stdout TEXT                   a line that is no message, before anything else
//   --stderr TEXT  --stderr-flood N one line; or N bytes in lines of 100 before anything else
//   --close-stdout                  after initialize, without ending
//   --log FILE                      appends every line it receives
#include "support/fake_server.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>

#include "base/text.h"

namespace fake {

using pi_mcp::json::Document;
using pi_mcp::json::quoted;

namespace {

std::vector<std::string> names_of(const std::string& list) {
  std::vector<std::string> names;
  for (const auto name : pi_mcp::text::split(list, ',')) {
    if (!name.empty()) {
      names.emplace_back(name);
    }
  }
  return names;
}

bool listed(const std::string& list, std::string_view name) {
  const auto names = names_of(list);
  return std::find(names.begin(), names.end(), name) != names.end();
}

void append_line(const std::string& path, std::string_view line) {
  std::ofstream(path, std::ios::app) << line << '\n' << std::flush;
}

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

[[noreturn]] void wait_forever() {
  for (;;) {
    (void)::pause();
  }
}

void leave_grandchild(const Options& options, bool escaped) {
  std::array<int, 2> ready{};
  if (::pipe(ready.data()) != 0) {
    std::abort();
  }
  if (::fork() == 0) {
    (void)::signal(SIGTERM, SIG_IGN);
    (void)::signal(SIGHUP, SIG_IGN);
    if (escaped) {
      (void)::setsid();
    }
    if (options.has("pid-file")) {
      append_line(options.text("pid-file"), std::to_string(::getpid()));
    }
    (void)!::write(ready[1], "x", 1);
    wait_forever();
  }
  char byte = 0;
  (void)!::read(ready[0], &byte, 1);
  (void)::close(ready[0]);
  (void)::close(ready[1]);
}

void write_stderr(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(STDERR_FILENO, bytes.data(), bytes.size());
    if (count <= 0) {
      return;
    }
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

}  // namespace

std::string Options::text(const std::string& name, const std::string& fallback) const {
  const auto found = values.find(name);
  return found == values.end() ? fallback : found->second;
}

std::int64_t Options::number(const std::string& name, std::int64_t fallback) const {
  const auto found = values.find(name);
  return found == values.end() ? fallback : std::strtoll(found->second.c_str(), nullptr, 10);
}

std::int64_t clock_ms() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

Server::Server(Options options) : options_(std::move(options)) {}

void Server::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) {
      if (options_.has("ignore-eof")) {
        wait_forever();
      }
      std::_Exit(0);
    }
    bytes.remove_prefix(count > 0 ? static_cast<std::size_t>(count) : 0);
  }
}

void Server::reply(const std::string& id, std::string_view result) {
  send(R"({"jsonrpc":"2.0","id":)" + id + R"(,"result":)" + std::string(result) + "}");
}

void Server::reply_text(const std::string& id, std::string_view text, bool is_error) {
  reply(id, text_result(text, is_error));
}

void Server::notify(std::string_view method, std::string_view params) {
  send(R"({"jsonrpc":"2.0","method":)" + quoted(method) + R"(,"params":)" + std::string(params) +
       "}");
}

void Server::reply_later(const Call& call, std::int64_t delay_ms, std::string_view result) {
  const std::int64_t at = delay_ms < 0 ? INT64_MAX : clock_ms() + delay_ms;
  due_.push_back({.at_ms = at,
                  .id = call.id,
                  .line = R"({"jsonrpc":"2.0","id":)" + call.id + R"(,"result":)" +
                          std::string(result) + "}"});
}

void Server::ask(const Call& call, std::string_view method, std::string_view params) {
  const std::string id = quoted("ask-" + std::to_string(++asked_count_));
  asked_[id] = call.id;
  send(R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":)" + quoted(method) + R"(,"params":)" +
       std::string(params) + "}");
}

void Server::start_misbehaviour() {
  if (options_.has("pid-file")) {
    append_line(options_.text("pid-file"), std::to_string(::getpid()));
  }
  if (options_.has("ignore-sigterm")) {
    (void)::signal(SIGTERM, SIG_IGN);
    (void)::signal(SIGINT, SIG_IGN);
    (void)::signal(SIGHUP, SIG_IGN);
  }
  if (options_.has("grandchild")) {
    leave_grandchild(options_, false);
  }
  if (options_.has("escaped-grandchild")) {
    leave_grandchild(options_, true);
  }
  if (options_.has("stderr")) {
    write_stderr(options_.text("stderr") + "\n");
  }
  const std::string flood_line = std::string(99, 'e') + "\n";
  for (std::int64_t left = options_.number("stderr-flood", 0); left > 0; left -= 100) {
    write_stderr(flood_line);
  }
  if (options_.has("stdout")) {
    send(options_.text("stdout"));
  }
  if (options_.has("fail-starts")) {
    const std::string state = options_.text("state");
    const auto starts = static_cast<std::int64_t>(read_text(state).size());
    std::ofstream(state, std::ios::app) << 'x' << std::flush;
    if (starts < options_.number("fail-starts", 0)) {
      std::_Exit(1);
    }
  }
}

void Server::handle_request(Value message, const std::string& id, const std::string& method) {
  const Value params = message.find("params");
  if (listed(options_.text("exit-at"), method)) {
    std::_Exit(static_cast<int>(options_.number("exit-status", 1)));
  }
  if (listed(options_.text("kill-at"), method)) {
    (void)::raise(SIGKILL);
  }
  if (listed(options_.text("hang"), method)) {
    return;
  }
  if (listed(options_.text("refuse"), method)) {
    refuse(id);
    return;
  }
  if (options_.has("delay") && method != "tools/call") {
    (void)::poll(nullptr, 0, static_cast<int>(options_.number("delay", 0)));
  }
  if (method == "initialize") {
    initialize(id, params);
  } else if (method == "tools/call") {
    call(id, params);
  } else if (method == "ping" || method == "logging/setLevel") {
    reply(id, "{}");
  } else {
    list(id, params, method);
  }
}

void Server::initialize(const std::string& id, Value params) {
  Writer out;
  out.begin_object();
  out.member("protocolVersion",
             options_.text("protocol", params.find("protocolVersion").string_or("2025-11-25")));
  out.key("capabilities").begin_object();
  for (const auto& name :
       names_of(options_.text("capabilities", "tools,resources,prompts,logging"))) {
    const bool subscribes = name == "resources" && options_.has("subscribe");
    out.member_raw(name,
                   name == "tools" ? R"({"listChanged":true})"
                   : subscribes    ? R"({"subscribe":true})"
                                   : "{}");
  }
  out.end_object();
  out.key("serverInfo").begin_object();
  out.member("name", options_.text("name", "fake"));
  out.member("version", options_.text("version", "1.0"));
  out.end_object();
  if (options_.has("instructions")) {
    out.member("instructions", options_.text("instructions"));
  }
  out.end_object();
  reply(id, out.take());
  if (options_.has("close-stdout")) {
    (void)::close(STDOUT_FILENO);
  }
}

std::string Server::tools_page(Value params) const {
  const auto names = tool_names(*this);
  const auto page = static_cast<std::size_t>(options_.number("pages", 1'000'000));
  const std::string cursor = params.find("cursor").string_or("0");
  const auto first = static_cast<std::size_t>(std::strtoll(cursor.c_str(), nullptr, 10));
  Writer out;
  out.begin_object().key("tools").begin_array();
  for (std::size_t i = first; i < std::min(names.size(), first + page); ++i) {
    describe_tool(out, names[i], options_.has("open-schemas"));
  }
  out.end_array();
  if (options_.has("endless-cursor") || first + page < names.size()) {
    out.member("nextCursor", std::to_string(first + page));
  }
  return out.end_object().take();
}

std::string Server::resources() const {
  Writer out;
  out.begin_object().key("resources").begin_array();
  if (!options_.has("resources")) {
    out.raw(R"({"uri":"demo://r","name":"My Resource!","mimeType":"text/plain"})");
  }
  for (const auto& name : names_of(options_.text("resources"))) {
    out.begin_object().member("uri", "demo://" + name).member("name", name).end_object();
  }
  return out.end_array().end_object().take();
}

void Server::list(const std::string& id, Value params, const std::string& method) {
  if (method == "tools/list") {
    reply(id, tools_page(params));
  } else if (method == "resources/list") {
    reply(id, resources());
  } else if (method == "resources/templates/list") {
    reply(id,
          options_.has("subscribe")
              ? R"({"resourceTemplates":[{"uriTemplate":"demo://{name}","name":"any"}]})"
              : R"({"resourceTemplates":[]})");
  } else if (options_.has("subscribe") && method == "resources/subscribe") {
    reply(id, "{}");
    notify("notifications/resources/updated", params.raw());
  } else if (options_.has("subscribe") && method == "resources/unsubscribe") {
    reply(id, "{}");
  } else if (options_.has("subscribe") && method == "completion/complete") {
    reply(id,
          R"({"completion":{"values":[)" +
              quoted(params.at({"argument", "value"}).string_or("") + "a") +
              R"(],"total":1,"hasMore":false}})");
  } else if (method == "resources/read") {
    const std::string uri = params.find("uri").string_or("");
    reply(id,
          R"({"contents":[{"mimeType":"text/plain","uri":)" + quoted(uri) + R"(,"text":)" +
              quoted("text of " + uri) + "}]}");
  } else if (method == "prompts/list") {
    reply(id,
          R"({"prompts":[{"name":"greet","description":"Greets",)"
          R"("arguments":[{"name":"who","required":true}]}]})");
  } else if (method == "prompts/get") {
    const std::string who = params.at({"arguments", "who"}).string_or("nobody");
    reply(id,
          R"({"messages":[{"role":"user","content":{"type":"text","text":)" +
              quoted("Hello " + who) + "}}]}");
  } else {
    refuse(id);
  }
}

void Server::refuse(const std::string& id) {
  send(R"({"jsonrpc":"2.0","id":)" + id +
       R"(,"error":{"code":-32601,"message":"method not found"}})");
}

void Server::call(const std::string& id, Value params) {
  const Call call{.id = id,
                  .tool = params.find("name").string_or(""),
                  .params = std::string(params.raw()),
                  .args = params.find("arguments"),
                  .progress_token = std::string(params.at({"_meta", "progressToken"}).raw())};
  if (!call_tool(*this, call)) {
    send(R"({"jsonrpc":"2.0","id":)" + id + R"(,"error":{"code":-32602,"message":)" +
         quoted("unknown tool " + call.tool) + "}}");
  }
  ++calls_;
  if (options_.has("exit-after") && calls_ >= options_.number("exit-after", 0)) {
    std::_Exit(static_cast<int>(options_.number("exit-status", 0)));
  }
}

void Server::cancel(const std::string& id) {
  std::erase_if(due_, [&](const Due& due) { return due.id == id; });
}

void Server::settle_asked(Value message) {
  const auto asked = asked_.find(std::string(message.find("id").raw()));
  if (asked != asked_.end()) {
    const Value result = message.find("result");
    reply_text(asked->second, (result ? result : message.find("error")).raw(), !result);
    asked_.erase(asked);
  }
}

void Server::handle(const std::string& line) {
  if (options_.has("log")) {
    append_line(options_.text("log"), line);
  }
  const auto document = Document::parse(line);
  if (!document) {
    write_stderr("cannot read a message: " + document.error().message() + "\n");
    return;
  }
  const Value message = document->root();
  const std::string method = message.find("method").string_or("");
  const Value id = message.find("id");
  if (method.empty()) {
    settle_asked(message);
  } else if (id) {
    handle_request(message, std::string(id.raw()), method);
  } else if (method == "notifications/cancelled") {
    cancel(std::string(message.at({"params", "requestId"}).raw()));
  }
}

// Milliseconds until the next line is due, -1 for none.
int Server::write_due() {
  std::int64_t next = INT64_MAX;
  const std::int64_t now = clock_ms();
  std::vector<Due> ready;
  for (const Due& due : due_) {
    if (due.at_ms <= now) {
      ready.push_back(due);
    } else {
      next = std::min(next, due.at_ms);
    }
  }
  std::erase_if(due_, [&](const Due& due) { return due.at_ms <= now; });
  for (const Due& due : ready) {
    send(due.line);
  }
  return next == INT64_MAX ? -1 : static_cast<int>(std::min<std::int64_t>(next - now, 60'000));
}

// False at the end of the input.
bool Server::read_more(int timeout_ms) {
  struct pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  if (::poll(&input, 1, timeout_ms) <= 0) {
    return true;
  }
  static std::array<char, 65536> chunk;
  const ssize_t count = ::read(STDIN_FILENO, chunk.data(), chunk.size());
  if (count <= 0) {
    return count < 0 && errno == EINTR;
  }
  const std::size_t searched = buffer_.size();
  buffer_.append(chunk.data(), static_cast<std::size_t>(count));
  std::size_t start = 0;
  for (std::size_t end = buffer_.find('\n', searched); end != std::string::npos;
       end = buffer_.find('\n', start)) {
    handle(buffer_.substr(start, end - start));
    start = end + 1;
  }
  buffer_.erase(0, start);
  return true;
}

int Server::run() {
  start_misbehaviour();
  if (options_.text("exit-at") == "start") {
    return static_cast<int>(options_.number("exit-status", 1));
  }
  while (read_more(write_due())) {
  }
  if (options_.has("ignore-eof")) {
    wait_forever();
  }
  return 0;
}

}  // namespace fake

// Tests end hundreds of these, and looking for leaks takes longer than anything else they do. The
// address sanitizer calls this by its name.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming): the sanitizer's name
extern "C" const char* __asan_default_options() {
  return "detect_leaks=0";
}

int main(int argc, char** argv) {
  std::vector<std::string> args;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (!arg.starts_with('@')) {
      args.push_back(arg);
      continue;
    }
    std::ifstream file(arg.substr(1));
    for (std::string line; std::getline(file, line);) {
      args.push_back(line);
    }
  }
  fake::Options options;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (!args[i].starts_with("--")) {
      std::fprintf(stderr, "fake_server: unexpected argument %s\n", args[i].c_str());
      return 2;
    }
    const bool has_value = i + 1 < args.size() && !args[i + 1].starts_with("--");
    const std::string name = args[i].substr(2);
    options.values[name] = has_value ? args[++i] : "1";
  }
  (void)::signal(SIGPIPE, SIG_IGN);
  return fake::Server(std::move(options)).run();
}
