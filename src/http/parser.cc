#include "http/parser.h"

#include <algorithm>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include "base/text.h"

namespace pi_mcp::http {

namespace http = boost::beast::http;
using boost::beast::error_code;
using boost::beast::string_view;

// Beast calls these as it finds the parts of an answer.
class HttpParser::Reader final : public http::basic_parser<false> {
 public:
  Head head;
  std::string* body = nullptr;  // where body bytes go

 private:
  void on_request_impl(http::verb /*verb*/,
                       string_view /*method*/,
                       string_view /*target*/,
                       int /*version*/,
                       error_code& /*error*/) override {}
  void on_response_impl(int code,
                        string_view /*reason*/,
                        int /*version*/,
                        error_code& /*error*/) override {
    head.status = code;
  }
  void on_field_impl(http::field /*field*/,
                     string_view name,
                     string_view value,
                     error_code& /*error*/) override {
    if (!is_header_done()) {  // else it belongs to the trailer, not to the head
      head.headers.push_back({.name = std::string(name), .value = std::string(value)});
    }
  }
  void on_header_impl(error_code& /*error*/) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>& /*length*/,
                         error_code& /*error*/) override {}
  std::size_t on_body_impl(string_view bytes, error_code& /*error*/) override {
    body->append(bytes.data(), bytes.size());
    return bytes.size();
  }
  void on_chunk_header_impl(std::uint64_t /*size*/,
                            string_view /*extensions*/,
                            error_code& /*error*/) override {}
  std::size_t on_chunk_body_impl(std::uint64_t /*remain*/,
                                 string_view bytes,
                                 error_code& /*error*/) override {
    body->append(bytes.data(), bytes.size());
    return bytes.size();
  }
  void on_finish_impl(error_code& /*error*/) override {}
};

struct HttpParser::State {
  State(HttpBody what, Limits given) : body(what), limits(given) { restart(); }

  void restart() {
    reader = std::make_unique<Reader>();
    reader->eager(true);
    reader->body_limit(boost::none);
    reader->header_limit(static_cast<std::uint32_t>(limits.header_bytes_max));
    reader->skip(body == HttpBody::none);
  }

  // Whether an answer's `bytes` hold its whole head; the first `searched` of them do not end it.
  [[nodiscard]] Result<bool> has_head(std::string_view bytes, std::size_t searched) const;
  // Reads of `bytes`, and adds to `used` how many. False: more are needed to go on.
  Result<bool> step(std::string_view bytes, std::size_t searched, std::size_t& used);
  // `bytes` are those of `unread`, unless it was empty: then they are somebody else's.
  Result<void> keep_unread(std::string_view bytes, std::size_t used, bool was_empty);

  HttpBody body;
  Limits limits;
  std::unique_ptr<Reader> reader;
  std::string unread;  // bytes that the reader could not use yet
  int interim = 0;
  bool started = false;
};

namespace {

// Behind the first empty line at or after `from`; npos: there is none.
std::size_t head_end(std::string_view bytes, std::size_t from) {
  for (std::size_t line = bytes.find('\n', from); line != std::string_view::npos;
       line = bytes.find('\n', line + 1)) {
    const std::string_view next = bytes.substr(line + 1);
    if (next.starts_with('\n') || next.starts_with("\r\n")) {
      return bytes.find('\n', line + 1) + 1;
    }
  }
  return std::string_view::npos;
}

// What the parser waits for the end of in a body. Behind the size line of the last chunk comes the
// trailer.
std::string_view unfinished(std::string_view unread) {
  constexpr std::string_view line_end = "\r\n";
  if (unread.starts_with(line_end)) {
    unread.remove_prefix(line_end.size());  // of the chunk before
  }
  return unread.find(line_end) == std::string_view::npos ? "a chunk extension in its answer"
                                                         : "the trailer of its answer";
}

// Beast asserts that it sees the end of the chunks, "0" and two line ends, not in bits of that.
// What cannot become a line is for it to refuse.
bool may_become_last_chunk(std::string_view unread) {
  constexpr std::size_t last_chunk_bytes_min = 5;
  const std::string_view end = unread.substr(std::min(unread.find('\r'), unread.size()));
  return unread.starts_with('0') && unread.size() < last_chunk_bytes_min &&
         (end.size() < 2 || end[1] == '\n');
}

Error too_large(std::string_view what, const Limits& limits) {
  return {ErrorCode::protocol,
          std::string(what) + " is larger than " + text::size_text(limits.header_bytes_max)};
}

tl::unexpected<Error> not_http(std::string_view bytes) {
  constexpr char tls_alert = '\x15';  // the first byte of such a record
  return fail(ErrorCode::protocol,
              bytes.starts_with(tls_alert) ? "it speaks TLS there; is it an https:// address?"
                                           : "its answer is not HTTP/1.1; is this the right port?");
}

tl::unexpected<Error> describe(error_code error) {
  if (error == http::error::bad_version || error == http::error::bad_line_ending ||
      error == http::error::bad_status) {
    return not_http({});
  }
  return fail(ErrorCode::protocol, "its answer is broken HTTP: " + error.message());
}

}  // namespace

