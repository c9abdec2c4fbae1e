#include "catalog/catalog.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/text.h"

namespace pi_mcp::catalog {
namespace {

// How well a tool answers to a typed name; lower is better.
enum class Tier : std::uint8_t {
  displayed,
  original,
  displayed_folded,
  prefix_scope,  // an accepted spelling, on the server whose prefix the name starts with
  original_folded,
  spelling,
  none,
};

struct Candidate {
  const CatalogTool* tool;
  Tier tier;
};

char spelled_alike(char c) {
  return c == '-' || c == '.' ? '_' : c;
}

bool ends_alike(std::string_view name, std::string_view end) {
  if (name.size() < end.size()) {
    return false;
  }
  name.remove_prefix(name.size() - end.size());
  return std::equal(name.begin(), name.end(), end.begin(), [](char a, char b) {
    return spelled_alike(a) == spelled_alike(b);
  });
}

// Every spelling ends with the tool's own name, so most tools are ruled out without making their
// spellings.
bool may_answer_to(const CatalogTool& tool, std::string_view name) {
  std::string_view end = tool.original;
  if (tool.is_resource()) {
    end.remove_prefix(resource_verb.size());
  }
  return ends_alike(name, end);
}

Tier tier_of(const CatalogTool& tool, std::string_view name, const std::string& folded_name) {
  if (tool.name == name) {
    return Tier::displayed;
  }
  if (!may_answer_to(tool, name)) {
    return Tier::none;
  }
  if (tool.original == name) {
    return Tier::original;
  }
  if (folded(tool.name) == folded_name) {
    return Tier::displayed_folded;
  }
  if (folded(tool.original) == folded_name) {
    return Tier::original_folded;
  }
  const std::vector<std::string> spellings =
      accepted_spellings(tool.server, tool.original, tool.is_resource());
  const bool accepted =
      std::find(spellings.begin(), spellings.end(), folded_name) != spellings.end();
  return accepted ? Tier::spelling : Tier::none;
}

// Length of the longest prefix of the server that, with '_', '.' or '/', starts the name; 0 for
// none.
std::size_t prefix_length(std::string_view server, const std::string& folded_name) {
  constexpr std::string_view joints = "_./";
  std::size_t longest = 0;
  for (const std::string& prefix : accepted_prefixes(server)) {
    if (prefix.size() > longest && folded_name.size() > prefix.size() &&
        joints.find(folded_name[prefix.size()]) != std::string_view::npos &&
        folded_name.starts_with(folded(prefix))) {
      longest = prefix.size();
    }
  }
  return longest;
}

// Lifts the candidates of the server with the longest prefix above those of other servers.
void apply_prefix_scope(std::vector<Candidate>& candidates, const std::string& folded_name) {
  std::vector<std::size_t> lengths;
  lengths.reserve(candidates.size());
  for (const Candidate& candidate : candidates) {
    lengths.push_back(prefix_length(candidate.tool->server, folded_name));
  }
  const auto longest = std::max_element(lengths.begin(), lengths.end());
  if (longest == lengths.end() || *longest == 0) {
    return;
  }
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (lengths[i] == *longest) {
      candidates[i].tier = std::min(candidates[i].tier, Tier::prefix_scope);
    }
  }
}

void add_candidates(std::vector<Candidate>& candidates,
                    const std::vector<CatalogTool>& tools,
                    std::string_view name) {
  const std::string folded_name = folded(name);
  for (const CatalogTool& tool : tools) {
    const Tier tier = tier_of(tool, name, folded_name);
    if (tier != Tier::none) {
      candidates.push_back({&tool, tier});
    }
  }
}

Lookup outcome(std::vector<const CatalogTool*> tools) {
  Lookup lookup;
  if (tools.size() == 1) {
    lookup.kind = Lookup::Kind::found;
    lookup.tool = tools.front();
  } else if (!tools.empty()) {
    lookup.kind = Lookup::Kind::ambiguous;
    lookup.candidates = std::move(tools);
  }
  return lookup;
}

Lookup best_of(const std::vector<Candidate>& candidates) {
  Tier best = Tier::none;
  for (const Candidate& candidate : candidates) {
    best = std::min(best, candidate.tier);
  }
  std::vector<const CatalogTool*> tools;
  for (const Candidate& candidate : candidates) {
    if (candidate.tier == best) {
      tools.push_back(candidate.tool);
    }
  }
  return outcome(std::move(tools));
}

}  // namespace

