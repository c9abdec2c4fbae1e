// Checks one value against a Program. One instance per check. Pure: no I/O, no clock.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "json/document.h"
#include "schema/equality.h"
#include "schema/program.h"
#include "schema/schema.h"
#include "schema/wording.h"

namespace pi_mcp::schema {

// A string's decoded text, without a copy when it has no escapes.
class DecodedText {
 public:
  explicit DecodedText(json::Value string);
  DecodedText(const DecodedText&) = delete;
  DecodedText& operator=(const DecodedText&) = delete;
  DecodedText(DecodedText&&) = delete;
  DecodedText& operator=(DecodedText&&) = delete;
  ~DecodedText() = default;
  [[nodiscard]] std::string_view view() const { return view_; }

 private:
  std::string decoded_;
  std::string_view view_;
};

// The properties or items of one value that subschemas have looked at, for unevaluated*. Each is
// known by the address of its first byte.
struct Evaluated {
  bool all = false;
  std::vector<const char*> children;
};

class Checker {
 public:
  Checker(const Program& program, std::uint64_t steps_max)
      : program_(program), budget_(steps_max) {}

  // True also when a limit was reached first.
  bool fits(json::Value instance);

  // Why an instance that does not fit does not. Never empty.
  std::vector<Violation> explain(json::Value instance, std::size_t violations_max);

 private:
  struct Finding {
    Violation violation;
    TypeSet expected = 0;  // of a "type" violation
  };
  using Findings = std::vector<Finding>;
  class Deeper;   // one level of recursion, in the dynamic scope of a resource
  class Step;     // one more token of the path
  class Instead;  // other findings for a while, or none

  // Every check_ function says whether the value fits. While explaining they go on after a failure
  // until enough was found; otherwise they stop at the first.
  bool visit(NodeId id, json::Value value, Evaluated* evaluated);
  bool check_node(const Node& node, json::Value value, Evaluated* evaluated);
  bool check_type(TypeSet types, json::Value value);
  bool check_constants(const Node& node, json::Value value);
  bool check_kind(const Node& node, json::Value value, Evaluated* evaluated);

  bool check_numbers(const std::vector<NumberRule>& rules, json::Value value);
  bool check_string(const StringRules& rules, json::Value value);
  bool matches(const Pattern& pattern, std::string_view text);

  bool check_array(const ArrayRules& rules, json::Value array, Evaluated* evaluated);
  bool check_items(const ArrayRules& rules, json::Value array, Evaluated* evaluated);
  bool check_contains(const ArrayRules& rules, json::Value array, Evaluated* evaluated);

  bool check_object(const ObjectRules& rules, json::Value object, Evaluated* evaluated);
  struct Looked {
    bool fits = true;
    bool at = false;  // whether a subschema looked at the member
  };
  Looked check_member(const ObjectRules& rules, json::Member member, std::size_t seen_base);
  bool check_name(NodeId names, json::Value key);
  bool check_additional(const ObjectRules& rules, json::Value value, std::string_view name);
  bool check_required(const ObjectRules& rules, std::size_t seen_base);
  bool check_dependencies(const ObjectRules& rules, json::Value object, Evaluated* evaluated);

  bool check_combination(const Combination& rules, json::Value value, Evaluated* evaluated);
  bool check_any(const std::vector<NodeId>& ids, json::Value value, Evaluated* evaluated);
  bool check_one(const std::vector<NodeId>& ids, json::Value value, Evaluated* evaluated);
  bool check_unevaluated(const Node& node, json::Value value, Evaluated& evaluated);

  // visit() without findings; a subschema that does not fit leaves no trace in `evaluated`.
  bool passes(NodeId id, json::Value value, Evaluated* evaluated);
  [[nodiscard]] NodeId dynamic_target(const Combination& rules) const;

  bool explain_alternatives(std::string_view keyword,
                            const std::vector<NodeId>& ids,
                            json::Value value);
  [[nodiscard]] TypeSet types_expected(const std::vector<Findings>& forms) const;
  [[nodiscard]] const Findings* form_meant(const std::vector<Findings>& forms) const;
  [[nodiscard]] std::string fits_no_form(std::size_t count,
                                         const std::vector<Findings>& forms) const;

  // Records why, when somebody wants to know, and is always false.
  template <class MakeReason>
  bool fail(std::string_view keyword, MakeReason make_reason, TypeSet expected = 0) {
    if (!enough() && !gave_up()) {
      findings_->push_back(
          {{.path = relative_path(), .keyword = keyword, .reason = make_reason()}, expected});
    }
    return false;
  }
  [[nodiscard]] std::string relative_path() const { return path_.empty() ? "" : path_.substr(1); }

  [[nodiscard]] bool explaining() const { return findings_ != nullptr; }
  [[nodiscard]] bool enough() const {
    return findings_ == nullptr || findings_->size() >= findings_max_;
  }
  // Whether more checks are of use after some that came out as `fits`.
  [[nodiscard]] bool go_on(bool fits) const { return fits || !enough(); }
  [[nodiscard]] bool gave_up() const { return too_deep_ || budget_.is_spent(); }

  const Program& program_;
  WorkBudget budget_;
  std::size_t depth_ = 0;
  bool too_deep_ = false;
  std::vector<ResourceId> scope_;  // resources entered, the outermost first
  boost::container::small_vector<std::uint8_t, 32>
      seen_;  // a stack: which Property of each open object is there
  Findings* findings_ = nullptr;
  std::size_t findings_max_ = 0;
  std::string path_;  // kept only while explaining; starts with '/'
};

class Checker::Deeper {
 public:
  Deeper(Checker& checker, ResourceId resource)
      : checker_(checker),
        in_scope_(!checker.program_.dynamic_anchors.empty() &&
                  (checker.scope_.empty() || checker.scope_.back() != resource)) {
    ++checker_.depth_;
    if (in_scope_) {
      checker_.scope_.push_back(resource);
    }
  }
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;
  Deeper(Deeper&&) = delete;
  Deeper& operator=(Deeper&&) = delete;
  ~Deeper() {
    --checker_.depth_;
    if (in_scope_) {
      checker_.scope_.pop_back();
    }
  }

 private:
  Checker& checker_;
  bool in_scope_;
};

class Checker::Step {
 public:
  Step(Checker& checker, std::string_view name) : checker_(checker), size_(checker.path_.size()) {
    if (checker_.explaining()) {
      append_path(checker_.path_, name);
    }
  }
  Step(Checker& checker, std::size_t index) : checker_(checker), size_(checker.path_.size()) {
    if (checker_.explaining()) {
      append_path(checker_.path_, std::to_string(index));
    }
  }
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;
  Step(Step&&) = delete;
  Step& operator=(Step&&) = delete;
  ~Step() { checker_.path_.resize(size_); }

 private:
  Checker& checker_;
  std::size_t size_;
};

class Checker::Instead {
 public:
  Instead(Checker& checker, Findings* findings, std::size_t findings_max = 0)
      : checker_(checker),
        findings_(std::exchange(checker.findings_, findings)),
        findings_max_(std::exchange(checker.findings_max_, findings_max)) {}
  Instead(const Instead&) = delete;
  Instead& operator=(const Instead&) = delete;
  Instead(Instead&&) = delete;
  Instead& operator=(Instead&&) = delete;
  ~Instead() {
    checker_.findings_ = findings_;
    checker_.findings_max_ = findings_max_;
  }

 private:
  Checker& checker_;
  Findings* findings_;
  std::size_t findings_max_;
};

}  // namespace pi_mcp::schema
