#include "registry/shared_catalog.h"

#include <algorithm>
#include <utility>

#include "base/digest.h"
#include "base/text.h"
#include "config/identity.h"
#include "config/server.h"
#include "io/loop/clock.h"
#include "json/document.h"
#include "servers/launch/oauth_access.h"

namespace pi_mcp::registry {
namespace {

catalog::PrefixMode prefix_mode(config::ToolPrefix prefix) {
  switch (prefix) {
    case config::ToolPrefix::server:
      return catalog::PrefixMode::server;
    case config::ToolPrefix::short_:
      return catalog::PrefixMode::short_;
    case config::ToolPrefix::none:
      return catalog::PrefixMode::none;
    case config::ToolPrefix::mcp:
      return catalog::PrefixMode::mcp;
  }
  return catalog::PrefixMode::server;
}

config::ToolPrefix prefix_of(const config::Settings& settings, const config::Server& server) {
  return server.tool_prefix.value_or(settings.tool_prefix);
}

std::string identity_of(const config::Server& server) {
  const Result<json::Document> entry = json::Document::parse_view(server.entry_json);
  return entry ? config::identity_hash(entry->root()) : std::string();
}

// Empty: there is none.
std::string adapter_identity_of(const config::Server& server,
                                const config::Environment& environment) {
  const Result<json::Document> entry = json::Document::parse_view(server.entry_json);
  return entry ? config::adapter_hash(entry->root(), environment).value_or("") : std::string();
}

bool is_private(const mcp::Listing& listing) {
  return listing.caching && listing.caching->is_private;
}

// HTTP requests without a session id, and all of 2026-07-28, have nothing to do with each other.
bool keeps_no_state(const config::Server& server, const servers::Connection& connection) {
  const std::optional<mcp::Revision> revision = mcp::parse_revision(connection.protocol_version());
  const std::optional<mcp::Era>& era = connection.listing().era;
  return (revision && !mcp::traits(*revision).has_handshake) ||
         (server.url && era && !era->has_session);
}

std::optional<EpochMs> good_until(const mcp::Listing& listing, EpochMs since) {
  return listing.caching ? std::optional(EpochMs{since.value + listing.caching->ttl.count()})
                         : std::nullopt;
}

bool is_same_environment(const config::Environment& one, const config::Environment& other) {
  return one.variables == other.variables && one.home == other.home && one.cwd == other.cwd;
}

}  // namespace

// The entry has every field compared here except those that depend on where it was read. These are
// compared on their own, because one text may then mean different things.
bool has_same_listings(const config::Settings& one, const config::Settings& other) {
  const auto same = [&](const config::Server& a, const config::Server& b) {
    return a.name == b.name && a.entry_json == b.entry_json && a.disabled == b.disabled &&
           prefix_of(one, a) == prefix_of(other, b) && a.expose_resources == b.expose_resources &&
           a.include_tools == b.include_tools && a.exclude_tools == b.exclude_tools &&
           a.only_tools == b.only_tools && a.search_keywords == b.search_keywords;
  };
  return one.agent_dir == other.agent_dir && one.principal == other.principal &&
         std::ranges::equal(one.servers, other.servers, same);
}

SharedCatalog::SharedCatalog(Basis basis, std::uint64_t first_generation)
    : basis_(std::move(basis)),
      cache_(basis_.settings->agent_dir),
      keywords_(basis_.settings->agent_dir),
      catalog_(first_generation) {
  const config::Settings& settings = *basis_.settings;
  if (!settings.principal.empty()) {
    own_.emplace(config::own_dir(settings.agent_dir, settings.principal));
  }
  for (const config::Server& server : basis_.settings->servers) {
    add_server(server);
  }
}

void SharedCatalog::add_server(const config::Server& server) {
  catalog_.add_server(
      server.name,
      view_of(server),
      [this, &server] { return cached_listing(server, catalog::EntryPart::all); },
      [this, &server] { return cached_listing(server, catalog::EntryPart::words); });
}

catalog::ServerView SharedCatalog::view_of(const config::Server& server) const {
  catalog::ServerView view{.prefix = prefix_mode(prefix_of(*basis_.settings, server)),
                           .expose_resources = server.expose_resources,
                           .include = server.include_tools,
                           .exclude = server.exclude_tools,
                           .only = server.only_tools,
                           .hides = {}};
  if (server.exposure || !server.tool_exposure.empty()) {
    view.hides = [&server](const std::vector<std::string>& names) {
      return config::exposure_of(server, names) == config::Exposure::hidden;
    };
  }
  return view;
}

bool SharedCatalog::fits(const Basis& other) const {
  if (basis_.declared != other.declared || !has_same_listings(*basis_.settings, *other.settings)) {
    return false;
  }
  return is_same_environment(*basis_.environment, *other.environment) ||
         std::ranges::all_of(other.settings->servers, [&](const config::Server& server) {
           return config::authorization_context(server, *basis_.environment) ==
                  config::authorization_context(server, *other.environment);
         });
}

const catalog::Keywords& SharedCatalog::keywords() {
  if (keywords_.refresh()) {
    searchable_ = SearchableTools();  // what is unchanged in the catalog is read again as well
    searchable_generation_ = 0;
  }
  return keywords_.known();
}

void SharedCatalog::add_keywords_of(const catalog::CatalogTool& tool,
                                    search::Document& document) const {
  const config::Server* server = basis_.settings->find(tool.server);
  if (server == nullptr) {
    return;
  }
  for (const auto& [pattern, words] : server->search_keywords) {
    if (catalog::names_tool(pattern, tool)) {
      document.keywords.insert(document.keywords.end(), words.begin(), words.end());
    }
  }
  const catalog::Keywords& written = keywords_.known();
  if (written.empty()) {  // spares the digest
    return;
  }
  if (const auto found = written.find(catalog::tool_digest(tool)); found != written.end()) {
    document.written = found->second;
  }
}

const SearchableTools& SharedCatalog::searchable() {
  (void)keywords();
  if (searchable_generation_ != catalog_.generation()) {
    std::vector<std::string> enabled;
    for (const config::Server& server : basis_.settings->servers) {
      if (!server.disabled) {
        enabled.push_back(server.name);
      }
    }
    searchable_.update(
        catalog_, enabled, [this](const catalog::CatalogTool& tool, search::Document& document) {
          add_keywords_of(tool, document);
        });
    // Read last: asking for the tools may have loaded them from the cache.
    searchable_generation_ = catalog_.generation();
  }
  return searchable_;
}

template <class Cache>
std::optional<catalog::CacheEntry> SharedCatalog::cached_in(Cache& cache,
                                                            const config::Server& server,
                                                            std::string_view declared,
                                                            catalog::EntryPart part) const {
  if (!cache.may_have(server.name, part)) {  // spares the digest of its identity
    return std::nullopt;
  }
  const EpochMs now = io::epoch_now();
  std::optional<catalog::CacheEntry> entry =
      cache.find(server.name, identity_of(server), now, declared, part);
  if (!entry) {  // pi-mcp-adapter may have written it
    const std::string hash = adapter_identity_of(server, *basis_.environment);
    entry = hash.empty() ? std::nullopt : cache.find(server.name, hash, now, declared, part);
  }
  const bool is_of_another =
      entry && is_private(entry->listing) &&
      entry->private_to != config::authorization_context(server, *basis_.environment);
  return is_of_another ? std::nullopt : std::move(entry);
}

// What the user's sessions have seen is what a principal would see, where the user's configuration
// alone shows who asks. A login is another account.
std::optional<catalog::CacheEntry> SharedCatalog::cached(const config::Server& server,
                                                         std::string_view declared,
                                                         catalog::EntryPart part) {
  if (!own_) {
    return cached_in(cache_, server, declared, part);
  }
  std::optional<catalog::CacheEntry> entry = cached_in(*own_, server, declared, part);
  return entry || servers::may_use_oauth(server) ? std::move(entry)
                                                 : cached_in(cache_, server, declared, part);
}

std::optional<mcp::Listing> SharedCatalog::cached_listing(const config::Server& server,
                                                          catalog::EntryPart part) {
  std::optional<catalog::CacheEntry> entry = cached(server, basis_.declared, part);
  return entry ? std::optional(learnt(server.name, *std::move(entry))) : std::nullopt;
}

mcp::Listing SharedCatalog::learnt(const std::string& server, catalog::CacheEntry entry) {
  Source& source = sources_[server];
  source.fresh_until = good_until(entry.listing, entry.cached_at);
  source.era = entry.listing.era;
  source.seen = servers::read_seen(entry.seen);
  return std::move(entry.listing);
}

std::string SharedCatalog::needed_for(std::string_view tool, std::string_view server) {
  const std::string all = mcp::features_text({.elicitation_form = true,
                                              .elicitation_url = true,
                                              .sampling = true,
                                              .sampling_tools = true,
                                              .sampling_context = true,
                                              .roots = true,
                                              .roots_list_changed = true});
  const std::vector<std::string_view> own = text::words(basis_.declared);
  for (const config::Server& each : basis_.settings->servers) {
    if (server.empty() ? each.disabled : each.name != server) {
      continue;
    }
    std::optional<catalog::CacheEntry> ablest = cached(each, all, catalog::EntryPart::all);
    if (!ablest) {
      continue;
    }
    std::vector<std::string_view> needed = text::words(ablest->declared);
    std::erase_if(needed, [&own](auto word) { return std::ranges::count(own, word) > 0; });
    if (needed.empty()) {
      continue;
    }
    catalog::Catalog seen;
    seen.add_server(each.name, view_of(each));
    seen.update(each.name, std::move(ablest->listing), catalog::Knowledge::cached);
    if (seen.find(tool, each.name, {}).kind != catalog::Lookup::Kind::none) {
      return text::join({needed.begin(), needed.end()}, ", ");
    }
  }
  return {};
}

SharedCatalog::Taken SharedCatalog::take(const std::string& server,
                                         const std::shared_ptr<servers::Connection>& connection) {
  const config::Server* const configured = basis_.settings->find(server);
  if (configured == nullptr) {
    return Taken::known;
  }
  Source& source = sources_[server];
  const bool is_same = source.is(connection);
  if (is_same && source.revision == connection->listing_revision()) {
    return Taken::known;
  }
  const std::shared_ptr<const servers::Connection> before = source.connection.lock();
  if (!is_same && before && before->is_open() &&
      catalog_.would_change(server, connection->listing())) {
    return Taken::refused;
  }
  const mcp::Listing& listing = connection->listing();
  servers::SeenOfServer seen = this->seen(server);
  seen.has_state_tool = !servers::state_tool(listing.tools).empty();
  seen.keeps_no_state = keeps_no_state(*configured, *connection);
  catalog_.update(server, listing, catalog::Knowledge::live);
  source = {.connection = connection,
            .revision = connection->listing_revision(),
            .fresh_until = good_until(listing, io::epoch_now()),
            .era = listing.era,
            .seen = seen};
  put_into_cache(*configured, listing);
  readers_.changed({.listings = true});
  return Taken::taken;
}

void SharedCatalog::forget_live(const std::string& server,
                                const std::shared_ptr<servers::Connection>& connection) {
  const auto source = sources_.find(server);
  if (source != sources_.end() && source->second.is(connection)) {
    catalog_.forget_live(server);
  }
}

bool SharedCatalog::take_first_run() {
  const bool first = !std::exchange(run_has_begun_, true) && !cache_.exists();
  if (first) {
    cache_.create();
  }
  return first;
}

void SharedCatalog::put_into_cache(const config::Server& server, const mcp::Listing& listing) {
  catalog::CacheEntry entry;
  entry.identity = {.own = identity_of(server),
                    .adapter = adapter_identity_of(server, *basis_.environment)};
  entry.for_adapter = lets_extensions_find_;
  entry.cached_at = io::epoch_now();
  entry.listing = listing;
  entry.declared = basis_.declared;
  entry.seen = servers::seen_text(sources_[server.name].seen);
  if (is_private(listing)) {
    entry.private_to = config::authorization_context(server, *basis_.environment);
  }
  if (listings_ != nullptr) {
    tell_others(server, entry);
  }
  written_cache().put(server.name, std::move(entry));
}

void SharedCatalog::share(catalog::SharedListings& listings) {
  listings_ = &listings;
  for (const config::Server& server : basis_.settings->servers) {
    if (!server.disabled && catalog_.knowledge(server.name) == catalog::Knowledge::unknown) {
      ask_others(server);
    }
  }
}

catalog::ListingName SharedCatalog::shared_name(const config::Server& server) const {
  return {.principal = basis_.settings->principal,
          .server = server.name,
          .identity = identity_of(server),
          .declared = basis_.declared};
}

void SharedCatalog::tell_others(const config::Server& server, catalog::CacheEntry entry) {
  const EpochMs cached_at = std::exchange(entry.cached_at, EpochMs{});
  const auto text_of = [&server](const catalog::CacheEntry& listed) {
    return catalog::with_entries("", {{.server = server.name, .entry = listed}}).text;
  };
  const std::string content = text_of(entry);
  entry.cached_at = cached_at;
  listings_->offer(shared_name(server), text_of(entry), sha256_hex(content));
}

// The same as of files: what the user's sessions were listed counts where no login decides it.
void SharedCatalog::ask_others(const config::Server& server) {
  const auto take = [weak = weak_from_this(), name = server.name](const std::string& text) {
    if (const std::shared_ptr<SharedCatalog> catalog = weak.lock()) {
      catalog->take_shared(name, text);
    }
  };
  catalog::ListingName name = shared_name(server);
  listings_->want(name, take);
  if (!name.principal.empty() && !servers::may_use_oauth(server)) {
    name.principal.clear();
    listings_->want(std::move(name), take);
  }
}

void SharedCatalog::take_shared(const std::string& server, const std::string& text) {
  const config::Server* const configured = basis_.settings->find(server);
  if (configured == nullptr || catalog_.knowledge(server) != catalog::Knowledge::unknown) {
    return;
  }
  const catalog::CacheSnapshot given = catalog::CacheSnapshot::parse(SharedText(text));
  std::optional<catalog::CacheEntry> entry =
      cached_in(given, *configured, basis_.declared, catalog::EntryPart::all);
  if (!entry) {
    return;
  }
  entry->identity = {.own = identity_of(*configured),
                     .adapter = adapter_identity_of(*configured, *basis_.environment)};
  entry->for_adapter = lets_extensions_find_;
  written_cache().put(server, *entry);
  catalog_.update(server, learnt(server, *std::move(entry)), catalog::Knowledge::cached);
  readers_.changed({.listings = true});
}

bool SharedCatalog::refresh_caches() {
  const bool is_own_new = own_ && own_->refresh();
  return cache_.refresh() || is_own_new;
}

void SharedCatalog::learn_from_others(std::string_view server) {
  std::vector<const config::Server*> unknown;
  for (const config::Server& known : basis_.settings->servers) {
    const bool asked = server.empty() ? !known.disabled : known.name == server;
    if (asked && catalog_.knowledge(known.name) == catalog::Knowledge::unknown) {
      unknown.push_back(&known);
    }
  }
  for (const config::Server* each : unknown) {
    if (listings_ != nullptr) {
      ask_others(*each);
    }
  }
  if (unknown.empty() || !refresh_caches()) {
    return;
  }
  for (const config::Server* each : unknown) {
    if (std::optional<mcp::Listing> listing = cached_listing(*each, catalog::EntryPart::all)) {
      catalog_.update(each->name, *std::move(listing), catalog::Knowledge::cached);
    }
  }
  show_to_extensions();
  readers_.changed({.listings = true});
}

void SharedCatalog::read_again(std::string_view server) {
  const auto known = std::ranges::find(basis_.settings->servers, server, &config::Server::name);
  if (known == basis_.settings->servers.end()) {
    return;
  }
  (void)refresh_caches();
  if (std::optional<mcp::Listing> listing = cached_listing(*known, catalog::EntryPart::all)) {
    catalog_.update(known->name, *std::move(listing), catalog::Knowledge::cached);
    readers_.changed({.listings = true});
  }
  show_to_extensions();
}

void SharedCatalog::let_extensions_find() {
  lets_extensions_find_ = true;
  show_to_extensions();
}

// What is found by another hash, and counts. Entries are not parsed where none is.
void SharedCatalog::show_to_extensions() {
  std::vector<catalog::NamedIdentity> hidden;
  for (const config::Server& server : basis_.settings->servers) {
    if (!lets_extensions_find_ || !cache_.may_have(server.name, catalog::EntryPart::all)) {
      continue;
    }
    const std::string adapter = adapter_identity_of(server, *basis_.environment);
    if (!adapter.empty() && cache_.hash_of(server.name) != adapter &&
        cached(server, basis_.declared, catalog::EntryPart::all)) {
      hidden.push_back(
          {.server = server.name, .identity = {.own = identity_of(server), .adapter = adapter}});
    }
  }
  if (!hidden.empty()) {
    cache_.mark(hidden);
  }
}

std::optional<mcp::Era> SharedCatalog::era(std::string_view server) const {
  (void)catalog_.knowledge(server);  // what the cache knows is read when it is first asked for
  const auto source = sources_.find(server);
  return source == sources_.end() ? std::nullopt : source->second.era;
}

servers::SeenOfServer SharedCatalog::seen(std::string_view server) const {
  (void)catalog_.knowledge(server);  // what the cache knows is read when it is first asked for
  const auto source = sources_.find(server);
  return source == sources_.end() ? servers::SeenOfServer{} : source->second.seen;
}

void SharedCatalog::note_seen(const std::string& server,
                              const std::shared_ptr<servers::Connection>& connection,
                              const servers::SeenOfServer& seen) {
  const config::Server* const configured = basis_.settings->find(server);
  sources_[server].seen = seen;
  if (configured != nullptr && connection && connection->is_open()) {
    put_into_cache(*configured, connection->listing());
  }
}

void SharedCatalog::expect_session(const std::string& server,
                                   const std::shared_ptr<servers::Connection>& connection) {
  mcp::Listing listing = connection->listing();
  listing.era = mcp::Era{.revision = mcp::newest_by_handshake,
                         .has_session = true,
                         .tried_handshake = true,
                         .server = connection->server().label()};
  forget_live(server, connection);
  sources_[server].era = listing.era;
  if (const config::Server* const configured = basis_.settings->find(server)) {
    put_into_cache(*configured, listing);
  }
}

std::optional<EpochMs> SharedCatalog::fresh_until(std::string_view server) const {
  const auto source = sources_.find(server);
  return source == sources_.end() ? std::nullopt : source->second.fresh_until;
}

}  // namespace pi_mcp::registry
