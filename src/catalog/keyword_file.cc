#include "catalog/keyword_file.h"

#include <utility>

#include "base/log.h"
#include "catalog/cache_file.h"

namespace pi_mcp::catalog {

bool KeywordFile::refresh() {
  const std::optional<io::FileStamp> stamp = io::stamp_of(path_);
  if (std::exchange(is_read_, true) && stamp == stamp_) {
    return false;
  }
  const bool had_none = known_.empty();
  stamp_ = stamp;
  const Result<std::optional<std::string>> text = io::read_file(path_, keyword_file_bytes_max);
  if (!text) {
    log::warning("the keywords of tools cannot be used: " + text.error().message());
  }
  known_ = text && *text ? read_keywords(**text) : Keywords();
  return !had_none || !known_.empty();
}

Result<void> KeywordFile::add(const Keywords& keywords) {
  Result<void> outcome;
  const auto change = [&](const std::string& old_text) -> std::optional<std::string> {
    Result<std::string> text = with_keywords(old_text, keywords);
    if (!text) {
      outcome = fail(std::move(text.error()).while_doing(path_));
      return std::nullopt;
    }
    return *std::move(text);
  };
  const Result<void> written = io::update_file(path_, change, cache_lock_wait_max);
  return written ? outcome : written;
}

}  // namespace pi_mcp::catalog
