#include "config/identity.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/digest.h"
#include "base/text.h"
#include "config/interpolate.h"
#include "config/raw.h"
#include "json/canonical.h"
#include "json/writer.h"

namespace pi_mcp::config {
namespace {

// Sorted by code unit, as the canonical text wants them.
constexpr std::array<std::string_view, 10> hashed_fields = {"args",
                                                            "auth",
                                                            "bearerToken",
                                                            "bearerTokenEnv",
                                                            "command",
                                                            "cwd",
                                                            "env",
                                                            "exposeResources",
                                                            "headers",
                                                            "url"};

// Canonical text of a value; nullopt: of this entry there is no hash.
using Part = std::optional<std::string>;

constexpr std::string_view absent = "undefined";

bool is_null(json::Value value) {
  return value && value.raw() == "null";
}

// How the adapter writes a variable. It knows no defaults and no stored secrets.
struct Form {
  std::string_view open;
  std::string_view close;
};
constexpr std::array<Form, 3> forms = {{{.open = "${", .close = "}"},
                                        {.open = "$env:", .close = ""},
                                        {.open = "{env:", .close = "}"}}};

bool is_name(char c) {
  return ascii::is_alphanumeric_or(c, "_");
}

// The name of the variable that `text` begins with; empty: it does not.
std::string_view name_in(std::string_view text, const Form& form) {
  if (!text.starts_with(form.open)) {
    return {};
  }
  text.remove_prefix(form.open.size());
  const auto end = std::ranges::find_if_not(text, is_name);
  const auto size = static_cast<std::size_t>(end - text.begin());
  return text.substr(size).starts_with(form.close) ? text.substr(0, size) : std::string_view();
}

std::string replaced(std::string_view text, const Form& form, const Environment& environment) {
  std::string out;
  while (!text.empty()) {
    const std::string_view name = name_in(text, form);
    if (name.empty()) {
      out += text.front();
      text.remove_prefix(1);
    } else {
      out += environment.variable(name).value_or("");
      text.remove_prefix(form.open.size() + name.size() + form.close.size());
    }
  }
  return out;
}

// One form after the other, so that a value in which another form stands is replaced once more.
std::string interpolated(std::string text, const Environment& environment) {
  for (const Form& form : forms) {
    text = replaced(text, form, environment);
  }
  return text;
}

bool has_missing(std::string_view text, const Environment& environment) {
  for (; !text.empty(); text.remove_prefix(1)) {
    for (const Form& form : forms) {
      const std::string_view name = name_in(text, form);
      if (!name.empty() && !environment.variable(name)) {
        return true;
      }
    }
  }
  return false;
}

// `!command` counts as it is written; `!!text` is literal.
std::string secret(std::string text, const Environment& environment) {
  if (text.starts_with("!!")) {
    return interpolated(text.substr(1), environment);
  }
  return text.starts_with('!') ? text : interpolated(std::move(text), environment);
}

// As path.join() of Node.js puts a path below a folder.
std::string joined(std::string_view folder, std::string_view rest) {
  std::vector<std::string_view> parts;
  const std::string whole = std::string(folder) + "/" + std::string(rest);
  for (const std::string_view part : text::split(whole, '/')) {
    if (part == ".." && !parts.empty()) {
      parts.pop_back();
    } else if (!part.empty() && part != "." && part != "..") {
      parts.push_back(part);
    }
  }
  const std::string_view end = rest.ends_with('/') && !parts.empty() ? "/" : "";
  return "/" + text::join({parts.begin(), parts.end()}, "/") + std::string(end);
}

class Parts {
 public:
  explicit Parts(const Environment& environment) : environment_(environment) {}

  [[nodiscard]] static std::string raw(json::Value value) {
    return value ? json::canonical(value) : std::string(absent);
  }

  [[nodiscard]] Part text(json::Value value) const {
    return of_text(value, [this](std::string text) {
      return json::quoted(interpolated(std::move(text), environment_));
    });
  }

  [[nodiscard]] Part path(json::Value value) const {
    return of_text(value, [this](std::string text) {
      const std::string path = interpolated(std::move(text), environment_);
      const bool below = path.starts_with("~/") || path.starts_with("~\\");
      return json::quoted(path == "~" ? environment_.home
                          : below     ? joined(environment_.home, path.substr(2))
                                      : path);
    });
  }

  [[nodiscard]] Part url(json::Value value) const {
    if (is_null(value)) {
      return std::string(absent);
    }
    return of_text(value, [this](const std::string& text) {
      return has_missing(text, environment_) ? Part()
                                             : json::quoted(interpolated(text, environment_));
    });
  }

  // Of environments and headers.
  [[nodiscard]] Part record(json::Value value) const {
    if (!value || is_null(value)) {
      return std::string(absent);
    }
    json::Writer out;
    out.begin_object();
    for (const json::Member member : value.members()) {
      const std::optional<std::string> text = member.value.as_string();
      if (!text) {
        return std::nullopt;
      }
      out.member(member.name(), secret(*text, environment_));
    }
    return value.is_object() ? canonical(out.end_object().text()) : Part();
  }

  [[nodiscard]] Part list(json::Value value) const {
    if (!value) {
      return std::string(absent);
    }
    json::Writer out;
    out.begin_array();
    for (const json::Value element : value.elements()) {
      const std::optional<std::string> text = element.as_string();
      if (!text) {
        return std::nullopt;
      }
      out.string(interpolated(*text, environment_));
    }
    return value.is_array() ? out.end_array().text() : Part();
  }

