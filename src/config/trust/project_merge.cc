#include "config/trust/project_merge.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "config/difference.h"
#include "config/keys.h"
#include "json/canonical.h"
#include "json/writer.h"

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

bool is_same(const std::string& a, const std::string& b) {
  return a == b ||
         json::canonical(parse_trusted(a).root()) == json::canonical(parse_trusted(b).root());
}

// Whether `over` says something else about this key than `base`. null says nothing: a project takes
// no key of the user away.
bool differs(const MergedServer& base, const RawField& over) {
  const MergedField* field = base.find(over.key);
  return over.json != "null" && (field == nullptr || !is_same(field->json, over.json));
}

bool names_a_transport(const RawServer& over) {
  return std::ranges::any_of(transport_keys, [&over](std::string_view key) {
    const std::string* json = over.fields.find(key);
    return json != nullptr && *json != "null";
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
  std::erase_if(base.fields, [same_program](const MergedField& field) {
    // That a host has switched a server off says nothing about another one of its name.
    const bool of_host = field.key == "disabled" && !field.origin.import_kind.empty();
    const bool restricts = tightens(may_of(KeyScope::server, field.key)) && !of_host;
    return !restricts && !(same_program && field.key == "command");
  });
}

// A choice of the user about a server that only the project defines; nothing of it may be a secret.
void keep_choices(MergedServer& base) {
  std::erase_if(base.fields, [](const MergedField& field) {
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
std::string united(const std::string& user, const std::string& over) {
  if (user == "true" || over == "true") {
    return "true";
  }
  const json::Document first = parse_trusted(user);
  const json::Document second = parse_trusted(over);
  std::vector<std::string> elements;
  append_all(first.root(), elements);
  const std::size_t before = elements.size();
  append_all(second.root(), elements);
  if (elements.size() == before) {
    return user;
  }
  json::Writer out;
  out.begin_array();
  for (const std::string& element : elements) {
    out.raw(element);
  }
  return out.end_array().take();
}

// The smaller of each limit; a guard that is off has none, and none is switched off.
std::string lowered(const std::string& user, const std::string& project) {
  const json::Document before = parse_trusted(user);
  const json::Document after = parse_trusted(project);
  if (!after.root().is_object()) {
    return project == "true" && user == "false" ? project : user;
  }
  RawObject limits = RawObject::from(before.root());
  for (const json::Member member : after.root().members()) {
    const std::optional<double> wanted = member.value.as_double();
    const std::optional<double> now = before.root().find(member.name()).as_double();
    if (wanted && *wanted > 0 && (!now || *wanted < *now)) {
      limits.set(member.name(), std::string(member.value.raw()));
    }
  }
  return limits.text();
}

// What holds after the project has said `over` where the user has said `user` (null: the default).
std::string tightened(ProjectMay may, const std::string& user, const std::string& over) {
  switch (may) {
    case ProjectMay::set_true:
      return over == "true" ? over : user;
    case ProjectMay::set_false:
      return over == "false" ? over : user;
    case ProjectMay::add:
      return united(user, over);
    case ProjectMay::narrow:
      return user == "null" || user == "[]" ? over : user;
    case ProjectMay::lower:
      return lowered(user, over);
    case ProjectMay::set:
    case ProjectMay::nothing:
      break;
  }
  return user;
}

void tighten(MergedServer& base, const RawField& over, const Origin& origin, ProjectMay may) {
  const MergedField* field = base.find(over.key);
  const std::string user = field == nullptr ? "null" : field->json;
  std::string json = over.json == "null" ? user : tightened(may, user, over.json);
  if (json != user) {
    set_field(base, {.key = over.key, .json = std::move(json)}, origin);
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

void warn(std::vector<Warning>& warnings, const Origin& origin, std::string_view message) {
  std::string text = origin.path + ": ";
  text.append(message);
  warnings.push_back({origin.path, std::move(text)});
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
      own.fields.set(field.key, field.json);
    } else if (differs(base, field)) {
      warn(warnings,
           over.origin,
           "\"" + field.key + "\" of server \"" + over.name +
               "\" does not count, because the server is the user's; a project may only restrict "
               "it");
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
    const bool is_default = key->fallback == "`" + field.json + "`";
    const bool flag =
        key->project_may == ProjectMay::set_true || key->project_may == ProjectMay::set_false;
    if (key->project_may == ProjectMay::nothing) {
      warn(warnings,
           layer.origin,
           "settings: \"" + field.key + "\" counts only in files of the user; it is ignored");
    } else if (flag && !is_default && differs(settings, field)) {
      warn(warnings,
           layer.origin,
           "settings: \"" + field.key + "\" can only be restricted by a project; it is ignored");
    }
  }
}

}  // namespace pi_mcp::config
