// Where subschemas are: the documents known to one compilation, the resources ($id) and anchors in
// them, and how a $ref leads from one place to another. Pure: no I/O, no clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "json/document.h"
#include "schema/equality.h"
#include "schema/schema.h"

namespace pi_mcp::schema {

// What a $schema asks for. Nothing of an unknown dialect is enforced.
enum class Rules : std::uint8_t { draft7, draft2020_12, unknown };

using ResourceId = std::uint32_t;

// A subschema and the resource whose base URI and dialect hold there.
struct Place {
  json::Value schema;
  ResourceId resource = 0;
};

struct Resource {
  std::string uri;  // without fragment; empty for a root without $id
  json::Value root;
  Rules rules = Rules::draft2020_12;
  std::map<std::string, Place, std::less<>> anchors;          // $anchor and $dynamicAnchor
  std::map<std::string, Place, std::less<>> dynamic_anchors;  // only $dynamicAnchor
};

struct Target {
  Place place;
  std::string dynamic_anchor;  // the fragment, when it names a $dynamicAnchor
};

class Index {
 public:
  // Copies `root`, so that everything found here lives as long as the documents.
  Index(json::Value root, const CompileOptions& options);

  [[nodiscard]] Place root() const { return {.schema = resources_[0].root, .resource = 0}; }

  // Where `reference` leads from a schema of `from`; nullopt when nowhere. May index a document.
  std::optional<Target> resolve(ResourceId from, std::string_view reference);

  // `schema` as found below a place of `parent`: the same resource unless it starts its own.
  [[nodiscard]] Place enter(json::Value schema, ResourceId parent) const;

  [[nodiscard]] const Resource& resource(ResourceId id) const { return resources_[id]; }
  [[nodiscard]] std::size_t resource_count() const { return resources_.size(); }
  [[nodiscard]] Rules rules(ResourceId id) const { return resources_[id].rules; }

  // The owner of every byte that places point to.
  [[nodiscard]] std::vector<json::Document> take_documents() && { return std::move(documents_); }

 private:
  ResourceId add_document(std::string_view uri, json::Value schema, Rules rules_default);
  ResourceId add_resource(json::Value root, std::string uri, Rules rules_default);
  // Indexes one subschema and adds those below it to `todo`.
  void scan(Place place, std::vector<Place>& todo);
  // The place with the resource that holds inside it, which is a new one when it has an $id.
  Place scan_identity(Place place);
  std::optional<ResourceId> find_resource(std::string_view uri, Rules rules_default);
  [[nodiscard]] std::optional<Place> follow(ResourceId start, std::string_view pointer);

  const CompileOptions& options_;
  WorkBudget budget_;  // of following pointers; when it is spent, references lead nowhere
  std::vector<json::Document> documents_;
  std::vector<Resource> resources_;
  std::map<std::string, ResourceId, std::less<>> by_uri_;
  // By the address of the first byte of a resource's root, which is unique among all documents.
  std::unordered_map<const char*, ResourceId> by_root_;
};

}  // namespace pi_mcp::schema