  [[nodiscard]] Part bearer_token(json::Value entry) const {
    if (const json::Value token = entry.find("bearerToken")) {
      return of_text(token, [this](std::string text) {
        return json::quoted(secret(std::move(text), environment_));
      });
    }
    const std::string name = entry.find("bearerTokenEnv").string_or("");
    const std::optional<std::string> token = environment_.variable(name);
    return !name.empty() && token ? json::quoted(*token) : std::string(absent);
  }

 private:
  static Part canonical(std::string_view text) {
    const Result<json::Document> document = json::Document::parse_view(text);
    return document ? Part(json::canonical(document->root())) : Part();
  }

  template <class Make>
  static Part of_text(json::Value value, Make make) {
    if (!value) {
      return std::string(absent);
    }
    const std::optional<std::string> text = value.as_string();
    return text ? Part(make(*text)) : Part();
  }

  const Environment& environment_;
};

// Keys in the order of their code units.
Part object_of(std::initializer_list<std::pair<std::string_view, Part>> members) {
  std::string out;
  for (const auto& [key, part] : members) {
    if (!part) {
      return std::nullopt;
    }
    out += (out.empty() ? "" : ",") + json::quoted(key) + ":" + *part;
  }
  return "{" + out + "}";
}

Part headers_command(json::Value value, const Parts& parts) {
  if (!value || is_null(value)) {
    return std::string(absent);
  }
  return object_of({{"args", parts.list(value.find("args"))},
                    {"command", parts.text(value.find("command"))},
                    {"env", parts.record(value.find("env"))},
                    {"timeoutMs", Parts::raw(value.find("timeoutMs"))}});
}

}  // namespace

std::string identity_text(json::Value entry) {
  std::string out = "{";
  for (const std::string_view field : hashed_fields) {
    out += out.size() == 1 ? "\"" : ",\"";
    out += field;
    out += "\":";
    const json::Value value = entry.find(field);
    if (value) {
      out += json::canonical(value);
    } else {
      out += "undefined";
    }
  }
  return out + "}";
}

std::string identity_hash(json::Value entry) {
  return sha256_hex(identity_text(entry));
}

std::string entry_identity(const Server& server) {
  const json::Document entry = parse_trusted(server.entry_json);
  // Relative paths of a project's entry mean something else in another project.
  return sha256_hex(identity_hash(entry.root()) + server.socket.value_or("") + "\n" +
                    (server.origin.project ? server.origin.path : ""));
}

std::optional<std::string> adapter_hash(json::Value entry, const Environment& environment) {
  const Parts parts(environment);
  const auto raw = [entry](std::string_view key) {
    return Parts::raw(entry.find(key));
  };
  const Part text = object_of(
      {{"args", raw("args")},
       {"auth", raw("auth")},
       {"bearerToken", parts.bearer_token(entry)},
       {"bearerTokenEnv", raw("bearerTokenEnv")},
       {"command", raw("command")},
       {"cwd", parts.path(entry.find("cwd"))},
       {"env", parts.record(entry.find("env"))},
       {"excludeTools", raw("excludeTools")},
       {"exposeResources", raw("exposeResources")},
       {"headers", parts.record(entry.find("headers"))},
       {"includeTools", raw("includeTools")},
       {"protocolVersion", raw("protocolVersion")},
       {"requestHeadersCommand", headers_command(entry.find("requestHeadersCommand"), parts)},
       {"socket", parts.path(entry.find("socket"))},
       {"url", parts.url(entry.find("url"))}});
  return text ? std::optional(sha256_hex(*text)) : std::nullopt;
}

std::string authorization_context(const Server& server, const Environment& environment) {
  json::Writer text;
  const auto add = [&](std::string_view configured) {
    text.string(interpolate(configured, environment).text);
  };
  const auto add_map = [&](const std::map<std::string, std::string>& values) {
    text.begin_array();
    for (const auto& [name, value] : values) {
      text.string(name);
      add(value);
    }
    text.end_array();
  };
  text.begin_array();
  add(server.command.value_or(""));
  add(server.url.value_or(""));
  add(server.socket.value_or(""));
  add(server.bearer_token.value_or(""));
  text.string(server.bearer_token_env ? environment.variable(*server.bearer_token_env).value_or("")
                                      : "");
  text.begin_array();
  for (const std::string& arg : server.args) {
    add(arg);
  }
  text.end_array();
  add_map(server.env);
  add_map(server.headers);
  if (server.request_headers_command) {
    add(server.request_headers_command->command);
    text.begin_array();
    for (const std::string& arg : server.request_headers_command->args) {
      add(arg);
    }
    text.end_array();
    add_map(server.request_headers_command->env);
  }
  if (server.oauth) {
    add_map(server.oauth->texts);
  }
  return sha256_hex(text.end_array().text());
}

std::string principals_dir(std::string_view agent_dir) {
  return std::string(agent_dir) + "/mcp-principals";
}

std::string own_dir(std::string_view agent_dir, std::string_view principal) {
  return principal.empty() ? std::string(agent_dir)
                           : principals_dir(agent_dir) + "/" + std::string(principal);
}

}  // namespace pi_mcp::config
