#include "auth/metadata.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "json/document.h"

namespace pi_mcp::auth {
namespace {

// Longer lists of scopes, issuers or methods are cut: nobody can read them, and they end in URLs.
constexpr std::size_t list_max = 200;

std::vector<std::string> text_list(json::Value list) {
  std::vector<std::string> texts;
  for (const json::Value element : list.elements()) {
    if (element.is_string() && texts.size() < list_max) {
      texts.push_back(element.string_or(""));
    }
  }
  return texts;
}

bool contains(const std::vector<std::string>& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

std::string without_trailing_slash(std::string path) {
  if (path.ends_with('/')) {
    path.pop_back();
  }
  return path;
}

// Whole segments: /a is a prefix of /a and /a/b, not of /ab.
bool is_path_prefix(const std::string& prefix, const std::string& path) {
  const std::string base = without_trailing_slash(prefix);
  return path == prefix || path == base || path.starts_with(base + "/");
}

Result<json::Document> parse(std::string_view body) {
  constexpr std::uint32_t depth_max = 32;
  Result<json::Document> document = json::Document::parse(
      std::string(body), {.depth_max = depth_max, .bytes_max = document_bytes_max});
  if (!document || !document->root().is_object()) {
    return fail(ErrorCode::protocol, "the answer is not a JSON object");
  }
  return document;
}

using Endpoint = std::pair<std::string_view, const std::string*>;

std::array<Endpoint, 5> endpoints_of(const ServerMetadata& metadata) {
  return {Endpoint{"token_endpoint", &metadata.token_endpoint},
          Endpoint{"authorization_endpoint", &metadata.authorization_endpoint},
          Endpoint{"registration_endpoint", &metadata.registration_endpoint},
          Endpoint{"revocation_endpoint", &metadata.revocation_endpoint},
          Endpoint{"device_authorization_endpoint", &metadata.device_endpoint}};
}

Result<void> check_endpoints(const ServerMetadata& metadata, const http::AddressRule& addresses) {
  for (const auto& [name, url] : endpoints_of(metadata)) {
    if (url->empty()) {
      continue;
    }
    if (Result<void> checked = http::check_named_url(*url, addresses); !checked) {
      return fail(std::move(checked).error().while_doing("its " + std::string(name)));
    }
  }
  if (metadata.token_endpoint.empty()) {
    return fail(ErrorCode::protocol, "it has no token_endpoint");
  }
  return {};
}

std::string origin_of(std::string_view url) {
  const Result<http::Url> parsed = http::parse_url(url);
  return parsed ? parsed->origin() : "";
}

Result<void> check_issuer(std::string_view named, std::string_view asked, IssuerRule rule) {
  const auto same_origin = [&] {
    const Result<http::Url> a = http::parse_url(named);
    const Result<http::Url> b = http::parse_url(asked);
    return a && b && a->origin() == b->origin();
  };
  const bool believed = named == asked || rule == IssuerRule::any ||
                        (rule == IssuerRule::same_origin && same_origin());
  if (!believed) {
    return fail(ErrorCode::protocol,
                "it says that its issuer is \"" + std::string(named) + "\" and not \"" +
                    std::string(asked) + "\", so it is not trusted");
  }
  return {};
}

// For two places that should be at one origin, each as `NAME is at ORIGIN` or `NAME at ORIGIN`.
tl::unexpected<Error> apart(const std::string& one, const std::string& other) {
  return fail(ErrorCode::protocol,
              "its " + one + " and its " + other +
                  ", and oauth.authServerMetadataUrl does not vouch for this issuer; if "
                  "both are to be trusted, set oauth.skipIssuerMetadataValidation to true");
}

}  // namespace

http::AddressRule address_rule(std::string_view server_url, const ClientSettings& settings) {
  http::AddressRule rule{.own_urls = {std::string(server_url)},
                         .private_hosts = settings.private_hosts};
  for (const std::string* url : {&settings.server_metadata_url,
                                 &settings.identity_provider.issuer,
                                 &settings.identity_provider.token_endpoint}) {
    if (!url->empty()) {
      rule.own_urls.push_back(*url);
    }
  }
  return rule;
}

http::Request metadata_request(std::string url, const std::string& protocol_version) {
  http::Request request;
  request.url = std::move(url);
  request.headers = {{.name = "Accept", .value = "application/json"}};
  if (!protocol_version.empty()) {
    request.headers.push_back({.name = "MCP-Protocol-Version", .value = protocol_version});
  }
  request.may_repeat = true;
  return request;
}

bool has_no_document(const http::Answer& answer) {
  constexpr int ok = 200;
  constexpr int redirect = 300;
  constexpr int server_error = 500;
  constexpr int bad_gateway = 502;  // of a broken proxy in front of nothing
  const int status = answer.head.status;
  // A page for people where a document should be: servers answer so for every unknown path.
  const bool is_page = status == ok && !text::trim(answer.body).starts_with('{');
  return is_page || (status >= redirect && status < server_error) || status == bad_gateway;
}

std::string canonical_resource(const http::Url& server) {
  return server.origin() + (server.target() == "/" ? "" : server.target());
}

bool may_carry_tokens(std::string_view url) {
  const Result<http::Url> parsed = http::parse_url(url);
  return parsed && parsed->user_info.empty() &&
         (parsed->is_secure() || http::place_of_host(parsed->host) == http::Place::this_machine);
}

std::vector<std::string> resource_metadata_urls(const http::Url& server) {
  const std::string root = server.origin() + "/.well-known/oauth-protected-resource";
  const std::string path = without_trailing_slash(server.path);
  std::vector<std::string> urls;
  if (!path.empty()) {
    urls.push_back(root + path + server.query);
  }
  urls.push_back(root);
  return urls;
}

Result<ResourceMetadata> parse_resource_metadata(std::string_view body, const http::Url& server) {
  const Result<json::Document> document = parse(body);
  if (!document) {
    return fail(document.error());
  }
  const json::Value root = document->root();
  ResourceMetadata metadata;
  metadata.resource = root.find("resource").string_or("");
  metadata.authorization_servers = text_list(root.find("authorization_servers"));
  metadata.scopes_supported = text_list(root.find("scopes_supported"));
  const Result<http::Url> resource = http::parse_url(metadata.resource);
  if (!resource || metadata.resource.find('#') != std::string::npos ||
      resource->origin() != server.origin() || !is_path_prefix(resource->path, server.path)) {
    return fail(ErrorCode::protocol,
                "it is about the resource \"" + metadata.resource + "\", which is not this server");
  }
  if (metadata.authorization_servers.empty()) {
    return fail(ErrorCode::protocol,
                "it has no authorization_servers; a token that you have for this server goes into "
                "\"bearerToken\" or \"headers\" of its entry");
  }
  return metadata;
}

Result<std::vector<std::string>> server_metadata_urls(std::string_view issuer) {
  const Result<http::Url> url = http::parse_url(issuer);
  if (!url || issuer.find_first_of("?#") != std::string_view::npos) {
    return fail(ErrorCode::invalid_argument,
                "the issuer \"" + std::string(issuer) + "\" is not a URL");
  }
  const std::string origin = url->origin();
  const std::string path = without_trailing_slash(url->path);
  std::vector<std::string> urls = {origin + "/.well-known/oauth-authorization-server" + path,
                                   origin + "/.well-known/openid-configuration" + path};
  if (!path.empty()) {
    urls.push_back(origin + path + "/.well-known/openid-configuration");
  }
  return urls;
}

Result<ServerMetadata> parse_server_metadata(std::string_view body,
                                             std::string_view issuer,
                                             IssuerRule rule,
                                             const http::AddressRule& addresses) {
  const Result<json::Document> document = parse(body);
  if (!document) {
    return fail(document.error());
  }
  const json::Value root = document->root();
  const json::Value pkce = root.find("code_challenge_methods_supported");
  ServerMetadata metadata;
  metadata.issuer = root.find("issuer").string_or("");
  metadata.authorization_endpoint = root.find("authorization_endpoint").string_or("");
  metadata.token_endpoint = root.find("token_endpoint").string_or("");
  metadata.registration_endpoint = root.find("registration_endpoint").string_or("");
  metadata.revocation_endpoint = root.find("revocation_endpoint").string_or("");
  metadata.device_endpoint = root.find("device_authorization_endpoint").string_or("");
  metadata.scopes_supported = text_list(root.find("scopes_supported"));
  metadata.token_auth_methods = text_list(root.find("token_endpoint_auth_methods_supported"));
  metadata.says_pkce = pkce.is_array();
  metadata.has_s256 = contains(text_list(pkce), "S256");
  metadata.accepts_client_metadata_url =
      root.find("client_id_metadata_document_supported").bool_or(false);
  metadata.sends_issuer =
      root.find("authorization_response_iss_parameter_supported").bool_or(false);
  if (auto checked = check_issuer(metadata.issuer, issuer, rule); !checked) {
    return fail(std::move(checked).error());
  }
  if (auto checked = check_endpoints(metadata, addresses); !checked) {
    return fail(std::move(checked).error());
  }
  return metadata;
}

Result<void> check_pkce(const ServerMetadata& metadata, bool assume_pkce) {
  if (metadata.has_s256 || (!metadata.says_pkce && assume_pkce)) {
    return {};
  }
  if (metadata.says_pkce) {
    return fail(ErrorCode::protocol, "it does not support PKCE with S256");
  }
  return fail(ErrorCode::protocol,
              "it does not say that it supports PKCE (code_challenge_methods_supported), without "
              "which a login can be stolen; ask its operator, or set oauth.assumePkce to true if "
              "you know that it does");
}

Result<void> check_configured_metadata(const ServerMetadata& metadata,
                                       std::string_view metadata_url,
                                       Grant grant) {
  const Result<http::Url> asked = http::parse_url(metadata_url);
  const Result<std::vector<std::string>> places = server_metadata_urls(metadata.issuer);
  if (asked && places && contains(*places, asked->text())) {
    return {};
  }
  const std::string issuer = origin_of(metadata.issuer);
  const bool asks_person =
      grant == Grant::authorization_code && !metadata.authorization_endpoint.empty();
  const std::string login =
      asks_person ? origin_of(metadata.authorization_endpoint) : origin_of(metadata.token_endpoint);
  const std::string login_place =
      (asks_person ? "authorization_endpoint at " : "token_endpoint at ") + login;
  for (const auto& [name, url] : endpoints_of(metadata)) {
    const std::string origin = origin_of(*url);
    const bool is_page = url == &metadata.authorization_endpoint;
    if (url->empty() || (is_page && !asks_person)) {
      continue;
    }
    const bool is_known = origin == issuer || (asked && origin == asked->origin());
    if (!is_known || origin != login) {
      return apart(std::string(name) + " is at " + origin,
                   origin == login ? "issuer at " + issuer : login_place);
    }
  }
  return {};
}

Result<void> check_metadata(const ServerMetadata& metadata,
                            const ClientSettings& settings,
                            bool has_code) {
  if (!settings.server_metadata_url.empty() && !settings.any_issuer) {
    Result<void> checked =
        check_configured_metadata(metadata, settings.server_metadata_url, settings.grant);
    if (!checked) {
      return checked;
    }
  }
  return settings.grant == Grant::authorization_code && has_code
             ? check_pkce(metadata, settings.assume_pkce)
             : Result<void>();
}

ServerMetadata fixed_endpoints(const http::Url& server) {
  const std::string origin = server.origin();
  ServerMetadata metadata;
  metadata.is_guessed = true;
  metadata.issuer = origin;
  metadata.authorization_endpoint = origin + "/authorize";
  metadata.token_endpoint = origin + "/token";
  metadata.registration_endpoint = origin + "/register";
  return metadata;
}

}  // namespace pi_mcp::auth
