#include "servers/launch/stdio_connector.h"

#include <algorithm>
#include <string>
#include <utility>

#include "io/loop/clock.h"
#include "io/loop/sleep.h"
#include "io/process/executable.h"
#include "packages/installer.h"
#include "packages/launcher_scripts.h"
#include "packages/npm_cache.h"
#include "servers/launch/isolated_start.h"
#include "servers/launch/npx_check.h"
#include "transport/stdio_child.h"

namespace pi_mcp::servers {
namespace {

// One after the other; more servers than this are looked after another day.
constexpr std::size_t checks_max = 100;

transport::Preparation preparation_of(const Launch& launch,
                                      const NpxStart& npx,
                                      const UvStart& uv) {
  transport::Preparation preparation{
      .what = packages::possible_installation(launch.command, launch.args), .done = uv.found};
  std::string installing = uv.installing;
  const std::optional<std::string> npm_dir =
      npx.missing
          ? packages::npm_cache_dir({.variables = launch.env, .cwd = launcher_folder(launch)})
          : std::nullopt;
  if (npm_dir) {
    installing = npx.missing->package.text;
    preparation.done = [npm_dir = *npm_dir, command = *npx.missing] {
      return packages::find_installed(npm_dir, command).has_value();
    };
  }
  if (!installing.empty()) {
    preparation.what = "installing " + installing + " with " + launch.command;
  }
  return preparation;
}

std::string subject_of(const std::variant<NpxCheck, UvCheck>& check) {
  const auto* npx = std::get_if<NpxCheck>(&check);
  return npx == nullptr ? std::get<UvCheck>(check).note
                        : npx->npm_dir + "\n" + npx->command.package.text + "\n" + npx->command.bin;
}

Error with_advice(const Error& error, const secrets::Secrets& secrets) {
  const std::string advice =
      error.code() == ErrorCode::timed_out ? "; a larger startupTimeoutMs gives it more time" : "";
  return error.saying(secrets.hidden_in(error.message()) + advice);
}

}  // namespace

StdioConnector::StdioConnector(const io::Executor& executor, Options options)
    : options_(options), tasks_(executor) {}

io::Task<Result<std::unique_ptr<transport::Transport>>> StdioConnector::connect(Launch launch) {
  NpxStart npx = without_npm(std::move(launch), io::epoch_now());
  launch = npx.launch;
  UvStart uv = without_uv(std::move(npx.launch), io::epoch_now());
  transport::StdioChildOptions options;
  options.name = launch.server;
  options.preparation = preparation_of(launch, npx, uv);
  options.find_advice = start_advice(launch);
  const std::string launcher = launch.command;
  launch = npx.missing ? npm_first(std::move(uv.launch)) : std::move(uv.launch);
  Result<Launch> place = placed(launch);
  if (place && launcher != packages::shell && place->command == packages::shell) {
    // The shell would say in its own words that there is none.
    if (auto path = io::find_executable(launcher, place->env, place->cwd); !path) {
      place = fail(std::move(path).error());
    }
  }
  if (!place) {
    co_return fail(with_advice(place.error(), launch.secrets));
  }
  options.command = {.program = std::move(place->command),
                     .arguments = std::move(place->args),
                     .environment = std::move(place->env),
                     .folder = std::move(place->cwd),
                     .traits = place->process};
  options.secrets = launch.secrets;
  options.debug = launch.debug;
  options.start_by = io::now() + launch.deadlines.start;
  Result<std::unique_ptr<transport::Transport>> link =
      co_await transport::open_stdio_child(std::move(options));
  if (!link) {
    co_return fail(with_advice(link.error(), launch.secrets));
  }
  if (npx.check) {
    queue(*std::move(npx.check));
  }
  if (uv.check) {
    queue(*std::move(uv.check));
  }
  co_return link;
}

void StdioConnector::queue(Check check) {
  const bool known = std::any_of(checks_.begin(), checks_.end(), [&](const Check& queued) {
    return subject_of(queued) == subject_of(check);
  });
  if (known || closed_ || checks_.size() >= checks_max) {
    return;
  }
  checks_.push_back(std::move(check));
  if (checks_.size() == 1) {
    tasks_.spawn("checks of packages", run_checks(), [this](const std::string& /*what*/) {
      checks_.clear();
    });
  }
}

io::Task<void> StdioConnector::run_checks() {
  while (!checks_.empty()) {
    const Result<void> slept = co_await io::sleep_for(options_.check_delay);
    if (!slept) {
      co_return;
    }
    if (const auto* npx = std::get_if<NpxCheck>(&checks_.front())) {
      co_await check_npx(*npx);
    } else {
      co_await check_uv(std::get<UvCheck>(checks_.front()));
    }
    checks_.pop_front();
  }
}

io::Task<void> StdioConnector::close() {
  closed_ = true;
  tasks_.cancel();
  co_await tasks_.join();
}

}  // namespace pi_mcp::servers
