// A schema as a reader sees it: what stands behind its $refs and in its allOf counts as its own.
// For rendering, not for checking. Pure: no I/O, no clock.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "json/document.h"
#include "schema/equality.h"
#include "schema/index.h"

namespace pi_mcp::schema {

struct NamedPlace {
  std::string name;
  Place place;
  bool required = false;
};

// By the first byte of a subschema.
using OpenSchemas = std::vector<const char*>;

class View {
 public:
  // References into `open`, the schemas around this one, are not followed but remembered.
  View(Index& index, Place place, const OpenSchemas& open, WorkBudget& budget);

  // The keyword's value in the first part that has it; absent when none does.
  [[nodiscard]] json::Value find(std::string_view keyword) const;
  // The same for a keyword whose value is a schema, with where it stands.
  [[nodiscard]] Place find_place(std::string_view keyword) const;

  // Those of all parts, each name once. Required ones come first, since the end of what is shown
  // may be cut; otherwise in the order of the schema.
  [[nodiscard]] std::vector<NamedPlace> properties() const;
  // Those that no part says anything else of, each once.
  [[nodiscard]] std::vector<std::string> only_required() const;
  // Names required by any part.
  [[nodiscard]] std::vector<std::string> required() const;
  // The elements of the keyword's arrays, of all parts.
  [[nodiscard]] std::vector<Place> places(std::string_view keyword) const;

  // The schema itself, then what its $ref leads to, then its allOf.
  [[nodiscard]] const std::vector<Place>& parts() const { return parts_; }
  // False when a limit left parts out.
  [[nodiscard]] bool is_whole() const { return is_whole_; }
  // The last name in a reference that leads back into an open schema; empty when there is none.
  [[nodiscard]] const std::string& circle() const { return circle_; }
  // A reference that leads nowhere; empty when there is none.
  [[nodiscard]] const std::string& dangling() const { return dangling_; }

 private:
  void follow(Place from,
              const std::string& reference,
              const OpenSchemas& open,
              std::vector<Place>& todo);

  Index& index_;
  std::vector<Place> parts_;
  bool is_whole_ = true;
  std::string circle_;
  std::string dangling_;
};

}  // namespace pi_mcp::schema
