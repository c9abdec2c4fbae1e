#include "http/request_parser.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include "base/text.h"
#include "http/chunked_body.h"

namespace pi_mcp::http {

namespace http = boost::beast::http;
using boost::beast::error_code;
using boost::beast::string_view;

namespace status {
constexpr int bad_request = 400;
constexpr int too_large = 413;
constexpr int target_too_long = 414;
constexpr int head_too_large = 431;
constexpr int other_version = 505;
}  // namespace status

// Beast calls these as it finds the parts of a head.
class RequestParser::Reader final : public http::basic_parser<true> {
 public:
  Reader() {
    constexpr std::size_t headers_usual = 12;
    head.headers.reserve(headers_usual);
  }

  RequestHead head;
  int version = 0;  // 11

 private:
  void on_request_impl(http::verb /*verb*/,
                       string_view method,
                       string_view target,
                       int of_line,
                       error_code& /*error*/) override {
    head.method = std::string(method);
    head.target = std::string(target);
    version = of_line;
  }
  void on_response_impl(int /*code*/,
                        string_view /*reason*/,
                        int /*version*/,
                        error_code& /*error*/) override {}
  void on_field_impl(http::field /*field*/,
                     string_view name,
                     string_view value,
                     error_code& /*error*/) override {
    head.headers.push_back({.name = std::string(name), .value = std::string(value)});
  }
  void on_header_impl(error_code& /*error*/) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>& /*length*/,
                         error_code& /*error*/) override {}
  // Bodies are read below.
  std::size_t on_body_impl(string_view /*bytes*/, error_code& /*error*/) override { return 0; }
  void on_chunk_header_impl(std::uint64_t /*size*/,
                            string_view /*extensions*/,
                            error_code& /*error*/) override {}
  std::size_t on_chunk_body_impl(std::uint64_t /*remain*/,
                                 string_view /*bytes*/,
                                 error_code& /*error*/) override {
    return 0;
  }
  void on_finish_impl(error_code& /*error*/) override {}
};

namespace {

using Fed = tl::expected<void, Refusal>;

tl::unexpected<Refusal> refuse(int status, std::string why) {
  return tl::unexpected(Refusal{.status = status, .why = std::move(why)});
}

constexpr bool is_visible(char c) {
  return c > ' ' && c < '\x7f';
}

// What Beast would take and another program would read in another way.
std::optional<Refusal> odd_lines(std::string_view head) {
  const auto odd = [](std::string why) {
    return std::optional(Refusal{.status = status::bad_request, .why = std::move(why)});
  };
  for (std::size_t at = 0; at < head.size();) {
    const std::size_t end = head.find('\n', at);
    const std::string_view line = head.substr(at, end - at);
    if (!line.ends_with('\r')) {
      return odd("a line of the head does not end with CR LF");
    }
    const std::string_view text = line.substr(0, line.size() - 1);
    if (text.find('\r') != std::string_view::npos || text.find('\0') != std::string_view::npos) {
      return odd("a line of the head has CR or NUL in it");
    }
    if (at > 0 && (text.starts_with(' ') || text.starts_with('\t'))) {
      return odd("a line of the head begins with a space");
    }
    at = end + 1;
  }
  return std::nullopt;
}

std::optional<Refusal> odd_framing(const RequestHead& head, bool is_1_1) {
  const auto odd = [](std::string why) {
    return std::optional(Refusal{.status = status::bad_request, .why = std::move(why)});
  };
  const std::vector<std::string_view> lengths = find_headers(head.headers, "content-length");
  const std::vector<std::string_view> codings = find_headers(head.headers, "transfer-encoding");
  if (lengths.size() > 1) {
    return odd("Content-Length comes more than once");
  }
  if (!codings.empty() && (!lengths.empty() || !is_1_1 || codings.size() > 1 ||
                           text::lower(codings.front()) != "chunked")) {
    return odd(
        "Transfer-Encoding has to be \"chunked\", once, in HTTP/1.1 and without "
        "Content-Length");
  }
  if (find_headers(head.headers, "host").size() != 1 && is_1_1) {
    return odd("Host has to come once");
  }
  if (!head.target.starts_with('/') || !std::ranges::all_of(head.target, is_visible)) {
    return odd("the target has to be a path, \"/mcp\"");
  }
  return std::nullopt;
}

}  // namespace

struct RequestParser::State {
  explicit State(RequestLimits given) : limits(given) {}

  Fed advance();
  Fed take_head();
  Fed read_head(std::string_view text);
  Fed take_body();
  [[nodiscard]] Refusal too_large() const;

  RequestLimits limits;
  std::string unread;        // bytes that are not yet used
  std::size_t searched = 0;  // of them, without the end of a head
  RequestHead head;
  bool has_head = false;
  bool is_done = false;
  std::string body;
  std::size_t left = 0;                // of a body of known length
  std::optional<ChunkedBody> chunked;  // else
};

namespace {

// Behind the empty line that ends a head; npos: it is not here. `from`: searched so far.
std::size_t head_end(std::string_view bytes, std::size_t from) {
  constexpr std::string_view empty = "\n\r\n";
  constexpr std::string_view bare = "\n\n";  // to be refused without waiting for more
  const std::size_t begin = from < empty.size() ? 0 : from - empty.size();
  const std::size_t end = bytes.find(empty, begin);
  const std::size_t odd = bytes.find(bare, begin);
  if (end == std::string_view::npos && odd == std::string_view::npos) {
    return std::string_view::npos;
  }
  return std::min(end == std::string_view::npos ? end : end + empty.size(),
                  odd == std::string_view::npos ? odd : odd + bare.size());
}

Refusal broken_chunks(ChunkedBody::Broken broken) {
  using enum ChunkedBody::Broken;
  return {.status = broken == line_too_long ? status::head_too_large : status::bad_request,
          .why = broken == line_too_long ? "a chunk's extension, or the trailer, is too large"
                                         : "the chunks of the body are broken"};
}

}  // namespace