// Beast reads a head in pieces in another way than a whole one. It gets whole ones only, so that
// the same bytes are the same answer however they arrive.
Result<bool> HttpParser::State::has_head(std::string_view bytes, std::size_t searched) const {
  // Said at once: another protocol may wait for us with no line end in sight.
  constexpr std::string_view beginning = "HTTP/1.";
  const std::size_t seen = std::min(bytes.size(), beginning.size());
  if (bytes.substr(0, seen) != beginning.substr(0, seen)) {
    return not_http(bytes);
  }
  constexpr std::string_view last = "\r\n\r\n";
  const std::size_t end = head_end(bytes, searched < last.size() ? 0 : searched - last.size());
  const bool is_whole = end != std::string_view::npos;
  if ((is_whole ? end : bytes.size()) > limits.header_bytes_max) {
    return fail(too_large("the head of its answer", limits));
  }
  if (is_whole && !bytes.substr(0, end).ends_with(last)) {
    return not_http(bytes);
  }
  return is_whole;
}

Result<bool> HttpParser::State::step(std::string_view bytes,
                                     std::size_t searched,
                                     std::size_t& used) {
  constexpr int interim_max = 16;
  constexpr int ok = 200;
  constexpr int switching = 101;
  if (!reader->is_header_done()) {
    Result<bool> is_whole = has_head(bytes, searched);
    if (!is_whole || !*is_whole) {
      return is_whole;
    }
  }
  error_code error;
  const std::size_t count =
      reader->put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
  used += count;
  if (error && error != http::error::need_more) {
    return describe(error);
  }
  const int status = reader->head.status;
  if (!reader->is_done() || status >= ok || status == switching) {
    return !error && count > 0;
  }
  if (++interim > interim_max) {
    return fail(ErrorCode::protocol, "it sends interim answers without end");
  }
  std::string* const body_text = reader->body;
  restart();
  reader->body = body_text;
  return true;
}

Result<void> HttpParser::State::keep_unread(std::string_view bytes,
                                            std::size_t used,
                                            bool was_empty) {
  if (was_empty) {
    unread = bytes.substr(used);
  } else {
    unread.erase(0, used);  // from here on `bytes` views what may be gone
  }
  if (!reader->is_done() && unread.size() > limits.header_bytes_max) {
    return fail(too_large(unfinished(unread), limits));
  }
  return {};
}

HttpParser::HttpParser(HttpBody body, Limits limits)
    : state_(std::make_unique<State>(body, limits)) {}

HttpParser::~HttpParser() = default;

Result<void> HttpParser::feed(std::string_view bytes, std::string& body) {
  State& state = *state_;
  state.started = state.started || !bytes.empty();
  const std::size_t searched = state.unread.size();
  const bool was_empty = state.unread.empty();
  if (!was_empty) {
    state.unread += bytes;
    bytes = state.unread;
  }
  if (!was_empty && head_done() && may_become_last_chunk(bytes)) {
    return {};
  }
  std::size_t used = 0;
  state.reader->body = &body;
  bool wants_more = false;
  while (used < bytes.size() && !done() && !wants_more) {
    const Result<bool> goes_on = state.step(bytes.substr(used), used == 0 ? searched : 0, used);
    if (!goes_on) {
      return fail(goes_on.error());
    }
    wants_more = !*goes_on;
  }
  return state.keep_unread(bytes, used, was_empty);
}

Result<void> HttpParser::feed_end() {
  error_code error;
  if (!done() && head_done()) {
    state_->reader->put_eof(error);
  }
  if (error || !done()) {
    return fail(ErrorCode::unavailable,
                head_done() ? "the connection was closed in the middle of an answer"
                            : "the connection was closed before an answer came");
  }
  return {};
}

bool HttpParser::head_done() const {
  return state_->reader->is_header_done();
}

bool HttpParser::done() const {
  return state_->reader->is_done();
}

bool HttpParser::started() const {
  return state_->started;
}

const Head& HttpParser::head() const {
  return state_->reader->head;
}

bool HttpParser::keeps_alive() const {
  return state_->reader->keep_alive() && !state_->reader->need_eof();
}

bool HttpParser::has_rest() const {
  return !state_->unread.empty();
}

}  // namespace pi_mcp::http
