// An MCP server that answers at once, so that what is measured is what stands in front of it.
// Tools: `echo` gives its arguments back; `blob` gives {"bytes": N} letters, {"kind": "image"} as
// an image; `take` takes a text and gives its size. `--tools N` adds tools to the list, `--name S`
// is the server's name.
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>

#include "json/document.h"
#include "json/writer.h"
#include "process.h"

namespace {

using pi_mcp::json::Document;
using pi_mcp::json::Value;
using pi_mcp::json::Writer;

struct Options {
  std::string name = "fast";
  int tools = 3;
};

std::string text_result(std::string_view text) {
  Writer out;
  out.begin_object().key("content").begin_array().begin_object().member("type", "text");
  out.member("text", text).end_object().end_array().end_object();
  return out.take();
}

std::string blob(Value arguments) {
  const auto bytes = static_cast<std::size_t>(arguments.find("bytes").as_int().value_or(1024));
  if (!arguments.find("kind").equals("image")) {
    return text_result(std::string(bytes, 'x'));
  }
  Writer out;
  out.begin_object().key("content").begin_array().begin_object().member("type", "image");
  out.member("data", std::string(bytes, 'A')).member("mimeType", "image/png");
  out.end_object().end_array().end_object();
  return out.take();
}

std::string name_of_tool(int number) {
  constexpr std::string_view named[] = {"echo", "blob", "take"};
  return number < static_cast<int>(std::size(named)) ? std::string(named[number])
                                                     : "tool_" + std::to_string(number);
}

std::string tool_list(const Options& options) {
  constexpr std::string_view schema =
      R"({"type":"object","properties":{"text":{"type":"string","description":"What to say"}}})";
  Writer out;
  out.begin_object().key("tools").begin_array();
  for (int i = 0; i < options.tools; ++i) {
    const std::string_view shape = i == 1 ? R"({"type":"object"})" : schema;
    out.begin_object().member("name", name_of_tool(i));
    out.member("description", "Tool number " + std::to_string(i) + " of " + options.name);
    out.member_raw("inputSchema", shape).end_object();
  }
  out.end_array().end_object();
  return out.take();
}

std::string initialize(Value params, const Options& options) {
  Writer out;
  out.begin_object().member("protocolVersion", params.find("protocolVersion").string_or(""));
  out.member_raw("capabilities", R"({"tools":{}})").key("serverInfo").begin_object();
  out.member("name", options.name).member("version", "1").end_object().end_object();
  return out.take();
}

class Server {
 public:
  explicit Server(Options options) : options_(std::move(options)) {}

  void answer(std::string_view line) {
    const auto message = Document::parse_view(line);
    const Value id = message ? message->root().find("id") : Value();
    if (!id) {
      return;
    }
    const std::string head = R"({"jsonrpc":"2.0","id":)" + std::string(id.raw()) + R"(,"result":)";
    make_result(message->root());
    if (result_.size() > long_result) {  // copying it would be measured, too
      bench::write_all(1, head);
      bench::write_all(1, result_);
      bench::write_all(1, "}\n");
    } else {
      bench::write_all(1, head + result_ + "}\n");
    }
  }

 private:
  static constexpr std::size_t long_result = std::size_t{64} * 1024;

  void make_result(Value message) {
    const Value params = message.find("params");
    const Value method = message.find("method");
    if (method.equals("tools/call")) {
      call(params.find("name"), params.find("arguments"));
      return;
    }
    result_ = method.equals("initialize")   ? initialize(params, options_)
              : method.equals("tools/list") ? tool_list(options_)
                                            : "{}";
    made_for_.clear();
  }

  // The same blob again costs nothing: its making is not what is measured.
  void call(Value name, Value arguments) {
    if (name.equals("blob") && made_for_ == arguments.raw()) {
      return;
    }
    result_ = name.equals("blob") ? blob(arguments)
              : name.equals("take")
                  ? text_result(std::to_string(arguments.find("text").raw().size()))
                  : text_result(arguments.raw());
    made_for_ = name.equals("blob") ? arguments.raw() : "";
  }

  Options options_;
  std::string result_;
  std::string made_for_;  // arguments of the blob that result_ holds
};

Options options_of(int argc, char** argv) {
  Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--name") == 0) {
      options.name = argv[i + 1];
    } else if (std::strcmp(argv[i], "--tools") == 0) {
      options.tools = std::atoi(argv[i + 1]);
    }
  }
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  Server server(options_of(argc, argv));
  std::string pending;
  std::string chunk(std::size_t{64} * 1024, '\0');
  for (ssize_t got = 0; (got = read(0, chunk.data(), chunk.size())) > 0;) {
    std::size_t searched = pending.size();
    pending.append(chunk, 0, static_cast<std::size_t>(got));
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = pending.find('\n', searched)) != std::string::npos;) {
      server.answer(std::string_view(pending).substr(begin, end - begin));
      begin = searched = end + 1;
    }
    pending.erase(0, begin);
  }
  return 0;
}
