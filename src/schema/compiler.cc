#include "schema/compiler.h"

#include <algorithm>
#include <array>
#include <set>
#include <unordered_map>

#include "schema/pattern.h"

namespace pi_mcp::schema {
namespace {

// Of a hostile server's schema; the largest seen in the field have a few hundred. What lies beyond
// is not enforced.
constexpr std::size_t nodes_max = 20'000;
constexpr std::size_t patterns_max = 100;

std::optional<std::uint64_t> count_of(json::Value value) {
  const std::optional<std::int64_t> count = value.as_int();
  return count && *count >= 0 ? std::optional(static_cast<std::uint64_t>(*count)) : std::nullopt;
}

Range range_of(json::Value schema, std::string_view min, std::string_view max) {
  return {.min = count_of(schema.find(min)).value_or(0),
          .max = count_of(schema.find(max)).value_or(unlimited)};
}

bool has_any(json::Value schema, std::initializer_list<std::string_view> keywords) {
  return std::any_of(keywords.begin(), keywords.end(), [schema](std::string_view keyword) {
    return schema.find(keyword).exists();
  });
}

bool is_schema(json::Value value) {
  return value.is_object() || value.is(json::Kind::boolean);
}

// 0 for a name that is not a type.
TypeSet type_named(json::Value name) {
  for (const json::Kind kind : {json::Kind::null,
                                json::Kind::boolean,
                                json::Kind::number,
                                json::Kind::string,
                                json::Kind::array,
                                json::Kind::object}) {
    if (name.equals(json::kind_name(kind))) {
      return type_of(kind);
    }
  }
  return name.equals("integer") ? integer_type : TypeSet{0};
}

// 0, so not enforced, when any name is unknown.
TypeSet types_of(json::Value type) {
  TypeSet types = type_named(type);
  for (const json::Value name : type.elements()) {
    const TypeSet one = type_named(name);
    if (one == 0) {
      return 0;
    }
    types |= one;
  }
  return types;
}

std::vector<NumberRule> number_rules(json::Value schema) {
  // draft-04: exclusiveMinimum is a flag that belongs to minimum.
  const bool is_above = schema.find("exclusiveMinimum").bool_or(false);
  const bool is_below = schema.find("exclusiveMaximum").bool_or(false);
  const std::array known = {
      std::pair("minimum", is_above ? Comparison::above : Comparison::at_least),
      std::pair("maximum", is_below ? Comparison::below : Comparison::at_most),
      std::pair("exclusiveMinimum", Comparison::above),
      std::pair("exclusiveMaximum", Comparison::below),
      std::pair("multipleOf", Comparison::multiple_of),
  };
  std::vector<NumberRule> rules;
  for (const auto& [keyword, comparison] : known) {
    const json::Value limit = schema.find(keyword);
    if (limit.is(json::Kind::number)) {
      rules.push_back({.comparison = comparison,
                       .keyword = keyword,
                       .limit = limit,
                       .number = Decimal(limit.raw())});
    }
  }
  return rules;
}

std::vector<std::string> names_in(json::Value array) {
  std::vector<std::string> names;
  for (const json::Value element : array.elements()) {
    if (std::optional<std::string> name = element.as_string()) {
      names.push_back(*std::move(name));
    }
  }
  return names;
}

// Collects the names of `properties` and `required`, each once.
class PropertyTable {
 public:
  Property& at(const std::string& name) {
    const auto [found, is_new] =
        positions_.try_emplace(name, static_cast<std::uint32_t>(properties_.size()));
    if (is_new) {
      properties_.push_back({.name = name});
    }
    return properties_[found->second];
  }

  void move_to(ObjectRules& rules) {
    for (const auto& [name, position] : positions_) {
      rules.by_name.push_back(position);
    }
    rules.properties = std::move(properties_);
  }

 private:
  std::vector<Property> properties_;
  std::map<std::string, std::uint32_t> positions_;  // sorted by name
};

class Compiler {
 public:
  Compiler(json::Value root, const CompileOptions& options) : index_(root, options) {
    program_.nodes.resize(2);
    program_.nodes[unknowable].opaque = true;
  }

  Program run() && {
    program_.root = node_at(index_.root());
    do {
      compile_pending();
    } while (add_dynamic_anchors());
    program_.documents = std::move(index_).take_documents();
    return std::move(program_);
  }

