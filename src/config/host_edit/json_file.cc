// JSON with comments and trailing commas, for config/host_edit.h.
#include <algorithm>
#include <utility>

#include "config/host_edit/commas.h"
#include "config/host_edit/format.h"
#include "json/document.h"
#include "json/edit.h"
#include "json/writer.h"

namespace pi_mcp::config::host_edit {
namespace {

// The map that holds the servers.
struct Servers {
  Bracketed brackets;
  std::vector<std::string> names;
};

Result<Servers> servers_of(std::string_view text, const EntryPlace& place) {
  const Result<json::Document> document =
      json::Document::parse_view(text, {.syntax = json::Syntax::jsonc});
  if (!document) {
    return fail(document.error());
  }
  json::Value map = document->root();
  for (const std::string& name : place.at) {
    map = map.find(name);
  }
  if (!map.is_object()) {
    return fail(ErrorCode::not_found, "there is no map of servers");
  }
  Servers servers;
  for (const json::Member member : map.members()) {
    servers.names.push_back(member.name());
  }
  std::optional<Bracketed> brackets = read_brackets(text, map.offset(), Grammar::jsonc);
  if (!brackets || brackets->items.size() != servers.names.size()) {
    return fail(unsafe_edit());
  }
  servers.brackets = *std::move(brackets);
  return servers;
}

Result<std::string> to_json(std::string_view text) {
  if (json::is_blank(text)) {
    return "{}";
  }
  const Result<json::Document> document =
      json::Document::parse_view(text, {.syntax = json::Syntax::jsonc});
  return document ? Result<std::string>(json::compact(document->root())) : fail(document.error());
}

Result<std::string> put(std::string_view text,
                        const EntryPlace& place,
                        std::string_view value_json) {
  json::MemberPath path = place.at;
  path.push_back(place.name);
  return json::set_member(text, path, value_json);
}

Result<Cut> cut(std::string_view text, const EntryPlace& place) {
  const Result<Servers> servers = servers_of(text, place);
  if (!servers) {
    return fail(servers.error());
  }
  const std::vector<std::string>& names = servers->names;
  if (std::count(names.begin(), names.end(), place.name) > 1) {
    return fail(ErrorCode::invalid_argument,
                "\"" + place.name + "\" is there more than once; keep one of them");
  }
  const auto found = std::find(names.begin(), names.end(), place.name);
  if (found == names.end()) {
    return fail(ErrorCode::not_found, "there is no \"" + place.name + "\"");
  }
  const auto index = static_cast<std::size_t>(found - names.begin());
  std::optional<Cut> result = cut_item(text, servers->brackets, names, index, Grammar::jsonc);
  return result ? Result<Cut>(*std::move(result)) : fail(unsafe_edit());
}

Result<std::string> paste(std::string_view text, const EntryPlace& place, const Cut& cut) {
  const Result<Servers> servers = servers_of(text, place);
  if (!servers) {
    return fail(servers.error());
  }
  std::optional<std::string> result = paste_item(std::string(text),
                                                 servers->brackets,
                                                 place_among(servers->names, cut),
                                                 cut.piece,
                                                 Grammar::jsonc);
  return result ? Result<std::string>(*std::move(result)) : fail(unsafe_edit());
}

}  // namespace

const Format json_format{.to_json = to_json, .put = put, .cut = cut, .paste = paste};

}  // namespace pi_mcp::config::host_edit
