#include "cli/trust_record.h"

#include <map>
#include <utility>

#include "base/log.h"
#include "config/load.h"
#include "io/loop/clock.h"
#include "tool/consent/trust_file.h"

namespace pi_mcp::cli {
namespace {

tool::TrustFile file_of(const Setup& setup) {
  return tool::TrustFile(config::agent_dir(setup.environment));
}

// What hosts have been told of the project, by host.
std::map<std::string, std::vector<config::TrustRequest>> answers_of_hosts(
    const config::Settings& settings) {
  std::map<std::string, std::vector<config::TrustRequest>> answers;
  for (const config::TrustRequest& request : settings.trust_requests) {
    if (!request.answered_by.empty()) {
      answers[request.answered_by].push_back(request);
    }
  }
  return answers;
}

}  // namespace

config::Settings load_configuration(const Setup& setup, const config::FileSource& files) {
  config::Settings settings = config::load(setup.environment, files, setup.load_options);
  const auto answers = answers_of_hosts(settings);
  bool kept = false;
  for (const auto& [host, requests] : answers) {
    const Result<void> recorded =
        record_trust(setup, {.requests = requests, .folder = {}, .by = host});
    if (!recorded) {
      log::warning("what " + host +
                   "'s user allows does not count here: " + recorded.error().message());
    }
    kept = kept || recorded.has_value();
  }
  return kept ? config::load(setup.environment, files, setup.load_options) : std::move(settings);
}

std::string own_folder(const config::Settings& settings,
                       const std::vector<config::TrustRequest>& asked) {
  const bool is_own = !asked.empty() && asked.front().folder == settings.folder;
  return is_own ? settings.folder : std::string();
}

Result<void> record_trust(const Setup& setup, const TrustGiven& given) {
  std::map<std::string, config::TrustAnswer> answers;
  for (const config::TrustRequest& request : given.requests) {
    answers[request.folder].requests.push_back(request);
  }
  if (!given.folder.empty()) {
    answers[given.folder].whole = true;
  }
  return file_of(setup).update([&](const std::string& old) -> Result<std::string> {
    Result<std::string> text = old;
    for (auto& [folder, answer] : answers) {
      answer.folder = folder;
      answer.by = given.by;
      answer.at = io::epoch_now();
      text = text ? config::add_trust(*text, answer) : std::move(text);
    }
    return text;
  });
}

Result<void> record_choice(const Setup& setup, const config::FolderChoice& choice) {
  return file_of(setup).update(
      [&choice](const std::string& text) { return config::set_choice(text, choice); });
}

}  // namespace pi_mcp::cli
