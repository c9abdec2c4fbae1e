#include "config/trust/project_merge.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "config/check.h"
#include "config/difference.h"
#include "config/keys.h"
#include "config/values.h"
#include "json/canonical.h"

namespace pi_mcp::config {
namespace {

constexpr std::array<std::string_view, 3> transport_keys = {"command", "url", "socket"};
constexpr std::array<std::string_view, 4> reach_keys = {"command", "args", "url", "socket"};

ProjectMay may_of(KeyScope scope, std::string_view name) {
  const Key* key = find_key(scope, name);
  return key == nullptr ? ProjectMay::set : key->project_may;
}

bool tightens(ProjectMay may) {
  return may != ProjectMay::set && may != ProjectMay::nothing;
}

bool is_same(json::Value a, json::Value b) {
  return a.raw() == b.raw() || json::canonical(a) == json::canonical(b);
}

// Whether `over` says something else about this key than `base`. null says nothing: a project takes
// no key of the user away.
bool differs(const MergedServer& base, const RawField& over) {
  const json::Value value = base.fields.find(over.key);
  return !over.value().is(json::Kind::null) && (!value || !is_same(value, over.value()));
}

bool names_a_transport(const RawServer& over) {
  return std::ranges::any_of(transport_keys, [&over](std::string_view key) {
    const json::Value value = over.fields.find(key);
    return value && !value.is(json::Kind::null);
  });
}

// Whether `over` is another server than the user's of the same name.
bool is_another(const MergedServer& base, const RawServer& over) {
  const bool complete = names_a_transport(over);
  return std::ranges::any_of(over.fields.fields(), [&](const RawField& field) {
    const bool decides = std::ranges::find(reach_keys, field.key) != reach_keys.end() ||
                         (complete && may_of(KeyScope::server, field.key) == ProjectMay::set &&
                          decides_a_launch(KeyScope::server, field.key));
    return decides && differs(base, field);
  });
}

// Leaves of the user's entry what restricts the server, and its program where `over` names none.
void keep_restrictions(MergedServer& base, const RawServer& over) {
  const bool same_program = !names_a_transport(over);
  base.fields.erase_if([same_program](const RawField& field) {
    // That a host has switched a server off says nothing about another one of its name.
    const bool of_host = field.key == "disabled" && !field.origin.import_kind.empty();
    const bool restricts = tightens(may_of(KeyScope::server, field.key)) && !of_host;
    return !restricts && !(same_program && field.key == "command");
  });
}

// A choice of the user about a server that only the project defines; nothing of it may be a secret.
void keep_choices(MergedServer& base) {
  base.fields.erase_if([](const RawField& field) {
    return decides_a_launch(KeyScope::server, field.key) &&
           !tightens(may_of(KeyScope::server, field.key));
  });
}

void append_all(json::Value list, std::vector<std::string>& out) {
  for (const json::Value element : list.elements()) {
    std::string json(element.raw());
    if (std::ranges::find(out, json) == out.end()) {
      out.push_back(std::move(json));
    }
  }
  if (list.is_string()) {
    out.emplace_back(list.raw());  // "destructive", as a member of a list
  }
}

// Both lists, or true when one of them is; false adds nothing.
std::string united(json::Value user, json::Value over) {
  if (user.bool_or(false) || over.bool_or(false)) {
    return "true";
  }
  std::vector<std::string> elements;
  append_all(user, elements);
  const std::size_t before = elements.size();
  append_all(over, elements);
  return elements.size() == before ? std::string(user.raw())
                                   : "[" + text::join(elements, ",") + "]";
}

// The smaller of each limit; a guard that is off has none, and none is switched off.
std::string lowered(json::Value user, json::Value project) {
  if (!project.is_object()) {
    const bool switches_on = project.bool_or(false) && !user.bool_or(true);
    return std::string(switches_on ? project.raw() : user.raw());
  }
  RawObject limits = RawObject::from(user);
  for (const json::Member member : project.members()) {
    const std::optional<double> wanted = member.value.as_double();
    const std::optional<double> now = user.find(member.name()).as_double();
    if (wanted && *wanted > 0 && (!now || *wanted < *now)) {
      limits.set(member.name(), std::string(member.value.raw()));
    }
  }
  return limits.text();
}

// What the project hides is hidden; nothing else of it counts.
std::string hidden_too(json::Value user, json::Value over) {
  if (!over.is_object()) {
    return std::string(over.equals("hidden") ? over.raw() : user.raw());
  }
  RawObject rules;  // the project's first, as the first one that matches counts
  for (const json::Member member : over.members()) {
    if (member.value.equals("hidden")) {
      rules.set(member.name(), std::string(member.value.raw()));
    }
  }
  const bool adds = !rules.fields().empty();
  for (const json::Member member : user.members()) {
    if (!rules.find(member.name())) {
      rules.set(member.name(), std::string(member.value.raw()));
    }
  }
  return adds ? rules.text() : std::string(user.raw());
}

// The one that shares less. What an entry shares that says nothing is not known here, so then only
// what shares nothing counts.
std::string parted(json::Value user, json::Value over) {
  const std::optional<Share> wanted = share_of(over);
  const Share now = share_of(user).value_or(Share::folder);
  const bool counts =
      wanted && *wanted < now && (*wanted == Share::session || !user.is(json::Kind::null));
  return std::string(counts ? over.raw() : user.raw());
}

// What holds after the project has said `over` where the user has said `user` (null: the default).
std::string tightened(ProjectMay may, json::Value user, json::Value over) {
  switch (may) {
    case ProjectMay::set_true:
      return std::string(over.bool_or(false) ? over.raw() : user.raw());
    case ProjectMay::set_false:
      return std::string(over.bool_or(true) ? user.raw() : over.raw());
    case ProjectMay::add:
      return united(user, over);
    case ProjectMay::narrow:
      return std::string(user.is(json::Kind::null) || user.raw() == "[]" ? over.raw() : user.raw());
    case ProjectMay::lower:
      return lowered(user, over);
    case ProjectMay::hide:
      return hidden_too(user, over);
    case ProjectMay::part:
      return parted(user, over);
    case ProjectMay::set:
    case ProjectMay::nothing:
      break;
  }
  return std::string(user.raw());
}

void tighten(MergedServer& base, const RawField& over, const Origin& origin, ProjectMay may) {
  const RawField none = RawField::of(over.key, "null");
  const RawField* field = base.fields.field(over.key);
  const json::Value user = (field == nullptr ? none : *field).value();
  if (!over.value().is(json::Kind::null)) {
    const std::string json = tightened(may, user, over.value());
    if (json != user.raw()) {
      set_field(base, RawField::of(over.key, json), origin);
    }
  }
}

// The user's entry, if there is one, makes way for the project's own server.
void make_projects(MergedServer& base, const RawServer& over) {
  if (base.standing == Standing::user && has_transport(base)) {
    keep_restrictions(base, over);
    base.replaces_users = true;
  } else if (base.standing == Standing::user) {
    keep_choices(base);
  }
  base.standing = Standing::project;
}

}  // namespace

void merge_project(MergedServer& base, const RawServer& over, std::vector<Warning>& warnings) {
  const bool users = base.standing == Standing::user && has_transport(base);
  const bool makes_projects = !users || is_another(base, over);
  if (makes_projects) {
    make_projects(base, over);
  }
  RawServer own{
      .name = over.name, .fields = {}, .origin = over.origin, .digest = {}, .written = {}};
  for (const RawField& field : over.fields.fields()) {
    const ProjectMay may = may_of(KeyScope::server, field.key);
    if (tightens(may)) {
      tighten(base, field, over.origin, may);
    } else if (makes_projects) {
      own.fields.set(field);
    } else if (differs(base, field)) {
      warn(warnings,
           over.origin.path,
           "\"" + field.key + "\" of server \"" + over.name +
               "\" does not count, because the server is the user's; a project may only restrict "
               "it",
           over.name);
    }
  }
  if (makes_projects) {
    merge_over(base, own);
  }
}

void merge_project_settings(MergedServer& settings,
                            const Layer& layer,
                            std::vector<Warning>& warnings) {
  for (const RawField& field : layer.settings.fields()) {
    const Key* key = find_key(KeyScope::settings, field.key);
    if (key == nullptr || !key->is_read()) {
      continue;
    }
    if (tightens(key->project_may)) {
      tighten(settings, field, layer.origin, key->project_may);
    }
    const bool is_default = key->fallback == "`" + std::string(field.value().raw()) + "`";
    const bool flag =
        key->project_may == ProjectMay::set_true || key->project_may == ProjectMay::set_false;
    if (key->project_may == ProjectMay::nothing) {
      warn(warnings,
           layer.origin.path,
           "settings: \"" + field.key + "\" counts only in files of the user; it is ignored");
    } else if (flag && !is_default && differs(settings, field)) {
      warn(warnings,
           layer.origin.path,
           "settings: \"" + field.key + "\" can only be restricted by a project; it is ignored");
    }
  }
}

}  // namespace pi_mcp::config
