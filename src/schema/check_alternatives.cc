// anyOf and oneOf: which form fits, and when none does, which one was
// probably meant, so that the reasons shown are about that one.
#include <algorithm>
#include <limits>

#include "schema/check.h"

namespace pi_mcp::schema {
namespace {

// Forms tried, and findings collected of each, when explaining.
constexpr std::size_t forms_max = 32;
constexpr std::size_t form_findings_max = 8;
// Forms whose first finding is told when none stands out.
constexpr std::size_t forms_told_max = 3;

// How far a finding says "another form was meant". A wrong type or constant of the value itself
// says so clearly, a wrong constant further down is probably a discriminator.
constexpr unsigned other_form = 1000;
constexpr unsigned other_discriminator = 100;

bool is_about_constants(std::string_view keyword) {
  return keyword == "const" || keyword == "enum";
}

unsigned weight(const Violation& violation, std::string_view path) {
  const bool here = violation.path == path;
  if (here && (violation.keyword == "type" || is_about_constants(violation.keyword))) {
    return other_form;
  }
  return is_about_constants(violation.keyword) ? other_discriminator : 1;
}

// All constants that the forms allow, when every form is nothing but constants.
std::vector<json::Value> constants_of(const Program& program, const std::vector<NodeId>& ids) {
  std::vector<json::Value> values;
  for (const NodeId id : ids) {
    const Node& node = program.nodes[id];
    if (!node.has(Group::constants)) {
      return {};
    }
    if (const json::Value constant = node.value("const")) {
      values.push_back(constant);
    }
    for (const json::Value value : node.value("enum").elements()) {
      values.push_back(value);
    }
  }
  return values;
}

// The union, when each form has no other fault than the type of the value itself; otherwise 0.
TypeSet types_expected(const std::vector<Findings>& forms, std::string_view path) {
  TypeSet types = 0;
  for (const Findings& found : forms) {
    if (found.size() != 1 || found[0].expected == 0 || found[0].violation.path != path) {
      return 0;
    }
    types |= found[0].expected;
  }
  return types;
}

// The form with clearly the least against it; null when several are as likely.
const Findings* form_meant(const std::vector<Findings>& forms, std::string_view path) {
  const Findings* best = nullptr;
  unsigned best_score = other_form;
  bool tie = true;
  for (const Findings& found : forms) {
    unsigned score = 0;
    for (const Finding& finding : found) {
      score += weight(finding.violation, path);
    }
    tie = score == best_score || (score > best_score && tie);
    if (score < best_score) {
      best = &found;
      best_score = score;
    }
  }
  return tie ? nullptr : best;
}

std::string fits_no_form(std::size_t count,
                         const std::vector<Findings>& forms,
                         std::string_view path) {
  std::string reason = "fits none of the " + std::to_string(count) + " allowed forms";
  std::size_t told = 0;
  for (const Findings& found : forms) {
    if (found.empty() || told == forms_told_max) {
      continue;
    }
    Violation violation = found[0].violation;
    const bool is_below = !path.empty() && violation.path.starts_with(path);
    violation.path.erase(0, is_below ? std::min(path.size() + 1, violation.path.size()) : 0);
    reason += (told++ == 0 ? " (" : "; ") + violation.text();
  }
  return reason + (told == 0 ? "" : count > told ? "; ...)" : ")");
}

bool explain(Check& check, const Rule& rule, json::Value value) {
  if (check.enough() || check.gave_up()) {
    return false;
  }
  const std::vector<NodeId>& ids = rule.children;
  const std::vector<json::Value> constants = constants_of(check.program, ids);
  if (!constants.empty()) {
    return check.fail("enum", [&] { return wrong_value(constants, value); });
  }
  std::vector<Findings> forms(std::min(ids.size(), forms_max));
  for (std::size_t i = 0; i < forms.size(); ++i) {
    check.instead(
        &forms[i], form_findings_max, [&] { return visit(check, ids[i], value, nullptr); });
  }
  const std::string path = check.relative_path();
  if (const TypeSet types = types_expected(forms, path); types != 0) {
    return check.fail("type", [&] { return wrong_type(types, value); }, types);
  }
  if (const Findings* meant = form_meant(forms, path)) {
    for (const Finding& finding : *meant) {
      if (!check.enough()) {
        check.findings->push_back(finding);
      }
    }
    return false;
  }
  return check.fail(rule.keyword->name, [&] { return fits_no_form(ids.size(), forms, path); });
}

}  // namespace

bool check_any_of(Check& check, const Rule& rule, json::Value value, Evaluated* evaluated) {
  bool fits = rule.children.empty();
  for (const NodeId id : rule.children) {
    fits = passes(check, id, value, evaluated) || fits;
    if (fits && evaluated == nullptr) {
      return true;
    }
  }
  return fits || explain(check, rule, value);
}

bool check_one_of(Check& check, const Rule& rule, json::Value value, Evaluated* evaluated) {
  std::size_t count = rule.children.empty() ? 1 : 0;
  for (const NodeId id : rule.children) {
    count += passes(check, id, value, evaluated) ? 1 : 0;
    if (count > 1) {
      return check.fail("oneOf",
                        [] { return std::string("fits more than one of the allowed forms"); });
    }
  }
  return count == 1 || explain(check, rule, value);
}

}  // namespace pi_mcp::schema
