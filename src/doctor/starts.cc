#include "doctor/starts.h"

#include <algorithm>
#include <utility>

#include "io/loop/clock.h"
#include "io/loop/with_deadline.h"

namespace pi_mcp::doctor {
namespace {

// Servers that are started at once; a machine has only so many cores.
constexpr std::size_t together_max = 8;

// Nobody is there to log in or to wait for longer.
config::Settings limited(config::Settings settings, const StartTimes& times) {
  settings.auto_auth = false;
  const auto at_most = [](std::optional<Milliseconds>& own,
                          std::optional<Milliseconds> common,
                          Milliseconds usual,
                          Milliseconds most) {
    own = std::min(own.value_or(common.value_or(usual)), most);
  };
  for (config::Server& server : settings.servers) {
    at_most(server.startup_timeout, settings.startup_timeout, times.answer_max, times.whole_max);
    at_most(server.request_timeout, settings.request_timeout, times.answer_max, times.answer_max);
    server.install_timeout = times.whole_max;
  }
  return settings;
}

// What of `after` is new or another than in `before`, and what is gone.
void compare(const std::vector<catalog::CatalogTool>& before,
             const std::vector<catalog::CatalogTool>& after,
             StartFacts& facts) {
  using catalog::CatalogTool;
  for (const CatalogTool& tool : after) {
    const auto old = std::ranges::find(before, tool.name, &CatalogTool::name);
    if (old == before.end()) {
      facts.added.push_back(tool.name);
    } else if (!(*old == tool)) {
      facts.changed.push_back(tool.name);
    }
  }
  for (const CatalogTool& tool : before) {
    if (std::ranges::find(after, tool.name, &CatalogTool::name) == after.end()) {
      facts.gone.push_back(tool.name);
    }
  }
}

}  // namespace

Starts::Starts(const io::Executor& executor,
               config::Settings settings,
               config::Environment environment,
               StartTimes times,
               std::function<void()> changed)
    : times_(times),
      changed_(std::move(changed)),
      connector_(executor),
      pool_(executor,
            {},
            [this](servers::Launch launch) { return connector_.connect(std::move(launch)); }),
      registry_(
          pool_, catalogs_, limited(std::move(settings), times), std::move(environment), observer_),
      tasks_(executor) {}

void Starts::begin(const std::vector<std::string>& servers) {
  waiting_.assign(servers.rbegin(), servers.rend());
  wanted_ = servers.size();
  fill();
}

void Starts::fill() {
  while (!waiting_.empty() && running_.size() < together_max) {
    const std::string server = waiting_.back();
    waiting_.pop_back();
    running_.emplace(server, "starting " + server);
    tasks_.spawn("start of " + server, start(server), [this, server](const std::string& what) {
      StartFacts broken;
      broken.problem = io::escaped_text(what);
      finish(server, std::move(broken));
    });
  }
}

io::Task<void> Starts::start(std::string server) {
  StartFacts facts;
  facts.was_known = registry_.catalog().knowledge(server) != catalog::Knowledge::unknown;
  const std::vector<catalog::CatalogTool> before = registry_.catalog().tools(server);
  const TimePoint begun = io::now();
  const auto tell_phase = [this, server](std::string_view what) {
    if (const auto running = running_.find(server); running != running_.end() && !what.empty()) {
      running->second = what;
      changed_();
    }
  };
  const registry::RegistryEntry::Opened opened = co_await io::with_deadline(
      times_.whole_max, "its start", registry_.open(server, servers::Use::on_demand, tell_phase));
  facts.took = std::chrono::duration_cast<Milliseconds>(io::now() - begun);
  if (opened) {
    facts.protocol = (*opened)->protocol_version();
    const std::vector<catalog::CatalogTool>& now = registry_.catalog().tools(server);
    facts.tools = now.size();
    if (facts.was_known) {
      compare(before, now, facts);
    }
  } else {
    facts.problem = opened.error().message();
    facts.wants_login = opened.error().code() == ErrorCode::unauthorized;
    const std::shared_ptr<const Remedy> remedy = opened.error().remedy();
    if (remedy && remedy->kind == Remedy::Kind::bypass_proxy) {
      facts.behind_proxy = remedy->subject;
    }
  }
  finish(server, std::move(facts));
}

void Starts::finish(const std::string& server, StartFacts facts) {
  running_.erase(server);
  results_.emplace(server, std::move(facts));
  fill();
  changed_();
}

std::string Starts::activity() const {
  return running_.empty() ? ""
                          : std::to_string(results_.size()) + "/" + std::to_string(wanted_) + ": " +
                                running_.begin()->second;
}

io::Task<void> Starts::close() {
  waiting_.clear();
  tasks_.cancel();
  co_await tasks_.join();
  registry_.release();
  co_await connector_.close();
  co_await pool_.close();
}

}  // namespace pi_mcp::doctor