void Catalog::add_server(std::string name, ServerView view, Loader cached, Loader words) {
  auto entry = std::make_unique<Entry>();
  entry->name = std::move(name);
  entry->view = std::move(view);
  entry->displayed_start = prefix(entry->name, entry->view.prefix);
  entry->displayed_start += entry->displayed_start.empty() ? "" : "_";
  entry->cached = std::move(cached);
  entry->words = std::move(words);
  entries_.push_back(std::move(entry));
  by_name_.emplace(entries_.back()->name, entries_.back().get());
  ++generation_;
}

bool Catalog::update(std::string_view server, mcp::Listing listing, Knowledge knowledge) {
  Entry* const entry = find_entry(server);
  if (entry == nullptr) {
    return false;
  }
  entry->cached = nullptr;
  entry->knowledge = knowledge;
  std::vector<CatalogTool> before = std::exchange(entry->tools, {});
  take_listing(*entry, std::move(listing));
  if (entry->tools == before) {
    // The old ones stay, so that pointers to them stay valid.
    entry->tools = std::move(before);
    return false;
  }
  ++generation_;
  return true;
}

bool Catalog::would_change(std::string_view server, mcp::Listing listing) const {
  const Entry* const known = find_entry(server);
  if (known == nullptr) {
    return false;
  }
  const Entry& now = entry(server);
  std::vector<CatalogTool> tools = shown_tools(now.name, now.view, listing);
  take_out_unnamed(now.view, listing);
  (void)name_each_once(tools, now.displayed_start);
  return tools != now.tools || listing.instructions != now.instructions ||
         !std::ranges::equal(
             listing.prompts, now.prompts, {}, &mcp::Prompt::name, &mcp::Prompt::name);
}

void Catalog::forget_live(std::string_view server) {
  Entry* const entry = find_entry(server);
  if (entry != nullptr && entry->knowledge == Knowledge::live) {
    entry->knowledge = Knowledge::cached;
  }
}

Knowledge Catalog::knowledge(std::string_view server) const {
  return entry(server).knowledge;
}

const std::vector<CatalogTool>& Catalog::tools(std::string_view server) const {
  return entry(server).tools;
}

const std::vector<std::string>& Catalog::notes(std::string_view server) const {
  return entry(server).notes;
}

const std::string& Catalog::instructions(std::string_view server) const {
  return entry(server).instructions;
}

Catalog::Words Catalog::words(std::string_view server) const {
  const Entry* const unloaded = find_entry(server);
  if (unloaded != nullptr && unloaded->cached && unloaded->words) {
    mcp::Listing listing = unloaded->words().value_or(mcp::Listing());
    return {.instructions = std::move(listing.instructions), .title = std::move(listing.title)};
  }
  const Entry& known = entry(server);
  return {.instructions = known.instructions, .title = known.title};
}

const std::vector<mcp::Prompt>& Catalog::prompts(std::string_view server) const {
  return entry(server).prompts;
}

const std::vector<mcp::Resource>& Catalog::resources(std::string_view server) const {
  return entry(server).resources;
}

const std::vector<mcp::Resource>& Catalog::templates(std::string_view server) const {
  return entry(server).templates;
}

const ServerView& Catalog::view(std::string_view server) const {
  static const ServerView all;
  const Entry* const found = find_entry(server);
  return found == nullptr ? all : found->view;
}

bool Catalog::hides_resource(std::string_view server, std::string_view uri) const {
  const Entry& known = entry(server);
  const bool is_listed =
      std::ranges::find(known.resources, uri, &mcp::Resource::uri) != known.resources.end();
  return known.hidden_uris.contains(uri) || (!known.view.only.empty() && !is_listed);
}

std::uint64_t Catalog::revision(std::string_view server) const {
  return entry(server).revision;
}

std::size_t Catalog::skipped(std::string_view server) const {
  return entry(server).skipped;
}

std::vector<std::string> Catalog::servers() const {
  std::vector<std::string> names;
  names.reserve(entries_.size());
  for (const std::unique_ptr<Entry>& entry : entries_) {
    names.push_back(entry->name);
  }
  return names;
}

