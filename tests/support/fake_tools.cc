// The tools of the scripted MCP server, one table entry each.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

#include "base/text.h"
#include "support/fake_server.h"

namespace fake {

using pi_mcp::json::quoted;

namespace {

// A PNG of one pixel.
constexpr std::string_view pixel =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg==";

std::int64_t number(const Call& call, std::string_view name, std::int64_t fallback) {
  return call.args.find(name).as_int().value_or(fallback);
}

std::size_t size(const Call& call, std::string_view name, std::int64_t fallback) {
  return static_cast<std::size_t>(number(call, name, fallback));
}

std::string content_result(std::string_view block) {
  return R"({"content":[)" + std::string(block) + "]}";
}

void echo(Server& server, const Call& call) {
  server.reply_text(call.id, call.args.find("text").string_or(""));
}

void add(Server& server, const Call& call) {
  const double sum =
      call.args.find("a").as_double().value_or(0) + call.args.find("b").as_double().value_or(0);
  server.reply_text(call.id, Writer().number(sum).text());
}

void raw(Server& server, const Call& call) {
  server.reply_text(call.id, call.params);
}

// Without "ms" it waits until it is cancelled.
void slow(Server& server, const Call& call) {
  server.reply_later(call, number(call, "ms", -1), text_result("done"));
}

void err(Server& server, const Call& call) {
  server.reply_text(call.id, call.args.find("message").string_or("it went wrong"), true);
}

void rpc_error(Server& server, const Call& call) {
  server.send(R"({"jsonrpc":"2.0","id":)" + call.id + R"(,"error":{"code":)" +
              std::to_string(number(call, "code", -32000)) + R"(,"message":)" +
              quoted(call.args.find("message").string_or("refused")) +
              R"(,"data":{"why":"asked"}}})");
}

void image(Server& server, const Call& call) {
  std::string data(pixel);
  const std::size_t bytes = size(call, "bytes", 0) / 4 * 4;
  data.append(bytes > data.size() ? bytes - data.size() : 0, 'A');
  server.reply(
      call.id,
      content_result(R"({"type":"image","mimeType":"image/png","data":")" + data + R"("})"));
}

void audio(Server& server, const Call& call) {
  server.reply(call.id,
               content_result(R"({"type":"audio","mimeType":"audio/wav","data":"UklGRg=="})"));
}

void link(Server& server, const Call& call) {
  server.reply(
      call.id,
      content_result(R"({"type":"resource_link","uri":"demo://r","name":"My Resource!"})"));
}

void embedded(Server& server, const Call& call) {
  server.reply(call.id,
               content_result(R"({"type":"resource","resource":{"uri":"demo://r",)"
                              R"("mimeType":"text/plain","text":"embedded text"}})"));
}

void structured(Server& server, const Call& call) {
  server.reply(call.id,
               R"({"content":[{"type":"text","text":"{\"answer\":42}"}],)"
               R"("structuredContent":{"answer":42}})");
}

void structured_only(Server& server, const Call& call) {
  server.reply(call.id, R"({"content":[],"structuredContent":{"answer":42}})");
}

void empty(Server& server, const Call& call) {
  server.reply(call.id, R"({"content":[]})");
}

void mixed(Server& server, const Call& call) {
  server.reply(call.id,
               content_result(R"({"type":"text","text":"first"},{"type":"image","mimeType":)"
                              R"("image/png","data":")" +
                              std::string(pixel) +
                              R"("},{"type":"text","text":"last"},{"type":"novel","x":1})"));
}

// "bytes" of text; with "lines" cut into that many lines.
void big(Server& server, const Call& call) {
  std::string text(size(call, "bytes", 1'000'000), 'x');
  const std::size_t lines = std::max<std::size_t>(size(call, "lines", 1), 1);
  const std::size_t length = std::max<std::size_t>(text.size() / lines, 1);
  for (std::size_t at = length; lines > 1 && at < text.size(); at += length) {
    text[at - 1] = '\n';
  }
  server.reply_text(call.id, text);
}

// "steps" notifications (5) at once, then the answer; with "hang" no answer.
void progress(Server& server, const Call& call) {
  const std::int64_t steps = number(call, "steps", 5);
  for (std::int64_t step = 1; step <= steps && !call.progress_token.empty(); ++step) {
    server.notify("notifications/progress",
                  R"({"progressToken":)" + call.progress_token + R"(,"progress":)" +
                      std::to_string(step) + R"(,"total":)" + std::to_string(steps) +
                      R"(,"message":"step )" + std::to_string(step) + R"("})");
  }
  server.reply_later(call, call.args.find("hang") ? -1 : 0, text_result("done"));
}

void log(Server& server, const Call& call) {
  server.notify("notifications/message",
                R"({"level":)" + quoted(call.args.find("level").string_or("info")) +
                    R"(,"logger":"fake","data":)" +
                    quoted(call.args.find("text").string_or("a log line")) + "}");
  server.reply_text(call.id, "logged");
}

// Sends the request "method" with "params" to the client; its answer is the text of the result.
void ask(Server& server, const Call& call) {
  const Value params = call.args.find("params");
  server.ask(call,
             call.args.find("method").string_or("ping"),
             params ? params.raw() : std::string_view("{}"));
}

void env(Server& server, const Call& call) {
  const std::string name = call.args.find("name").string_or("");
  const char* value = std::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe): one thread
  server.reply_text(call.id, value == nullptr ? "(not set)" : value);
}