Refusal RequestParser::State::too_large() const {
  return {.status = status::too_large,
          .why = "the body is larger than " + text::size_text(limits.body_bytes_max)};
}

// Of a whole head: Beast reads one in pieces in another way.
Fed RequestParser::State::read_head(std::string_view text) {
  Reader reader;
  reader.header_limit(static_cast<std::uint32_t>(limits.head_bytes_max));
  reader.body_limit(boost::none);
  reader.eager(false);
  error_code error;
  (void)reader.put(boost::asio::const_buffer(text.data(), text.size()), error);
  if (error == http::error::bad_version) {
    return refuse(status::other_version, "this server speaks HTTP/1.1");
  }
  if (error || !reader.is_header_done()) {
    return refuse(status::bad_request, "this is not HTTP/1.1: " + error.message());
  }
  constexpr int http_1_1 = 11;
  constexpr int http_1_0 = 10;
  if (reader.version != http_1_1 && reader.version != http_1_0) {
    return refuse(status::other_version, "this server speaks HTTP/1.1");
  }
  if (std::optional<Refusal> odd = odd_framing(reader.head, reader.version == http_1_1)) {
    return tl::unexpected(*std::move(odd));
  }
  head = std::move(reader.head);
  head.is_1_1 = reader.version == http_1_1;
  head.keeps_alive = reader.keep_alive();
  head.expects_continue = text::lower(head.find("expect")) == "100-continue";
  if (reader.chunked()) {
    chunked.emplace(ChunkedBody::Limits{.body_bytes_max = limits.body_bytes_max,
                                        .trailer_bytes_max = limits.head_bytes_max});
  } else if (const auto length = reader.content_length(); length) {
    if (*length > limits.body_bytes_max) {
      return tl::unexpected(too_large());
    }
    left = static_cast<std::size_t>(*length);
  }
  has_head = true;
  return {};
}

Fed RequestParser::State::take_head() {
  // An empty line before a request is passed over (RFC 9112, 2.2).
  while (unread.starts_with("\r\n")) {
    unread.erase(0, 2);
    searched = 0;
  }
  const std::size_t end = head_end(unread, searched);
  const bool is_whole = end != std::string::npos;
  const std::string_view line = std::string_view(unread).substr(0, unread.find('\n'));
  if (line.size() > limits.target_bytes_max) {
    return refuse(status::target_too_long,
                  "the target is longer than " + text::size_text(limits.target_bytes_max));
  }
  if ((is_whole ? end : unread.size()) > limits.head_bytes_max) {
    return refuse(status::head_too_large,
                  "the head is larger than " + text::size_text(limits.head_bytes_max));
  }
  searched = unread.size();
  if (!is_whole) {
    return {};
  }
  const std::string_view text = std::string_view(unread).substr(0, end);
  if (std::optional<Refusal> odd = odd_lines(text)) {
    return tl::unexpected(*std::move(odd));
  }
  Fed read = read_head(text);
  unread.erase(0, end);
  searched = 0;
  return read;
}

Fed RequestParser::State::take_body() {
  if (chunked) {
    const tl::expected<bool, ChunkedBody::Broken> whole = chunked->take(unread, body);
    if (!whole) {
      return tl::unexpected(whole.error() == ChunkedBody::Broken::body_too_large
                                ? too_large()
                                : broken_chunks(whole.error()));
    }
    is_done = *whole;
    return {};
  }
  const std::size_t count = std::min(left, unread.size());
  body.append(unread, 0, count);
  unread.erase(0, count);
  left -= count;
  is_done = left == 0;
  return {};
}

Fed RequestParser::State::advance() {
  if (!has_head) {
    if (Fed taken = take_head(); !taken || !has_head) {
      return taken;
    }
  }
  return is_done ? Fed() : take_body();
}

RequestParser::RequestParser(RequestLimits limits) : state_(std::make_unique<State>(limits)) {}
RequestParser::~RequestParser() = default;

tl::expected<void, Refusal> RequestParser::feed(std::string_view bytes) {
  state_->unread += bytes;
  return done() ? Fed() : state_->advance();
}

tl::expected<void, Refusal> RequestParser::begin_next() {
  std::string unread = std::move(state_->unread);
  *state_ = State(state_->limits);
  state_->unread = std::move(unread);
  return state_->unread.empty() ? Fed() : state_->advance();
}

bool RequestParser::is_idle() const {
  return !state_->has_head && state_->unread.empty();
}

bool RequestParser::head_done() const {
  return state_->has_head;
}

bool RequestParser::done() const {
  return state_->is_done;
}

const RequestHead& RequestParser::head() const {
  return state_->head;
}

RequestHead RequestParser::take_head() {
  return std::exchange(state_->head, {});
}

const std::string& RequestParser::body() const {
  return state_->body;
}

std::string RequestParser::take_body() {
  return std::exchange(state_->body, {});
}

std::size_t RequestParser::ahead() const {
  return done() ? state_->unread.size() : 0;
}

void RequestParser::release_memory() {
  if (state_->unread.empty()) {
    std::string().swap(state_->unread);
  }
}

}  // namespace pi_mcp::http
