#include "cli/commands/setup/setup_talk.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/count_text.h"
#include "cli/commands/setup/setup_plan.h"
#include "cli/show/config_view.h"
#include "cli/show/setup_view.h"
#include "setup/presets.h"
#include "setup/run.h"
#include "tool/consent/user_question.h"

namespace pi_mcp::cli {
namespace {

using tool::UserChoice;

// Of a dialog, beside its frame.
constexpr std::size_t columns = 74;

SetupLook look_of(const Setup& setup, bool copy) {
  static const Style plain;
  return {.style = plain, .columns = columns, .home = setup.environment.home, .copy = copy};
}

std::size_t moving(const setup::PlannedHost& host) {
  std::size_t count = 0;
  for (const setup::PlannedFile& file : host.files) {
    count += static_cast<std::size_t>(
        std::ranges::count(file.entries, setup::Fate::moves, &setup::PlannedEntry::fate));
  }
  return count;
}

// The hosts that something can be taken over from.
std::vector<UserChoice> hosts_to_choose(const setup::Plan& plan) {
  std::vector<UserChoice> choices;
  for (const setup::PlannedHost& host : plan.hosts) {
    const std::size_t count = moving(host);
    if (count > 0) {
      choices.push_back(
          {.value = std::string(host.host->kind),
           .title = std::string(host.host->name) + ": " + text::count_text(count, "server")});
    }
  }
  return choices;
}

// Only the user's own file is changed: the hosts stay as they are.
void leave_hosts_alone(setup::Plan& plan) {
  std::erase_if(plan.changes, [](const setup::FileChange& change) { return !change.is_users; });
  for (setup::PlannedHost& host : plan.hosts) {
    for (setup::PlannedFile& file : host.files) {
      file.ours = file.ours == setup::Ours::there ? file.ours : setup::Ours::nothing;
    }
  }
}

struct Taken {
  std::string said;  // empty: the user wished nothing
  bool changed = false;
};

io::Task<Result<Taken>> take_over(const Setup* setup, tool::CallContext context) {
  Result<setup::Plan> found = plan_setup(*setup, {}, true);
  if (!found) {
    co_return fail(found.error());
  }
  leave_hosts_alone(*found);
  std::vector<UserChoice> hosts = hosts_to_choose(*found);
  if (hosts.empty()) {
    co_return Taken{.said = "No other host on this machine has servers that are not here."};
  }
  const Result<std::string> way = co_await tool::ask_choice(
      context,
      plan_text(*found, look_of(*setup, true)) + "\nWhat shall become of these servers?",
      {{.value = "copy", .title = "Copy them here; the other hosts stay as they are"},
       {.value = "move", .title = "Move them here; the other hosts then reach them through pi-mcp"},
       {.value = "none", .title = "Nothing"}});
  if (!way || *way == "none") {
    co_return way ? Result<Taken>(Taken()) : fail(way.error());
  }
  const bool copy = *way == "copy";
  Result<std::vector<std::string>> kinds = std::vector{hosts.front().value};
  if (hosts.size() > 1) {
    kinds = co_await tool::ask_several(context, "Of which hosts?", hosts);
  }
  if (!kinds || kinds->empty()) {
    co_return kinds ? Result<Taken>(Taken()) : fail(kinds.error());
  }
  Result<setup::Plan> plan = plan_setup(*setup, *kinds, copy);
  if (!plan) {
    co_return fail(plan.error());
  }
  if (copy) {
    leave_hosts_alone(*plan);
  }
  const Result<std::string> agreed =
      co_await tool::ask_choice(context,
                                plan_text(*plan, look_of(*setup, copy)) + "\nDo this?",
                                {{.value = "yes", .title = "Yes"}, {.value = "no", .title = "No"}});
  if (!agreed || *agreed != "yes") {
    co_return agreed ? Result<Taken>(Taken()) : fail(agreed.error());
  }
  const auto backups =
      setup::carry_out(*plan, setup::record_file(setup->environment), stamp_of_now());
  if (!backups) {
    co_return fail(backups.error());
  }
  std::string done = text::count_text(servers_of(*plan), "server") + " taken over, into " +
                     short_path(plan->user_file, setup->environment.home) + ".";
  done += copy ? "" : " Restart the other hosts.";
  co_return Taken{.said = done + " To take it all back: /mcp setup --undo", .changed = true};
}

}  // namespace

io::Task<Result<tool::SetupOutcome>> talk_about_setup(const Setup* setup,
                                                      bool offers_presets,
                                                      tool::CallContext context) {
  const Result<Taken> done = co_await take_over(setup, context);
  if (!done && done.error().code() != ErrorCode::cancelled) {
    co_return fail(done.error());
  }
  tool::SetupOutcome outcome{.said = done ? done->said : "", .wanted = {}};
  if (offers_presets && done && !done->changed && !done->said.empty()) {
    outcome.said += " To add one of your own: /mcp add NAME COMMAND, or /mcp add NAME URL.";
  }
  if (offers_presets && done && !done->changed) {
    std::vector<UserChoice> choices;
    choices.reserve(setup::presets().size());
    for (const setup::Preset& preset : setup::presets()) {
      choices.push_back({.value = std::string(preset.name), .title = std::string(preset.what)});
    }
    const auto wanted = co_await tool::ask_several(
        context, outcome.said + "\nWell-known servers, each tried before it is added:", choices);
    for (const setup::Preset& preset : setup::presets()) {
      if (wanted && std::ranges::find(*wanted, preset.name) != wanted->end()) {
        outcome.wanted.push_back(
            {.name = std::string(preset.name), .entry_json = std::string(preset.entry)});
      }
    }
  }
  if (outcome.said.empty() && outcome.wanted.empty()) {
    outcome.said = "Nothing was changed.";
  }
  co_return outcome;
}

Result<tool::SetupOutcome> undo_setup(const Setup& setup) {
  const auto undone = setup::undo(setup::record_file(setup.environment), setup::UndoWay::write);
  if (!undone) {
    return fail(undone.error());
  }
  return tool::SetupOutcome{
      .said = undo_text(*undone, setup::UndoWay::write, look_of(setup, false)), .wanted = {}};
}

}  // namespace pi_mcp::cli
