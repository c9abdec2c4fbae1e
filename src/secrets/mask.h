// Hides secrets in configuration that is to be shown to a person. What is not plainly harmless is
// hidden: a value that cannot be read is a nuisance, a key in a screenshot is a loss. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/document.h"
#include "secrets/secrets.h"

namespace pi_mcp::secrets {

// What stands for a secret.
inline constexpr std::string_view masked = "***";

// A server entry (or any object) as JSON: values of env and headers, tokens, secrets in urls and
// arguments, whatever is called like a secret or looks like one. References such as ${TOKEN} are
// shown as written, without their defaults.
std::string mask_entry(json::Value entry);

// The value of one member of an entry, as JSON.
std::string mask_field(std::string_view key, json::Value value);

// Everything but references and the scheme of an authorization ("Bearer ").
std::string mask_literal(std::string_view text);

// A url: user information, keys in the query, and path segments that look like keys.
std::string mask_url(std::string_view url);

// Words of a command line, each masked where it or the word before says so.
std::vector<std::string> mask_arguments(const std::vector<std::string>& arguments);

// A command line or a line of a log: words are masked where they or what stands before them says
// so.
std::string mask_text(std::string_view text);

// Any JSON without these secrets in its strings; all else as written.
std::string mask_known(json::Value value, const Secrets& secrets);

// "token", "X-API-Key", "clientSecret": what holds a secret by its name.
[[nodiscard]] bool is_secret_name(std::string_view name);

// "ghp_16C7e42F292c6912E7710c838347Ae178B4a": what looks like a key, wherever it stands.
[[nodiscard]] bool looks_like_secret(std::string_view word);

}  // namespace pi_mcp::secrets
