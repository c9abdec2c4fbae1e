#include "tool/url_elicitation.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "http/url.h"
#include "mcp/client_session.h"
#include "mcp/forwarded_request.h"
#include "mcp/methods.h"

namespace pi_mcp::tool {
namespace {

constexpr std::int64_t pages_required = -32042;
constexpr std::size_t url_bytes_max = 2000;
constexpr std::size_t params_bytes_max = std::size_t{8} << 10U;
constexpr std::size_t message_units_max = 300;

}  // namespace

bool wants_pages(const rpc::Message& answer) {
  return answer.kind() == rpc::Message::Kind::failure &&
         answer.error().find("code").as_int() == pages_required;
}

std::vector<UrlElicitation> url_elicitations(const rpc::Message& answer) {
  std::vector<UrlElicitation> pages;
  if (!wants_pages(answer)) {
    return pages;
  }
  for (const json::Value wanted : answer.error().at({"data", "elicitations"}).elements()) {
    std::string url = wanted.find("url").string_or("");
    const bool is_short = url.size() <= url_bytes_max && wanted.raw().size() <= params_bytes_max;
    if (pages.size() < url_elicitations_max && is_short && http::parse_url(url)) {
      pages.push_back({.params = wanted,
                       .url = std::move(url),
                       .message = wanted.find("message").string_or("")});
    }
  }
  return pages;
}

io::Task<Result<void>> check_pages(std::shared_ptr<servers::Connection> connection,
                                   std::vector<UrlElicitation> pages) {
  for (const UrlElicitation& page : pages) {
    Result<void> checked = co_await connection->check_page(page.url);
    if (!checked) {
      co_return checked;
    }
  }
  co_return Result<void>();
}

bool can_show(const mcp::ClientFeatures& host, const std::vector<UrlElicitation>& pages) {
  return std::ranges::all_of(pages, [&host](const UrlElicitation& page) {
    return page.params.find("mode").equals("url") &&
           !mcp::refusal_of(mcp::method::elicitation_create, page.params, host);
  });
}

io::Task<Result<PagesAnswer>> show_pages(std::shared_ptr<servers::HostLink> host,
                                         std::string server,
                                         std::vector<UrlElicitation> pages) {
  for (const UrlElicitation& page : pages) {
    const Result<rpc::Message> answer = co_await host->ask(
        std::string(mcp::method::elicitation_create),
        mcp::forwarded_params(
            mcp::method::elicitation_create, page.params, server, host->asker_shown()));
    if (!answer) {
      co_return fail(answer.error());
    }
    if (answer->kind() == rpc::Message::Kind::failure) {
      co_return fail(ErrorCode::unavailable, mcp::error_text(answer->error()));
    }
    if (!answer->result().find("action").equals("accept")) {
      co_return PagesAnswer::refused;
    }
  }
  co_return PagesAnswer::agreed;
}

std::string page_lines(const std::vector<UrlElicitation>& pages) {
  std::string text;
  for (const UrlElicitation& page : pages) {
    const std::string message =
        text::cut(text::trim(text::printable(page.message)), message_units_max);
    text += "\n- " + text::printable(page.url) + (message.empty() ? "" : " (" + message + ")");
  }
  return text;
}

}  // namespace pi_mcp::tool
