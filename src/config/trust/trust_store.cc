#include "config/trust/trust_store.h"

#include <algorithm>

#include "json/document.h"
#include "json/edit.h"
#include "json/writer.h"

namespace pi_mcp::config {
namespace {

constexpr std::string_view folders_key = "folders";
constexpr std::string_view entries_key = "entries";
constexpr std::string_view choices_key = "servers";
// In an entry: a host's answer does not count again for what the user has taken back.
constexpr std::string_view revoked_key = "revoked";

TrustedFolder read_folder(json::Value value) {
  TrustedFolder folder;
  folder.whole = value.find("trusted").bool_or(false);
  for (const json::Member member : value.find(entries_key).members()) {
    const json::Value entry = member.value;
    const bool revoked = entry.find(revoked_key).bool_or(false);
    std::vector<TrustedEntry>& kept = revoked ? folder.revoked : folder.entries;
    kept.push_back({.digest = member.name(),
                    .server = entry.find("server").string_or(""),
                    .path = entry.find("file").string_or(""),
                    .by = entry.find("by").string_or("user"),
                    .at = {entry.find("at").as_int().value_or(0)}});
  }
  for (const json::Member member : value.find(choices_key).members()) {
    folder.choices.emplace(member.name(), RawObject::from(member.value));
  }
  return folder;
}

std::string entry_json(const TrustRequest& request, const TrustAnswer& answer) {
  json::Writer out;
  out.begin_object().member("server", request.server).member("file", request.path);
  out.member("by", answer.by).member("at", answer.at.value);
  return out.end_object().take();
}

json::MemberPath place_of(const std::string& folder, std::initializer_list<std::string_view> rest) {
  json::MemberPath path = {std::string(folders_key), folder};
  path.insert(path.end(), rest.begin(), rest.end());
  return path;
}

// Removing what is not there changes nothing.
Result<std::string> without(const std::string& text, const json::MemberPath& path) {
  Result<std::string> changed = json::remove_member(text, path);
  return !changed && changed.error().code() == ErrorCode::not_found ? text : std::move(changed);
}

// Claude Code is asked about each server; elsewhere one answer is about the whole file, and not
// about a server that comes to it later.
bool is_about(const TrustedEntry& entry, const TrustRequest& request, std::string_view host) {
  return entry.path == request.path &&
         (entry.server == request.server || (entry.by == host && host != "claude-code"));
}

}  // namespace

TrustStore TrustStore::parse(std::string_view text) {
  TrustStore book;
  if (json::is_blank(text)) {
    return book;
  }
  const Result<json::Document> document =
      json::Document::parse(std::string(text), {.syntax = json::Syntax::jsonc});
  if (!document) {
    book.problem_ = document.error().message();
    return book;
  }
  if (!document->root().is_object()) {
    book.problem_ = "it must hold one JSON object";
    return book;
  }
  const json::Value version = document->root().find("version");
  if (version && version.as_int() != 1) {
    book.problem_ = "it was written by a newer pi-mcp";
    return book;
  }
  for (const json::Member member : document->root().find(folders_key).members()) {
    book.folders_.emplace(member.name(), read_folder(member.value));
  }
  return book;
}

const TrustedFolder* TrustStore::find(std::string_view folder) const {
  const auto found = folders_.find(folder);
  return found == folders_.end() ? nullptr : &found->second;
}

bool TrustStore::allows(const TrustRequest& request) const {
  const TrustedFolder* folder = find(request.folder);
  return folder != nullptr &&
         std::ranges::any_of(folder->entries, [&request](const TrustedEntry& entry) {
           return entry.digest == request.digest && entry.server == request.server;
         });
}

bool TrustStore::has_changed(const TrustRequest& request) const {
  const TrustedFolder* folder = find(request.folder);
  return folder != nullptr &&
         std::ranges::any_of(folder->entries, [&request](const TrustedEntry& entry) {
           return entry.path == request.path && entry.server == request.server;
         });
}

bool TrustStore::has_answer(const TrustRequest& request, std::string_view host) const {
  const TrustedFolder* folder = find(request.folder);
  return was_taken_back(request, host) ||
         (folder != nullptr && std::ranges::any_of(folder->entries, [&](const TrustedEntry& entry) {
            return entry.by == host && is_about(entry, request, host);
          }));
}

bool TrustStore::was_taken_back(const TrustRequest& request, std::string_view host) const {
  const TrustedFolder* folder = find(request.folder);
  return folder != nullptr && std::ranges::any_of(folder->revoked, [&](const TrustedEntry& entry) {
           return is_about(entry, request, host);
         });
}

Result<std::string> add_trust(std::string_view text, const TrustAnswer& answer) {
  if (const TrustStore book = TrustStore::parse(text); !book.problem().empty()) {
    return fail(ErrorCode::invalid_argument, book.problem());
  }
  Result<std::string> changed = json::set_member(text, {"version"}, "1");
  if (changed && answer.whole) {
    changed = json::set_member(*changed, place_of(answer.folder, {"trusted"}), "true");
  }
  for (const TrustRequest& request : answer.requests) {
    if (changed) {
      changed = json::set_member(*changed,
                                 place_of(answer.folder, {entries_key, request.digest}),
                                 entry_json(request, answer));
    }
  }
  return changed;
}

Result<std::string> remove_trust(std::string_view text,
                                 const std::string& folder,
                                 std::string_view server) {
  const TrustStore book = TrustStore::parse(text);
  if (!book.problem().empty()) {
    return fail(ErrorCode::invalid_argument, book.problem());
  }
  const TrustedFolder* kept = book.find(folder);
  if (kept == nullptr || (!kept->whole && kept->entries.empty())) {
    return fail(ErrorCode::not_found, "nothing is trusted in " + folder);
  }
  Result<std::string> changed = std::string(text);
  if (server.empty()) {
    changed = without(*changed, place_of(folder, {"trusted"}));
  }
  bool found = server.empty();
  for (const TrustedEntry& entry : kept->entries) {
    if (changed && (server.empty() || entry.server == server)) {
      found = true;
      changed = json::set_member(
          *changed, place_of(folder, {entries_key, entry.digest, revoked_key}), "true");
    }
  }
  if (!found) {
    return fail(ErrorCode::not_found,
                "no server \"" + std::string(server) + "\" is trusted in " + folder);
  }
  return changed;
}

Result<std::string> set_choice(std::string_view text, const FolderChoice& choice) {
  if (const TrustStore book = TrustStore::parse(text); !book.problem().empty()) {
    return fail(ErrorCode::invalid_argument, book.problem());
  }
  const json::MemberPath path = place_of(choice.folder, {choices_key, choice.server, choice.key});
  if (choice.value == "null") {
    return without(std::string(text), path);
  }
  Result<std::string> changed = json::set_member(text, {"version"}, "1");
  return changed ? json::set_member(*changed, path, choice.value) : std::move(changed);
}

}  // namespace pi_mcp::config