void cwd(Server& server, const Call& call) {
  std::array<char, 4096> path{};
  server.reply_text(call.id, ::getcwd(path.data(), path.size()) == nullptr ? "" : path.data());
}

void pid(Server& server, const Call& call) {
  server.reply_text(call.id, std::to_string(::getpid()));
}

// Adds a tool "name" (added) and says that the list changed.
void add_tool(Server& server, const Call& call) {
  server.add_tool(call.args.find("name").string_or("added"));
  server.notify("notifications/tools/list_changed", "{}");
  server.reply_text(call.id, "added");
}

void exit_now(Server& /*server*/, const Call& call) {
  std::_Exit(static_cast<int>(number(call, "status", 1)));
}

void crash(Server& server, const Call& call) {
  server.write(R"({"jsonrpc":"2.0","id":)" + call.id + R"(,"result":{"content":[{"ty)");
  (void)::raise(SIGKILL);
}

void half(Server& server, const Call& call) {
  server.write(R"({"jsonrpc":"2.0","id":)" + call.id + R"(,"result":{"content":[{"ty)");
}

// The answer in two writes with a notification glued to its end, as one write.
void glued(Server& server, const Call& call) {
  server.write(R"({"jsonrpc":"2.0","id":)" + call.id);
  server.write(R"(,"result":)" + text_result("glued") + "}\n" +
               R"({"jsonrpc":"2.0","method":"notifications/message","params":)"
               R"({"level":"info","data":"glued"}})" +
               "\n");
}

void garbage(Server& server, const Call& call) {
  for (std::int64_t i = 0; i < number(call, "lines", 3); ++i) {
    server.send("Listening on port " + std::to_string(8000 + i) + " \x1b[31m{not json");
  }
  server.reply_text(call.id, "after garbage");
}

void flood_stderr(Server& server, const Call& call) {
  const std::string line = std::string(99, 'e') + "\n";
  for (std::int64_t left = number(call, "bytes", 1'000'000); left > 0; left -= 100) {
    (void)!::write(STDERR_FILENO, line.data(), line.size());
  }
  server.reply_text(call.id, "after flood");
}

void duplicate(Server& server, const Call& call) {
  server.reply_text(call.id, "first");
  server.reply_text(call.id, "second");
}

void stranger(Server& server, const Call& call) {
  server.reply_text("987654321", "for nobody");
  server.reply_text(call.id, "for you");
}

void bad_utf8(Server& server, const Call& call) {
  server.send(R"({"jsonrpc":"2.0","id":)" + call.id +
              R"(,"result":{"content":[{"type":"text","text":"caf)" + "\xE9 \xFF" + R"("}]}})");
}

void bad_json(Server& server, const Call& call) {
  server.send(R"({"jsonrpc":"2.0","id":)" + call.id + R"(,"result":{"content":[})");
}

void bad_result(Server& server, const Call& call) {
  server.reply(call.id, R"({"content":"a string"})");
}

