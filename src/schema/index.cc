#include "schema/index.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/ascii.h"
#include "schema/keywords.h"
#include "schema/uri.h"

namespace pi_mcp::schema {
namespace {

// Members and elements passed while following pointers: thousands of references into a definitions
// object of hundreds, and well under 100 ms.
constexpr std::uint64_t pointer_steps_max = 2'000'000;

// An $id anywhere else (in a const, an enum, an unknown keyword) is not an identifier. Items and
// dependencies have two forms: an array of schemas is also looked into where one schema is
// expected, and what is not a schema is passed over.
void add_subschemas(json::Value value, Holds holds, ResourceId resource, std::vector<Place>& out) {
  if (holds == Holds::schema && value.is_object()) {
    out.push_back({.schema = value, .resource = resource});
  }
  if (holds == Holds::schema || holds == Holds::schemas) {
    for (const json::Value element : value.elements()) {
      out.push_back({.schema = element, .resource = resource});
    }
  }
  if (holds == Holds::named_schemas) {
    for (const json::Member member : value.members()) {
      out.push_back({.schema = member.value, .resource = resource});
    }
  }
}

Rules rules_named(std::string_view uri) {
  static const RE2 modern("(https?://)?json-schema\\.org/(draft/(2020-12|2019-09)/)?schema");
  static const RE2 draft7("(https?://)?json-schema\\.org/draft-0[467]/schema");
  uri = split_fragment(uri).document;
  return RE2::FullMatch(uri, modern)   ? Rules::draft2020_12
         : RE2::FullMatch(uri, draft7) ? Rules::draft7
                                       : Rules::unknown;
}

Rules rules_of(json::Value root, Rules otherwise) {
  const std::optional<std::string> dialect = root.find("$schema").as_string();
  return dialect ? rules_named(*dialect) : otherwise;
}

// ~1 and ~0 of a JSON pointer (RFC 6901 section 4).
std::string pointer_token(std::string_view token) {
  std::string out;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const char next = i + 1 < token.size() ? token[i + 1] : '\0';
    const bool escaped = token[i] == '~' && (next == '0' || next == '1');
    out += !escaped ? token[i] : next == '0' ? '~' : '/';
    i += escaped ? 1 : 0;
  }
  return out;
}

json::Value child(json::Value value, const std::string& token) {
  if (value.is_object()) {
    return value.find(token);
  }
  std::size_t index = 0;
  const char* end = token.data() + token.size();
  const bool is_index = std::from_chars(token.data(), end, index).ptr == end && !token.empty();
  return is_index ? value.element(index) : json::Value();
}

}  // namespace

Index::Index(json::Value root, const CompileOptions& options)
    : options_(options), budget_(pointer_steps_max) {
  add_document(
      "", root, options.dialect_default == Dialect::draft7 ? Rules::draft7 : Rules::draft2020_12);
}

ResourceId Index::add_document(std::string_view uri, json::Value schema, Rules rules_default) {
  // The value was parsed once, so this fails only beyond the default limits; then nothing is
  // enforced.
  Result<json::Document> copy =
      json::Document::parse(std::string(schema.raw()), {.syntax = json::Syntax::jsonc});
  documents_.push_back(copy ? *std::move(copy) : json::Document());
  const json::Value root = documents_.back().root();
  const std::string id = root.find("$id").string_or("");
  const ResourceId resource =
      add_resource(root, resolve_uri(uri, split_fragment(id).document), rules_default);
  by_uri_.try_emplace(std::string(uri), resource);
  std::vector<Place> todo = {{.schema = root, .resource = resource}};
  while (!todo.empty()) {
    const Place place = todo.back();
    todo.pop_back();
    scan(place, todo);
  }
  return resource;
}

ResourceId Index::add_resource(json::Value root, std::string uri, Rules rules_default) {
  const auto id = static_cast<ResourceId>(resources_.size());
  by_uri_.try_emplace(uri, id);
  by_root_.try_emplace(root.raw().data(), id);
  resources_.push_back({.uri = std::move(uri),
                        .root = root,
                        .rules = rules_of(root, rules_default),
                        .anchors = {},
                        .dynamic_anchors = {}});
  return id;
}

