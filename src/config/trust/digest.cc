#include "config/trust/digest.h"

#include "base/digest.h"
#include "json/canonical.h"
#include "json/writer.h"

namespace pi_mcp::config {

std::string entry_digest(std::string_view server, json::Value entry) {
  json::Writer out;
  out.begin_array().string(server).raw(json::canonical(entry)).end_array();
  return sha256_hex(out.text());
}

std::string settings_text(const Layer& layer) {
  json::Writer out;
  out.begin_object().key("imports").begin_array();
  for (const std::string& kind : layer.imports) {
    out.string(kind);
  }
  out.end_array().member_raw("settings", layer.settings.text());
  if (!layer.claude_plugins.empty()) {
    out.member_raw("claudePlugins", layer.claude_plugins);
  }
  return out.end_object().take();
}

std::string settings_digest(const Layer& layer) {
  return sha256_hex(json::canonical(parse_trusted(settings_text(layer)).root()));
}

std::string joined_digest(std::string_view first, std::string_view second) {
  return sha256_hex(std::string(first) + std::string(second));
}

}  // namespace pi_mcp::config
