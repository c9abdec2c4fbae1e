#include "cli/config_watch.h"

#include <utility>

#include "base/log.h"
#include "io/loop/sleep.h"

namespace pi_mcp::cli {

ConfigWatch::ConfigWatch(const io::Executor& executor, const Setup& setup)
    : source_(setup),
      files_(executor),
      reloading_(executor, "configuration", pause, [this] { reload_now(); }),
      tasks_(executor) {}

ConfigSource::Loaded ConfigWatch::read() {
  ConfigSource::Loaded loaded = source_.load();
  for (const std::string& warning : loaded.news) {
    log::warning(warning);
  }
  return loaded;
}

// Nobody reports a change between reading and watching, so it is looked for.
void ConfigWatch::watch_files() {
  if (const Result<void> watched = files_.watch(source_.files());
      !watched && watched.error().message() != unwatched_) {
    unwatched_ = watched.error().message();
    log::debug(unwatched_ + "; after a change of the configuration send SIGHUP");
  }
  if (source_.has_changed()) {
    reload_soon();
  }
}

config::Settings ConfigWatch::load() {
  ConfigSource::Loaded loaded = read();
  first_warnings_ = std::move(loaded.news);
  return std::move(loaded.settings).value_or(config::Settings());
}

void ConfigWatch::start(Listener listener) {
  listener_ = std::move(listener);
  tasks_.spawn("configuration files", watch(), io::log_only);
  reloading_.start();
}

void ConfigWatch::tell_first_warnings() {
  warn(std::exchange(first_warnings_, {}));
}

void ConfigWatch::warn(const std::vector<std::string>& warnings) const {
  if (listener_.warn) {
    std::ranges::for_each(warnings, listener_.warn);
  }
}

io::Task<void> ConfigWatch::stop() {
  tasks_.cancel();
  co_await tasks_.join();
  co_await reloading_.stop();
}

io::Task<void> ConfigWatch::watch() {
  if (!co_await io::sleep_for(settling)) {
    co_return;
  }
  watch_files();
  for (;;) {
    const Result<void> changed = co_await files_.wait();
    if (!changed) {
      co_return;
    }
    reload_soon();
  }
}

void ConfigWatch::reload_now() {
  ConfigSource::Loaded loaded = read();
  watch_files();
  warn(loaded.news);
  if (loaded.settings) {
    listener_.take(*std::move(loaded.settings));
  }
}

}  // namespace pi_mcp::cli