void Index::scan(Place place, std::vector<Place>& todo) {
  if (!place.schema.is_object()) {
    return;
  }
  place = scan_identity(place);
  for (const json::Member member : place.schema.members()) {
    const auto* const found = std::ranges::find_if(
        keywords, [&member](const Keyword& known) { return member.key.equals(known.name); });
    if (found != keywords.end()) {
      add_subschemas(member.value, found->holds, place.resource, todo);
    }
  }
}

Place Index::scan_identity(Place place) {
  const json::Value schema = place.schema;
  const bool is_draft7 = rules(place.resource) == Rules::draft7;
  std::optional<std::string> id = schema.find("$id").as_string();
  if (is_draft7 && schema.find("$ref")) {
    id.reset();  // draft-07 ignores what stands beside a $ref
  }
  const SplitUri split = split_fragment(id ? std::string_view(*id) : std::string_view());
  const bool is_root = by_root_.contains(schema.raw().data());
  if (!split.document.empty() && !is_root) {
    const Resource& parent = resources_[place.resource];
    place.resource = add_resource(schema, resolve_uri(parent.uri, split.document), parent.rules);
  }
  Resource& resource = resources_[place.resource];
  if (is_draft7 && !split.fragment.empty()) {
    resource.anchors.try_emplace(std::string(split.fragment), place);
  }
  if (const std::optional<std::string> anchor = schema.find("$anchor").as_string()) {
    resource.anchors.try_emplace(*anchor, place);
  }
  if (const std::optional<std::string> anchor = schema.find("$dynamicAnchor").as_string()) {
    resource.anchors.try_emplace(*anchor, place);
    resource.dynamic_anchors.try_emplace(*anchor, place);
  }
  return place;
}

Place Index::enter(json::Value schema, ResourceId parent) const {
  const auto found = by_root_.find(schema.raw().data());
  return {.schema = schema, .resource = found == by_root_.end() ? parent : found->second};
}

std::optional<ResourceId> Index::find_resource(std::string_view uri, Rules rules_default) {
  if (const auto found = by_uri_.find(uri); found != by_uri_.end()) {
    return found->second;
  }
  for (const NamedSchema& document : options_.documents) {
    if (split_fragment(document.uri).document == uri) {
      return add_document(uri, document.schema, rules_default);
    }
  }
  return std::nullopt;
}

std::optional<Target> Index::resolve(ResourceId from, std::string_view reference) {
  const SplitUri split = split_fragment(reference);
  std::optional<ResourceId> resource = from;
  if (!split.document.empty()) {
    resource = find_resource(resolve_uri(resources_[from].uri, split.document), rules(from));
  }
  if (!resource) {
    return std::nullopt;
  }
  const std::string fragment = ascii::percent_decoded(split.fragment);
  if (fragment.empty() || fragment.starts_with('/')) {
    const std::optional<Place> place = follow(*resource, fragment);
    return place ? std::optional(Target{.place = *place, .dynamic_anchor = {}}) : std::nullopt;
  }
  const Resource& target = resources_[*resource];
  const auto anchor = target.anchors.find(fragment);
  if (anchor == target.anchors.end()) {
    return std::nullopt;
  }
  const bool is_dynamic = target.dynamic_anchors.contains(fragment);
  return Target{.place = anchor->second, .dynamic_anchor = is_dynamic ? fragment : ""};
}

std::optional<Place> Index::follow(ResourceId start, std::string_view pointer) {
  Place place = {.schema = resources_[start].root, .resource = start};
  while (!pointer.empty()) {
    if (!budget_.spend(1 + place.schema.size())) {
      return std::nullopt;
    }
    const std::size_t end = std::min(pointer.find('/', 1), pointer.size());
    place = enter(child(place.schema, pointer_token(pointer.substr(1, end - 1))), place.resource);
    pointer.remove_prefix(end);
    if (!place.schema) {
      return std::nullopt;
    }
  }
  return place;
}

}  // namespace pi_mcp::schema
