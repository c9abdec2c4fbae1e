#include "cli/config_source.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "cli/trust_record.h"
#include "config/parse.h"
#include "config/project/plain_names.h"
#include "config/toml.h"
#include "io/files/file.h"
#include "io/loop/clock.h"

namespace pi_mcp::cli {
namespace {

// Configuration files have a few kilobytes, but Claude Code stores its whole history in one.
// A project's is always remembered: who wrote it must not keep the user's from counting.
constexpr std::size_t last_good_bytes_max = std::size_t{1} << 20U;
static_assert(last_good_bytes_max >= config::strangers_bytes_max);

// Why a text is not a configuration; empty when it is one.
std::string problem_of(const std::string& path, const Result<std::optional<std::string>>& text) {
  if (!text) {
    return path + ": cannot be read: " + text.error().message();
  }
  const bool has_own_syntax =
      path.ends_with(".env") || path.ends_with(".yaml") || path.ends_with(".yml");
  if (!*text || has_own_syntax) {
    return "";
  }
  if (path.ends_with(".toml")) {
    const Result<std::string> json = config::toml_to_json(**text);
    return json ? "" : path + ": " + json.error().message();
  }
  std::vector<config::Warning> warnings;
  (void)config::parse_json_file(**text, path, warnings);  // for the warnings alone
  const std::string message = warnings.empty() ? "" : warnings.front().message;
  return message.substr(0, message.find(config::file_left_out));
}

}  // namespace

Result<std::optional<std::string>> LastGoodFiles::read(const std::string& path) const {
  return last_good(path, RealFiles::read(path), Said::whole);
}

Result<std::optional<std::string>> LastGoodFiles::read_regular(const std::string& path) const {
  return last_good(path,
                   RealFiles::read_regular(path),
                   config::has_plain_names(path, folder_) ? Said::whole : Said::no_name);
}

Result<std::optional<std::string>> LastGoodFiles::last_good(const std::string& path,
                                                            Result<std::optional<std::string>> text,
                                                            Said said) const {
  looked_for_[path] = text ? std::optional(text->has_value()) : std::nullopt;
  const auto old = last_good_.find(path);
  const std::string problem = again_ ? problem_of(path, text) : "";
  if (!problem.empty() && old != last_good_.end()) {
    const bool was_broken =
        old->second ? !problem_of(path, old->second).empty() : broken_.contains(path);
    if (was_broken) {
      return text;  // it was never better, or what it said is not known any more
    }
    lost_one_ = lost_one_ || !old->second;
    problems_.push_back(
        {.path = path,
         .message = (said == Said::whole ? problem : "a file of the project cannot be understood") +
                    "; what it said before is used until that is corrected"});
    return old->second;
  }
  if (text && *text) {
    last_good_[path] = (*text)->size() <= last_good_bytes_max ? *text : std::nullopt;
  } else if (text) {
    last_good_.erase(path);
  }
  return text;
}

void LastGoodFiles::begin() {
  again_ = !looked_for_.empty();
  looked_for_.clear();
  problems_.clear();
  lost_one_ = false;
}

ConfigSource::Loaded ConfigSource::load() {
  // Files get their times from a clock that may be a few milliseconds behind.
  began_ns_ = (io::epoch_now().value - 10) * 1'000'000;
  files_.begin();
  config::Settings settings = load_configuration(setup_, files_);
  if (setup_.for_shell) {
    settings = for_shell(std::move(settings), setup_.timeout);
  }
  std::set<std::string> broken;
  for (const config::Warning& warning : settings.warnings) {
    if (warning.unreadable) {
      broken.insert(warning.path);
    }
  }
  files_.note_broken(std::move(broken));
  settings.warnings.insert(
      settings.warnings.begin(), files_.problems().begin(), files_.problems().end());
  Loaded loaded;
  std::set<std::string> said;
  for (const config::Warning& warning : settings.warnings) {
    if (!said_.contains(warning.message) && said.insert(warning.message).second) {
      loaded.news.push_back(warning.message);
    }
    said.insert(warning.message);
  }
  said_ = std::move(said);
  if (!files_.lost_one()) {
    loaded.settings = std::move(settings);
  }
  return loaded;
}

std::vector<std::string> ConfigSource::files() const {
  const auto names = std::views::keys(files_.looked_for());
  return {names.begin(), names.end()};
}

bool ConfigSource::has_changed() const {
  return std::ranges::any_of(files_.looked_for(), [this](const auto& looked_for) {
    const auto& [path, was_there] = looked_for;
    const std::optional<io::FileStamp> stamp = io::stamp_of(path);
    return (stamp && stamp->changed_ns >= began_ns_) ||
           was_there.value_or(stamp.has_value()) != stamp.has_value();
  });
}

}  // namespace pi_mcp::cli