 private:
  struct Pending {
    Place place;
    NodeId id;
  };

  NodeId node_at(Place place) {
    if (!is_schema(place.schema)) {
      return unknowable;
    }
    if (place.schema.bool_or(false)) {
      return anything;
    }
    if (const auto found = known_.find(place.schema.raw().data()); found != known_.end()) {
      return found->second;
    }
    if (program_.nodes.size() >= nodes_max) {
      return unknowable;
    }
    const auto id = static_cast<NodeId>(program_.nodes.size());
    program_.nodes.emplace_back();
    known_.emplace(place.schema.raw().data(), id);
    pending_.push_back({.place = place, .id = id});
    return id;
  }

  // The subschema below the place being compiled; `none` for an absent one.
  NodeId child(json::Value value) {
    return value ? node_at(index_.enter(value, place_.resource)) : none;
  }

  std::vector<NodeId> children(json::Value array) {
    std::vector<NodeId> ids;
    for (const json::Value element : array.elements()) {
      ids.push_back(child(element));
    }
    return ids;
  }

  void compile_pending() {
    while (!pending_.empty()) {
      const Pending next = pending_.back();
      pending_.pop_back();
      place_ = next.place;
      Node node = compile_node();
      program_.nodes[next.id] = std::move(node);
    }
  }

  // A $dynamicRef may end at any resource's anchor of that name, so all of them are compiled. True
  // when that added something.
  bool add_dynamic_anchors() {
    if (dynamic_names_.empty()) {
      return false;
    }
    program_.dynamic_anchors.resize(index_.resource_count());
    for (ResourceId id = 0; id < index_.resource_count(); ++id) {
      for (const std::string& name : dynamic_names_) {
        const auto& anchors = index_.resource(id).dynamic_anchors;
        const auto found = anchors.find(name);
        if (found != anchors.end()) {
          program_.dynamic_anchors[id].try_emplace(name, node_at(found->second));
        }
      }
    }
    return !pending_.empty();
  }

  Node compile_node() {
    const json::Value schema = place_.schema;
    Node node;
    node.resource = place_.resource;
    if (schema.is(json::Kind::boolean)) {
      node.never = true;  // `true` is the node `anything`
      return node;
    }
    is_draft7_ = index_.rules(place_.resource) == Rules::draft7;
    if (index_.rules(place_.resource) == Rules::unknown) {
      node.opaque = true;
      return node;
    }
    node.combination = combination();
    if (is_draft7_ && schema.find("$ref")) {
      return node;  // draft-07 ignores what stands beside a $ref
    }
    node.types = types_of(schema.find("type"));
    node.constant = schema.find("const");
    const json::Value enumeration = schema.find("enum");
    node.enumeration = enumeration.is_array() ? enumeration : json::Value();
    node.numbers = number_rules(schema);
    node.strings = string_rules(schema);
    node.arrays = array_rules(schema);
    node.objects = object_rules(schema);
    if (!is_draft7_) {
      node.unevaluated_properties = child(schema.find("unevaluatedProperties"));
      node.unevaluated_items = child(schema.find("unevaluatedItems"));
    }
    return node;
  }

  Pattern pattern(std::string_view text) {
    auto found = program_.patterns.find(text);
    if (found == program_.patterns.end()) {
      const bool too_many = program_.patterns.size() >= patterns_max;
      found =
          program_.patterns.emplace(std::string(text), too_many ? nullptr : compile_pattern(text))
              .first;
    }
    return {.text = found->first, .compiled = found->second.get()};
  }

  std::unique_ptr<const StringRules> string_rules(json::Value schema) {
    if (!has_any(schema, {"minLength", "maxLength", "pattern"})) {
      return nullptr;
    }
    auto rules = std::make_unique<StringRules>();
    rules->length = range_of(schema, "minLength", "maxLength");
    if (const std::optional<std::string> text = schema.find("pattern").as_string()) {
      rules->pattern = pattern(*text);
    }
    return rules;
  }

