#include "cli/show/setup_view.h"

#include <algorithm>
#include <utility>

#include "base/count_text.h"
#include "base/text.h"
#include "cli/show/config_view.h"
#include "json/writer.h"

namespace pi_mcp::cli {
namespace {

using setup::Fate;
using setup::Ours;
using setup::PlannedEntry;
using setup::PlannedFile;
using setup::PlannedHost;

std::string fate_text(const PlannedEntry& entry, bool copy) {
  std::string said;
  switch (entry.fate) {
    case Fate::moves:
      said = copy ? "is copied" : "moves";
      break;
    case Fate::joins:
      said = "is there already";
      break;
    case Fate::stays:
      said = "stays";
      break;
  }
  if (!entry.new_name.empty() && entry.new_name != entry.name) {
    said += " as " + text::printable(entry.new_name);
  }
  if (entry.disabled) {
    said += ", switched off";
  }
  return entry.reason.empty() ? said : said + ": " + text::printable(entry.reason);
}

std::string_view word(Ours ours) {
  switch (ours) {
    case Ours::added:
      return "added";
    case Ours::there:
      return "there";
    case Ours::mended:
      return "mended";
    case Ours::nothing:
      break;
  }
  return "nothing";
}

std::string_view word(Fate fate) {
  return fate == Fate::moves ? "moves" : fate == Fate::joins ? "joins" : "stays";
}

// "    name    what happens", what is too long for the line below it.
void add_row(std::string& out,
             const std::pair<std::string, std::string_view>& name_and_mark,
             std::size_t width,
             const std::string& words,
             std::size_t columns) {
  const auto& [name, mark] = name_and_mark;
  const std::string indent(6 + width + 2, ' ');
  std::string lines = wrapped(words, indent, columns);
  const std::string shown = text::printable(name);
  const std::string fill(width - std::min(width, columns_of(shown)), ' ');
  lines.replace(0, indent.size(), "    " + std::string(mark) + " " + shown + fill + "  ");
  out += lines;
}

std::string file_text(const PlannedFile& file, const SetupLook& look) {
  std::string out = "  " + look.style.dim(short_path(file.file.path, look.home)) + "\n";
  std::size_t width = columns_of(file.our_name);
  constexpr std::size_t width_max = 24;
  for (const PlannedEntry& entry : file.entries) {
    width = std::min(std::max(width, columns_of(entry.name)), width_max);
  }
  for (const PlannedEntry& entry : file.entries) {
    const bool goes = entry.fate != Fate::stays;
    const std::string mark = goes ? look.style.green("→") : look.style.dim("-");
    add_row(out, {entry.name, mark}, width, fate_text(entry, look.copy), look.columns);
    for (const std::string& note : entry.notes) {
      out += wrapped(text::printable(note), "        ", look.columns);
    }
  }
  if (file.ours == Ours::added) {
    add_row(out, {file.our_name, look.style.green("+")}, width, "is put in", look.columns);
  } else if (file.ours == Ours::mended) {
    const std::string gone = "gets the path of this program, for one that is gone: ";
    add_row(out,
            {file.our_name, look.style.green("→")},
            width,
            gone + text::printable(file.our_command),
            look.columns);
  } else if (file.ours == Ours::there) {
    const std::string there = "is there already: " + text::printable(file.our_command);
    add_row(out, {file.our_name, look.style.green("✓")}, width, there, look.columns);
  }
  return out;
}

std::string host_text(const PlannedHost& host, const SetupLook& look) {
  std::string out = look.style.bold(host.host->name) + "\n";
  if (!host.problem.empty()) {
    const bool other_way = host.host->entry.empty();
    std::string words = other_way ? host.problem : "left out: " + host.problem;
    out += wrapped(other_way ? words : text::printable(words), "  ", look.columns);
  }
  for (const PlannedFile& file : host.files) {
    out += file_text(file, look);
  }
  for (const setup::ProjectEntries& project : host.projects) {
    out += wrapped("stay, for " + short_path(project.folder, look.home) +
                       " alone: " + text::printable(text::join(project.names, ", ")),
                   "  ",
                   look.columns);
  }
  return out + "\n";
}

void write_strings(json::Writer& out,
                   std::string_view key,
                   const std::vector<std::string>& strings) {
  out.key(key).begin_array();
  for (const std::string& string : strings) {
    out.string(string);
  }
  out.end_array();
}

void write_file(json::Writer& out, const PlannedFile& file) {
  out.begin_object().member("path", file.file.path).member("exists", file.exists);
  out.member("piMcp", word(file.ours)).key("entries").begin_array();
  for (const PlannedEntry& entry : file.entries) {
    out.begin_object().member("name", entry.name).member("fate", word(entry.fate));
    if (!entry.new_name.empty()) {
      out.member("newName", entry.new_name);
    }
    if (!entry.reason.empty()) {
      out.member("reason", entry.reason);
    }
    out.member("disabled", entry.disabled);
    write_strings(out, "notes", entry.notes);
    out.end_object();
  }
  out.end_array().end_object();
}

}  // namespace

bool leaves_all_out(const setup::Plan& plan) {
  const auto can_have_us = [](const PlannedHost& host) {
    return !host.host->entry.empty();
  };
  return std::ranges::any_of(plan.hosts, can_have_us) &&
         std::ranges::all_of(plan.hosts, [&](const PlannedHost& host) {
           return !can_have_us(host) || !host.problem.empty();
         });
}

std::size_t servers_of(const setup::Plan& plan) {
  std::size_t count = 0;
  for (const PlannedHost& host : plan.hosts) {
    for (const PlannedFile& file : host.files) {
      count += static_cast<std::size_t>(
          std::ranges::count(file.entries, Fate::moves, &PlannedEntry::fate));
    }
  }
  return count;
}

std::string plan_text(const setup::Plan& plan, const SetupLook& look) {
  std::string out;
  for (const PlannedHost& host : plan.hosts) {
    out += host_text(host, look);
  }
  if (!plan.looked_for.empty()) {
    out += wrapped(
               "Looked for and not found: " + text::join(plan.looked_for, ", "), "", look.columns) +
           "\n";
  }
  if (plan.changes.empty()) {
    return out + (leaves_all_out(plan) ? "" : "Nothing to do.\n");
  }
  const std::size_t count = servers_of(plan);
  const auto hosts_changed = static_cast<std::size_t>(std::ranges::count_if(
      plan.changes, [](const setup::FileChange& change) { return !change.is_users; }));
  std::string sum;
  if (count > 0) {
    sum =
        text::count_text(count, "server") + " for " + short_path(plan.user_file, look.home) + "; ";
  }
  sum +=
      text::count_text(hosts_changed, "file") + " of hosts to change, each with a copy beside it.";
  return out + wrapped(sum, "", look.columns);
}

std::string undo_text(const std::vector<setup::UndoneFile>& files,
                      setup::UndoWay way,
                      const SetupLook& look) {
  const bool is_done = way == setup::UndoWay::write;
  if (files.empty()) {
    return "Nothing to undo.\n";
  }
  std::string out;
  for (const setup::UndoneFile& file : files) {
    const setup::Undone& undone = file.undone;
    const std::string will = is_done ? "" : "would be ";
    std::string words = will + (undone.whole ? "as it was before" : "taken back");
    if (!undone.problem.empty()) {
      words = will + "not taken back: " + text::printable(undone.problem);
    }
    const bool clean = undone.problem.empty() && undone.kept.empty();
    out += (clean ? look.style.green("✓") : look.style.yellow("!")) + " " +
           short_path(file.path, look.home) + "\n" + wrapped(words, "    ", look.columns);
    if (!undone.restored.empty()) {
      out += wrapped(
          "back: " + text::printable(text::join(undone.restored, ", ")), "    ", look.columns);
    }
    for (const std::string& kept : undone.kept) {
      out += wrapped(text::printable(kept), "    ", look.columns);
    }
  }
  return out;
}

std::string plan_json(const setup::Plan& plan, const SetupDone& done) {
  json::Writer out;
  out.begin_object().member("mode", "setup").member("done", done.done);
  out.member("userFile", plan.user_file).key("hosts").begin_array();
  for (const PlannedHost& host : plan.hosts) {
    out.begin_object().member("kind", host.host->kind).member("name", host.host->name);
    if (!host.problem.empty()) {
      out.member("problem", host.problem);
    }
    out.key("files").begin_array();
    for (const PlannedFile& file : host.files) {
      write_file(out, file);
    }
    out.end_array().key("projects").begin_array();
    for (const setup::ProjectEntries& project : host.projects) {
      out.begin_object().member("path", project.path).member("folder", project.folder);
      write_strings(out, "names", project.names);
      out.end_object();
    }
    out.end_array().end_object();
  }
  out.end_array();
  write_strings(out, "notFound", plan.looked_for);
  out.key("changes").begin_array();
  for (const setup::FileChange& change : plan.changes) {
    out.string(change.path);
  }
  out.end_array().key("backups").begin_array();
  for (const setup::Backup& backup : done.backups) {
    out.begin_object().member("path", backup.path).member("copy", backup.copy).end_object();
  }
  return out.end_array().end_object().take();
}

std::string undo_json(const std::vector<setup::UndoneFile>& files, setup::UndoWay way) {
  json::Writer out;
  out.begin_object().member("mode", "setup").member("done", way == setup::UndoWay::write);
  out.key("undone").begin_array();
  for (const setup::UndoneFile& file : files) {
    out.begin_object().member("path", file.path).member("whole", file.undone.whole);
    if (!file.undone.problem.empty()) {
      out.member("problem", file.undone.problem);
    }
    write_strings(out, "restored", file.undone.restored);
    write_strings(out, "removed", file.undone.removed);
    write_strings(out, "kept", file.undone.kept);
    out.end_object();
  }
  return out.end_array().end_object().take();
}

}  // namespace pi_mcp::cli
