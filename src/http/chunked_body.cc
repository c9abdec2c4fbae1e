#include "http/chunked_body.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

namespace pi_mcp::http {
namespace {

constexpr std::string_view line_end = "\r\n";

}  // namespace

// What is read of the bytes that are here.
struct ChunkedBody::Cut {
  std::string_view rest;

  // The next line without its end; nullopt: it is not all here. An error: it is longer than that,
  // or does not end with CR LF.
  tl::expected<std::optional<std::string_view>, Broken> line(std::size_t bytes_max) {
    const std::size_t end = rest.substr(0, bytes_max).find('\n');
    if (end == std::string_view::npos) {
      if (rest.size() >= bytes_max) {
        return tl::unexpected(Broken::line_too_long);
      }
      return std::optional<std::string_view>();
    }
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    if (!line.ends_with('\r') || line.find('\r') + 1 != line.size()) {
      return tl::unexpected(Broken::line_end);
    }
    return std::optional(line.substr(0, line.size() - 1));
  }
};

tl::expected<bool, ChunkedBody::Broken> ChunkedBody::take_size(Cut& cut, const std::string& body) {
  const auto line = cut.line(size_line_bytes_max);
  if (!line || !*line) {
    return line ? tl::expected<bool, Broken>(false) : tl::unexpected(line.error());
  }
  const std::string_view text = **line;
  std::size_t size = 0;
  constexpr int hexadecimal = 16;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), size, hexadecimal);
  const auto digits = static_cast<std::size_t>(end - text.data());
  const std::string_view rest = text.substr(digits);
  if (error == std::errc::result_out_of_range) {
    return tl::unexpected(Broken::body_too_large);
  }
  if (error != std::errc() ||
      (!rest.empty() && rest.front() != ';' && rest.front() != ' ' && rest.front() != '\t')) {
    return tl::unexpected(Broken::size_line);
  }
  if (size > limits_.body_bytes_max - body.size()) {
    return tl::unexpected(Broken::body_too_large);
  }
  left_ = size;
  at_ = size == 0 ? At::trailer : At::data;
  return true;
}

tl::expected<bool, ChunkedBody::Broken> ChunkedBody::take_trailer(Cut& cut) {
  const std::size_t before = cut.rest.size();
  const auto line = cut.line(limits_.trailer_bytes_max - trailer_bytes_);
  if (!line || !*line) {
    return line ? tl::expected<bool, Broken>(false) : tl::unexpected(line.error());
  }
  trailer_bytes_ += before - cut.rest.size();
  at_ = (*line)->empty() ? At::end : At::trailer;
  return true;
}

// False: more bytes are needed to go on.
tl::expected<bool, ChunkedBody::Broken> ChunkedBody::step(Cut& cut, std::string& body) {
  switch (at_) {
    case At::size:
      return take_size(cut, body);
    case At::data: {
      const std::size_t count = std::min(left_, cut.rest.size());
      body += cut.rest.substr(0, count);
      cut.rest.remove_prefix(count);
      left_ -= count;
      at_ = left_ == 0 ? At::data_end : At::data;
      return left_ == 0;
    }
    case At::data_end:
      if (cut.rest.size() < line_end.size()) {
        return line_end.starts_with(cut.rest) ? tl::expected<bool, Broken>(false)
                                              : tl::unexpected(Broken::data_end);
      }
      if (!cut.rest.starts_with(line_end)) {
        return tl::unexpected(Broken::data_end);
      }
      cut.rest.remove_prefix(line_end.size());
      at_ = At::size;
      return true;
    case At::trailer:
      return take_trailer(cut);
    case At::end:
      return false;
  }
  return false;
}

tl::expected<bool, ChunkedBody::Broken> ChunkedBody::take(std::string& unread, std::string& body) {
  Cut cut{.rest = unread};
  for (;;) {
    const tl::expected<bool, Broken> goes_on = step(cut, body);
    if (!goes_on) {
      return goes_on;
    }
    if (!*goes_on) {
      break;
    }
  }
  unread.erase(0, unread.size() - cut.rest.size());
  return at_ == At::end;
}

}  // namespace pi_mcp::http
