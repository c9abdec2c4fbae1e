#include "cli/show/config_keys.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"
#include "config/keys.h"
#include "json/writer.h"

namespace pi_mcp::cli {
namespace {

using config::Key;
using config::KeyScope;

struct Scope {
  constexpr Scope(KeyScope scope, std::string_view heading, std::string_view word)
      : id(scope), title(heading), name(word) {}

  KeyScope id;
  std::string_view title;
  std::string_view name;
};
constexpr std::array scopes = {Scope(KeyScope::root, "Keys of a file", "file"),
                               Scope(KeyScope::server, "Keys of a server", "server"),
                               Scope(KeyScope::settings, "Keys of settings", "settings")};
constexpr std::string_view indent = "      ";

// The documentation's Markdown as plain text: `code` without its quotes, [text](link) as text.
std::string plain(std::string_view markdown) {
  std::string out;
  while (!markdown.empty()) {
    const std::size_t close =
        markdown.front() == '[' ? markdown.find("](") : std::string_view::npos;
    if (close != std::string_view::npos) {
      out += markdown.substr(1, close - 1);
      markdown.remove_prefix(std::min(markdown.find(')', close), markdown.size() - 1) + 1);
    } else {
      out.append(markdown.front() == '`' ? 0 : 1, markdown.front());
      markdown.remove_prefix(1);
    }
  }
  return out;
}

std::string meaning_of(const Key& key) {
  return key.is_read() ? plain(key.meaning)
                       : "not read by pi-mcp; kept for programs that share the file";
}

std::string key_text(const Key& key, const Style& style, std::size_t columns) {
  std::string line = "  " + style.bold(key.name) + "  " + std::string(type_name(key.type));
  line += key.fallback.empty() ? "" : ", default " + plain(key.fallback);
  std::string out = line + "\n" + wrapped(meaning_of(key), indent, columns);
  if (key.is_read() && key.scope != KeyScope::root) {
    out += std::string(indent) + style.dim("a project may " + plain(rule_text(key.project_may))) +
           "\n";
  }
  return out;
}

bool is_wanted(const Key& key, const std::vector<std::string>& names) {
  return names.empty() || std::ranges::find(names, key.name) != names.end();
}

Result<void> check(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const bool known = std::ranges::any_of(
        scopes, [&name](const Scope& scope) { return find_key(scope.id, name) != nullptr; });
    if (known) {
      continue;
    }
    std::string message = "there is no key \"" + text::printable(name) + "\"";
    for (const Scope& scope : scopes) {
      if (const auto near = near_key(scope.id, name)) {
        return fail(ErrorCode::not_found,
                    message + "; did you mean \"" + std::string(*near) + "\"?");
      }
    }
    return fail(ErrorCode::not_found, message + "; pi-mcp config --keys shows all");
  }
  return {};
}

}  // namespace

Result<std::string> keys_text(const std::vector<std::string>& names,
                              const Style& style,
                              std::size_t columns) {
  if (const Result<void> known = check(names); !known) {
    return fail(known.error());
  }
  std::string out;
  for (const Scope& scope : scopes) {
    std::string part;
    for (const Key& key : config::keys_of(scope.id)) {
      part += is_wanted(key, names) ? key_text(key, style, columns) : "";
    }
    if (!part.empty()) {
      out += (out.empty() ? "" : "\n") + style.bold(scope.title) + "\n" + part;
    }
  }
  return out;
}

Result<std::string> keys_json(const std::vector<std::string>& names) {
  if (const Result<void> known = check(names); !known) {
    return fail(known.error());
  }
  json::Writer out;
  out.begin_object().member("mode", "config").key("keys").begin_array();
  for (const Scope& scope : scopes) {
    for (const Key& key : config::keys_of(scope.id)) {
      if (is_wanted(key, names)) {
        out.begin_object().member("of", scope.name).member("name", key.name);
        out.member("type", type_name(key.type)).member("read", key.is_read());
        out.member("default", plain(key.fallback)).member("meaning", meaning_of(key));
        out.member("projectMay", plain(rule_text(key.project_may))).end_object();
      }
    }
  }
  return out.end_array().end_object().take();
}

}  // namespace pi_mcp::cli
