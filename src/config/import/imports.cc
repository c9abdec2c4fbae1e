#include "config/import/imports.h"

#include "config/import/hosts.h"
#include "config/import/reader.h"

namespace pi_mcp::config {

std::vector<std::string> import_kinds() {
  std::vector<std::string> kinds;
  for (const Host& host : hosts()) {
    if (host.read != nullptr) {
      kinds.emplace_back(host.kind);
    }
  }
  return kinds;
}

Imported read_import(std::string_view kind, const ImportSources& sources) {
  const Host* const host = find_host(kind);
  if (host == nullptr || host->read == nullptr) {
    return {};
  }
  ImportReader reader(host->kind, sources);
  host->read(reader);
  return reader.take();
}

}  // namespace pi_mcp::config
