// `pi-mcp doctor`: gathers facts, judges them and says how to mend what is wrong.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "cli/commands/commands.h"
#include "cli/commands/config_change.h"
#include "cli/commands/import_facts.h"
#include "cli/real_files.h"
#include "cli/sharing/share.h"
#include "cli/sharing/shared_commands.h"
#include "cli/show/doctor_view.h"
#include "cli/show/shared_lines.h"
#include "cli/show/style.h"
#include "cli/stopper.h"
#include "cli/trust_record.h"
#include "cli/unknown_server.h"
#include "config/edit.h"
#include "doctor/examine.h"
#include "doctor/gather.h"
#include "doctor/hosts.h"
#include "doctor/left.h"
#include "doctor/starts.h"
#include "doctor/stored.h"
#include "io/files/permissions.h"
#include "io/loop/clock.h"
#include "io/loop/loop.h"
#include "json/writer.h"

namespace pi_mcp::cli {
namespace {

// What a first ctrl-C may take. Servers that have not ended by then are left to their keepers.
constexpr Milliseconds ending_max{250};
// How often the line of progress shows how long it has taken.
constexpr Milliseconds progress_step{1000};

doctor::StartTimes start_times(const Setup& setup) {
  doctor::StartTimes times;
  if (setup.timeout) {
    times = {.answer_max = *setup.timeout, .whole_max = *setup.timeout};
  }
  return times;
}

// Adds to `facts` what comes of starting the servers that can be started.
io::Task<ExitStatus> start_servers(io::Executor executor,
                                   const Setup* setup,
                                   const config::Settings* settings,
                                   doctor::Facts* facts) {
  Stopper stopper(executor, setup->console, ending_max);
  stopper.start();
  doctor::Starts starts(executor, *settings, setup->environment, start_times(*setup), [&stopper] {
    stopper.changed().notify_all();
  });
  std::vector<std::string> names;
  for (const doctor::ServerFacts& server : facts->servers) {
    if (doctor::can_start(server)) {
      names.push_back(server.name);
    }
  }
  starts.begin(names);
  if (setup->line.words().empty()) {
    facts->programs = co_await doctor::look_for_other_programs(setup->environment, facts->hosts);
  }
  const TimePoint begun = io::now();
  while (!starts.is_done() && !stopper.stopped()) {
    (void)co_await stopper.changed().wait_until(io::now() + progress_step);
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(io::now() - begun);
    const std::string activity = starts.activity();
    setup->console->progress(
        activity.empty() ? "" : activity + " (" + std::to_string(seconds.count()) + " s)");
  }
  setup->console->progress("");
  for (doctor::ServerFacts& server : facts->servers) {
    if (const auto start = starts.results().find(server.name); start != starts.results().end()) {
      server.start = start->second;
    }
  }
  co_await starts.close();
  co_await stopper.close();
  co_return stopper.stopped().value_or(ExitStatus::done);
}

// All that is known without starting a server.
doctor::Facts gather(const Setup& setup,
                     const doctor::Place& place,
                     const std::vector<std::string>& servers) {
  doctor::Facts facts = doctor::gather(place, servers, io::epoch_now());
  if (servers.empty()) {
    if (auto obstacle = obstacle_to_sharing(setup, place.settings)) {
      facts.alone = {.why = std::move(obstacle->why),
                     .folder = std::move(obstacle->folder),
                     .file = std::move(obstacle->file)};
    }
    facts.left = io::run([&place](const io::Executor& /*executor*/) {
      return doctor::look_for_left_processes(place.environment);
    });
  }
  return facts;
}

// What the process that sessions share says of them.
std::vector<runs::RunRecord> runs_in_shared(const Setup& setup) {
  SharedNow now =
      io::run([&setup](const io::Executor& /*executor*/) { return look_at_shared(&setup); });
  for (const int process : now.silent) {
    setup.console->error(silent_text(process));
  }
  for (const int process : now.of_other_builds) {
    setup.console->note(other_build_text(process));
  }
  return std::move(now.runs);
}

io::Task<ExitStatus> add_secrets(io::Executor /*executor*/,
                                 const doctor::Place* place,
                                 doctor::Facts* facts) {
  co_await doctor::look_at_secrets(place, facts);
  co_return ExitStatus::done;
}

// "npx -y x" becomes the command npx with the arguments -y and x.
Result<std::string> divide_command(const Setup& setup, const doctor::About& about) {
  json::Writer program;
  program.string(about.words.front());
  json::Writer arguments;
  arguments.begin_array();
  for (std::size_t i = 1; i < about.words.size(); ++i) {
    arguments.string(about.words[i]);
  }
  arguments.end_array();
  const Result<Change> changed =
      change_file(setup, about.path, [&](std::string_view text) -> Result<std::string> {
        Result<std::string> edited =
            config::set_server_key(text, about.server, "command", program.text());
        return edited ? config::set_server_key(*edited, about.server, "args", arguments.text())
                      : edited;
      });
  return changed ? Result<std::string>(about.path + ": the command of server \"" + about.server +
                                       "\" is divided into command and args")
                 : fail(changed.error());
}

Result<std::string> make_private(const doctor::About& about) {
  const Result<void> made = io::make_private(about.path);
  return made ? Result<std::string>(about.path + ": only you can read it now") : fail(made.error());
}

Result<std::string> drop_import(const Setup& setup, const doctor::About& about) {
  const Result<Change> changed = change_file(setup, about.path, [&about](std::string_view text) {
    return config::remove_import(text, about.what);
  });
  return changed ? Result<std::string>(about.path + ": " + about.why + " is not imported any more")
                 : fail(changed.error());
}

Result<std::string> end_process(const doctor::About& about) {
  const bool gone = io::run([&about](const io::Executor& /*executor*/) {
    return doctor::end_left_process(std::stoi(about.what));
  });
  return gone ? Result<std::string>("process " + about.what + " and what it kept are ended")
              : fail(ErrorCode::timed_out,
                     "process " + about.what + " cannot be ended: the kernel holds it");
}

// What was done, as a sentence.
Result<std::string> mend(const Setup& setup, const doctor::Finding& finding) {
  const doctor::About& about = finding.about;
  switch (finding.code) {
    case doctor::Code::import_stale:
      return drop_import(setup, about);
    case doctor::Code::process_left:
      return end_process(about);
    case doctor::Code::command_spaces:
      return divide_command(setup, about);
    default:
      return make_private(about);
  }
}

// Mends what is safe to mend; what was done, in sentences.
std::vector<std::string> fix(const Setup& setup, const std::vector<doctor::Finding>& findings) {
  std::vector<std::string> done;
  for (const doctor::Finding& finding : findings) {
    if (!is_fixable(finding)) {
      continue;
    }
    if (Result<std::string> mended = mend(setup, finding)) {
      done.push_back(*std::move(mended));
    } else {
      setup.console->error(mended.error().message());
    }
  }
  return done;
}

}  // namespace

ExitStatus run_doctor_command(const Setup& setup) {
  const RealFiles files;
  config::Settings settings = load_configuration(setup, files);
  std::optional<std::string> missing;
  for (const std::string& name : setup.line.words()) {
    if (settings.find(name) != nullptr) {
      continue;
    }
    if (!is_unreadable(settings)) {
      return report(setup, unknown_server(settings, name));
    }
    missing = name;
  }
  const std::vector<runs::RunRecord> shared_runs = runs_in_shared(setup);
  const doctor::Place place{.settings = settings,
                            .environment = setup.environment,
                            .files = files,
                            .options = setup.load_options,
                            .shared_runs = shared_runs};
  DoctorReport found{.facts = gather(setup, place, setup.line.words()),
                     .findings = {},
                     .fixed = {},
                     .home = setup.environment.home};
  if (setup.line.has(OptionId::fix)) {
    found.fixed = fix(setup, doctor::examine(found.facts));
    settings = load_configuration(setup, files);
    found.facts = gather(setup, place, setup.line.words());
  }
  io::run(
      [&](const io::Executor& executor) { return add_secrets(executor, &place, &found.facts); });
  Console& console = *setup.console;
  if (!setup.line.has(OptionId::offline)) {
    const ExitStatus ended = io::run([&](const io::Executor& executor) {
      return start_servers(executor, &setup, &settings, &found.facts);
    });
    if (ended != ExitStatus::done) {
      return ended;
    }
  }
  found.findings = doctor::examine(found.facts);
  if (settings.servers.empty()) {
    note_import(setup);
  }
  if (setup.json) {
    print_json(console, doctor_json(found));
  } else {
    console.print(doctor_text(found, console.style(), console.columns()));
  }
  if (missing) {  // what is wrong with the file has been said
    console.error("there is no server " + quoted(*missing) + " in the files that can be read");
    return ExitStatus::not_found;
  }
  return doctor::is_clean(found.findings) ? ExitStatus::done : ExitStatus::tool_error;
}

}  // namespace pi_mcp::cli
