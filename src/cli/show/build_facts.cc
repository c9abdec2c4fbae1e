#include "cli/show/build_facts.h"

#include "json/document.h"
#include "json/writer.h"

namespace pi_mcp::cli {

std::string version_line(const BuildFacts& facts) {
  constexpr std::size_t digits = 12;
  std::string out = "pi-mcp " + std::string(facts.version);
  if (facts.date.empty()) {
    return out + "\n";
  }
  out.append(" (").append(facts.commit.substr(0, digits));
  return out.append(", ").append(facts.date).append(")\n");
}

std::string version_details(const BuildFacts& facts) {
  json::Writer out;
  out.begin_object().member("version", facts.version).member("commit", facts.commit);
  out.member("date", facts.date).member("arch", facts.arch).key("build").begin_object();
  out.member("type", facts.type).member("linking", facts.linking).end_object();
  out.key("libraries").begin_array();
  for (const LinkedLibrary& library : facts.libraries) {
    out.begin_object().member("name", library.name).member("version", library.version);
    out.member("licence", library.licence).end_object();
  }
  out.end_array().end_object();
  return out.take() + "\n";
}

}  // namespace pi_mcp::cli
