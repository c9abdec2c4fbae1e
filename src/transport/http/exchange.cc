#include "transport/http/exchange.h"

#include <utility>

#include "base/text.h"
#include "json/document.h"
#include "secrets/mask.h"
#include "transport/http/session.h"

namespace pi_mcp::transport {
namespace {

constexpr std::size_t complaint_units_max = 300;

// The text of a JSON-RPC error, an OAuth error or the like; empty when there is none.
std::string message_in(std::string_view body) {
  const auto document = json::Document::parse(std::string(body));
  if (!document) {
    return {};
  }
  const json::Value root = document->root();
  for (const json::Value found : {root.at({"error", "message"}),
                                  root.find("error_description"),
                                  root.find("message"),
                                  root.find("detail"),
                                  root.find("error")}) {
    if (found.is_string()) {
      return found.string_or("");
    }
  }
  return {};
}

// How the body is packed, though we ask for it as it is; empty: not at all.
std::string packing_of(const http::Head& head) {
  const std::string_view encoding = head.find("content-encoding");
  return text::lower(encoding) == "identity" ? "" : text::printable_line(encoding);
}

// The first line of a text that is meant for people.
std::string first_line(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos || text[begin] == '<' || text[begin] == '{' ||
      text[begin] == '[') {
    return {};  // markup or JSON
  }
  text.remove_prefix(begin);
  return std::string(text.substr(0, text.find_first_of("\r\n")));
}

// An answer that we cannot use.
struct Useless {
  int status = 0;
  std::string type;
  std::string says;  // ": " and the server's words; empty: none
  std::string retry_after;
  bool has_challenge = false;
  bool was_endpoint = false;  // there has been a handshake at this url
  bool had_credentials = false;
  std::string path;  // that was asked
};

struct Complaint {
  ErrorCode code = ErrorCode::unavailable;
  std::string text;
  bool is_of_url = false;  // not the server but this url of it is at fault
};

std::string endpoint_hint(std::string_view path) {
  return path.ends_with("/mcp") || path.ends_with("/sse") ? "" : "; it often ends in /mcp or /sse";
}

Complaint refused_access(const Useless& answer) {
  const bool is_unknown = answer.status == 401;
  if (!is_unknown && !answer.has_challenge) {
    return {.code = ErrorCode::unavailable,
            .text = "it refuses this request (status 403)" +
                    (answer.says.empty() ? "; if it wants credentials, give it \"bearerToken\" or "
                                           "\"headers\" in its configuration"
                                         : answer.says)};
  }
  if (answer.had_credentials) {
    return {.code = ErrorCode::unauthorized,
            .text = "it refuses the credentials in its configuration (status " +
                    std::to_string(answer.status) + ")" + answer.says +
                    R"(; correct "bearerToken" or "headers" there)"};
  }
  return {.code = ErrorCode::unauthorized,
          .text = std::string(is_unknown ? "it wants credentials (status "
                                         : "it does not accept our credentials (status ") +
                  std::to_string(answer.status) + ")" + answer.says +
                  R"(; give it "bearerToken" or "headers" in its configuration, or log in)"};
}

Complaint busy(const Useless& answer) {
  const std::string& wanted = answer.retry_after;  // seconds or a date (RFC 9110, 10.2.3)
  const bool is_seconds = wanted.find_first_not_of("0123456789") == std::string::npos;
  const bool is_date = wanted.ends_with(" GMT");
  return {.code = ErrorCode::unavailable,
          .text = "the server is busy (status " + std::to_string(answer.status) + ")" +
                  answer.says +
                  (is_date                         ? "; it asks to try again after " + wanted
                   : is_seconds && !wanted.empty() ? "; it asks to try again in " + wanted + " s"
                                                   : "; try again later")};
}

Complaint complaint_of(const Useless& answer) {
  const int status = answer.status;
  const std::string number = std::to_string(status);
  if (status == 401 || status == 403) {
    return refused_access(answer);
  }
  if (is_busy_status(status)) {
    return busy(answer);
  }
  const bool is_page = answer.type == "text/html" || answer.type == "application/xhtml+xml";
  if (is_page && status < 500 && !answer.was_endpoint) {
    return {.code = ErrorCode::unavailable,
            .text = "it answers with a web page (status " + number +
                    "), so this url is no MCP endpoint" + endpoint_hint(answer.path),
            .is_of_url = true};
  }
  if (status == 404 && !answer.was_endpoint) {
    return {.code = ErrorCode::unavailable,
            .text = "there is no MCP endpoint at this url (status 404)" + answer.says +
                    endpoint_hint(answer.path),
            .is_of_url = true};
  }
  if (status == 405 && !answer.was_endpoint) {
    return {.code = ErrorCode::unavailable,
            .text = "it takes no MCP messages at this url (status 405)" + answer.says,
            .is_of_url = true};
  }
  if (status == 200) {
    return {.code = ErrorCode::protocol,
            .text = "its answer is neither JSON nor an event stream but " +
                    (answer.type.empty() ? "of no type" : text::printable(answer.type)) +
                    "; is this url an MCP endpoint?",
            .is_of_url = true};
  }
  return {.code = status >= 500 || status == 404 ? ErrorCode::unavailable : ErrorCode::protocol,
          .text = "it answers with status " + number + answer.says};
}

}  // namespace

