#include "cli/config_watch.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "io/clock.h"
#include "io/file.h"
#include "io/sleep.h"

namespace pi_mcp::cli {

ConfigWatch::ConfigWatch(const io::Executor& executor, const Setup& setup)
    : source_(setup), files_(executor), wake_(executor), tasks_(executor) {}

// A change between reading and watching would be told by nobody, so it is looked for.
ConfigSource::Loaded ConfigWatch::load_and_watch() {
  // Files get their times from a clock that may be a few milliseconds behind.
  const EpochMs began{io::epoch_now().value - 10};
  ConfigSource::Loaded loaded = source_.load();
  const std::vector<std::string> files = source_.files();
  if (const Result<void> watched = files_.watch(files);
      !watched && watched.error().message() != unwatched_) {
    unwatched_ = watched.error().message();
    log::debug(unwatched_ + "; after a change of the configuration send SIGHUP");
  }
  wanted_ = wanted_ || std::ranges::any_of(files, [began](const std::string& file) {
              return io::modified_at(file).value_or(EpochMs()) >= began;
            });
  for (const std::string& warning : loaded.news) {
    log::warning(warning);
  }
  return loaded;
}

config::Settings ConfigWatch::load() {
  return load_and_watch().settings.value_or(config::Settings());
}

void ConfigWatch::start(gateway::Session* session) {
  session_ = session;
  tasks_.spawn("configuration files", watch());
  tasks_.spawn("configuration", reload());
}

void ConfigWatch::reload_soon() {
  wanted_ = true;
  wake_.notify_all();
}

io::Task<void> ConfigWatch::stop() {
  tasks_.cancel();
  co_await tasks_.join();
}

io::Task<void> ConfigWatch::watch() {
  for (;;) {
    const Result<void> changed = co_await files_.wait();
    if (!changed) {
      co_return;
    }
    reload_soon();
  }
}

io::Task<void> ConfigWatch::reload() {
  for (;;) {
    while (!wanted_) {
      if (co_await wake_.wait() == io::Wake::cancelled) {
        co_return;
      }
    }
    const Result<void> paused = co_await io::sleep_for(pause);
    if (!paused) {
      co_return;
    }
    reload_now();
  }
}

void ConfigWatch::reload_now() {
  wanted_ = false;
  ConfigSource::Loaded loaded = load_and_watch();
  for (const std::string& warning : loaded.news) {
    session_->notify("warning", warning);
  }
  if (loaded.settings) {
    session_->reload(*std::move(loaded.settings));
  }
}

}  // namespace pi_mcp::cli
