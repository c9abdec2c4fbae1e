#include "tool/consent/trust_file.h"

#include <utility>

#include "io/files/file.h"

namespace pi_mcp::tool {

Result<std::string> TrustFile::read() const {
  Result<std::optional<std::string>> text = io::read_file(path_, trust_file_bytes_max);
  if (!text) {
    return fail(std::move(text.error()));
  }
  return std::move(*text).value_or("");
}

Result<void> TrustFile::update(const Change& change) const {
  std::optional<Error> refusal;
  const auto guarded = [&](const std::string& old_text) -> std::optional<std::string> {
    Result<std::string> text = change(old_text);
    if (!text) {
      refusal = std::move(text.error()).while_doing(path_);
      return std::nullopt;
    }
    return *text == old_text ? std::nullopt : std::optional(*std::move(text));
  };
  Result<void> written = io::update_file(path_, guarded, trust_lock_wait_max);
  if (written && refusal) {
    return fail(*std::move(refusal));
  }
  return written;
}

}  // namespace pi_mcp::tool
