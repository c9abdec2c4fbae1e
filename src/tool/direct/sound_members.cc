#include "tool/direct/sound_members.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "json/writer.h"

namespace pi_mcp::tool {
namespace {

// A host hands all of this to its model with every request.
constexpr std::size_t schema_bytes_max = std::size_t{64} << 10U;

template <class Range, class Predicate>
bool all_of(const Range& range, Predicate is_good) {
  for (const auto each : range) {  // neither members nor elements are a range to the library
    if (!is_good(each)) {
      return false;
    }
  }
  return true;
}

template <class Predicate>
bool is_list_of(json::Value value, Predicate is_good) {
  return value.is(json::Kind::array) && all_of(value.elements(), is_good);
}

bool is_text(json::Value value) {
  return value.is(json::Kind::string);
}

// True and false are schemas, too, but not to the SDKs.
bool has_objects_only(json::Value value) {
  return value.is_object() &&
         all_of(value.members(), [](json::Member member) { return member.value.is_object(); });
}

bool is_sound_of_schema(json::Member member) {
  return member.key.equals("properties") ? has_objects_only(member.value)
         : member.key.equals("required") ? is_list_of(member.value, is_text)
                                         : true;
}

bool is_sound_annotation(json::Member member) {
  constexpr std::array<std::string_view, 4> hints = {
      "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"};
  const bool is_hint = std::ranges::any_of(
      hints, [member](std::string_view hint) { return member.key.equals(hint); });
  return is_hint                      ? member.value.is(json::Kind::boolean)
         : member.key.equals("title") ? is_text(member.value)
                                      : true;
}

// Each property that is no object is one of which nothing is known.
void write_properties(json::Writer& out, json::Value properties) {
  out.key("properties").begin_object();
  for (const json::Member member : properties.members()) {
    out.member_raw(member.name(), member.value.is_object() ? member.value.raw() : "{}");
  }
  out.end_object();
}

std::string repaired(json::Value schema) {
  json::Writer out;
  out.begin_object();
  for (const json::Member member : schema.members()) {
    if (is_sound_of_schema(member)) {
      out.member_raw(member.name(), member.value.raw());
    } else if (member.key.equals("properties") && member.value.is_object()) {
      write_properties(out, member.value);
    }
  }
  out.end_object();
  return out.take();
}

}  // namespace

std::string sound_schema(const SharedText& given) {
  constexpr std::string_view any = R"({"type":"object"})";
  if (given.empty() || given.size() > schema_bytes_max) {
    return std::string(any);
  }
  const Result<json::Document> document = json::Document::parse(given);
  if (!document || !document->root().is_object()) {
    return std::string(any);
  }
  const json::Value root = document->root();
  const json::Value type = root.find("type");
  if (type && !type.equals("object")) {
    return std::string(any);
  }
  std::string text =
      all_of(root.members(), is_sound_of_schema) ? std::string(given.view()) : repaired(root);
  if (type) {
    return text;
  }
  const bool is_empty = root.size() == 0;
  return R"({"type":"object")" + (is_empty ? "" : std::string(",")) +
         text.substr(text.find('{') + 1);
}

std::string sound_annotations(const SharedText& given) {
  const Result<json::Document> document = json::Document::parse(given);
  if (!document || all_of(document->root().members(), is_sound_annotation)) {
    return std::string(given.view());
  }
  json::Writer out;
  out.begin_object();
  for (const json::Member member : document->root().members()) {
    if (is_sound_annotation(member)) {
      out.member_raw(member.name(), member.value.raw());
    }
  }
  out.end_object();
  return out.take();
}

bool is_sound(json::Member member) {
  constexpr std::array<std::string_view, 3> supports = {"required", "optional", "forbidden"};
  if (member.key.equals("outputSchema")) {
    // Since 2026-07-28 it may be of any type; hosts of earlier revisions would refuse it.
    return member.value.find("type").equals("object") &&
           all_of(member.value.members(), is_sound_of_schema);
  }
  if (member.key.equals("icons")) {
    return is_list_of(member.value, [](json::Value icon) { return is_text(icon.find("src")); });
  }
  if (member.key.equals("execution")) {
    const json::Value support = member.value.find("taskSupport");
    return !support || std::ranges::any_of(supports, [support](std::string_view known) {
      return support.equals(known);
    });
  }
  return true;
}

}  // namespace pi_mcp::tool