Lookup Catalog::find(std::string_view name,
                     std::string_view server,
                     const ServerFilter& usable) const {
  std::vector<Candidate> candidates;
  if (!server.empty()) {
    add_candidates(candidates, entry(server).tools, name);
    return best_of(candidates);
  }
  if (const CatalogTool* tool = only_displayed(name, usable)) {
    return outcome({tool});
  }
  for (const std::unique_ptr<Entry>& entry : entries_) {
    if (!usable || usable(entry->name)) {
      load(*entry);
      add_candidates(candidates, entry->tools, name);
    }
  }
  apply_prefix_scope(candidates, folded(name));
  return best_of(candidates);
}

const CatalogTool* Catalog::only_displayed(std::string_view name,
                                           const ServerFilter& usable) const {
  const CatalogTool* only = nullptr;
  for (const std::unique_ptr<Entry>& entry : entries_) {
    if (!name.starts_with(entry->displayed_start) || (usable && !usable(entry->name))) {
      continue;
    }
    load(*entry);
    for (const CatalogTool& tool : entry->tools) {
      if (tool.name == name && std::exchange(only, &tool) != nullptr) {
        return nullptr;
      }
    }
  }
  return only;
}

bool Catalog::has_namesake(const CatalogTool& tool, const ServerFilter& usable) const {
  return std::ranges::any_of(entries_, [&](const std::unique_ptr<Entry>& entry) {
    if (entry->name == tool.server || !tool.name.starts_with(entry->displayed_start) ||
        (usable && !usable(entry->name))) {
      return false;
    }
    load(*entry);
    return std::ranges::find(entry->tools, tool.name, &CatalogTool::name) != entry->tools.end();
  });
}

std::vector<std::string> Catalog::servers_by_prefix(std::string_view name) const {
  std::vector<std::pair<std::size_t, std::size_t>> matches;  // length, position in entries_
  const std::string folded_name = folded(name);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const std::size_t length = prefix_length(entries_[i]->name, folded_name);
    if (length > 0) {
      matches.emplace_back(length, i);
    }
  }
  std::sort(matches.begin(), matches.end(), [](const auto& a, const auto& b) {
    return std::tie(b.first, a.second) < std::tie(a.first, b.second);
  });
  std::vector<std::string> servers;
  servers.reserve(matches.size());
  for (const auto& [length, position] : matches) {
    servers.push_back(entries_[position]->name);
  }
  return servers;
}

Catalog::Entry* Catalog::find_entry(std::string_view server) const {
  const auto found = by_name_.find(server);
  return found == by_name_.end() ? nullptr : found->second;
}

const Catalog::Entry& Catalog::entry(std::string_view server) const {
  static const Entry unknown;
  Entry* const found = find_entry(server);
  if (found == nullptr) {
    return unknown;
  }
  load(*found);
  return *found;
}

void Catalog::load(Entry& entry) const {
  if (!entry.cached) {
    return;
  }
  const Loader loader = std::exchange(entry.cached, nullptr);
  std::optional<mcp::Listing> listing = loader();
  if (listing) {
    entry.knowledge = Knowledge::cached;
    take_listing(entry, *std::move(listing));
  }
}

void Catalog::take_listing(Entry& entry, mcp::Listing listing) const {
  entry.revision = ++last_revision_;
  entry.tools = shown_tools(entry.name, entry.view, listing);
  take_out_unnamed(entry.view, listing);
  entry.instructions = std::move(listing.instructions);
  entry.title = std::move(listing.title);
  entry.notes = std::move(listing.notes);
  entry.prompts = std::move(listing.prompts);
  entry.hidden_uris = take_out_hidden(entry.name, entry.view, listing.resources);
  entry.resources = std::move(listing.resources);
  entry.templates = std::move(listing.templates);
  std::vector<std::string> repeated = name_each_once(entry.tools, entry.displayed_start);
  entry.skipped = listing.skipped + repeated.size();
  repeated.erase(std::unique(repeated.begin(), repeated.end()), repeated.end());
  for (const std::string& name : repeated) {
    entry.notes.push_back("\"" + name + "\" is listed more than once, and the first one counts");
  }
}

}  // namespace pi_mcp::catalog
