#include "cli/show/call_output.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "base/base64.h"
#include "base/text.h"
#include "json/writer.h"

namespace pi_mcp::cli {
namespace {

struct Binary {
  std::string kind;  // "image", "audio", "file"
  std::string mime;
  std::string uri;  // for a file
  json::Value data;

  // Computed from the length of the base64 text, without decoding it.
  [[nodiscard]] std::size_t bytes() const {
    const std::string_view raw = data.raw();
    const auto padding = static_cast<std::size_t>(std::ranges::count(raw, '='));
    const std::size_t characters = raw.size() < 2 ? 0 : raw.size() - 2;
    return characters / 4 * 3 - std::min(padding, characters / 4 * 3);
  }
  [[nodiscard]] std::string what() const {
    return (mime.empty() ? "" : mime + ", ") + text::size_text(bytes());
  }
};

std::optional<Binary> binary_of(json::Value block) {
  const json::Value type = block.find("type");
  if (type.equals("image") || type.equals("audio")) {
    return Binary{.kind = type.string_or(""),
                  .mime = text::printable_line(block.find("mimeType").string_or("")),
                  .uri = "",
                  .data = block.find("data")};
  }
  const json::Value resource = block.find("resource");
  if (type.equals("resource") && resource.find("blob").is_string()) {
    return Binary{.kind = "file",
                  .mime = text::printable_line(resource.find("mimeType").string_or("")),
                  .uri = text::printable_line(resource.find("uri").string_or("")),
                  .data = resource.find("blob")};
  }
  return std::nullopt;
}

// The text of a block when it is one of text, else an absent value.
json::Value text_of(json::Value block) {
  json::Value text;
  if (block.find("type").equals("text")) {
    text = block.find("text");
  } else if (block.find("type").equals("resource")) {
    text = block.at({"resource", "text"});
  }
  return text.is_string() ? text : json::Value();
}

std::string block_line(json::Value block) {
  if (const std::optional<Binary> binary = binary_of(block)) {
    std::string line = "[" + binary->kind + " " + binary->what();
    line += binary->uri.empty() ? "" : ", " + binary->uri;
    return line + "; to save it: --output FILE or --json]";
  }
  if (block.find("type").equals("resource_link")) {
    const std::string uri = block.find("uri").string_or("");
    const std::string name = block.find("name").string_or("");
    return "[link " + text::printable_line(name.empty() ? uri : name + " " + uri) + "]";
  }
  return json::compact(block);
}

void write_lines(const json::TextSink& sink, std::string_view text) {
  sink(text);
  if (!text.ends_with('\n')) {
    sink("\n");
  }
}

void write_lines(const json::TextSink& sink, json::Value text) {
  bool ended = false;
  json::for_each_piece(text, [&](std::string_view piece) {
    sink(piece);
    ended = piece.ends_with('\n');
  });
  if (!ended) {
    sink("\n");
  }
}

// Only texts without a character, or nothing at all.
bool is_empty(json::Value result) {
  for (const json::Value block : result.find("content").elements()) {
    const json::Value text = text_of(block);
    if (!text || text.raw() != R"("")") {
      return false;
    }
  }
  return !result.find("structuredContent");
}

std::string number_text(double number) {
  // Counts are whole in practice; a fraction is shown as one.
  if (number == std::floor(number) && std::abs(number) < 1e15) {
    return std::to_string(static_cast<std::int64_t>(number));
  }
  std::string text = std::to_string(number);
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

}  // namespace

bool write_call_text(json::Value result, const json::TextSink& sink) {
  if (is_empty(result)) {
    return false;
  }
  bool any_text = false;
  for (const json::Value block : result.find("content").elements()) {
    if (const json::Value text = text_of(block)) {
      any_text = any_text || text.raw() != R"("")";
      write_lines(sink, text);
    } else {
      write_lines(sink, block_line(block));
    }
  }
  const json::Value structured = result.find("structuredContent");
  if (!any_text && structured.exists()) {
    write_lines(sink, json::pretty(structured));
  }
  return true;
}

std::string call_text(json::Value result) {
  std::string out;
  (void)write_call_text(result, [&out](std::string_view piece) { out += piece; });  // shows in out
  return out;
}

Result<OutputBytes> output_bytes(json::Value result) {
  for (const json::Value block : result.find("content").elements()) {
    const std::optional<Binary> binary = binary_of(block);
    if (!binary) {
      continue;
    }
    std::optional<std::string> bytes = base64_decoded(binary->data.string_or(""));
    if (!bytes) {
      return fail(ErrorCode::protocol, "the data of the result is not base64");
    }
    std::string what = (binary->mime.empty() ? binary->kind : binary->mime) + ", " +
                       text::size_text(bytes->size());
    return OutputBytes{.bytes = *std::move(bytes), .what = std::move(what)};
  }
  std::string text = call_text(result);
  std::string what = "text, " + text::size_text(text.size());
  return OutputBytes{.bytes = std::move(text), .what = std::move(what)};
}

std::string progress_text(json::Value params) {
  std::string text = text::printable_line(params.find("message").string_or(""));
  const std::optional<double> done = params.find("progress").as_double();
  const std::optional<double> total = params.find("total").as_double();
  // How much of what nobody knows says nothing beside a message.
  if (done && (total || text.empty())) {
    std::string count = number_text(*done);
    count += total ? "/" + number_text(*total) : "";
    text += text.empty() ? count : " (" + count + ")";
  }
  return text;
}

}  // namespace pi_mcp::cli
