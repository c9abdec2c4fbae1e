#include "setup/our_entry.h"

#include "config/import/reader.h"
#include "config/raw.h"
#include "json/document.h"
#include "json/writer.h"

namespace pi_mcp::setup {

std::string our_entry(const config::Host& host,
                      const std::string& program,
                      const Variables& variables) {
  config::RawObject ours = config::RawObject::from(
      config::parse_trusted(mended_entry(std::string(host.entry), "pi-mcp", program)).root());
  json::Writer handed;
  if (host.hands_on == config::HandsOn::list && !variables.all.empty()) {
    handed.begin_array();
    for (const std::string& name : variables.all) {
      handed.string(name);
    }
    ours.set("env_vars", handed.end_array().take());
  } else if (host.hands_on == config::HandsOn::env && !variables.set.empty()) {
    handed.begin_object();
    for (const std::string& name : variables.set) {
      handed.member(name, "$" + name);
    }
    ours.set("env", handed.end_object().take());
  }
  return ours.text();
}

std::string mended_entry(const std::string& written,
                         const std::string& lost,
                         const std::string& program) {
  const json::Document entry = config::parse_trusted(written);
  return config::rewrite_strings(
      entry.root(), [&](const std::string& text) { return text == lost ? program : text; });
}

}  // namespace pi_mcp::setup
