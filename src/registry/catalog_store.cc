#include "registry/catalog_store.h"

#include <algorithm>
#include <utility>

namespace pi_mcp::registry {
namespace {

// Generations of one catalog, so that two catalogs never have one in common.
constexpr unsigned generation_bits = 40;

}  // namespace

std::shared_ptr<SharedCatalog> CatalogStore::shared(SharedCatalog::Basis basis) {
  std::erase_if(catalogs_, [](const auto& catalog) { return catalog.expired(); });
  for (const std::weak_ptr<SharedCatalog>& each : catalogs_) {
    std::shared_ptr<SharedCatalog> catalog = each.lock();
    if (catalog && catalog->fits(basis)) {
      return catalog;
    }
  }
  std::shared_ptr<SharedCatalog> made = apart(std::move(basis));
  catalogs_.push_back(made);
  return made;
}

std::shared_ptr<SharedCatalog> CatalogStore::apart(SharedCatalog::Basis basis) {
  const std::uint64_t first_generation = (made_++ << generation_bits) + 1;
  auto made = std::make_shared<SharedCatalog>(std::move(basis), first_generation);
  if (listings_ != nullptr) {
    made->share(*listings_);
  }
  return made;
}

std::size_t CatalogStore::size() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(catalogs_, [](const auto& catalog) { return !catalog.expired(); }));
}

}  // namespace pi_mcp::registry