  std::unique_ptr<const ArrayRules> array_rules(json::Value schema) {
    if (!has_any(schema,
                 {"items", "prefixItems", "contains", "minItems", "maxItems", "uniqueItems"})) {
      return nullptr;
    }
    auto rules = std::make_unique<ArrayRules>();
    rules->count = range_of(schema, "minItems", "maxItems");
    rules->unique = schema.find("uniqueItems").bool_or(false);
    const json::Value items = schema.find("items");
    if (!is_draft7_) {
      rules->prefix = children(schema.find("prefixItems"));
    }
    if (items.is_array()) {
      rules->prefix = children(items);
      rules->rest = child(schema.find("additionalItems"));
    } else {
      rules->rest = child(items);
    }
    rules->contains = child(schema.find("contains"));
    if (!is_draft7_) {
      rules->contains_count.min = count_of(schema.find("minContains")).value_or(1);
      rules->contains_count.max = count_of(schema.find("maxContains")).value_or(unlimited);
    }
    return rules;
  }

  std::unique_ptr<const ObjectRules> object_rules(json::Value schema) {
    if (!has_any(schema,
                 {"properties",
                  "required",
                  "additionalProperties",
                  "patternProperties",
                  "propertyNames",
                  "minProperties",
                  "maxProperties",
                  "dependencies",
                  "dependentRequired",
                  "dependentSchemas"})) {
      return nullptr;
    }
    auto rules = std::make_unique<ObjectRules>();
    rules->count = range_of(schema, "minProperties", "maxProperties");
    PropertyTable table;
    for (const json::Member member : schema.find("properties").members()) {
      table.at(member.name()).schema = child(member.value);
    }
    for (const std::string& name : names_in(schema.find("required"))) {
      table.at(name).required = true;
    }
    table.move_to(*rules);
    for (const json::Member member : schema.find("patternProperties").members()) {
      const Pattern names = pattern(member.name());
      rules->opaque |= names.compiled == nullptr;
      rules->patterns.emplace_back(names, child(member.value));
    }
    rules->additional = child(schema.find("additionalProperties"));
    rules->names = child(schema.find("propertyNames"));
    add_dependencies(*rules, schema.find("dependencies"));
    if (!is_draft7_) {
      add_dependencies(*rules, schema.find("dependentRequired"));
      add_dependencies(*rules, schema.find("dependentSchemas"));
    }
    return rules;
  }

  void add_dependencies(ObjectRules& rules, json::Value dependencies) {
    for (const json::Member member : dependencies.members()) {
      if (member.value.is_array()) {
        rules.dependent_names.emplace_back(member.name(), names_in(member.value));
      } else {
        rules.dependent_schemas.emplace_back(member.name(), child(member.value));
      }
    }
  }

  std::unique_ptr<const Combination> combination() {
    const json::Value schema = place_.schema;
    if (!has_any(schema, {"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "not", "if"})) {
      return nullptr;
    }
    auto combined = std::make_unique<Combination>();
    reference(*combined);
    if (is_draft7_ && schema.find("$ref")) {
      return combined;
    }
    combined->all_of = children(schema.find("allOf"));
    combined->any_of = children(schema.find("anyOf"));
    combined->one_of = children(schema.find("oneOf"));
    combined->negated = child(schema.find("not"));
    combined->condition = child(schema.find("if"));
    combined->consequence = child(schema.find("then"));
    combined->alternative = child(schema.find("else"));
    return combined;
  }

  void reference(Combination& combined) {
    if (const std::optional<std::string> ref = place_.schema.find("$ref").as_string()) {
      const std::optional<Target> target = index_.resolve(place_.resource, *ref);
      combined.reference = target ? node_at(target->place) : unknowable;
    }
    const std::optional<std::string> ref = place_.schema.find("$dynamicRef").as_string();
    if (!ref || is_draft7_) {
      return;
    }
    std::optional<Target> target = index_.resolve(place_.resource, *ref);
    combined.dynamic_reference = target ? node_at(target->place) : unknowable;
    if (target && !target->dynamic_anchor.empty()) {
      dynamic_names_.insert(target->dynamic_anchor);
      combined.dynamic_anchor = std::move(target->dynamic_anchor);
    }
  }

  Index index_;
  Program program_;
  std::unordered_map<const char*, NodeId> known_;  // by the first byte of the subschema
  std::vector<Pending> pending_;
  std::set<std::string> dynamic_names_;
  // Of the subschema being compiled.
  Place place_;
  bool is_draft7_ = false;
};

}  // namespace

Program compile_program(json::Value root, const CompileOptions& options) {
  return Compiler(root, options).run();
}

}  // namespace pi_mcp::schema
