#include "access/oauth_rules.h"

#include <algorithm>
#include <utility>

#include "access/strict.h"
#include "auth/metadata.h"
#include "base/ascii.h"
#include "base/text.h"
#include "http/url.h"
#include "json/document.h"
#include "json/writer.h"

namespace pi_mcp::access {
namespace {

constexpr std::string_view tool_path = "/mcp";
constexpr std::string_view servers_prefix = "/servers/";

// Texts that are not empty, at least one. Absent: an empty list.
Result<std::vector<std::string>> texts(json::Value value, const std::string& key) {
  std::vector<std::string> list;
  for (const json::Value element : value.elements()) {
    std::string text = element.string_or("");
    if (text.empty()) {
      return wrong_setting(key, "has to be a list of strings, none of them empty");
    }
    list.push_back(std::move(text));
  }
  if (value && list.empty()) {
    return wrong_setting(key, "has to be a list with at least one string");
  }
  return list;
}

// RFC 6749 section 3.3. It stands between quotation marks in a header.
bool is_scope(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return c > ' ' && c < '\x7f' && c != '"' && c != '\\';
  });
}

// What of a path may stand between quotation marks in a header.
bool is_plain(std::string_view path) {
  return std::ranges::all_of(
      path, [](char c) { return ascii::is_alphanumeric_or(c, "-._~%!$&'()*+,;=:@/"); });
}

// "github" of "/servers/github/mcp"; empty: another path.
std::string server_of(std::string_view path) {
  if (!path.starts_with(servers_prefix) || !path.ends_with(tool_path) ||
      path.size() <= servers_prefix.size() + tool_path.size()) {
    return "";
  }
  path.remove_prefix(servers_prefix.size());
  path.remove_suffix(tool_path.size());
  return ascii::percent_decoded(path);
}

// The path of the MCP endpoint that a target names, or nothing.
std::string_view endpoint_path(std::string_view target) {
  std::string_view path = target.substr(0, target.find('?'));
  if (path.ends_with('/')) {
    path.remove_suffix(1);
  }
  const bool is_endpoint = path == tool_path || !server_of(path).empty();
  return is_endpoint && is_plain(path) ? path : std::string_view();
}

Result<std::string> resource_of(json::Value oauth) {
  const Result<http::Url> url = http::parse_url(oauth.find("resource").string_or(""));
  if (!url || !url->user_info.empty() || url->target() != "/") {
    return wrong_setting(
        "http.oauth.resource",
        "has to be the address by which clients reach this server, without a path: "
        "\"https://gateway.example\"");
  }
  return url->origin();
}

Result<std::vector<std::string>> issuers_of(json::Value oauth) {
  constexpr std::string_view key = "http.oauth.issuers";
  Result<std::vector<std::string>> issuers = texts(oauth.find("issuers"), std::string(key));
  if (!issuers) {
    return issuers;
  }
  if (issuers->empty() || issuers->size() > OAuthRules::issuers_max) {
    return wrong_setting(key, "has to be a list of 1 to 16 addresses of authorization servers");
  }
  const bool are_good = std::ranges::all_of(*issuers, [](const std::string& issuer) {
    return auth::may_carry_tokens(issuer) && auth::server_metadata_urls(issuer).has_value();
  });
  if (!are_good) {
    return wrong_setting(
        key, "has to have addresses with https, or http on this machine, without a query");
  }
  return issuers;
}

// What one scope gives.
Result<Grant> grant_of(const std::string& name, json::Value value) {
  const std::string key = "http.oauth.scopes.\"" + text::printable_line(name) + "\"";
  if (!is_scope(name)) {
    return wrong_setting(key,
                         "is no name of a scope: it has printable ASCII without spaces, \" and \\");
  }
  if (Result<void> known = check_members(value, key, {"servers", "tools", "rate"}); !known) {
    return fail(std::move(known).error());
  }
  Result<std::vector<std::string>> servers = texts(value.find("servers"), key + ".servers");
  Result<std::vector<std::string>> tools = texts(value.find("tools"), key + ".tools");
  if (!servers || !tools) {
    return fail((servers ? tools : servers).error());
  }
  return Grant{.servers = *std::move(servers), .tools = *std::move(tools)};
}

