#include "replicas/rate_store.h"

#include <chrono>

#include "base/digest.h"
#include "replicas/redis_reply.h"

namespace pi_mcp::replicas {
namespace {

constexpr std::string_view key_prefix = "pi-mcp:1:rate:";
constexpr std::size_t key_digits = 32;

// The key has when the bucket will be full, in microseconds of the store's own clock, which no
// replica has to share; it is gone once that is over. A minute more than an empty bucket wants is a
// clock that was set back. ARGV: microseconds between two requests, the burst, settle, want.
// Writing after TIME wants Redis 5.
constexpr std::string_view draw_script =
    "local t = redis.call('TIME') "
    "local now = t[1] * 1000000 + t[2] "
    "local gap, burst = tonumber(ARGV[1]), tonumber(ARGV[2]) "
    "local full = tonumber(redis.call('GET', KEYS[1]) or 0) or 0 "
    "full = math.max(now, math.min(full, now + burst * gap + 60000000)) + ARGV[3] * gap "
    "full = math.max(now, full) "
    "local has = math.floor(burst - (full - now) / gap) "
    "local given = math.max(0, math.min(tonumber(ARGV[4]), has)) "
    "full = full + given * gap "
    "redis.call('SET', KEYS[1], string.format('%.0f', full), 'PX', "
    "math.ceil((full - now) / 1000) + 1000) "
    "if given > 0 or has > 0 then return given end "
    "return -math.max(1, math.ceil((full - now - (burst - 1) * gap) / 1000))";

// Another rate is another bucket: tokens of one person may have several.
std::string key_of(std::string_view principal, const access::Rate& rate) {
  const std::string text = std::to_string(rate.gap().count()) + " " + std::to_string(rate.burst) +
                           " " + std::string(principal);
  return std::string(key_prefix) + sha256_hex(text).substr(0, key_digits);
}

}  // namespace

std::string draw_command(std::string_view principal,
                         const access::Rate& rate,
                         std::int64_t settle,
                         std::int64_t want) {
  const auto gap = std::chrono::duration_cast<std::chrono::microseconds>(rate.gap());
  return redis_command({"EVAL",
                        draw_script,
                        "1",
                        key_of(principal, rate),
                        std::to_string(gap.count()),
                        std::to_string(rate.burst),
                        std::to_string(settle),
                        std::to_string(want)});
}

}  // namespace pi_mcp::replicas
