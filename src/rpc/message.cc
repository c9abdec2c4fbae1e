#include "rpc/message.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "base/text.h"

namespace pi_mcp::rpc {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

Error invalid(std::string reason) {
  return {ErrorCode::invalid_argument, std::move(reason)};
}

bool is_integer_text(std::string_view text) {
  if (text.starts_with('-')) {
    text.remove_prefix(1);
  }
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// Integers of any size, and what equals one that fits (7.0).
bool is_id(json::Value value) {
  return value.is_string() || (value.is(json::Kind::number) &&
                               (is_integer_text(value.raw()) || value.as_int().has_value()));
}

}  // namespace

std::optional<std::int64_t> Id::number() const {
  std::int64_t number = 0;
  const char* end = json_.data() + json_.size();
  const auto [stop, error] = std::from_chars(json_.data(), end, number);
  if (error == std::errc() && stop == end) {
    return number;
  }
  if (json_.empty() || json_.front() == '"' || is_integer_text(json_)) {
    return std::nullopt;
  }
  const Result<json::Document> document = json::Document::parse_view(json_);
  return document ? document->root().as_int() : std::nullopt;
}

Result<Message> Message::parse(SharedText line, json::ParseOptions options) {
  if (line.view().starts_with(byte_order_mark)) {
    line = line.sub(byte_order_mark.size());
  }
  Result<Message> made = Message();  // filled in place: moving a message costs
  Message& message = *made;
  Result<json::Document> document = json::Document::parse(line, options);
  if (!document && !text::is_valid_utf8(line.view())) {
    document = json::Document::parse(text::valid_utf8(line.view()), options);
    message.repaired_ = true;
  }
  if (!document) {
    return fail(std::move(document).error().while_doing("not JSON"));
  }
  message.document_ = *std::move(document);
  if (std::optional<Error> error = message.read_envelope()) {
    return fail(*std::move(error));
  }
  return made;
}

Result<Message> Message::parse_any(SharedText line) {
  const std::size_t first = line.view().find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || line.view()[first] != '[') {
    return parse(std::move(line));
  }
  Result<json::Document> document = json::Document::parse(std::move(line));
  if (!document) {
    return fail(std::move(document).error().while_doing("not JSON"));
  }
  Result<Message> made = Message();
  made->kind_ = Kind::batch;
  made->document_ = *std::move(document);
  return made;
}

std::optional<Error> Message::read_envelope() {
  if (root().is_array()) {
    return invalid("a batch of messages, which is not supported; send one message a line");
  }
  if (!root().is_object()) {
    return invalid("not a JSON-RPC message: expected an object, got " +
                   std::string(json::kind_name(root().kind())));
  }
  json::Value method;
  json::Value id;
  json::Value version;
  const std::pair<std::string_view, json::Value*> places[] = {{"jsonrpc", &version},
                                                              {"id", &id},
                                                              {"method", &method},
                                                              {"params", &params_},
                                                              {"result", &result_},
                                                              {"error", &error_}};
  const auto place_of = [&places](std::string_view name) -> json::Value* {
    const auto* const found =
        std::ranges::find(places, name, [](const auto& p) { return p.first; });
    return found == std::end(places) ? nullptr : found->second;
  };
  for (const auto [key, value] : root().members()) {
    const std::string_view raw = key.raw();
    json::Value* place = place_of(raw.substr(1, raw.size() - 2));
    if (place == nullptr && raw.find('\\') != std::string_view::npos) {
      place = place_of(key.string_or(""));  // a name written with escapes
    }
    if (place != nullptr) {
      *place = value;
    }
  }
  if (version && !version.equals("2.0")) {
    return invalid(R"(not JSON-RPC 2.0: "jsonrpc" must be "2.0")");
  }
  const bool unreadable_answered = id.is(json::Kind::null) && !method;
  if (is_id(id)) {
    id_ = Id::from_json(id.raw());
  } else if (id && !unreadable_answered) {
    return invalid("the id must be a string or an integer");
  }
  return classify(method);
}

std::optional<Error> Message::classify(json::Value method) {
  if (method) {
    method_ = method.string_or("");
    if (method_.empty()) {
      return invalid("the method must be a string that is not empty");
    }
    kind_ = id_.exists() ? Kind::request : Kind::notification;
    return std::nullopt;
  }
  // JSON-RPC 1.0 habits: {"result":null,"error":{...}} and {"result":{...},"error":null}.
  const bool error_is_void = error_.is(json::Kind::null) && result_;
  if (error_ && !error_is_void) {
    kind_ = Kind::failure;
    return std::nullopt;
  }
  if (!result_) {
    return invalid("neither a method nor a result nor an error");
  }
  kind_ = Kind::result;
  if (!id_.exists()) {
    return invalid("a result without an id");
  }
  return std::nullopt;
}

}  // namespace pi_mcp::rpc
