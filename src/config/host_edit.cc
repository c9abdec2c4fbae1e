#include "config/host_edit.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.h"
#include "config/host_edit/format.h"
#include "json/canonical.h"
#include "json/document.h"
#include "json/edit.h"
#include "json/writer.h"

namespace pi_mcp::config {
namespace {

using host_edit::Cut;
using host_edit::Format;
using host_edit::unsafe_edit;

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
// Enough to be the only place like it, little enough for a record.
constexpr std::size_t surroundings_max = 160;

const Format& format_of(const EntryPlace& place) {
  return place.format == FileFormat::json   ? host_edit::json_format
         : place.format == FileFormat::toml ? host_edit::toml_format
                                            : host_edit::yaml_format;
}

// A text without its byte order mark, and the mark.
struct Marked {
  std::string_view mark;
  std::string_view text;
  explicit Marked(std::string_view whole)
      : mark(whole.substr(0, whole.starts_with(byte_order_mark) ? byte_order_mark.size() : 0)),
        text(whole.substr(mark.size())) {}
  [[nodiscard]] std::string with(std::string_view changed) const {
    return std::string(mark) + std::string(changed);
  }
};

// What a text says, as JSON.
struct Meaning {
  std::multimap<std::string, std::string> entries;  // canonical
  std::optional<std::string> value;  // of the entry that is meant, its members in their order
  std::string whole;
  json::MemberPath empty;   // the way to a parent that is null, which is like one that is not there
  std::size_t servers = 0;  // where the map or list of servers is in `whole`, when it is there
  std::size_t servers_size = 0;
  std::size_t depth = 0;  // names of the path that are there

