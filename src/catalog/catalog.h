// What every configured server offers, from cache or live, under the names the model uses. Works
// with every server stopped. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/tool.h"
#include "mcp/types.h"

namespace pi_mcp::catalog {

enum class Knowledge : std::uint8_t {
  unknown,  // never connected, no valid cache entry
  cached,
  live,
};

// Outcome of looking for a tool by a name somebody typed.
struct Lookup {
  enum class Kind : std::uint8_t { found, ambiguous, none };
  Kind kind = Kind::none;
  const CatalogTool* tool = nullptr;           // found; valid until the catalog changes
  std::vector<const CatalogTool*> candidates;  // ambiguous
};

class Catalog {
 public:
  // Gives what the cache knows of a server, nullopt for nothing.
  using Loader = std::function<std::optional<mcp::Listing>()>;

  // Generations begin with this one.
  explicit Catalog(std::uint64_t first_generation = 1) : generation_(first_generation) {}
  Catalog(Catalog&&) = default;
  Catalog& operator=(Catalog&&) = default;
  Catalog(const Catalog&) = delete;
  Catalog& operator=(const Catalog&) = delete;
  ~Catalog() = default;

  // Servers in the order in which lists show them. `cached` is called at most once, when somebody
  // first asks about the server, and not at all when update() comes first: a session pays for what
  // it uses. `words`, when given, gives instructions and title alone for less work. Neither may
  // call back into the catalog.
  void add_server(std::string name, ServerView view, Loader cached = {}, Loader words = {});

  // Replaces what is known of a server. Of two items that produce the same displayed name inside
  // the server the one that the server itself calls so has it, and the other has the prefix twice.
  // Other such items are all dropped (an item listed twice is one item); see skipped(). True when
  // the resulting tools differ from before.
  bool update(std::string_view server, mcp::Listing listing, Knowledge knowledge);
  // Whether update() would make anything of it another than it is.
  [[nodiscard]] bool would_change(std::string_view server, mcp::Listing listing) const;
  // The connection is gone: live becomes cached.
  void forget_live(std::string_view server);

  // All of these answer as for a server of which nothing is known when the name is not configured.
  [[nodiscard]] Knowledge knowledge(std::string_view server) const;
  [[nodiscard]] const std::vector<CatalogTool>& tools(std::string_view server) const;
  [[nodiscard]] const std::string& instructions(std::string_view server) const;
  // What the server says about itself; does not load its lists for it.
  struct Words {
    std::string instructions;
    std::string title;
  };
  [[nodiscard]] Words words(std::string_view server) const;
  [[nodiscard]] const std::vector<mcp::Prompt>& prompts(std::string_view server) const;
  // Without those that include and exclude hide, under the name they would have as tools.
  [[nodiscard]] const std::vector<mcp::Resource>& resources(std::string_view server) const;
  [[nodiscard]] const std::vector<mcp::Resource>& templates(std::string_view server) const;
  // How it is looked at; one that shows all for a name that is not configured.
  [[nodiscard]] const ServerView& view(std::string_view server) const;
  // Whether the server lists this resource and it is one of the hidden; where the view names what
  // there is, also whether it lists no such resource.
  [[nodiscard]] bool hides_resource(std::string_view server, std::string_view uri) const;
  // Items that were left out: without a usable name, or listed before with something else.
  [[nodiscard]] std::size_t skipped(std::string_view server) const;
  // What of its lists was left out and why, for people.
  [[nodiscard]] const std::vector<std::string>& notes(std::string_view server) const;
  [[nodiscard]] std::vector<std::string> servers() const;
  // Grows whenever tools() of any server changes; lets an index know that it is stale.
  [[nodiscard]] std::uint64_t generation() const { return generation_; }

  // The same for what is known of one server, its instructions included; 0 for an unknown name.
  [[nodiscard]] std::uint64_t revision(std::string_view server) const;

  using ServerFilter = std::function<bool(std::string_view)>;
  // Best tier wins: displayed exact, original exact, displayed folded, then accepted spellings:
  // those of the server whose prefix the name starts with (the longest one), original folded, any
  // other. More than one candidate in the best tier is ambiguous. `server` empty: all servers that
  // `usable` accepts (an empty function accepts all); otherwise `usable` is not asked.
  [[nodiscard]] Lookup find(std::string_view name,
                            std::string_view server,
                            const ServerFilter& usable) const;

  // Whether another server that `usable` accepts (an empty function accepts all) shows a tool under
  // the same name. Loads only the servers that could.
  [[nodiscard]] bool has_namesake(const CatalogTool& tool, const ServerFilter& usable) const;

  // Servers one of whose prefixes (any mode, any historic spelling) and "_" start the name, longest
  // prefix first: where to look for a tool that nobody knows yet.
  [[nodiscard]] std::vector<std::string> servers_by_prefix(std::string_view name) const;

 private:
  struct Entry {
    std::string name;
    ServerView view;
    std::string displayed_start;  // of every displayed name: the prefix and "_", or nothing
    Loader cached;                // empty once asked
    Loader words;
    Knowledge knowledge = Knowledge::unknown;
    std::vector<CatalogTool> tools;
    std::string instructions;
    std::string title;
    std::vector<mcp::Prompt> prompts;
    std::vector<mcp::Resource> resources;
    std::vector<mcp::Resource> templates;
    std::set<std::string, std::less<>> hidden_uris;
    std::uint64_t revision = 0;  // unique among all entries and times
    std::size_t skipped = 0;
    std::vector<std::string> notes;
  };
  [[nodiscard]] Entry* find_entry(std::string_view server) const;
  // find_entry() with everything known about it in place.
  [[nodiscard]] const Entry& entry(std::string_view server) const;
  void load(Entry& entry) const;
  void take_listing(Entry& entry, mcp::Listing listing) const;
  // The one usable tool with this displayed name; null when there is none or more than one. Loads
  // only the servers that could have it.
  [[nodiscard]] const CatalogTool* only_displayed(std::string_view name,
                                                  const ServerFilter& usable) const;

  std::vector<std::unique_ptr<Entry>> entries_;
  std::map<std::string_view, Entry*> by_name_;  // the first one of a name
  std::uint64_t generation_;
  // The revision of the newest listing taken; loading what was cached counts, although nothing
  // changed.
  mutable std::uint64_t last_revision_ = 0;
};

}  // namespace pi_mcp::catalog