// The scope that says nothing of it does not count.
std::optional<Rate> higher(const std::optional<Rate>& one, const std::optional<Rate>& other) {
  return other && (!one || other->gives_more_than(*one)) ? other : one;
}

Result<std::optional<Rate>> rate_of(const std::string& name, json::Value scope) {
  const json::Value value = scope.find("rate");
  if (!value) {
    return std::nullopt;
  }
  const Result<Rate> rate = read_rate(value, "http.oauth.scopes.\"" + name + "\".rate");
  return rate ? Result<std::optional<Rate>>(*rate) : fail(rate.error());
}

// What a token for these servers alone has of a scope.
Grant narrowed(const Grant& grant, const std::vector<std::string>& servers) {
  Grant narrow = grant;
  narrow.servers.clear();
  std::ranges::copy_if(servers, std::back_inserter(narrow.servers), [&](const auto& server) {
    return grant.gives(server);
  });
  return narrow;
}

}  // namespace

Result<std::optional<OAuthRules>> OAuthRules::read(std::string_view settings_json) {
  const Result<json::Document> document = json::Document::parse_view(settings_json);
  const json::Value http = document ? document->root().find("http") : json::Value();
  if (!http) {
    return std::nullopt;
  }
  if (Result<void> known = check_members(http, "http", {"oauth", "forgetAfterDays", "rate"});
      !known) {
    return fail(std::move(known).error());
  }
  const json::Value oauth = http.find("oauth");
  if (!oauth) {
    return std::nullopt;
  }
  OAuthRules rules;
  if (Result<void> read = rules.read_oauth(oauth.raw()); !read) {
    return fail(std::move(read).error());
  }
  return std::optional(std::move(rules));
}

Result<std::chrono::days> OAuthRules::forget_after(std::string_view settings_json) {
  const Result<json::Document> document = json::Document::parse_view(settings_json);
  const json::Value value =
      document ? document->root().at({"http", "forgetAfterDays"}) : json::Value();
  if (!value) {
    return forget_after_default;
  }
  const std::int64_t days = value.as_int().value_or(0);
  if (days < 1 || days > forget_after_max.count()) {
    return wrong_setting("http.forgetAfterDays", "has to be a number of days from 1 to 3650");
  }
  return std::chrono::days(days);
}

Result<void> OAuthRules::read_oauth(std::string_view json) {
  const Result<json::Document> document = json::Document::parse_view(json);
  const json::Value oauth = document ? document->root() : json::Value();
  if (Result<void> known =
          check_members(oauth, "http.oauth", {"resource", "issuers", "audience", "scopes"});
      !known) {
    return known;
  }
  Result<std::string> resource = resource_of(oauth);
  if (!resource) {
    return fail(std::move(resource).error());
  }
  Result<std::vector<std::string>> issuers = issuers_of(oauth);
  if (!issuers) {
    return fail(std::move(issuers).error());
  }
  Result<std::vector<std::string>> audiences = texts(oauth.find("audience"), "http.oauth.audience");
  if (!audiences) {
    return fail(std::move(audiences).error());
  }
  resource_ = *std::move(resource);
  issuers_ = *std::move(issuers);
  audiences_ = *std::move(audiences);
  const json::Value scopes = oauth.find("scopes");
  if (!scopes.is_object() || scopes.size() == 0 || scopes.size() > scopes_max) {
    return wrong_setting(
        "http.oauth.scopes",
        "has to say what each scope gives, 1 to 100 of them: {\"mcp\": {}} gives all, "
        "{\"mcp:read\": {\"servers\": [\"docs\"], \"tools\": [\"get_*\"]}} some");
  }
  for (const json::Member member : scopes.members()) {
    Result<Grant> grant = grant_of(member.name(), member.value);
    if (!grant) {
      return fail(std::move(grant).error());
    }
    const Result<std::optional<Rate>> rate = rate_of(member.name(), member.value);
    if (!rate) {
      return fail(rate.error());
    }
    scopes_.push_back({.name = member.name(), .grant = *std::move(grant), .rate = *rate});
  }
  return {};
}