HttpStep HttpExchange::take(HttpInput input, TimePoint now) {
  now_ = now;
  HttpStep step;
  if (const auto* head = std::get_if<http::Head>(&input)) {
    answer_ = {};
    answer_.status = head->status;
    answer_.type = head->content_type();
    answer_.retry_after = text::printable_line(head->find("retry-after").substr(0, 40));
    answer_.has_challenge = !head->find("www-authenticate").empty();
    answer_.packing = packing_of(*head);
    step.next = on_head(*head);
    if (!answer_.packing.empty() && !answer_.is_refusal &&
        std::holds_alternative<HttpRead>(step.next)) {
      step.next = on_error(session_->error(
          ErrorCode::protocol,
          "its answer is packed (Content-Encoding: " + answer_.packing +
              "), which was not asked for; perhaps a proxy in front of it does that"));
    }
  } else if (const auto* bytes = std::get_if<std::string_view>(&input)) {
    answer_.is_over = bytes->empty();
    step.next = answer_.events ? take_events(*bytes) : take_text(*bytes);
    step.is_part = !answer_.is_over && !answer_.is_refusal && has_answers() &&
                   (!answer_.events || answer_.events->goes_on());
  } else if (auto* error = std::get_if<Error>(&input)) {
    step.next = take_error(std::move(*error));
  } else {
    answer_ = {};
    step.next = go_on();
  }
  step.messages = std::exchange(messages_, {});
  return step;
}

HttpEnd HttpExchange::abort(Error why) {
  return has_ended_ ? HttpEnd() : end(std::move(why));
}

HttpEnd HttpExchange::end(std::optional<Error> error) {
  HttpEnd ended{.error = std::move(error), .reads_rest = false, .ends_link = false};
  has_ended_ = true;
  on_end(ended);
  return ended;
}

HttpRead HttpExchange::read_text(std::size_t bytes_max) {
  answer_.bytes_max = bytes_max;
  return {};
}

HttpRead HttpExchange::read_refusal() {
  answer_.is_refusal = true;
  return read_text(std::size_t{64} << 10U);
}

HttpRead HttpExchange::read_events(std::size_t bytes_max) {
  answer_.bytes_max = bytes_max;
  answer_.events.emplace(http::SseLimits{.event_bytes_max = session_->message_bytes_max});
  return {};
}

HttpNext HttpExchange::take_error(Error error) {
  if (answer_.events) {
    return on_events_over(std::move(error));
  }
  if (answer_.is_refusal) {
    answer_.text.clear();
    return on_text();
  }
  return on_error(std::move(error));
}

