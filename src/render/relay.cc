#include "render/relay.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/text.h"
#include "json/document.h"
#include "json/writer.h"

namespace pi_mcp::render {
namespace {

Relayed parsed_relay(std::string text, std::string guard_json) {
  const SharedText shared(std::move(text));
  const Result<json::Document> document = json::Document::parse(shared);
  // Built by the writer from parsed parts, so it parses; without the slot only our details would go
  // to the front, which is right unless the server sent a _meta of its own.
  const json::Value root = document ? document->root() : json::Value();
  const MetaSlot slot = root ? find_meta_slot({.raw = shared, .root = root}) : MetaSlot{};
  return {.result = shared, .meta_slot = slot, .guard_json = std::move(guard_json)};
}

// Structured content that is left out goes to a file of its own, and a note says so.
void save_structured(json::Value structured,
                     const SaveOutput& save_output,
                     std::vector<Block>& blocks) {
  const Result<std::string> path = save_output("json", structured.raw());
  const std::string size = text::size_text(structured.raw().size());
  blocks.push_back(Block::of_text(
      "[Structured content (" + size +
      (path ? ") saved to " + *path : ") left out: " + path.error().message()) + "]"));
}

std::string rebuilt(json::Value result, const std::vector<Block>& blocks, bool with_structured) {
  json::Writer out;
  out.begin_object().member_raw("content", content_json(blocks));
  for (const json::Member member : result.members()) {
    const bool dropped = member.key.equals("content") ||
                         (member.key.equals("structuredContent") && !with_structured);
    if (!dropped) {
      out.member_raw(member.name(), member.value.raw());
    }
  }
  return out.end_object().take();
}

}  // namespace

RelayLimits RelayLimits::none() {
  constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();
  return {.text = {.bytes_max = unlimited, .lines_max = unlimited, .note_first = false},
          .media = {.one_max = unlimited, .total_max = unlimited},
          .keeps_structured = true};
}

Relayed relay_result(const RawObject& result,
                     HostKind host,
                     const RelayLimits& limits,
                     const SaveOutput& save_output,
                     const std::string& note) {
  if (note.empty() && passes_untouched(result.root, host, limits.text, limits.media)) {
    return {.result = result.raw, .meta_slot = find_meta_slot(result), .guard_json = {}};
  }
  std::vector<Block> blocks = result_blocks(result, host, limits.media, save_output);
  // Pi has no structured content: where the texts do not say it, it is one of them.
  const json::Value structured =
      host == HostKind::mcp ? result.root.find("structuredContent") : json::Value();
  const std::optional<Cut> cut = cut_texts(blocks, limits.text, save_output, structured);
  bool with_structured = host == HostKind::mcp;
  if (with_structured) {
    with_structured = limits.keeps_structured || structured.raw().size() <= limits.text.bytes_max;
    if (!with_structured && !cut && !is_shown(structured, blocks)) {
      save_structured(structured, save_output, blocks);
    }
    const bool changed = cut || !note.empty() || !with_structured ||
                         std::any_of(blocks.begin(), blocks.end(), [](const Block& block) {
                           return block.json.empty();
                         });
    if (!changed) {
      return {.result = result.raw, .meta_slot = find_meta_slot(result), .guard_json = {}};
    }
  }
  if (!note.empty()) {
    blocks.push_back(Block::of_text(note));
  }
  return parsed_relay(rebuilt(result.root, blocks, with_structured),
                      cut ? cut->json(limits.text) : std::string());
}

Relayed relay_resource(const RawObject& result,
                       ResourceAs as,
                       const RelayTo& to,
                       const SaveOutput& save_output) {
  const bool whole = as == ResourceAs::resource && to.host == HostKind::mcp;
  std::vector<Block> blocks = resource_blocks(result, to.host, to.limits.media, save_output);
  std::size_t place = 0;
  for (const json::Value content : result.root.find("contents").elements()) {
    Block& block = blocks.at(place++);
    if (whole && block.json.empty() && content.find("text").is_string()) {
      block.json =
          SharedText(R"({"type":"resource","resource":)" + std::string(content.raw()) + "}");
    }
  }
  const std::optional<Cut> cut = cut_texts(blocks, to.limits.text, save_output);
  json::Writer out;
  out.begin_object().member_raw("content", content_json(blocks));
  if (const json::Value meta = result.root.find("_meta"); meta.is_object()) {
    out.member_raw("_meta", meta.raw());
  }
  return parsed_relay(out.end_object().take(), cut ? cut->json(to.limits.text) : std::string());
}

MetaSlot find_meta_slot(const RawObject& result) {
  const json::Value meta = result.root.find("_meta");
  if (!meta) {
    return {};
  }
  const std::size_t offset = meta.offset() - result.root.offset();
  const std::size_t length = meta.raw().size();
  if (!meta.is_object()) {
    return {.kind = MetaSlot::Kind::in_place_of, .offset = offset, .length = length};
  }
  const bool empty = !(meta.members().begin() != meta.members().end());
  return {.kind = empty ? MetaSlot::Kind::end_of_empty : MetaSlot::Kind::end,
          .offset = offset + length - 1,
          .length = 0};
}

}  // namespace pi_mcp::render
