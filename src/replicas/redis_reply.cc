#include "replicas/redis_reply.h"

#include <hiredis/read.h>

#include "base/text.h"

namespace pi_mcp::replicas {
namespace {

RedisReply* reply(RedisReply::Kind kind, std::string text = {}, std::int64_t number = 0) {
  // hiredis owns it and gives it back by next(), or to free_reply().
  return new RedisReply{.kind = kind, .text = std::move(text), .number = number};
}

void* make_text(const redisReadTask* task, char* text, std::size_t length) {
  const bool is_error = task->type == REDIS_REPLY_ERROR;
  return reply(is_error ? RedisReply::Kind::error : RedisReply::Kind::text, {text, length});
}

void* make_list(const redisReadTask* /*task*/, int /*elements*/) {
  return nullptr;  // a length of a thousand million would be memory for all of them
}

void* make_number(const redisReadTask* /*task*/, long long number) {
  return reply(RedisReply::Kind::number, {}, number);
}

void* make_nothing(const redisReadTask* /*task*/) {
  return reply(RedisReply::Kind::nothing);
}

void free_reply(void* made) {
  delete static_cast<RedisReply*>(made);
}

redisReplyObjectFunctions functions{.createString = make_text,
                                    .createArray = make_list,
                                    .createInteger = make_number,
                                    .createNil = make_nothing,
                                    .freeObject = free_reply};

Error not_redis(std::string_view why) {
  return Error(ErrorCode::protocol,
               "what it says is not the protocol of Redis (" + std::string(why) + ")");
}

}  // namespace

std::string redis_command(std::initializer_list<std::string_view> words) {
  std::string out = "*" + std::to_string(words.size()) + "\r\n";
  for (const std::string_view word : words) {
    out.append("$").append(std::to_string(word.size())).append("\r\n").append(word).append("\r\n");
  }
  return out;
}

void RedisReader::Free::operator()(redisReader* reader) const {
  redisReaderFree(reader);
}

RedisReader::RedisReader(std::size_t reply_bytes_max)
    : reply_bytes_max_(reply_bytes_max), reader_(redisReaderCreateWithFunctions(&functions)) {}

RedisReader::~RedisReader() = default;

Result<void> RedisReader::feed(std::string_view bytes) {
  if (!reader_ || redisReaderFeed(reader_.get(), bytes.data(), bytes.size()) != REDIS_OK) {
    return fail(not_redis("it cannot be read"));
  }
  return {};
}

Result<std::optional<RedisReply>> RedisReader::next() {
  void* made = nullptr;
  if (redisReaderGetReply(reader_.get(), &made) != REDIS_OK) {
    return fail(not_redis(reader_->errstr));
  }
  const std::unique_ptr<RedisReply> found(static_cast<RedisReply*>(made));
  if (!found && reader_->len - reader_->pos > reply_bytes_max_) {
    return fail(not_redis("a reply of more than " + text::size_text(reply_bytes_max_)));
  }
  return found ? std::optional(std::move(*found)) : std::nullopt;
}

}  // namespace pi_mcp::replicas
