#include "catalog/names.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/text.h"

namespace pi_mcp::catalog {
namespace {

constexpr std::array all_modes = {
    PrefixMode::server, PrefixMode::short_, PrefixMode::none, PrefixMode::mcp};

bool is_ascii_alnum(char32_t c) {
  return (c >= U'a' && c <= U'z') || (c >= U'A' && c <= U'Z') || (c >= U'0' && c <= U'9');
}

// Tool names of hosts allow [A-Za-z0-9_-]; every other code point becomes "_<hex>_".
std::string host_safe(std::string_view server) {
  std::string out;
  for (std::size_t i = 0; i < server.size();) {
    const char32_t c = text::next_code_point(server, i);
    if (is_ascii_alnum(c) || c == U'_' || c == U'-') {
      out += static_cast<char>(c);
      continue;
    }
    std::array<char, 8> hex{};
    const auto [end, error] =
        std::to_chars(hex.data(), hex.data() + hex.size(), static_cast<std::uint32_t>(c), 16);
    out += '_';
    out.append(hex.data(), end);
    out += '_';
  }
  return out;
}

// Without a trailing "mcp" or "-mcp" in any case; "mcp" when nothing is left.
std::string_view without_mcp(std::string_view server) {
  if (text::lower(server).ends_with("mcp")) {
    server.remove_suffix(3);
    if (server.ends_with('-')) {
      server.remove_suffix(1);
    }
  }
  return server.empty() ? "mcp" : server;
}

// As the reference adapter wrote prefixes before 2.25: hyphens folded, nothing else replaced.
std::string seed_prefix(std::string_view server, PrefixMode mode) {
  switch (mode) {
    case PrefixMode::server:
      return folded(server);
    case PrefixMode::short_:
      return folded(without_mcp(server));
    case PrefixMode::none:
    case PrefixMode::mcp:
      return {};
  }
  return {};
}

std::string joined(std::string_view prefix, std::string_view tool) {
  std::string name(prefix);
  name += prefix.empty() ? "" : "_";
  name += tool;
  return name;
}

// Hosts refuse dots; control characters would break lines, or command a terminal,
// and marks that nobody sees could not be typed.
std::string host_safe_tool(std::string_view tool) {
  std::string out;
  for (std::size_t i = 0; i < tool.size();) {
    const std::size_t start = i;
    const char32_t c = text::next_code_point(tool, i);
    const bool is_unseen = text::is_control(c) || text::is_hidden_mark(c) || text::is_joiner(c);
    out += is_unseen || c == U'.' ? "_" : tool.substr(start, i - start);
  }
  return out;
}

// Keeps the first of equal names. The lists have about a dozen names.
void add_once(std::vector<std::string>& names, std::string name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    names.push_back(std::move(name));
  }
}

void add_spellings(std::vector<std::string>& names,
                   std::string_view server,
                   std::string_view tool) {
  add_once(names, std::string(tool));
  for (const PrefixMode mode : all_modes) {
    add_once(names, displayed_name(server, tool, mode));
    add_once(names, joined(prefix(server, mode), host_safe_tool(tool)));
    add_once(names, joined(seed_prefix(server, mode), tool));
  }
  // How Claude Code writes the tools of its servers.
  add_once(names, prefix(server, PrefixMode::mcp) + "__" + host_safe_tool(tool));
  for (const char* const joint : {".", "/"}) {
    add_once(names, std::string(server).append(joint).append(tool));
  }
}

}  // namespace

std::string prefix(std::string_view server, PrefixMode mode) {
  switch (mode) {
    case PrefixMode::server:
      return host_safe(server);
    case PrefixMode::short_:
      return host_safe(without_mcp(server));
    case PrefixMode::none:
      return {};
    case PrefixMode::mcp:
      return "mcp__" + host_safe(server);
  }
  return {};
}

std::vector<std::string> accepted_prefixes(std::string_view server) {
  std::vector<std::string> prefixes;
  for (const PrefixMode mode : all_modes) {
    add_once(prefixes, prefix(server, mode));
    add_once(prefixes, seed_prefix(server, mode));
  }
  const std::vector<std::string> as_written = prefixes;
  for (const std::string& name : as_written) {
    add_once(prefixes, folded(name));
  }
  std::erase(prefixes, "");
  return prefixes;
}

std::string displayed_name(std::string_view server, std::string_view tool, PrefixMode mode) {
  const std::string start = prefix(server, mode);
  const std::string name = host_safe_tool(tool);
  const bool has_prefix = !start.empty() && name.starts_with(start + "_");
  return has_prefix ? name : joined(start, name);
}

std::string resource_base_name(std::string_view resource_name) {
  std::string base;
  for (const char c : resource_name) {
    if (is_ascii_alnum(static_cast<unsigned char>(c))) {
      base += c;
    } else if (!base.empty() && base.back() != '_') {
      base += '_';
    }
  }
  if (base.ends_with('_')) {
    base.pop_back();
  }
  if (base.empty()) {
    return "resource";
  }
  const bool starts_with_digit = base.front() >= '0' && base.front() <= '9';
  return (starts_with_digit ? "resource_" : "") + text::lower(base);
}

std::vector<std::string> accepted_spellings(std::string_view server,
                                            std::string_view original,
                                            bool is_resource) {
  constexpr std::string_view read_prefix = "read_";
  std::vector<std::string> names;
  add_spellings(names, server, original);
  if (is_resource && original.starts_with(read_prefix)) {
    const std::string older = "get_" + std::string(original.substr(read_prefix.size()));
    add_spellings(names, server, older);
  }
  const std::vector<std::string> as_written = names;
  for (const std::string& name : as_written) {
    add_once(names, folded(name));
  }
  return names;
}

std::string folded(std::string_view name) {
  std::string out(name);
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
}

}  // namespace pi_mcp::catalog
