// What is known of the servers of one configuration, for all sessions that have it: read from the
// cache and prepared for search once for all of them; what one of them learns the others know too.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/pinned.h"
#include "base/time.h"
#include "catalog/cache_file.h"
#include "catalog/catalog.h"
#include "catalog/keyword_file.h"
#include "catalog/shared_listings.h"
#include "config/environment.h"
#include "config/settings.h"
#include "registry/searchable_tools.h"
#include "registry/session_observer.h"
#include "servers/link/connection.h"
#include "servers/share/scope.h"

namespace pi_mcp::registry {

class SharedCatalog : Pinned, public std::enable_shared_from_this<SharedCatalog> {
 public:
  // What decides names and contents; of the settings, only what has_same_listings() compares.
  struct Basis {
    std::shared_ptr<const config::Settings> settings;
    std::shared_ptr<const config::Environment> environment;
    // NOLINTNEXTLINE(readability-redundant-member-init): may be left out where one is made
    std::string declared = {};  // to servers: they may list something else then
  };

  // Reads nothing before it is asked. `first_generation` is that of its catalog, see
  // catalog::Catalog.
  SharedCatalog(Basis basis, std::uint64_t first_generation);

  // Whether a session with this configuration and host would see the same tools under the same
  // names, and may see lists that a server has for one user only.
  [[nodiscard]] bool fits(const Basis& other) const;

  [[nodiscard]] const catalog::Catalog& catalog() const { return catalog_; }
  // The tools of all enabled servers; prepared again only when the catalog or their keywords have
  // changed, and valid until then.
  const SearchableTools& searchable();
  // What a model has written for tools of this agent dir; of whichever process.
  const catalog::Keywords& keywords();
  // Searches find tools by these as well from now on. See catalog::KeywordFile::add().
  Result<void> add_keywords(const catalog::Keywords& keywords) { return keywords_.add(keywords); }

  // Until it is removed, `reader` is told of every listing that was taken, changed or not.
  void add_reader(SessionObserver& reader) { readers_.add(reader); }
  void remove_reader(SessionObserver& reader) { readers_.remove(reader); }

  // What became of a listing that a session has brought.
  enum class Taken : std::uint8_t {
    known,    // another session brought the same before
    taken,    // save() writes it
    refused,  // the server of another session is open and lists something else: this session
              // needs a catalog of its own
  };
  // Takes the newest listing of a server.
  Taken take(const std::string& server, const std::shared_ptr<servers::Connection>& connection);
  // The connection has ended: its listing is no longer live, only cached.
  void forget_live(const std::string& server,
                   const std::shared_ptr<servers::Connection>& connection);
  // Other processes are told what servers list here, and asked where nothing is known of one.
  // `listings` outlives it.
  void share(catalog::SharedListings& listings);
  [[nodiscard]] catalog::SharedListings* others() const { return listings_; }
  // Takes from the cache file what other processes have learnt meanwhile of servers (empty: all
  // enabled ones) of which nothing is known here.
  void learn_from_others(std::string_view server);
  // Another process has connected to this server just now, and stored what it lists.
  void read_again(std::string_view server);
  // What the hosts declared, beyond this one, to which a server (empty: any enabled one) has listed
  // a tool of this name, as of mcp::features_text(); empty: no host is known to have been.
  [[nodiscard]] std::string needed_for(std::string_view tool, std::string_view server);
  // How long its listing is good, by the server's own word; nullopt: it has not said.
  [[nodiscard]] std::optional<EpochMs> fresh_until(std::string_view server) const;

  // What was seen of it, here or by who wrote the cache, that decides with whom it is shared.
  [[nodiscard]] servers::SeenOfServer seen(std::string_view server) const;
  // Over this connection something new was seen; save() writes it.
  void note_seen(const std::string& server,
                 const std::shared_ptr<servers::Connection>& connection,
                 const servers::SeenOfServer& seen);

  // What protocol it was found to work in, if there was a choice.
  [[nodiscard]] std::optional<mcp::Era> era(std::string_view server) const;

  // The connection will be left for one that keeps a session, if the server gives any.
  void expect_session(const std::string& server,
                      const std::shared_ptr<servers::Connection>& connection);

  // From now on extensions of Pi find by their hash what these servers list, also what was cached
  // without it. Blocks for the time the file takes, where there is such.
  void let_extensions_find();
  [[nodiscard]] bool lets_extensions_find() const { return lets_extensions_find_; }

  // True for the first who asks when there was no cache file; then there is one.
  [[nodiscard]] bool take_first_run();
  // Writes what the cache does not have yet.
  void save() { written_cache().flush(); }

 private:
  struct Source {
    std::weak_ptr<const servers::Connection> connection;  // that gave the newest listing
    std::uint64_t revision = 0;                           // of that listing
    std::optional<EpochMs> fresh_until;
    std::optional<mcp::Era> era;
    servers::SeenOfServer seen;
    [[nodiscard]] bool is(const std::shared_ptr<const servers::Connection>& other) const {
      return !connection.owner_before(other) && !other.owner_before(connection);
    }
  };
  void add_server(const config::Server& server);
  [[nodiscard]] catalog::ServerView view_of(const config::Server& server) const;
  // What the cache has for whoever may see it and has declared that.
  [[nodiscard]] std::optional<catalog::CacheEntry> cached(const config::Server& server,
                                                          std::string_view declared,
                                                          catalog::EntryPart part);
  // `Cache`: a CacheFile or a CacheSnapshot.
  template <class Cache>
  [[nodiscard]] std::optional<catalog::CacheEntry> cached_in(Cache& cache,
                                                             const config::Server& server,
                                                             std::string_view declared,
                                                             catalog::EntryPart part) const;
  [[nodiscard]] catalog::CacheFile& written_cache() { return own_ ? *own_ : cache_; }
  // True: there is something new in the files.
  bool refresh_caches();
  [[nodiscard]] std::optional<mcp::Listing> cached_listing(const config::Server& server,
                                                           catalog::EntryPart part);
  // Notes what else the entry says.
  [[nodiscard]] mcp::Listing learnt(const std::string& server, catalog::CacheEntry entry);
  void show_to_extensions();
  [[nodiscard]] catalog::ListingName shared_name(const config::Server& server) const;
  void ask_others(const config::Server& server);
  void take_shared(const std::string& server, const std::string& text);
  void tell_others(const config::Server& server, catalog::CacheEntry entry);
  void put_into_cache(const config::Server& server, const mcp::Listing& listing);
  void add_keywords_of(const catalog::CatalogTool& tool, search::Document& document) const;

  Basis basis_;
  catalog::CacheFile cache_;
  std::optional<catalog::CacheFile> own_;  // of a principal: nobody else reads what it has seen
  catalog::KeywordFile keywords_;
  catalog::Catalog catalog_;
  std::map<std::string, Source, std::less<>> sources_;  // by server
  SearchableTools searchable_;
  std::uint64_t searchable_generation_ = 0;      // of the catalog when searchable_ was made
  catalog::SharedListings* listings_ = nullptr;  // null: files are all there is
  bool run_has_begun_ = false;                   // take_first_run() was asked
  bool lets_extensions_find_ = false;
  SessionObservers readers_;
};

// Whether two configurations give the same tools under the same names.
[[nodiscard]] bool has_same_listings(const config::Settings& one, const config::Settings& other);

}  // namespace pi_mcp::registry
