// Reading what a server offers, page by page, with guards against lists that never end. Pure: no
// I/O, no clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "base/result.h"
#include "base/shared_text.h"
#include "mcp/client_session.h"
#include "mcp/types.h"
#include "rpc/message.h"

namespace pi_mcp::mcp {

enum class ListKind : std::uint8_t { tools, resources, templates, prompts };

// "tools/list" and so on.
std::string_view list_method(ListKind kind);
// A longer time to live is cut to this one: what a server offers is not believed for longer.
constexpr std::chrono::hours list_ttl_max{7 * 24};
// What holds for both: the shorter time, the narrower circle.
Caching narrower(const Caching& a, const Caching& b);

// Which list a notification says has changed; nullopt for any other method. There is none for
// templates of their own: they are read again with the resources.
std::optional<ListKind> changed_list(std::string_view notification_method);
// Lists that have changed, as a server says; those of templates change with the resources.
struct ChangedLists {
  bool tools = false;
  bool prompts = false;
  bool resources = false;
};
// Whether the server said that it has such a list.
bool has_list(const ServerCapabilities& capabilities, ListKind kind);

// A longer name is left out: it could be neither shown nor typed, and every list would carry it.
// The longest names in use have about 100 bytes; hosts allow 64 or 128.
constexpr std::size_t name_bytes_max = 1024;
constexpr std::size_t uri_bytes_max = 4096;
// All definitions of one server: they stay in memory, and every session reads them from the cache.
// The largest catalogs in use have 1 to 2 MB.
constexpr std::size_t catalog_bytes_max = std::size_t{16} << 20U;
// What is kept of a server's instructions; they are for a model, which reads far less.
constexpr std::size_t instructions_units_max = std::size_t{64} << 10U;

// The end of an error about a list that cannot be read: no setting of ours helps.
constexpr std::string_view author_mends = "; only its author can mend that";

struct ListLimits {
  std::size_t pages_max = 1000;
  std::size_t items_max = 100'000;
  std::size_t bytes_max = catalog_bytes_max;  // of all pages
  // Where lists are read side by side: the bytes of all of them so far; null: of this one alone.
  std::size_t* bytes = nullptr;
  // Only a page without a cursor is the last (2026-07-28); else one with an empty cursor is, too.
  bool empty_cursors = false;
};

// Follows the cursors of one list:
//   do { answer = call(list_method(kind), pager.params()); } while (pager.take(answer, offer));
// A list that would not end or is too large is cut before the page that is too much, with
// everything up to there kept: a server with a broken cursor is still of use. warning() then says
// so, and so do the notes of the offer.
class Pager {
 public:
  explicit Pager(ListKind kind, ListLimits limits = {}) : kind_(kind), limits_(limits) {}

  // Parameters of the next request; empty for the first page.
  [[nodiscard]] SharedText params() const;

  // Adds the items of one page to `listing`: those without a usable name and those whose name came
  // before are counted in `skipped`, those with too long a name are noted as well; tools that are
  // not for the model are left out. `offer.caching` becomes what all pages so far say of it; only
  // since 2026-07-28 does that mean anything. True: there is another page. protocol: the answer is
  // a failure, or has no such list in it.
  Result<bool> take(const rpc::Message& answer, Listing& listing);

  // Empty when the list was complete.
  [[nodiscard]] const std::string& warning() const { return warning_; }

 private:
  Result<bool> take_page(const rpc::Message& answer, Listing& listing);
  void add_item(const rpc::Message& answer, json::Value item, Listing& listing);
  bool advance(json::Value cursor);
  bool is_too_large(std::size_t page_bytes);
  [[nodiscard]] bool is_too_long(json::Value item, const std::string& name) const;
  void note_long_names(Listing& listing);

  ListKind kind_;
  ListLimits limits_;
  std::optional<std::string> cursor_;  // of the next page; none on the first
  std::size_t pages_ = 0;
  std::size_t bytes_ = 0;
  std::unordered_set<std::string> cursors_;
  std::unordered_set<std::string> names_;  // of the items so far; of resources their uris
  std::size_t long_names_ = 0;
  std::string long_name_;  // the beginning of the first
  std::string warning_;
};

}  // namespace pi_mcp::mcp
