#include "tool/resource_owners.h"

#include <re2/re2.h>

#include <algorithm>

#include "mcp/lists.h"

namespace pi_mcp::tool {
namespace {

// What an expression without its braces can become. One without operator ends at a slash: so do the
// templates of the SDKs.
std::string_view expression_pattern(std::string_view expression) {
  switch (expression.empty() ? '\0' : expression.front()) {
    case '+':
      return ".+";
    case '#':
      return "(?:#.*)?";
    case '/':
      return "(?:/[^?#]*)?";
    case '.':
      return "(?:\\.[^/?#]*)?";
    case ';':
      return "(?:;[^?#]*)?";
    case '?':
      return "(?:\\?[^#]*)?";
    case '&':
      return "(?:&[^#]*)?";
    default:
      return "[^/?#]+";
  }
}

std::string pattern_of(std::string_view uri_template) {
  std::string pattern;
  while (!uri_template.empty()) {
    const std::size_t open = std::min(uri_template.find('{'), uri_template.size());
    pattern += re2::RE2::QuoteMeta(std::string(uri_template.substr(0, open)));
    uri_template.remove_prefix(open);
    const std::size_t close = uri_template.find('}');
    if (close == std::string_view::npos) {
      return pattern + re2::RE2::QuoteMeta(std::string(uri_template));
    }
    pattern += expression_pattern(uri_template.substr(1, close - 1));
    uri_template.remove_prefix(close + 1);
  }
  return pattern;
}

// Whether it says which uris are meant: literally, their scheme at least. One that takes any uri
// ("{+uri}") would take those of every other server.
bool names_scheme(std::string_view uri_template) {
  return uri_template.substr(0, uri_template.find('{')).find(':') != std::string_view::npos;
}

bool describes(const mcp::Resource& uri_template, std::string_view uri) {
  return uri_template.uri == uri ||
         (names_scheme(uri_template.uri) && matches_template(uri_template.uri, uri));
}

}  // namespace

bool matches_template(std::string_view uri_template, std::string_view uri) {
  re2::RE2::Options options;
  options.set_dot_nl(true);
  options.set_log_errors(false);
  options.set_max_mem(std::int64_t{1} << 20U);
  const re2::RE2 pattern(pattern_of(uri_template), options);
  return pattern.ok() && re2::RE2::FullMatch({uri.data(), uri.size()}, pattern);
}

void ResourceOwners::note(const std::string& server, json::Value result) {
  for (const json::Value block : result.find("content").elements()) {
    if (block.find("type").equals("resource_link")) {
      note_uri(server, block.find("uri"));
    } else if (block.find("type").equals("resource")) {
      note_uri(server, block.at({"resource", "uri"}));
    }
  }
  for (const json::Value content : result.find("contents").elements()) {
    note_uri(server, content.find("uri"));
  }
}

void ResourceOwners::note_uri(const std::string& server, json::Value uri) {
  if (!uri.is_string() || uri.raw().size() > mcp::uri_bytes_max) {
    return;
  }
  const auto [link, is_new] = links_.try_emplace(uri.string_or(""));
  if (std::ranges::find(link->second, server) == link->second.end()) {
    link->second.push_back(server);
  }
  if (!is_new) {
    return;
  }
  order_.push_back(link->first);
  if (order_.size() > links_max) {
    links_.erase(order_.front());
    order_.pop_front();
  }
}

std::vector<std::string> ResourceOwners::of(std::string_view uri) const {
  std::vector<std::string> listing;
  std::vector<std::string> linking;
  std::vector<std::string> describing;
  if (is_own_uri(uri)) {
    return {};
  }
  const auto link = links_.find(uri);
  for (const std::string& server : registry_.enabled_servers()) {
    const catalog::Catalog& catalog = registry_.catalog();
    if (catalog.hides_resource(server, uri)) {
      continue;
    }
    if (std::ranges::find(catalog.resources(server), uri, &mcp::Resource::uri) !=
        catalog.resources(server).end()) {
      listing.push_back(server);
    } else if (link != links_.end() &&
               std::ranges::find(link->second, server) != link->second.end()) {
      linking.push_back(server);
    } else if (std::ranges::any_of(catalog.templates(server), [uri](const mcp::Resource& each) {
                 return describes(each, uri);
               })) {
      describing.push_back(server);
    }
  }
  return !listing.empty() ? listing : !linking.empty() ? linking : describing;
}

}  // namespace pi_mcp::tool
