#include "config/describe.h"

#include <map>

#include "config/keys.h"
#include "config/raw.h"
#include "json/writer.h"

namespace pi_mcp::config {
namespace {

std::vector<FieldDescription> describe_fields(KeyScope scope,
                                              const std::string& entry_json,
                                              const std::map<std::string, Origin>& origins) {
  std::vector<FieldDescription> fields;
  const json::Document document = parse_trusted(entry_json);
  for (const json::Member member : document.root().members()) {
    const auto origin = origins.find(member.name());
    const Key* key = find_key(scope, member.name());
    fields.push_back({.key = member.name(),
                      .value = secrets::mask_field(member.name(), member.value),
                      .origin = origin == origins.end() ? Origin{} : origin->second,
                      .is_read = key != nullptr && key->is_read()});
  }
  return fields;
}

}  // namespace

std::vector<FieldDescription> describe(const Server& server) {
  return describe_fields(KeyScope::server, server.entry_json, server.origins);
}

std::vector<FieldDescription> describe_settings(const Settings& settings) {
  return describe_fields(KeyScope::settings, settings.settings_json, settings.origins);
}

std::string warnings_json(const std::vector<Warning>& warnings) {
  json::Writer out;
  out.begin_array();
  for (const Warning& warning : warnings) {
    out.begin_object().member("path", warning.path).member("message", warning.message);
    if (warning.line > 0) {
      out.member("line", warning.line).member("column", warning.column);
    }
    if (!warning.server.empty()) {
      out.member("server", warning.server);
    }
    if (warning.unreadable) {
      out.member("unreadable", true);
    }
    out.end_object();
  }
  return out.end_array().take();
}

}  // namespace pi_mcp::config
