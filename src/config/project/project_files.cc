#include "config/project/project_files.h"

#include <utility>

#include "base/text.h"

namespace pi_mcp::config {

Result<std::optional<std::string>> ProjectFiles::read_regular(const std::string& path) const {
  constexpr std::size_t looked_at_max = 8 * strangers_bytes_max;
  constexpr std::size_t looked_for_max = 2000;  // paths
  if (const auto known = seen_.find(path); known != seen_.end()) {
    return known->second;
  }
  const auto too_much = [&path] {
    return fail(ErrorCode::io,
                path + ": with it the project's files are larger than " +
                    text::size_text(strangers_bytes_max));
  };
  if (looked_at_ > looked_at_max || seen_.size() >= looked_for_max) {
    return is_file(path) ? Result<std::optional<std::string>>(too_much()) : std::nullopt;
  }
  Result<std::optional<std::string>> text = ForwardedFiles::read_regular(path);
  const bool is_too_large = !text && is_file(path);
  const std::size_t size = is_too_large ? strangers_bytes_max : text && *text ? (*text)->size() : 0;
  looked_at_ += size;
  if (text && size > strangers_bytes_max - taken_) {
    text = too_much();
  } else if (text) {
    taken_ += size;
  }
  return seen_.emplace(path, std::move(text)).first->second;
}

}  // namespace pi_mcp::config
