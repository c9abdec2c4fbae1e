#include "cli/http/http_settings.h"

#include <string>
#include <utility>

#include "access/narrow.h"
#include "base/log.h"

namespace pi_mcp::cli {

Result<HttpSettings> read_http_settings(const config::Settings& settings) {
  Result<std::optional<access::OAuthRules>> oauth =
      access::OAuthRules::read(settings.settings_json);
  if (!oauth) {
    return fail(oauth.error());
  }
  const Result<access::Rate> rate = access::rate_setting(settings.settings_json);
  if (!rate) {
    return fail(rate.error());
  }
  const Result<std::chrono::days> absence_max =
      access::OAuthRules::forget_after(settings.settings_json);
  if (!absence_max) {
    return fail(absence_max.error());
  }
  if (*oauth) {
    for (const std::string& name : access::unknown_servers(settings, (*oauth)->servers())) {
      log::warning("settings.http.oauth.scopes names a server \"" + name +
                   "\", which is not configured");
    }
  }
  return HttpSettings{.oauth = *std::move(oauth), .rate = *rate, .absence_max = *absence_max};
}

}  // namespace pi_mcp::cli
