#include "schema/compiler.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "schema/pattern.h"

namespace pi_mcp::schema {
namespace {

// Limits for a hostile server's schema; the largest seen in the field have a few hundred. What lies
// beyond is not enforced.
constexpr std::size_t nodes_max = 20'000;
constexpr std::size_t patterns_max = 100;

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

class Compiler {
 public:
  Compiler(json::Value root, const CompileOptions& options) : index_(root, options) {
    program_.nodes.resize(2);
    program_.nodes[unknowable].opaque = true;
  }

  Program run() && {
    program_.root = node_at(index_.root());
    do {
      while (!pending_.empty()) {
        const Pending next = pending_.back();
        pending_.pop_back();
        Node node = compile(next.place);
        program_.nodes[next.id] = std::move(node);
      }
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
    if (!place.schema.is_object() && !place.schema.is(json::Kind::boolean)) {
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

  Node compile(Place place) {
    const json::Value schema = place.schema;
    Node node;
    node.resource = place.resource;
    node.never = schema.is(json::Kind::boolean);  // `true` is the node `anything`
    node.opaque = !node.never && index_.rules(place.resource) == Rules::unknown;
    if (node.never || node.opaque) {
      return node;
    }
    const bool is_draft7 = index_.rules(place.resource) == Rules::draft7;
    // draft-07 ignores what stands beside a $ref.
    const bool is_reference = is_draft7 && schema.find("$ref");
    node.types = is_reference ? TypeSet{0} : types_of(schema.find("type"));
    for (const Keyword& keyword : keywords) {
      const bool counts = keyword.group != Group::none && !(is_draft7 && keyword.is_modern) &&
                          (!is_reference || keyword.name == "$ref");
      if (const json::Value value = counts ? schema.find(keyword.name) : json::Value()) {
        add_rule(node,
                 {.keyword = &keyword,
                  .value = value,
                  .children = {},
                  .patterns = {},
                  .dynamic_anchor = {}},
                 place.resource);
      }
    }
    return node;
  }

  void add_rule(Node& node, Rule rule, ResourceId resource) {
    if (rule.keyword->name == "pattern" && rule.value.is_string()) {
      rule.patterns.push_back(pattern(rule.value));
    }
    add_children(rule, resource);
    const bool is_reference = rule.keyword->holds == Holds::reference;
    const bool is_void = (is_reference && rule.children.empty()) ||
                         (rule.keyword->name == "enum" && !rule.value.is_array());
    if (!is_void) {
      node.groups |= static_cast<std::uint8_t>(1U << static_cast<unsigned>(rule.keyword->group));
      node.rules.push_back(std::move(rule));
    }
  }

  void add_children(Rule& rule, ResourceId resource) {
    const auto add = [&](json::Value child) {
      rule.children.push_back(node_at(index_.enter(child, resource)));
    };
    switch (rule.keyword->holds) {
      case Holds::nothing:
        return;
      case Holds::reference:
        return add_target(rule, resource);
      case Holds::schema:
        if (rule.keyword->name != "items" || !rule.value.is_array()) {
          return add(rule.value);
        }
        [[fallthrough]];
      case Holds::schemas:
        for (const json::Value element : rule.value.elements()) {
          add(element);
        }
        return;
      case Holds::named_schemas:
        for (const json::Member member : rule.value.members()) {
          add(member.value);
          if (rule.keyword->name == "patternProperties") {
            rule.patterns.push_back(pattern(member.key));
          }
        }
    }
  }

  const RE2* pattern(json::Value string) {
    const std::string text = string.string_or("");
    auto found = program_.patterns.find(text);
    if (found == program_.patterns.end()) {
      const bool too_many = program_.patterns.size() >= patterns_max;
      found = program_.patterns.emplace(text, too_many ? nullptr : compile_pattern(text)).first;
    }
    return found->second.get();
  }

  void add_target(Rule& rule, ResourceId resource) {
    const std::optional<std::string> reference = rule.value.as_string();
    if (!reference) {
      return;
    }
    std::optional<Target> target = index_.resolve(resource, *reference);
    rule.children.push_back(target ? node_at(target->place) : unknowable);
    if (target && rule.keyword->is_modern && !target->dynamic_anchor.empty()) {
      dynamic_names_.insert(target->dynamic_anchor);
      rule.dynamic_anchor = std::move(target->dynamic_anchor);
    }
  }

  Index index_;
  Program program_;
  std::unordered_map<const char*, NodeId> known_;  // by the first byte of the subschema
  std::vector<Pending> pending_;
  std::set<std::string> dynamic_names_;
};

}  // namespace

Program compile_program(json::Value root, const CompileOptions& options) {
  return Compiler(root, options).run();
}

}  // namespace pi_mcp::schema