  // Everything but the servers.
  [[nodiscard]] Result<std::string> rest(const EntryPlace& place) const {
    std::string text = whole;
    if (place.at.size() == depth) {
      return text.replace(servers, servers_size, "{}");
    }
    Result<std::string> cleared = empty.empty() ? text : json::remove_member(text, empty);
    return cleared ? json::set_member(*cleared, place.at, "{}") : std::move(cleared);
  }
};

// Empty for one that says none.
std::string name_of_item(json::Value item) {
  return item.find("name").string_or("");
}

Error other_kind(const EntryPlace& place, json::Kind wanted, json::Kind found) {
  return {ErrorCode::invalid_argument,
          (place.at.empty() ? "the file" : "\"" + place.at.back() + "\"") + " is not " +
              kind_text(wanted) + " but " + kind_text(found)};
}

Result<Meaning> meaning_of(std::string_view text, const EntryPlace& place) {
  if (place.list && place.name.empty()) {
    return fail(ErrorCode::invalid_argument,
                "an item without a name cannot be told from others; give it a name");
  }
  Result<std::string> whole = format_of(place).to_json(Marked(text).text);
  if (!whole) {
    return fail(std::move(whole).error());
  }
  Meaning meaning;
  meaning.whole = *std::move(whole);
  const Result<json::Document> document = json::Document::parse_view(meaning.whole);
  if (!document) {
    return fail(document.error());
  }
  json::Value servers = document->root();
  for (const std::string& name : place.at) {
    const json::Value next = servers.find(name);
    if (!next || next.kind() == json::Kind::null) {
      const auto depth = static_cast<std::ptrdiff_t>(meaning.depth);
      meaning.empty.assign(place.at.begin(), place.at.begin() + (next ? depth + 1 : 0));
      return meaning;
    }
    servers = next;
    ++meaning.depth;
  }
  const json::Kind wanted = place.list ? json::Kind::array : json::Kind::object;
  if (!servers.is(wanted)) {
    return fail(other_kind(place, wanted, servers.kind()));
  }
  meaning.servers = servers.offset();
  meaning.servers_size = servers.raw().size();
  for (const json::Member child : servers.children()) {
    const std::string name = child.key ? child.name() : name_of_item(child.value);
    meaning.entries.emplace(name, json::canonical(child.value));
    if (name == place.name) {
      meaning.value = json::compact(child.value);
    }
  }
  return meaning;
}

std::string canonical_text(std::string_view json) {
  const Result<json::Document> document = json::Document::parse_view(json);
  return document ? json::canonical(document->root()) : "";
}

// Whether both say the same but for the one entry, which has this value by now (empty: it is not
// there).
bool differs_in_entry(Meaning before,
                      const Result<Meaning>& after,
                      const EntryPlace& place,
                      const std::string& value) {
  before.entries.erase(place.name);
  if (!value.empty()) {
    before.entries.emplace(place.name, canonical_text(value));
  }
  if (!after || before.entries != after->entries) {
    return false;
  }
  const Result<std::string> one = before.rest(place);
  const Result<std::string> other = after->rest(place);
  return one && other && (*one == *other || canonical_text(*one) == canonical_text(*other));
}

bool continues_character(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
}

TextChange change_between(std::string_view before, std::string_view after) {
  const std::size_t shorter = std::min(before.size(), after.size());
  std::size_t begin = 0;
  while (begin < shorter && before[begin] == after[begin]) {
    ++begin;
  }
  while (begin > 0 && (continues_character(before, begin) || continues_character(after, begin))) {
    --begin;
  }
  std::size_t same = 0;  // bytes at the end
  while (same < shorter - begin &&
         before[before.size() - same - 1] == after[after.size() - same - 1]) {
    ++same;
  }
  while (same > 0 && continues_character(before, before.size() - same)) {
    --same;
  }
  std::size_t front = begin - std::min(begin, surroundings_max);
  while (continues_character(before, front)) {
    ++front;
  }
  const std::size_t tail = before.size() - same;
  std::size_t back = tail + std::min(same, surroundings_max);
  while (continues_character(before, back)) {
    --back;
  }
  return {.offset = begin,
          .was = std::string(before.substr(begin, tail - begin)),
          .is = std::string(after.substr(begin, after.size() - same - begin)),
          .before = std::string(before.substr(front, begin - front)),
          .behind = std::string(before.substr(tail, back - tail))};
}

// The text as it was before the change; nullopt when its place cannot be told any more.
std::optional<std::string> reverted(std::string_view text, const TextChange& change) {
  const std::string seen = change.before + change.is + change.behind;
  std::size_t at = change.offset - std::min(change.before.size(), change.offset);
  if (at > text.size() || !text.substr(at).starts_with(seen)) {
    at = text.find(seen);
    if (at == std::string_view::npos || text.find(seen, at + 1) != std::string_view::npos) {
      return std::nullopt;
    }
  }
  std::string result(text);
  return result.replace(at + change.before.size(), change.is.size(), change.was);
}

Error no_entry(const EntryPlace& place) {
  return {ErrorCode::not_found, "there is no \"" + place.name + "\""};
}

// The value as it will stand there: an item of a list says its name itself.
Result<std::string> full_value(std::string_view value_json, const EntryPlace& place) {
  const Result<json::Document> value = json::Document::parse_view(value_json);
  if (!value) {
    return fail(Error(value.error()).while_doing("the new value"));
  }
  if (!value->root().is_object()) {
    return fail(ErrorCode::invalid_argument, "the new value is not an object");
  }
  if (!place.list || name_of_item(value->root()) == place.name) {
    return std::string(value_json);
  }
  json::Writer writer;
  writer.begin_object().member("name", place.name);
  for (const json::Member member : value->root().members()) {
    if (!member.key.equals("name")) {
      writer.member_raw(member.name(), member.value.raw());
    }
  }
  return writer.end_object().take();
}

// Without the parents that a put made, as far as they are empty.
std::string without_parents(std::string text, EntryPlace place, std::size_t made) {
  for (; made > 0 && !place.at.empty(); --made) {
    const Result<Meaning> meaning = meaning_of(text, place);
    if (!meaning || !meaning->entries.empty()) {
      break;
    }
    place.name = place.at.back();
    place.at.pop_back();
    place.list = false;
    Result<RemovedEntry> removed = remove_entry(text, place);
    if (!removed) {
      break;
    }
    text = std::move(removed->text);
  }
  return text;
}

}  // namespace

Result<std::optional<std::string>> read_entry(std::string_view text, const EntryPlace& place) {
  Result<Meaning> meaning = meaning_of(text, place);
  if (!meaning) {
    return fail(meaning.error());
  }
  return std::move(meaning->value);
}

Result<PutEntry> put_entry(std::string_view text,
                           const EntryPlace& place,
                           std::string_view value_json) {
  const Result<Meaning> before = meaning_of(text, place);
  const Result<std::string> value = full_value(value_json, place);
  if (!before || !value) {
    return fail(before ? value.error() : before.error());
  }
  const Marked marked(text);
  const Result<std::string> changed = format_of(place).put(marked.text, place, *value);
  if (!changed) {
    return fail(changed.error());
  }
  std::string whole = marked.with(*changed);
  if (!differs_in_entry(*before, meaning_of(whole, place), place, *value)) {
    return fail(unsafe_edit());
  }
  TextChange change = change_between(text, whole);
  return PutEntry{.text = std::move(whole),
                  .change = std::move(change),
                  .replaced = before->value,
                  .parents_made = place.at.size() - before->depth};
}

Result<std::string> undo_put(std::string_view text, const EntryPlace& place, const PutEntry& put) {
  const Result<Meaning> before = meaning_of(text, place);
  if (!before) {
    return fail(before.error());
  }
  if (!before->value) {
    return fail(no_entry(place));
  }
  std::optional<std::string> exact = reverted(text, put.change);
  if (exact &&
      differs_in_entry(*before, meaning_of(*exact, place), place, put.replaced.value_or(""))) {
    return *std::move(exact);
  }
  if (put.replaced) {
    Result<PutEntry> again = put_entry(text, place, *put.replaced);
    return again ? Result<std::string>(std::move(again->text)) : fail(again.error());
  }
  Result<RemovedEntry> removed = remove_entry(text, place);
  if (!removed) {
    return fail(removed.error());
  }
  return without_parents(std::move(removed->text), place, put.parents_made);
}

Result<RemovedEntry> remove_entry(std::string_view text, const EntryPlace& place) {
  const Result<Meaning> before = meaning_of(text, place);
  if (!before) {
    return fail(before.error());
  }
  if (!before->value) {
    return fail(no_entry(place));
  }
  const Marked marked(text);
  Result<Cut> cut = format_of(place).cut(marked.text, place);
  if (!cut) {
    return fail(cut.error());
  }
  std::string whole = marked.with(cut->text);
  if (!differs_in_entry(*before, meaning_of(whole, place), place, "")) {
    return fail(unsafe_edit());
  }
  TextChange change = change_between(text, whole);
  return RemovedEntry{.text = std::move(whole),
                      .change = std::move(change),
                      .value = *before->value,
                      .piece = std::move(cut->piece),
                      .next = std::move(cut->next),
                      .previous = std::move(cut->previous)};
}

Result<std::string> restore_entry(std::string_view text,
                                  const EntryPlace& place,
                                  const RemovedEntry& removed) {
  const Result<Meaning> before = meaning_of(text, place);
  if (!before) {
    return fail(before.error());
  }
  if (before->value) {
    return fail(ErrorCode::invalid_argument, "there is a \"" + place.name + "\" by now");
  }
  std::optional<std::string> exact = reverted(text, removed.change);
  if (exact && differs_in_entry(*before, meaning_of(*exact, place), place, removed.value)) {
    return *std::move(exact);
  }
  const Marked marked(text);
  const Result<std::string> pasted = format_of(place).paste(
      marked.text,
      place,
      {.text = "", .piece = removed.piece, .next = removed.next, .previous = removed.previous});
  std::string whole = pasted ? marked.with(*pasted) : "";
  if (pasted && differs_in_entry(*before, meaning_of(whole, place), place, removed.value)) {
    return whole;
  }
  Result<PutEntry> put = put_entry(text, place, removed.value);
  return put ? Result<std::string>(std::move(put->text)) : fail(put.error());
}

}  // namespace pi_mcp::config