HttpNext HttpExchange::take_text(std::string_view bytes) {
  if (!answer_.packing.empty()) {
    return bytes.empty() ? on_text() : HttpRead();  // of a refusal, whose status says enough
  }
  if (answer_.text.size() + bytes.size() > answer_.bytes_max) {
    return take_error(session_->error(
        ErrorCode::protocol, "its answer is larger than " + text::size_text(answer_.bytes_max)));
  }
  answer_.text += bytes;
  return bytes.empty() ? on_text() : HttpRead();
}

HttpNext HttpExchange::take_events(std::string_view bytes) {
  if (bytes.empty()) {
    return on_events_over(std::nullopt);
  }
  answer_.bytes += bytes.size();
  if (answer_.bytes_max > 0 && answer_.bytes > answer_.bytes_max) {
    return on_events_over(Error(
        ErrorCode::protocol,
        "the event stream of one answer is larger than " + text::size_text(answer_.bytes_max)));
  }
  const Result<void> fed = answer_.events->feed(bytes);
  while (std::optional<http::SseEvent> event = answer_.events->next()) {
    if (std::optional<HttpNext> next = on_event(*std::move(event))) {
      return *std::move(next);
    }
  }
  return fed ? HttpRead() : on_events_over(fed.error());
}

std::optional<HttpNext> HttpExchange::on_event(http::SseEvent event) {
  if (event.data.empty() || (!event.type.empty() && event.type != "message")) {
    return std::nullopt;
  }
  const Result<bool> is_answered = take_messages(std::move(event.data));
  session_->junk += is_answered ? 0 : 1;
  return is_answered && *is_answered ? std::optional(on_answered()) : std::nullopt;
}

HttpNext HttpExchange::on_answered() {
  HttpEnd ended = end();
  ended.reads_rest = !answer_.is_over;
  return ended;
}

bool HttpExchange::take_message(rpc::Message message) {
  messages_.push_back(std::move(message));
  return false;
}

Result<bool> HttpExchange::take_messages(std::string text) {
  const SharedText shared(std::move(text));
  std::vector<SharedText> parts;
  if (shared.view().find_first_not_of(" \t\r\n") == shared.view().find('[')) {
    const auto list = json::Document::parse(shared);
    if (list) {
      for (const json::Value part : list->root().elements()) {
        parts.push_back(list->share(part));
      }
    }
  } else {
    parts.push_back(shared);
  }
  bool is_answered = false;
  for (const SharedText& part : parts) {
    auto message = rpc::Message::parse(part);
    if (!message) {
      return fail(session_->error(ErrorCode::protocol,
                                  "its answer is no MCP message: " + message.error().message()));
    }
    is_answered = take_message(*std::move(message)) || is_answered;
  }
  return is_answered;
}

std::string HttpExchange::words() const {
  const bool is_plain = answer_.type.empty() || answer_.type == "text/plain";
  std::string words = message_in(answer_.text);
  if (words.empty() && is_plain) {
    words = first_line(answer_.text);
  }
  return text::cut(text::printable_line(words), complaint_units_max);
}

Error HttpExchange::complaint() const {
  const std::string said = words();
  const Complaint about = complaint_of({.status = answer_.status,
                                        .type = answer_.type,
                                        .says = said.empty() ? "" : ": " + said,
                                        .retry_after = answer_.retry_after,
                                        .has_challenge = answer_.has_challenge,
                                        .was_endpoint = !session_->initialize_params.empty(),
                                        .had_credentials = session_->has_credentials,
                                        .path = session_->url.path});
  if (about.is_of_url) {
    const http::Url& url = session_->url;
    return {about.code, secrets::mask_url(url.origin() + url.path) + ": " + about.text};
  }
  return session_->error(about.code, about.text);
}

}  // namespace pi_mcp::transport
