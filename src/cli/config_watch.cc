#include "cli/config_watch.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "io/files/file.h"
#include "io/loop/clock.h"

namespace pi_mcp::cli {

ConfigWatch::ConfigWatch(const io::Executor& executor, const Setup& setup)
    : source_(setup),
      files_(executor),
      reloading_(executor, "configuration", pause, [this] { reload_now(); }),
      tasks_(executor) {}

// Nobody reports a change between reading and watching, so it is looked for.
ConfigSource::Loaded ConfigWatch::load_and_watch() {
  // Files get their times from a clock that may be a few milliseconds behind.
  const std::int64_t began_ns = (io::epoch_now().value - 10) * 1'000'000;
  ConfigSource::Loaded loaded = source_.load();
  const std::vector<std::string> files = source_.files();
  if (const Result<void> watched = files_.watch(files);
      !watched && watched.error().message() != unwatched_) {
    unwatched_ = watched.error().message();
    log::debug(unwatched_ + "; after a change of the configuration send SIGHUP");
  }
  const bool changed = std::ranges::any_of(files, [began_ns](const std::string& file) {
    return io::stamp_of(file).value_or(io::FileStamp()).changed_ns >= began_ns;
  });
  if (changed) {
    reload_soon();
  }
  for (const std::string& warning : loaded.news) {
    log::warning(warning);
  }
  return loaded;
}

config::Settings ConfigWatch::load() {
  ConfigSource::Loaded loaded = load_and_watch();
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
  for (;;) {
    const Result<void> changed = co_await files_.wait();
    if (!changed) {
      co_return;
    }
    reload_soon();
  }
}

void ConfigWatch::reload_now() {
  ConfigSource::Loaded loaded = load_and_watch();
  warn(loaded.news);
  if (loaded.settings) {
    listener_.take(*std::move(loaded.settings));
  }
}

}  // namespace pi_mcp::cli
