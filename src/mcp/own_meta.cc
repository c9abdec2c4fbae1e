#include "mcp/own_meta.h"

#include <algorithm>
#include <array>

namespace pi_mcp::mcp {
namespace {

bool is_own(json::Value key) {
  const std::optional<std::string_view> plain = key.unescaped();
  return plain ? plain->starts_with(own_meta_prefix)
               : key.string_or("").starts_with(own_meta_prefix);
}

bool has_own_members(json::Value meta) {
  bool has = false;
  for (const json::Member member : meta.members()) {
    has = has || is_own(member.key);
  }
  return has;
}

bool holds_blocks(json::Value key) {
  constexpr std::array<std::string_view, 4> names = {"content", "contents", "messages", "resource"};
  return std::ranges::any_of(names, [key](std::string_view name) { return key.equals(name); });
}

// How deep they lie is limited by the parser.
bool has_own_meta(json::Value value) {
  bool has = false;
  for (const json::Member child : value.children()) {
    const bool is_meta = child.key && child.key.equals("_meta");
    const bool is_inside = !child.key || holds_blocks(child.key);
    has = has || (is_meta ? has_own_members(child.value) : is_inside && has_own_meta(child.value));
  }
  return has;
}

void write_clean(json::Writer& out, json::Value value) {
  if (value.is_array()) {
    out.begin_array();
    for (const json::Value element : value.elements()) {
      write_clean(out, element);
    }
    out.end_array();
    return;
  }
  if (!value.is_object()) {
    out.raw(value.raw());
    return;
  }
  out.begin_object();
  for (const json::Member member : value.members()) {
    if (holds_blocks(member.key)) {
      out.key(member.name());
      write_clean(out, member.value);
    } else {
      write_foreign_member(out, member);
    }
  }
  out.end_object();
}

}  // namespace

std::optional<std::string> without_own_meta(json::Value value) {
  if (!has_own_meta(value)) {
    return std::nullopt;
  }
  json::Writer out;
  write_clean(out, value);
  return out.take();
}

void write_foreign_member(json::Writer& out, const json::Member& member) {
  if (!member.key.equals("_meta") || !has_own_members(member.value)) {
    out.member_raw(member.name(), member.value.raw());
    return;
  }
  out.key("_meta").begin_object();
  for (const json::Member inner : member.value.members()) {
    if (!is_own(inner.key)) {
      out.member_raw(inner.name(), inner.value.raw());
    }
  }
  out.end_object();
}

}  // namespace pi_mcp::mcp
