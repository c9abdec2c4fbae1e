// SharedText: a piece of a longer text that keeps the whole alive. It is how the bytes of a
// server's result travel to the host without being copied.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace pi_mcp {

class SharedText {
 public:
  SharedText() = default;

  // Takes ownership of the whole text.
  explicit SharedText(std::string text) {
    auto owner = std::make_shared<const std::string>(std::move(text));
    view_ = *owner;
    owner_ = std::move(owner);
  }

  // `view` must lie inside what `owner` keeps alive, or in storage that lives as long as the
  // program (then `owner` may be null).
  SharedText(std::shared_ptr<const void> owner, std::string_view view)
      : owner_(std::move(owner)), view_(view) {}

  // A copy of its own, in one allocation: for small pieces of something that should not be kept.
  static SharedText copy(std::string_view text) {
    const std::shared_ptr<char[]> bytes = std::make_shared_for_overwrite<char[]>(text.size());
    if (!text.empty()) {
      std::memcpy(bytes.get(), text.data(), text.size());
    }
    return {bytes, std::string_view(bytes.get(), text.size())};
  }

  [[nodiscard]] std::string_view view() const { return view_; }
  [[nodiscard]] bool empty() const { return view_.empty(); }
  [[nodiscard]] std::size_t size() const { return view_.size(); }

  // A piece of this piece; same owner.
  [[nodiscard]] SharedText sub(std::size_t offset,
                               std::size_t count = std::string_view::npos) const {
    return {owner_, view_.substr(offset, count)};
  }

 private:
  std::shared_ptr<const void> owner_;
  std::string_view view_;
};

}  // namespace pi_mcp
