#include "access/key_set.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/base64.h"
#include "json/document.h"
#include "json/writer.h"

namespace pi_mcp::access {
namespace {

constexpr std::uint32_t depth_max = 32;
// RFC 7518 section 3.3 wants 2048 bits; more than 8192 take long to check.
constexpr std::size_t modulus_bytes_min = 256;
constexpr std::size_t modulus_bytes_max = 1024;
constexpr std::size_t exponent_bytes_max = 8;

struct Curve {
  std::string_view name;
  KeyKind kind;
  std::size_t coordinate_bytes;
};
constexpr std::array<Curve, 2> curves = {{
    {.name = "P-256", .kind = KeyKind::p256, .coordinate_bytes = 32},
    {.name = "P-384", .kind = KeyKind::p384, .coordinate_bytes = 48},
}};

// How many bytes a number has that may have zeros in front; 0: it is none.
std::size_t number_bytes(const std::string& base64url) {
  const std::string bytes = base64url_decoded(base64url).value_or("");
  const std::size_t first = bytes.find_first_not_of('\0');
  return first == std::string::npos ? 0 : bytes.size() - first;
}

// What the library is handed: these members alone, so nothing secret and nothing that it might
// understand in a way of its own.
struct PublicKey {
  KeyKind kind = KeyKind::rsa;
  std::string jwk;
};

std::optional<PublicKey> rsa_key(json::Value key) {
  const std::string modulus = key.find("n").string_or("");
  const std::string exponent = key.find("e").string_or("");
  const std::size_t bytes = number_bytes(modulus);
  const std::size_t exponent_bytes = number_bytes(exponent);
  if (bytes < modulus_bytes_min || bytes > modulus_bytes_max || exponent_bytes == 0 ||
      exponent_bytes > exponent_bytes_max) {
    return std::nullopt;
  }
  json::Writer out;
  out.begin_object().member("kty", "RSA").member("n", modulus).member("e", exponent).end_object();
  return PublicKey{.kind = KeyKind::rsa, .jwk = out.take()};
}

std::optional<PublicKey> curve_key(json::Value key) {
  const std::string name = key.find("crv").string_or("");
  const auto* const curve = std::ranges::find(curves, name, &Curve::name);
  const std::string x = key.find("x").string_or("");
  const std::string y = key.find("y").string_or("");
  if (curve == curves.end() ||
      base64url_decoded(x).value_or("").size() != curve->coordinate_bytes ||
      base64url_decoded(y).value_or("").size() != curve->coordinate_bytes) {
    return std::nullopt;
  }
  json::Writer out;
  out.begin_object().member("kty", "EC").member("crv", name);
  out.member("x", x).member("y", y).end_object();
  return PublicKey{.kind = curve->kind, .jwk = out.take()};
}

std::optional<PublicKey> public_key(json::Value key) {
  const json::Value type = key.find("kty");
  return type.equals("RSA") ? rsa_key(key) : type.equals("EC") ? curve_key(key) : std::nullopt;
}

// Section 4.2 and 4.3.
bool is_for_signatures(json::Value key) {
  const json::Value use = key.find("use");
  const json::Value operations = key.find("key_ops");
  bool may_verify = !operations;
  for (const json::Value each : operations.elements()) {
    may_verify = may_verify || each.equals("verify");
  }
  return (!use || use.equals("sig")) && may_verify;
}

}  // namespace

Result<KeySet> KeySet::parse(std::string_view text) {
  const Result<json::Document> document = json::Document::parse(
      std::string(text), {.depth_max = depth_max, .bytes_max = key_set_bytes_max});
  if (!document) {
    return fail(ErrorCode::protocol, "its keys are no JSON: " + document.error().message());
  }
  const json::Value keys = document->root().find("keys");
  if (!keys.is_array()) {
    return fail(ErrorCode::protocol, "its keys are no key set: there is no list \"keys\"");
  }
  if (keys.size() > key_set_keys_max) {
    return fail(ErrorCode::protocol, "it has more than 100 keys");
  }
  KeySet set;
  for (const json::Value each : keys.elements()) {
    const std::optional<PublicKey> key = is_for_signatures(each) ? public_key(each) : std::nullopt;
    std::shared_ptr<const VerifyingKey> imported = key ? VerifyingKey::import(key->jwk) : nullptr;
    if (imported) {
      set.keys_.push_back({.id = each.find("kid").string_or(""),
                           .algorithm = each.find("alg").string_or(""),
                           .kind = key->kind,
                           .key = std::move(imported)});
    }
  }
  if (set.keys_.empty()) {
    return fail(ErrorCode::protocol,
                "it has no key that can be used here: RSA of 2048 to 8192 bits, P-256 or P-384");
  }
  return set;
}

tl::expected<const VerifyingKey*, TokenFault> KeySet::choose(const Jwt& token) const {
  bool has_name = token.key_id.empty();
  const Key* chosen = nullptr;
  for (const Key& key : keys_) {
    if (!token.key_id.empty() && key.id != token.key_id) {
      continue;
    }
    has_name = true;
    const bool is_fit = key.kind == token.algorithm->kind &&
                        (key.algorithm.empty() || key.algorithm == token.algorithm->name);
    if (is_fit && chosen != nullptr) {
      return tl::unexpected(TokenFault::several_keys);
    }
    chosen = is_fit ? &key : chosen;
  }
  if (chosen == nullptr) {
    return tl::unexpected(has_name ? TokenFault::unfit_key : TokenFault::key);
  }
  return chosen->key.get();
}

}  // namespace pi_mcp::access
