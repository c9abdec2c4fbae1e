#include "transport/http/exchange.h"

#include <utility>

#include "base/text.h"
#include "json/document.h"
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

Error complaint_of(int status, const std::string& content_type, std::string_view body) {
  const std::string number = std::to_string(status);
  const std::string message = text::cut(text::printable(message_in(body)), complaint_units_max);
  const std::string says = message.empty() ? "" : ": " + message;
  if (status == 401 || status == 403) {
    return {ErrorCode::unauthorized,
            std::string(status == 401 ? "it wants credentials (status "
                                      : "it does not accept our credentials (status ") +
                number + ")" + says +
                R"(; give it "bearerToken" or "headers" in its configuration, or log in)"};
  }
  const bool is_page = content_type == "text/html" || content_type == "application/xhtml+xml";
  if (is_page && status < 500) {
    return {ErrorCode::unavailable,
            "it answers with a web page (status " + number +
                "), so this url is no MCP endpoint; it often ends in /mcp or /sse"};
  }
  if (status == 404) {
    return {ErrorCode::unavailable,
            "there is no MCP endpoint at this url (status 404)" + says +
                "; it often ends in /mcp or /sse"};
  }
  if (status == 405) {
    return {ErrorCode::unavailable,
            "it takes no MCP messages at this url (status 405)" + says +
                "; an older server may need \"httpTransport\": \"sse\""};
  }
  if (status == 200) {
    return {ErrorCode::protocol,
            "its answer is neither JSON nor an event stream but " +
                (content_type.empty() ? "of no type" : text::printable(content_type)) +
                "; is this url an MCP endpoint?"};
  }
  return {status >= 500 ? ErrorCode::unavailable : ErrorCode::protocol,
          "it answers with status " + number + says};
}

}  // namespace

HttpStep HttpExchange::take(HttpInput input, TimePoint now) {
  now_ = now;
  HttpStep step;
  if (const auto* head = std::get_if<http::Head>(&input)) {
    answer_ = {};
    answer_.status = head->status;
    answer_.type = head->content_type();
    step.next = on_head(*head);
  } else if (const auto* bytes = std::get_if<std::string_view>(&input)) {
    answer_.is_over = bytes->empty();
    step.next = answer_.events ? take_events(*bytes) : take_text(*bytes);
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

Error HttpExchange::complaint() const {
  const Error about = complaint_of(answer_.status, answer_.type, answer_.text);
  return session_->error(about.code(), about.message());
}

}  // namespace pi_mcp::transport
