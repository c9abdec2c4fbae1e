#include "packages/search_paths.h"

#include <array>
#include <string_view>

#include "base/text.h"

namespace pi_mcp::packages {
namespace {

constexpr std::array<const char*, 5> library_variables = {
    "LD_LIBRARY_PATH", "PYTHONPATH", "NODE_PATH", "RUBYLIB", "PERL5LIB"};

bool is_absolute(std::string_view entry) {
  return entry.starts_with('/');
}

void clean(std::map<std::string, std::string>& variables, const std::string& name) {
  const auto found = variables.find(name);
  if (found == variables.end()) {
    return;
  }
  std::string kept;
  bool changed = false;
  for (const std::string_view entry : text::split(found->second, ':')) {
    if (is_absolute(entry)) {
      kept.append(kept.empty() ? "" : ":").append(entry);
    } else {
      changed = true;
    }
  }
  if (!changed) {
    return;
  }
  if (kept.empty()) {
    variables.erase(found);
  } else {
    found->second = std::move(kept);
  }
}

}  // namespace

void remove_relative_entries(std::map<std::string, std::string>& variables,
                             const std::map<std::string, std::string>& configured) {
  clean(variables, "PATH");
  for (const char* name : library_variables) {
    if (!configured.contains(name)) {
      clean(variables, name);
    }
  }
}

}  // namespace pi_mcp::packages
