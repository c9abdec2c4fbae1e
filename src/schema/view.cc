#include "schema/view.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "base/ascii.h"
#include "schema/uri.h"

namespace pi_mcp::schema {
namespace {

// Real schemas spread one object over a handful of allOf members.
constexpr std::size_t parts_max = 64;

// What looking at one schema costs, so that a large one cannot be looked at again and again.
std::uint64_t steps_of(json::Value schema) {
  std::uint64_t steps = 1 + schema.raw().size() / 64;
  for (const json::Member member : schema.members()) {
    steps += 1 + member.value.size();
  }
  return steps;
}

const char* address(json::Value value) {
  return value.raw().data();
}

std::string last_name(std::string_view reference) {
  const std::string_view fragment = split_fragment(reference).fragment;
  const std::string name = ascii::percent_decoded(fragment.substr(fragment.rfind('/') + 1));
  return name.empty() ? "root" : name;
}

}  // namespace

View::View(Index& index, Place place, const OpenSchemas& open, WorkBudget& budget) : index_(index) {
  std::vector<Place> todo = {place};
  while (!todo.empty()) {
    const Place next = todo.back();
    todo.pop_back();
    const bool is_known = std::any_of(parts_.begin(), parts_.end(), [&next](const Place& part) {
      return address(part.schema) == address(next.schema);
    });
    if (is_known || !next.schema.is_object()) {
      continue;
    }
    if (parts_.size() == parts_max || !budget.spend(steps_of(next.schema))) {
      is_whole_ = false;
      return;
    }
    parts_.push_back(next);
    // What comes first has to lie on top.
    std::vector<Place> members;
    for (const json::Value member : next.schema.find("allOf").elements()) {
      members.push_back(index_.enter(member, next.resource));
    }
    todo.insert(todo.end(), members.rbegin(), members.rend());
    for (const std::string_view keyword : {"$dynamicRef", "$ref"}) {
      if (const std::optional<std::string> reference = next.schema.find(keyword).as_string()) {
        follow(next, *reference, open, todo);
      }
    }
  }
}

void View::follow(Place from,
                  const std::string& reference,
                  const OpenSchemas& open,
                  std::vector<Place>& todo) {
  const std::optional<Target> target = index_.resolve(from.resource, reference);
  if (!target) {
    dangling_ = reference;
  } else if (std::find(open.begin(), open.end(), address(target->place.schema)) != open.end()) {
    circle_ = last_name(reference);
  } else {
    todo.push_back(target->place);
  }
}

json::Value View::find(std::string_view keyword) const {
  return find_place(keyword).schema;
}

Place View::find_place(std::string_view keyword) const {
  for (const Place& part : parts_) {
    if (const json::Value value = part.schema.find(keyword)) {
      return index_.enter(value, part.resource);
    }
  }
  return {};
}

std::vector<NamedPlace> View::properties() const {
  const std::vector<std::string> required_names = required();
  const std::set<std::string_view> is_required(required_names.begin(), required_names.end());
  std::vector<NamedPlace> properties;
  std::vector<NamedPlace> optional;
  std::set<std::string> known;
  for (const Place& part : parts_) {
    for (const json::Member member : part.schema.find("properties").members()) {
      std::string name = member.name();
      if (known.insert(name).second) {
        const bool required = is_required.contains(name);
        (required ? properties : optional)
            .push_back({.name = std::move(name),
                        .place = index_.enter(member.value, part.resource),
                        .required = required});
      }
    }
  }
  std::ranges::move(optional, std::back_inserter(properties));
  return properties;
}

std::vector<std::string> View::only_required() const {
  std::set<std::string> known;
  for (const Place& part : parts_) {
    for (const json::Member member : part.schema.find("properties").members()) {
      known.insert(member.name());
    }
  }
  std::vector<std::string> names = required();
  std::erase_if(names, [&known](const std::string& name) { return !known.insert(name).second; });
  return names;
}

std::vector<std::string> View::required() const {
  std::vector<std::string> names;
  for (const Place& part : parts_) {
    for (const json::Value name : part.schema.find("required").elements()) {
      if (name.is_string()) {
        names.push_back(name.string_or(""));
      }
    }
  }
  return names;
}

std::vector<Place> View::places(std::string_view keyword) const {
  std::vector<Place> places;
  for (const Place& part : parts_) {
    for (const json::Value element : part.schema.find(keyword).elements()) {
      places.push_back(index_.enter(element, part.resource));
    }
  }
  return places;
}

}  // namespace pi_mcp::schema
