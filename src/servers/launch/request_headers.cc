#include "servers/launch/request_headers.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/base64.h"
#include "base/text.h"
#include "json/document.h"
#include "json/writer.h"

namespace pi_mcp::servers {
namespace {

// A program that signs may repeat what it was shown; what we send there stays ours.
bool is_ours(std::string_view name) {
  constexpr std::array<std::string_view, 9> ours = {"accept",
                                                    "accept-encoding",
                                                    "connection",
                                                    "content-length",
                                                    "content-type",
                                                    "host",
                                                    "last-event-id",
                                                    "te",
                                                    "transfer-encoding"};
  const std::string lower = text::lower(name);
  return lower.starts_with("mcp-") || std::ranges::find(ours, lower) != ours.end();
}

}  // namespace

std::string request_to_sign(const transport::UnsignedRequest& request) {
  json::Writer out;
  out.begin_object()
      .member("version", 1)
      .member("method", request.method)
      .member("url", request.url)
      .member("bodyBase64", base64_encoded(request.body));
  return out.end_object().take();
}

Result<http::Headers> parse_request_headers(std::string_view printed) {
  const Result<json::Document> document = json::Document::parse_view(printed);
  if (!document || !document->root().is_object()) {
    return fail(ErrorCode::invalid_argument, "something that is not a JSON object");
  }
  http::Headers headers;
  for (const json::Member member : document->root().members()) {
    http::Header header{.name = member.name(), .value = member.value.string_or("")};
    const std::string name = text::cut(text::printable(header.name), 40);
    if (!member.value.is_string()) {
      return fail(ErrorCode::invalid_argument, "a value of \"" + name + "\" that is not a string");
    }
    if (!http::is_valid(header)) {
      return fail(ErrorCode::invalid_argument,
                  "the header \"" + name +
                      "\", which cannot be sent: its name is not a token or its value has a line "
                      "break");
    }
    if (!is_ours(header.name)) {
      headers.push_back(std::move(header));
    }
  }
  return headers;
}

RequestHeaders::RequestHeaders(const io::Executor& executor,
                               std::string server,
                               CredentialCommand command)
    : what_("server " + std::move(server) + ": its requestHeadersCommand " +
            text::printable(command.program)),
      command_(std::move(command)),
      ended_(executor) {}

io::Task<Result<http::Headers>> RequestHeaders::headers_of(transport::UnsignedRequest request) {
  auto wake = io::Wake::notified;
  while (running_ >= request_header_programs_max && wake == io::Wake::notified) {
    wake = co_await ended_.wait();  // bounded by the time that those who run may take
  }
  if (wake == io::Wake::cancelled) {
    co_return fail(ErrorCode::cancelled, "cancelled");
  }
  CredentialRun how;
  how.what = what_;
  how.input = request_to_sign(request);
  how.output_bytes_max = request_headers_bytes_max;
  how.slow_advice = "; a larger timeoutMs gives it more time, 60000 at most";
  ++running_;
  const Result<std::string> printed = co_await credential_output(command_, std::move(how));
  --running_;
  ended_.notify_all();
  if (!printed) {
    co_return fail(printed.error());
  }
  Result<http::Headers> headers = parse_request_headers(*printed);
  if (!headers) {
    co_return fail(ErrorCode::unavailable,
                   what_ + " printed " + headers.error().message() +
                       R"(; it must print an object such as {"X-Signature": "..."})");
  }
  co_return headers;
}

}  // namespace pi_mcp::servers
