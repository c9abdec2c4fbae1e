// From JSON to the types of Settings. A value of the wrong type gives the default. Pure.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "config/settings.h"
#include "json/document.h"

namespace pi_mcp::config {

// A reader for Key: what `Convert` makes of the value goes into that member.
template <auto Member, auto Convert, class Target>
  requires requires(Target target) { target.*Member; }
void into(Target& target, json::Value value) {
  target.*Member = Convert(value);
}

// The value paired with the text that `value` equals.
template <class T, std::size_t N>
std::optional<T> choice_of(json::Value value,
                           const std::array<std::pair<std::string_view, T>, N>& choices) {
  for (const auto& [text, result] : choices) {
    if (value.equals(text)) {
      return result;
    }
  }
  return std::nullopt;
}

bool is_true(json::Value value);
std::optional<std::string> optional_text(json::Value value);
// Numbers and booleans count as their text, as they do for the processes they go to.
std::vector<std::string> text_list_of(json::Value value);
std::map<std::string, std::string> text_map_of(json::Value value);
std::map<std::string, std::vector<std::string>> word_lists_of(json::Value value);

// At most 1,000,000.
std::optional<double> minutes_of(json::Value value);
// At most 30 days; nullopt for 0, which means the default.
std::optional<Milliseconds> milliseconds_of(json::Value value);
// The same for a number of seconds.
std::optional<Milliseconds> seconds_of(json::Value value);
// nullopt for another word.
std::optional<Exposure> exposure_of(json::Value value);
std::vector<std::pair<std::string, Exposure>> exposures_of(json::Value value);
std::optional<Selection> selection_of(json::Value value);

std::optional<ToolPrefix> tool_prefix_of(json::Value value);
LifecycleMode lifecycle_of(json::Value value);
Auth auth_of(json::Value value);
std::optional<Share> share_of(json::Value value);
HttpTransport http_transport_of(json::Value value);
mcp::Protocol protocol_of(json::Value value);
std::optional<RequestHeadersCommand> headers_command_of(json::Value value);
std::optional<OAuth> oauth_of(json::Value value);

// What oauth.grantType may be.
std::vector<std::string> grant_names();
// nullopt for another word.
std::optional<Grant> grant_of(json::Value value);

}  // namespace pi_mcp::config