// "depth" arrays inside each other (100000).
void deep(Server& server, const Call& call) {
  const std::size_t depth = size(call, "depth", 100'000);
  server.reply(
      call.id,
      R"({"content":[],"deep":)" + std::string(depth, '[') + std::string(depth, ']') + "}");
}

constexpr std::string_view no_params = R"({"type":"object","properties":{}})";
constexpr std::string_view any_params = R"({"type":"object"})";

struct Tool {
  std::string_view name;
  std::string_view description;
  std::string_view schema;
  void (*run)(Server&, const Call&);
};

constexpr auto tools = std::to_array<Tool>({
    {"echo",
     "Answers with the text it is given",
     R"({"type":"object","properties":{"text":{"type":"string","description":"What to say"}},)"
     R"("required":["text"]})",
     echo},
    {"add",
     "Adds two numbers",
     R"({"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},)"
     R"("required":["a","b"]})",
     add},
    {"raw", "Answers with its params as JSON text", any_params, raw},
    {"slow",
     "Answers after some time, or waits until it is cancelled",
     R"({"type":"object","properties":{"ms":{"type":"integer"}}})",
     slow},
    {"err",
     "Reports an error",
     R"({"type":"object","properties":{"message":{"type":"string"}}})",
     err},
    {"rpc_error",
     "Is answered with a protocol error",
     R"({"type":"object","properties":{"code":{"type":"integer"},"message":{"type":"string"}}})",
     rpc_error},
    {"image", "A small picture", any_params, image},
    {"audio", "A short sound", no_params, audio},
    {"link", "A link to a resource", no_params, link},
    {"embedded", "A resource inside the result", no_params, embedded},
    {"structured", "Structured content with its text", no_params, structured},
    {"structured_only", "Structured content without text", no_params, structured_only},
    {"empty", "No content at all", no_params, empty},
    {"mixed", "Text, picture, text and a block of an unknown type", no_params, mixed},
    {"big",
     "Much text",
     R"({"type":"object","properties":{"bytes":{"type":"integer"},"lines":{"type":"integer"}}})",
     big},
    {"progress",
     "Reports progress",
     R"({"type":"object","properties":{"steps":{"type":"integer"},"hang":{"type":"boolean"}}})",
     progress},
    {"log", "Sends a log message", any_params, log},
    {"ask", "Sends a request to the client", any_params, ask},
    {"env",
     "An environment variable",
     R"({"type":"object","properties":{"name":{"type":"string"}},"required":["name"]})",
     env},
    {"cwd", "The working directory", no_params, cwd},
    {"pid", "The process id", no_params, pid},
    {"add_tool", "Adds a tool to the list", any_params, add_tool},
    {"exit", "Ends the server", any_params, exit_now},
    {"crash", "Dies in the middle of its answer", no_params, crash},
    {"half", "Writes half of its answer and no more", no_params, half},
    {"glued", "Two messages in one write", no_params, glued},
    {"garbage", "Lines that are no messages, then the answer", any_params, garbage},
    {"flood_stderr", "Much text on stderr, then the answer", any_params, flood_stderr},
    {"duplicate", "Two answers to one call", no_params, duplicate},
    {"stranger", "An answer nobody waits for, then the answer", no_params, stranger},
    {"bad_utf8", "An answer that is not UTF-8", no_params, bad_utf8},
    {"bad_json", "An answer that is not JSON", no_params, bad_json},
    {"bad_result", "A result of the wrong shape", no_params, bad_result},
    {"deep", "A result that is nested very deeply", any_params, deep},
});

const Tool* find_tool(std::string_view name) {
  const auto* const found =
      std::find_if(tools.begin(), tools.end(), [&](const Tool& tool) { return tool.name == name; });
  return found == tools.end() ? nullptr : found;
}

}  // namespace

std::vector<std::string> tool_names(const Server& server) {
  const std::string wanted = server.options().text("tools", "echo,add");
  std::vector<std::string> names;
  if (wanted == "all") {
    for (const Tool& tool : tools) {
      names.emplace_back(tool.name);
    }
  } else if (wanted != "none") {
    for (const auto name : pi_mcp::text::split(wanted, ',')) {
      names.emplace_back(name);
    }
  }
  for (std::int64_t i = 1; i <= server.options().number("many", 0); ++i) {
    names.push_back("tool_" + std::to_string(i));
  }
  names.insert(names.end(), server.extra_tools().begin(), server.extra_tools().end());
  return names;
}

void describe_tool(Writer& out, const std::string& name, bool is_open) {
  const Tool* const tool = find_tool(name);
  out.begin_object().member("name", name);
  out.member("description", tool == nullptr ? "Answers with its name" : tool->description);
  std::string schema(tool == nullptr ? any_params : tool->schema);
  if (is_open) {
    schema.replace(schema.size() - 1, 1, R"(,"additionalProperties":true})");
  }
  out.member_raw("inputSchema", schema);
  if (name == "structured") {
    out.member_raw("outputSchema",
                   R"({"type":"object","properties":{"answer":{"type":"integer"}}})");
  }
  out.end_object();
}

bool call_tool(Server& server, const Call& call) {
  if (const Tool* const tool = find_tool(call.tool); tool != nullptr) {
    tool->run(server, call);
    return true;
  }
  const auto names = tool_names(server);
  if (std::find(names.begin(), names.end(), call.tool) == names.end()) {
    return false;
  }
  server.reply_text(call.id, call.tool);
  return true;
}

std::string text_result(std::string_view text, bool is_error) {
  return R"({"content":[{"type":"text","text":)" + quoted(text) + "}]" +
         (is_error ? R"(,"isError":true})" : "}");
}

}  // namespace fake
