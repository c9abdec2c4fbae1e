// What one check of a value against a Program keeps while it goes: its limits, where it is, and
// what it has found. The functions that check a group of keywords share it. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json/document.h"
#include "schema/equality.h"
#include "schema/program.h"
#include "schema/schema.h"
#include "schema/wording.h"

namespace pi_mcp::schema {

struct Finding {
  Violation violation;
  TypeSet expected = 0;  // of a "type" violation
};
using Findings = std::vector<Finding>;

// The properties or items of one value that subschemas have looked at, for unevaluated*. Each is
// known by the address of its first byte.
struct Evaluated {
  bool all = false;
  std::vector<const char*> children;
};

struct Check {
  Check(const Program& compiled, std::uint64_t steps_max) : program(compiled), budget(steps_max) {}

  // Records why, when somebody wants to know, and is always false.
  template <class MakeReason>
  bool fail(std::string_view keyword, MakeReason make_reason, TypeSet expected = 0) {
    if (!enough() && !gave_up()) {
      findings->push_back(
          {{.path = relative_path(), .keyword = keyword, .reason = make_reason()}, expected});
    }
    return false;
  }
  // What `check` says, one token of the path further down.
  template <class Token, class F>
  auto below(const Token& name_or_index, F check) {
    const std::size_t size = path.size();
    if (findings != nullptr) {
      append_path(path, name_or_index);
    }
    const auto result = check();
    path.resize(size);
    return result;
  }
  // What `check` says with other findings for a while; nullptr: none are wanted.
  template <class F>
  bool instead(Findings* wanted, std::size_t wanted_max, F check) {
    Findings* const findings_before = std::exchange(findings, wanted);
    const std::size_t max_before = std::exchange(findings_max, wanted_max);
    const bool fits = check();
    findings = findings_before;
    findings_max = max_before;
    return fits;
  }

  [[nodiscard]] std::string relative_path() const { return path.empty() ? "" : path.substr(1); }
  [[nodiscard]] bool enough() const {
    return findings == nullptr || findings->size() >= findings_max;
  }
  // Whether more checks are of use after some that came out as `fits`.
  [[nodiscard]] bool go_on(bool fits) const { return fits || !enough(); }
  [[nodiscard]] bool gave_up() const { return too_deep || budget.is_spent(); }

  const Program& program;
  WorkBudget budget;
  std::size_t depth = 0;
  bool too_deep = false;
  std::vector<ResourceId> scope;  // resources entered, the outermost first
  Findings* findings = nullptr;   // nullptr: nobody asks why
  std::size_t findings_max = 0;
  std::string path;  // kept only while there are findings; starts with '/'
};

// Every check function says whether the value fits. While reasons are wanted they go on after a
// failure until enough was found; otherwise they stop at the first. Recursion goes through visit(),
// which limits its depth.
bool visit(Check& check, NodeId id, json::Value value, Evaluated* evaluated);
// visit() without findings; a subschema that does not fit leaves no trace in `evaluated`.
bool passes(Check& check, NodeId id, json::Value value, Evaluated* evaluated);

bool check_numbers(Check& check, const Node& node, json::Value value);
bool check_string(Check& check, const Node& node, json::Value value);
bool check_array(Check& check, const Node& node, json::Value array, Evaluated* evaluated);
bool check_object(Check& check, const Node& node, json::Value object, Evaluated* evaluated);
bool check_any_of(Check& check, const Rule& rule, json::Value value, Evaluated* evaluated);
bool check_one_of(Check& check, const Rule& rule, json::Value value, Evaluated* evaluated);

// Two keywords that limit a count, and what is counted.
struct Counted {
  std::string_view min;
  std::string_view max;
  std::string_view unit;
  std::uint64_t min_default = 0;
};
bool check_count(Check& check, const Node& node, const Counted& counted, std::uint64_t count);
// A string's text; `decoded` holds it when it has escapes.
std::string_view text_of(json::Value string, std::string& decoded);
// RE2 takes time linear in the text, but not a small one. True for a pattern it cannot read.
bool matches(Check& check, const RE2* pattern, std::string_view text);

}  // namespace pi_mcp::schema