std::string OAuthRules::host() const {
  const Result<http::Url> url = http::parse_url(resource_);
  const std::string authority = url ? url->authority() : "";
  const std::size_t port = authority.rfind(':');
  const bool has_port = port != std::string::npos && authority.find(']', port) == std::string::npos;
  return has_port ? authority.substr(0, port) : authority;
}

// A token for one server's address is for that server, wherever it is sent.
OAuthRules::Given OAuthRules::give(const std::vector<std::string>& audiences,
                                   const std::vector<std::string>& scopes) const {
  bool is_for_all = false;
  std::vector<std::string> servers;
  for (const std::string& audience : audiences) {
    const bool is_ours = audience.starts_with(resource_);
    const std::string_view path =
        is_ours ? std::string_view(audience).substr(resource_.size()) : std::string_view();
    if (std::ranges::find(audiences_, audience) != audiences_.end() ||
        (is_ours && (path.empty() || path == "/" || path == tool_path))) {
      is_for_all = true;
    } else if (std::string server = server_of(path); !server.empty()) {
      servers.push_back(std::move(server));
    }
  }
  Given given{.is_for_us = is_for_all || !servers.empty(), .grants = {}};
  for (const Scope& scope : scopes_) {
    Grant grant = is_for_all ? scope.grant : narrowed(scope.grant, servers);
    const bool is_said = std::ranges::find(scopes, scope.name) != scopes.end();
    if (is_said && (is_for_all || !grant.servers.empty())) {
      given.grants.push_back(std::move(grant));
      given.rate = higher(given.rate, scope.rate);
    }
  }
  return given;
}

std::vector<std::string> OAuthRules::servers() const {
  std::vector<std::string> names;
  for (const Scope& scope : scopes_) {
    for (const std::string& name : scope.grant.servers) {
      if (std::ranges::find(names, name) == names.end()) {
        names.push_back(name);
      }
    }
  }
  return names;
}

std::vector<std::string> OAuthRules::scopes_for(std::string_view path) const {
  const std::string server = server_of(path);
  std::vector<std::string> names;
  for (const Scope& scope : scopes_) {
    if (server.empty() || scope.grant.gives(server)) {
      names.push_back(scope.name);
    }
  }
  return names;
}

bool OAuthRules::has_scope_for(std::string_view target) const {
  return !scopes_for(endpoint_path(target)).empty();
}

std::string OAuthRules::metadata(std::string_view target) const {
  const std::string_view path = endpoint_path(target);
  json::Writer out;
  out.begin_object().member("resource", resource_ + std::string(path));
  out.key("authorization_servers").begin_array();
  for (const std::string& issuer : issuers_) {
    out.string(issuer);
  }
  out.end_array().key("scopes_supported").begin_array();
  for (const std::string& scope : scopes_for(path)) {
    out.string(scope);
  }
  out.end_array().key("bearer_methods_supported").begin_array().string("header").end_array();
  return out.member("resource_name", "pi-mcp").end_object().take();
}

std::string OAuthRules::challenge(std::string_view target) const {
  const std::string_view path = endpoint_path(target);
  const std::vector<std::string> scopes = scopes_for(path);
  return "resource_metadata=\"" + resource_ + std::string(metadata_path) + std::string(path) +
         "\"" + (scopes.empty() ? "" : ", scope=\"" + text::join(scopes, " ") + "\"");
}

}  // namespace pi_mcp::access
