#include "auth/metadata.h"

#include <algorithm>
#include <utility>

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
    return fail(ErrorCode::protocol, "the answer is no JSON object");
  }
  return document;
}

Result<void> check_endpoints(const ServerMetadata& metadata, const Url& server) {
  using Endpoint = std::pair<std::string_view, const std::string*>;
  for (const auto& [name, url] :
       {Endpoint{"token_endpoint", &metadata.token_endpoint},
        Endpoint{"authorization_endpoint", &metadata.authorization_endpoint},
        Endpoint{"registration_endpoint", &metadata.registration_endpoint},
        Endpoint{"revocation_endpoint", &metadata.revocation_endpoint}}) {
    if (!url->empty() && !is_allowed_endpoint(*url, server)) {
      return fail(ErrorCode::protocol,
                  "its " + std::string(name) +
                      " is no https address; credentials are sent over "
                      "plain http only between programs of one machine");
    }
  }
  if (metadata.token_endpoint.empty()) {
    return fail(ErrorCode::protocol, "it names no token_endpoint");
  }
  return {};
}

Result<void> check_issuer(std::string_view named, std::string_view asked, IssuerRule rule) {
  const auto same_origin = [&] {
    const Result<Url> a = parse_url(named);
    const Result<Url> b = parse_url(asked);
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

}  // namespace

bool is_allowed_endpoint(std::string_view url, const Url& server) {
  const Result<Url> parsed = parse_url(url);
  return parsed && parsed->user_info.empty() &&
         (parsed->is_secure() || (is_loopback_host(parsed->host) && is_loopback_host(server.host)));
}

std::vector<std::string> resource_metadata_urls(const Url& server) {
  const std::string root = server.origin() + "/.well-known/oauth-protected-resource";
  const std::string path = without_trailing_slash(server.path);
  std::vector<std::string> urls;
  if (!path.empty()) {
    urls.push_back(root + path + server.query);
  }
  urls.push_back(root);
  return urls;
}

Result<ResourceMetadata> parse_resource_metadata(std::string_view body, const Url& server) {
  const Result<json::Document> document = parse(body);
  if (!document) {
    return fail(document.error());
  }
  const json::Value root = document->root();
  ResourceMetadata metadata;
  metadata.resource = root.find("resource").string_or("");
  metadata.authorization_servers = text_list(root.find("authorization_servers"));
  metadata.scopes_supported = text_list(root.find("scopes_supported"));
  const Result<Url> resource = parse_url(metadata.resource);
  if (!resource || metadata.resource.find('#') != std::string::npos ||
      resource->origin() != server.origin() || !is_path_prefix(resource->path, server.path)) {
    return fail(ErrorCode::protocol,
                "it is about the resource \"" + metadata.resource + "\", which is not this server");
  }
  if (metadata.authorization_servers.empty()) {
    return fail(ErrorCode::protocol, "it names no authorization_servers");
  }
  return metadata;
}

Result<std::vector<std::string>> server_metadata_urls(std::string_view issuer) {
  const Result<Url> url = parse_url(issuer);
  if (!url || issuer.find_first_of("?#") != std::string_view::npos) {
    return fail(ErrorCode::invalid_argument,
                "the issuer \"" + std::string(issuer) + "\" is no URL");
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
                                             const Url& server) {
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
  if (auto checked = check_endpoints(metadata, server); !checked) {
    return fail(std::move(checked).error());
  }
  // Real servers leave the list out and do S256 all the same; one that has it without S256 cannot.
  if (metadata.says_pkce && !metadata.has_s256) {
    return fail(ErrorCode::protocol, "it does not support PKCE with S256");
  }
  return metadata;
}

ServerMetadata fixed_endpoints(const Url& server) {
  const std::string origin = server.origin();
  ServerMetadata metadata;
  metadata.issuer = origin;
  metadata.authorization_endpoint = origin + "/authorize";
  metadata.token_endpoint = origin + "/token";
  metadata.registration_endpoint = origin + "/register";
  return metadata;
}

}  // namespace pi_mcp::auth
