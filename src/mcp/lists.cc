#include "mcp/lists.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "json/writer.h"
#include "mcp/items.h"
#include "mcp/methods.h"

namespace pi_mcp::mcp {
namespace {

// The member of the result that holds the items.
std::string_view member_name(ListKind kind) {
  switch (kind) {
    case ListKind::tools:
      return "tools";
    case ListKind::resources:
      return "resources";
    case ListKind::templates:
      return "resourceTemplates";
    case ListKind::prompts:
      return "prompts";
  }
  return "";
}

// MCP Apps: a tool may be meant for the server's own user interface only.
bool is_for_model(json::Value tool) {
  const json::Value visibility = tool.at({"_meta", "ui", "visibility"});
  if (!visibility.is_array()) {
    return true;
  }
  for (const json::Value who : visibility.elements()) {
    if (who.equals("model")) {
      return true;
    }
  }
  return false;
}

// What is absent or no such value counts as the least: out of date at once, and private.
Caching read_caching(json::Value result) {
  constexpr Milliseconds most = list_ttl_max;
  const std::int64_t ttl = std::max<std::int64_t>(result.find("ttlMs").as_int().value_or(0), 0);
  return {.ttl = Milliseconds(std::min<std::int64_t>(ttl, most.count())),
          .is_private = !result.find("cacheScope").equals("public")};
}

// The member by which items of a list are told apart.
std::string_view key_of(ListKind kind) {
  switch (kind) {
    case ListKind::resources:
      return "uri";
    case ListKind::templates:
      return "uriTemplate";
    case ListKind::tools:
    case ListKind::prompts:
      break;
  }
  return "name";
}

bool has_uris(ListKind kind) {
  return kind == ListKind::resources || kind == ListKind::templates;
}

}  // namespace

Caching narrower(const Caching& a, const Caching& b) {
  return {.ttl = std::min(a.ttl, b.ttl), .is_private = a.is_private || b.is_private};
}

std::string_view list_method(ListKind kind) {
  switch (kind) {
    case ListKind::tools:
      return mcp::method::tools_list;
    case ListKind::resources:
      return mcp::method::resources_list;
    case ListKind::templates:
      return mcp::method::resources_templates_list;
    case ListKind::prompts:
      return mcp::method::prompts_list;
  }
  return "";
}

std::optional<ListKind> changed_list(std::string_view notification_method) {
  if (notification_method == mcp::method::tools_list_changed) {
    return ListKind::tools;
  }
  if (notification_method == mcp::method::resources_list_changed) {
    return ListKind::resources;
  }
  if (notification_method == mcp::method::prompts_list_changed) {
    return ListKind::prompts;
  }
  return std::nullopt;
}

bool has_list(const ServerCapabilities& capabilities, ListKind kind) {
  switch (kind) {
    case ListKind::tools:
      return capabilities.tools;
    case ListKind::resources:
    case ListKind::templates:
      return capabilities.resources;
    case ListKind::prompts:
      return capabilities.prompts;
  }
  return false;
}

SharedText Pager::params() const {
  return cursor_ ? SharedText(R"({"cursor":)" + json::quoted(*cursor_) + "}") : SharedText();
}

Result<bool> Pager::take(const rpc::Message& answer, Listing& listing) {
  Result<bool> more = take_page(answer, listing);
  if (more && !*more) {
    note_long_names(listing);
    if (!warning_.empty()) {
      listing.notes.push_back(warning_);
    }
  }
  return more;
}

Result<bool> Pager::take_page(const rpc::Message& answer, Listing& listing) {
  if (answer.is_substitute()) {
    return fail(ErrorCode::protocol,
                answer.error().find("message").string_or("") + std::string(author_mends));
  }
  if (answer.kind() == rpc::Message::Kind::failure) {
    return fail(ErrorCode::protocol, "the server refused: " + error_text(answer.error()));
  }
  const json::Value items = answer.result().find(member_name(kind_));
  const bool is_null = items.exists() && items.kind() == json::Kind::null;  // as Go writes no slice
  if (!items.is_array() && !is_null) {
    return fail(ErrorCode::protocol,
                "the server's answer has no array \"" + std::string(member_name(kind_)) + "\"");
  }
  const Caching caching = read_caching(answer.result());
  listing.caching = listing.caching ? narrower(*listing.caching, caching) : caching;
  ++pages_;
  if (is_too_large(answer.root().raw().size())) {
    return false;
  }
  for (const json::Value item : items.elements()) {
    if (names_.size() >= limits_.items_max) {
      warning_ = std::string(list_method(kind_)) + " has more than " +
                 std::to_string(limits_.items_max) + " items; the rest is left out";
      return false;
    }
    add_item(answer, item, listing);
  }
  return advance(answer.result().find("nextCursor"));
}

bool Pager::is_too_large(std::size_t page_bytes) {
  std::size_t& bytes = limits_.bytes == nullptr ? bytes_ : *limits_.bytes;
  if (page_bytes <= limits_.bytes_max - std::min(bytes, limits_.bytes_max)) {
    bytes += page_bytes;
    return false;
  }
  warning_ = std::string(list_method(kind_)) + ": page " + std::to_string(pages_) + " of " +
             text::size_text(page_bytes) +
             " and what follows is left out, because the lists of a "
             "server may have " +
             text::size_text(limits_.bytes_max) + " together";
  return true;
}

void Pager::note_long_names(Listing& listing) {
  if (long_names_ > 0) {
    listing.notes.push_back(std::to_string(long_names_) + " of " + std::string(list_method(kind_)) +
                            " left out: the name is longer than " +
                            text::size_text(has_uris(kind_) ? uri_bytes_max : name_bytes_max) +
                            " (\"" + long_name_ + "\")");
  }
}

bool Pager::is_too_long(json::Value item, const std::string& name) const {
  constexpr std::size_t quotes = 2;
  return has_uris(kind_) ? name.size() > uri_bytes_max ||
                               item.find("name").raw().size() > name_bytes_max + quotes
                         : name.size() > name_bytes_max;
}

void Pager::add_item(const rpc::Message& answer, json::Value item, Listing& listing) {
  std::string name = item.find(key_of(kind_)).string_or("");
  if (is_too_long(item, name)) {
    constexpr std::size_t shown_characters = 40;
    if (long_names_++ == 0) {
      long_name_ =
          text::shortened(text::printable_line(name.substr(0, name_bytes_max)), shown_characters);
    }
    ++listing.skipped;
    return;
  }
  if (name.empty() || !names_.insert(std::move(name)).second) {
    ++listing.skipped;
    return;
  }
  switch (kind_) {
    case ListKind::tools:
      if (is_for_model(item)) {
        listing.tools.push_back(read_tool(answer, item));
      }
      break;
    case ListKind::resources:
      listing.resources.push_back(read_resource(item));
      break;
    case ListKind::templates:
      listing.templates.push_back(read_template(item));
      break;
    case ListKind::prompts:
      listing.prompts.push_back(read_prompt(item));
      break;
  }
}

// Up to 2025-11-25 an empty cursor is what careless servers send on the last page.
bool Pager::advance(json::Value cursor) {
  cursor_ = cursor.as_string();
  if (!cursor_ || (cursor_->empty() && !limits_.empty_cursors)) {
    return false;
  }
  if (!cursors_.insert(*cursor_).second) {
    warning_ = std::string(list_method(kind_)) +
               " never ends: the server gives the same cursor again; what came twice is left out";
    return false;
  }
  if (pages_ >= limits_.pages_max) {
    warning_ = std::string(list_method(kind_)) + " has more than " +
               std::to_string(limits_.pages_max) + " pages; the rest is left out";
    return false;
  }
  return true;
}

}  // namespace pi_mcp::mcp
