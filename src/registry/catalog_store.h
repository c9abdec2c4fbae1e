// The catalogs of all sessions of one gateway: one for each configuration, as long as a session has
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/pinned.h"
#include "catalog/shared_listings.h"
#include "registry/shared_catalog.h"

namespace pi_mcp::registry {

class CatalogStore : Pinned {
 public:
  // The catalog of the sessions with this configuration, or a new one.
  [[nodiscard]] std::shared_ptr<SharedCatalog> shared(SharedCatalog::Basis basis);
  // A new one that no other session gets.
  [[nodiscard]] std::shared_ptr<SharedCatalog> apart(SharedCatalog::Basis basis);
  // From now on those that are made also know what other processes were listed, and tell them.
  // `listings` outlives them.
  void share(catalog::SharedListings& listings) { listings_ = &listings; }
  // How many catalogs sessions share now.
  [[nodiscard]] std::size_t size() const;

 private:
  std::vector<std::weak_ptr<SharedCatalog>> catalogs_;
  std::uint64_t made_ = 0;
  catalog::SharedListings* listings_ = nullptr;  // null: files are all there is
};

}  // namespace pi_mcp::registry
