// `pi-mcp setup`: puts pi-mcp into the hosts of this machine, and takes it out again.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/commands/setup/setup_plan.h"
#include "cli/real_files.h"
#include "cli/show/setup_view.h"
#include "cli/trust_prompt.h"
#include "cli/trust_record.h"
#include "config/edit.h"
#include "setup/folder.h"
#include "setup/plan.h"
#include "setup/run.h"
#include "tool/consent/trust_view.h"

namespace pi_mcp::cli {
namespace {

std::vector<std::string> wanted_hosts(const CommandLine& line) {
  std::vector<std::string> kinds;
  for (const std::string& list : line.values(OptionId::hosts)) {
    for (const std::string_view kind : text::split(list, ',')) {
      if (!text::trim(kind).empty()) {
        kinds.emplace_back(text::trim(kind));
      }
    }
  }
  return kinds;
}

class SetupCommand {
 public:
  explicit SetupCommand(const Setup& setup)
      : setup_(setup),
        console_(*setup.console),
        copy_(setup.line.has(OptionId::copy)),
        record_(setup::record_file(setup.environment)) {}

  ExitStatus run() {
    if (setup_.line.has(OptionId::undo)) {
      return undo();
    }
    const Result<setup::Plan> plan = plan_setup(setup_, wanted_hosts(setup_.line), copy_);
    if (!plan) {
      const ExitStatus status = report(setup_, plan.error());
      const std::string file =
          config::target_file(setup_.environment, setup_.load_options, config::Target::global);
      const bool is_ours = plan.error().code() != ErrorCode::not_found;
      return is_ours && is_unreadable(load_settings(setup_), file) ? ExitStatus::configuration
                                                                   : status;
    }
    const bool asks_nothing = plan->changes.empty() || setup_.line.has(OptionId::dry_run);
    if (!setup_.json) {
      console_.print(plan_text(*plan, look()));
      if (plan->changes.empty() && !leaves_all_out(*plan) &&
          load_settings(setup_).servers.empty()) {
        console_.print("To add a server: pi-mcp add NAME -- COMMAND, or pi-mcp add NAME URL\n");
      }
    }
    if (asks_nothing) {
      return end_without_change(*plan);
    }
    if (!setup_.line.has(OptionId::yes)) {
      if (!console_.input_is_terminal() || setup_.json) {
        return report(setup_,
                      {ErrorCode::invalid_argument,
                       "nothing was changed: nobody can be asked here; to do this, repeat with "
                       "--yes"});
      }
      (void)console_.finish();  // the question comes behind the plan
      if (!ask_yes(console_, "Do this?")) {
        console_.note("nothing was changed");
        return ExitStatus::done;
      }
    }
    return do_it(*plan);
  }

 private:
  [[nodiscard]] SetupLook look() const {
    return {.style = console_.style(),
            .columns = console_.columns(),
            .home = setup_.environment.home,
            .copy = copy_};
  }

  ExitStatus end_without_change(const setup::Plan& plan) {
    const bool is_dry = setup_.line.has(OptionId::dry_run);
    const ExitStatus status = said(plan_json(plan, {}));
    if (!is_dry && leaves_all_out(plan)) {
      console_.error(
          "nothing was changed: every host is left out; mend its files, then run again: pi-mcp "
          "setup");
      return ExitStatus::tool_error;
    }
    return is_dry ? status : about_folder();
  }

  ExitStatus said(const std::string& json) {
    if (setup_.json) {
      print_json(console_, json);
    }
    return ExitStatus::done;
  }

  ExitStatus do_it(const setup::Plan& plan) {
    Result<std::vector<setup::Backup>> backups = setup::carry_out(plan, record_, stamp_of_now());
    if (!backups) {
      return report(setup_, backups.error());
    }
    if (!setup_.json) {
      console_.print(
          "\nDone. Restart the hosts. Next: pi-mcp doctor\n"
          "To take it all back: pi-mcp setup --undo\n");
    }
    (void)said(plan_json(plan, {.done = true, .backups = *std::move(backups)}));
    return about_folder();
  }

  // Claude Code starts what .mcp.json of this folder has, too. Trust is given by a person who has
  // seen what it is for: --yes is no such answer.
  ExitStatus about_folder() {
    Result<std::optional<setup::FolderPlan>> found =
        setup::plan_folder(setup_.environment, RealFiles());
    if (!found) {
      return report(setup_, found.error());
    }
    if (!*found || setup_.json) {
      return ExitStatus::done;
    }
    const setup::FolderPlan& folder = **found;
    const std::string names = text::printable(text::join(folder.names, ", "));
    if (!console_.input_is_terminal() || setup_.line.has(OptionId::yes)) {
      console_.note("Claude Code starts " + names +
                    " of this folder's .mcp.json itself; to have them here alone, run pi-mcp "
                    "setup on a terminal");
      return ExitStatus::done;
    }
    (void)console_.finish();  // the question comes behind what was said
    return switch_over(folder, names);
  }

  ExitStatus switch_over(const setup::FolderPlan& folder, const std::string& names) {
    std::vector<config::TrustRequest> requests =
        load_configuration(setup_, RealFiles()).trust_requests;
    std::erase_if(requests, [&folder](const config::TrustRequest& request) {
      return std::ranges::find(folder.names, request.server) == folder.names.end();
    });
    if (!requests.empty()) {
      console_.prompt(trust_introduction(tool::trust_view(requests)) + "\n\n");
    }
    if (!ask_yes(console_,
                 "Claude Code starts " + names + " of this folder itself. Switch them off there" +
                     (requests.empty() ? "?" : ", and trust them here as they are now?"))) {
      return ExitStatus::done;
    }
    // Trusted first: a failure then leaves them in two places and not in none.
    Result<void> trusted = requests.empty()
                               ? Result<void>()
                               : record_trust(setup_, {.requests = requests, .folder = {}});
    if (!trusted) {
      return report(setup_, trusted.error());
    }
    const Result<std::vector<setup::Backup>> done =
        setup::carry_out(folder.plan, record_, stamp_of_now());
    return done ? ExitStatus::done : report(setup_, done.error());
  }

  ExitStatus undo() {
    for (const auto& [id, name] :
         {std::pair(OptionId::hosts, "--hosts"), std::pair(OptionId::copy, "--copy")}) {
      if (setup_.line.has(id)) {
        return report(setup_,
                      {ErrorCode::invalid_argument,
                       std::string("--undo takes back all that setup did; leave out ") + name});
      }
    }
    const bool is_dry = setup_.line.has(OptionId::dry_run);
    const setup::UndoWay way = is_dry ? setup::UndoWay::rehearse : setup::UndoWay::write;
    const Result<std::vector<setup::UndoneFile>> undone = setup::undo(record_, way);
    if (!undone) {
      return report(setup_, undone.error());
    }
    if (!setup_.json) {
      console_.print(undo_text(*undone, way, look()));
    }
    (void)said(undo_json(*undone, way));
    const bool all = std::ranges::all_of(
        *undone, [](const setup::UndoneFile& file) { return file.undone.problem.empty(); });
    if (!all && !setup_.json) {
      console_.error("mend these files, then run again: pi-mcp setup --undo");
    }
    return all ? ExitStatus::done : ExitStatus::tool_error;
  }

  const Setup& setup_;
  Console& console_;
  bool copy_;
  std::string record_;
};

}  // namespace

ExitStatus run_setup_command(const Setup& setup) {
  return SetupCommand(setup).run();
}

}  // namespace pi_mcp::cli
