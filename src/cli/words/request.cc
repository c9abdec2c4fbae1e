#include "cli/words/request.h"

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace pi_mcp::cli {
namespace {

tl::unexpected<Error> refuse(const CommandLine& line, const std::string& message) {
  return fail(ErrorCode::invalid_argument, message + ". " + see_help(line.command()));
}

Result<void> read_offset(const CommandLine& line, tool::ToolRequest& request) {
  const Result<std::optional<std::size_t>> offset = count_option(line, OptionId::offset, 0);
  if (!offset) {
    return fail(offset.error());
  }
  request.offset = offset->value_or(0);
  return {};
}

Result<void> read_page(const CommandLine& line, tool::ToolRequest& request) {
  const Result<std::optional<std::size_t>> limit = count_option(line, OptionId::limit, 1);
  if (!limit) {
    return fail(limit.error());
  }
  request.limit = *limit;
  return read_offset(line, request);
}

Result<tool::ToolRequest> list_request(const CommandLine& line) {
  tool::ToolRequest request;
  const std::string server = line.words().empty() ? "" : line.words().front();
  if (!line.has(OptionId::instructions)) {
    if (const Result<void> page = read_page(line, request); !page) {
      return fail(page.error());
    }
    request.mode = tool::Mode::list;
    request.definitions = line.has(OptionId::json);
    request.subject = server;
    request.limit = request.limit.value_or(list_limit);
    return request;
  }
  if (line.has(OptionId::limit)) {
    return refuse(line, "--limit counts tools; --instructions shows none");
  }
  if (server.empty()) {
    return fail(ErrorCode::invalid_argument,
                "--instructions needs a server: pi-mcp list SERVER --instructions");
  }
  if (const Result<void> read = read_offset(line, request); !read) {
    return fail(read.error());
  }
  request.mode = tool::Mode::instructions;
  request.subject = server;
  return request;
}

Result<tool::ToolRequest> search_request(const CommandLine& line) {
  if (line.has(OptionId::explain) && line.has(OptionId::regex)) {
    return refuse(line, "--explain shows what a score is made of; --regex has no scores");
  }
  if (line.has(OptionId::explain) && line.words().empty()) {
    return refuse(line, "--explain shows what each word is worth; give some words");
  }
  tool::ToolRequest request;
  request.mode = tool::Mode::search;
  request.subject = text::join(line.words(), " ");
  request.server = line.value(OptionId::server).value_or("");
  request.regex = line.has(OptionId::regex);
  request.include_schemas = !line.has(OptionId::no_schemas);
  request.explain = line.has(OptionId::explain);
  request.definitions = line.has(OptionId::json);
  if (const Result<void> page = read_page(line, request); !page) {
    return fail(page.error());
  }
  return request;
}

}  // namespace

Result<tool::ToolRequest> request_of(const CommandLine& line) {
  switch (line.command()->id) {
    case CommandId::list:
      return list_request(line);
    case CommandId::search:
      return search_request(line);
    default:
      break;
  }
  tool::ToolRequest request;
  if (const Result<void> read = read_offset(line, request); !read) {
    return fail(read.error());
  }
  const CommandId id = line.command()->id;
  if (id == CommandId::call || id == CommandId::describe || id == CommandId::read) {
    request.mode = id == CommandId::call       ? tool::Mode::call
                   : id == CommandId::describe ? tool::Mode::describe
                                               : tool::Mode::read;
    request.subject = line.words().empty() ? std::string() : line.words().front();
    request.server = line.value(OptionId::server).value_or("");
  }
  return request;
}

tool::ToolRequest connect_request(const std::string& server) {
  tool::ToolRequest request;
  request.mode = tool::Mode::connect;
  request.subject = server;
  request.limit = list_limit;
  return request;
}

}  // namespace pi_mcp::cli
