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

enum class ListKind : std::uint8_t { tools, resources, prompts };

// "tools/list" and so on.
std::string_view list_method(ListKind kind);
// A longer time to live is cut to this one: what a server offers is not believed for longer.
constexpr std::chrono::hours list_ttl_max{7 * 24};
// What holds for both: the shorter time, the narrower circle.
Caching narrower(const Caching& a, const Caching& b);

// Which list a notification says has changed; nullopt for any other method.
std::optional<ListKind> changed_list(std::string_view notification_method);
// Whether the server said that it has such a list.
bool has_list(const ServerCapabilities& capabilities, ListKind kind);

struct ListLimits {
  std::size_t pages_max = 1000;
  std::size_t items_max = 100'000;
  std::size_t bytes_max = std::size_t{256} << 20U;  // of all pages: they stay in memory
};

// Follows the cursors of one list:
//   do { answer = call(list_method(kind), pager.params()); } while (pager.take(answer, offer));
// A list that would not end is cut, with everything up to there kept: a server with a broken cursor
// is still of use. warning() then says so.
class Pager {
 public:
  explicit Pager(ListKind kind, ListLimits limits = {}) : kind_(kind), limits_(limits) {}

  // Of the next request; empty for the first page.
  [[nodiscard]] SharedText params() const;

  // Adds the items of one page to `offer`: those without a usable name and those whose name came
  // before are counted in `skipped`; tools that are not for the model are left out.
  // `offer.caching` becomes what all pages so far say of it; only since 2026-07-28 does that mean
  // anything. True: there is another page. protocol: the answer is a failure, or has no such list
  // in it.
  Result<bool> take(const rpc::Message& answer, Offer& offer);

  // Empty when the list was complete.
  [[nodiscard]] const std::string& warning() const { return warning_; }

 private:
  void add_item(const rpc::Message& answer, json::Value item, Offer& offer);
  bool advance(json::Value cursor);

  ListKind kind_;
  ListLimits limits_;
  std::string cursor_;  // of the next page; empty on the first
  std::size_t pages_ = 0;
  std::size_t bytes_ = 0;
  std::unordered_set<std::string> cursors_;
  std::unordered_set<std::string> names_;  // of the items so far; for resources their uris
  std::string warning_;
};

}  // namespace pi_mcp::mcp
