// The protocol of Redis (RESP2), as far as the commands of store.h need it: commands out, replies
// in. Pure; the reader is hiredis' own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

// NOLINTNEXTLINE(readability-identifier-naming): a name of hiredis
struct redisReader;

namespace pi_mcp::replicas {

std::string redis_command(std::initializer_list<std::string_view> words);

struct RedisReply {
  enum class Kind : std::uint8_t { nothing, text, number, error };
  Kind kind = Kind::nothing;
  std::string text;         // of a text or an error
  std::int64_t number = 0;  // of a number
};

class RedisReader {
 public:
  // Of one reply. Logins are the longest, but for lists, which have a connection of their own.
  static constexpr std::size_t reply_bytes_default = std::size_t{512} << 10U;

  explicit RedisReader(std::size_t reply_bytes_max = reply_bytes_default);
  RedisReader(const RedisReader&) = delete;
  RedisReader& operator=(const RedisReader&) = delete;
  ~RedisReader();

  // protocol: what came is no RESP, has a list in it, which no command of ours asks for, or is too
  // long; nothing may be fed afterwards.
  Result<void> feed(std::string_view bytes);
  // The next reply, nullopt: more bytes have to come. protocol: as above.
  Result<std::optional<RedisReply>> next();

 private:
  struct Free {
    void operator()(redisReader* reader) const;
  };
  std::size_t reply_bytes_max_;
  std::unique_ptr<redisReader, Free> reader_;
};

}  // namespace pi_mcp::replicas
