#include "config/difference.h"

#include <string>

#include "json/document.h"

namespace pi_mcp::config {
namespace {

// Whether every key of `a` that decides a launch is the same in `b`.
bool has_same_launch(KeyScope scope, json::Value a, json::Value b) {
  for (const json::Member member : a.members()) {
    const std::string name = member.name();
    if (decides_a_launch(scope, name) && b.find(name).raw() != member.value.raw()) {
      return false;
    }
  }
  return true;
}

// Objects as JSON; what cannot be read differs from everything.
Difference difference_of(KeyScope scope, std::string_view before, std::string_view after) {
  if (before == after) {
    return Difference::none;
  }
  const Result<json::Document> old_document = json::Document::parse_view(before);
  const Result<json::Document> new_document = json::Document::parse_view(after);
  const bool same = old_document && new_document &&
                    has_same_launch(scope, old_document->root(), new_document->root()) &&
                    has_same_launch(scope, new_document->root(), old_document->root());
  return same ? Difference::use : Difference::launch;
}

}  // namespace

bool decides_a_launch(KeyScope scope, std::string_view name) {
  const Key* key = find_key(scope, name);
  return key == nullptr || !key->is_use;
}

Difference difference(const Server& before, const Server& after) {
  // What an entry is taken for may change without a change of its text.
  if (before.problem != after.problem || before.standing != after.standing ||
      before.literal_env != after.literal_env || before.disabled != after.disabled) {
    return Difference::launch;
  }
  const Difference entries = difference_of(KeyScope::server, before.entry_json, after.entry_json);
  return entries == Difference::none && before.only_tools != after.only_tools ? Difference::use
                                                                              : entries;
}

Difference difference(const Settings& before, const Settings& after) {
  return difference_of(KeyScope::settings, before.settings_json, after.settings_json);
}

}  // namespace pi_mcp::config
