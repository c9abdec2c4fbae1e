// Whose tokens let in whom, and what for: `settings.http.oauth`. And what clients are told of it
// (RFC 9728, RFC 6750; MCP 2026-07-28 basic/authorization). Pure.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "access/principal.h"
#include "access/rate.h"
#include "base/result.h"

namespace pi_mcp::access {

class OAuthRules {
 public:
  static constexpr std::size_t issuers_max = 16;
  static constexpr std::size_t scopes_max = 100;
  static constexpr std::chrono::days forget_after_default{90};
  static constexpr std::chrono::days forget_after_max{3650};
  static constexpr std::string_view metadata_path = "/.well-known/oauth-protected-resource";

  // Of the merged settings, JSON. nullopt: there is nothing of it in them. invalid_argument names
  // the key: what it was to restrict would be unknown, so nothing of it counts.
  static Result<std::optional<OAuthRules>> read(std::string_view settings_json);
  // How long what is kept for somebody outlives their last visit: `settings.http.forgetAfterDays`.
  // invalid_argument: it is none.
  static Result<std::chrono::days> forget_after(std::string_view settings_json);

  // The origin that clients reach us at.
  [[nodiscard]] const std::string& resource() const { return resource_; }
  // Its host, as a Host header has it.
  [[nodiscard]] std::string host() const;
  [[nodiscard]] const std::vector<std::string>& issuers() const { return issuers_; }

  struct Given {
    bool is_for_us = false;     // by its audiences
    std::vector<Grant> grants;  // empty: no scope of it gives anything
    // The highest of those scopes that have one.
    std::optional<Rate> rate = std::nullopt;
  };
  [[nodiscard]] Given give(const std::vector<std::string>& audiences,
                           const std::vector<std::string>& scopes) const;
  // Servers that scopes name.
  [[nodiscard]] std::vector<std::string> servers() const;

  // `target`: of a request; what is no MCP endpoint means all of them.

  // The metadata document that tells a client where to log in for it.
  [[nodiscard]] std::string metadata(std::string_view target) const;
  // What WWW-Authenticate says beside an error: resource_metadata="…", scope="…".
  [[nodiscard]] std::string challenge(std::string_view target) const;
  // Whether more scopes could open it.
  [[nodiscard]] bool has_scope_for(std::string_view target) const;
  bool operator==(const OAuthRules&) const = default;

 private:
  struct Scope {
    std::string name;
    Grant grant;
    std::optional<Rate> rate;
    bool operator==(const Scope&) const = default;
  };
  [[nodiscard]] Result<void> read_oauth(std::string_view json);
  [[nodiscard]] std::vector<std::string> scopes_for(std::string_view path) const;

  std::string resource_;
  std::vector<std::string> issuers_;
  std::vector<std::string> audiences_;  // besides our own addresses
  std::vector<Scope> scopes_;
};

}  // namespace pi_mcp::access
