#include "setup/record.h"

#include <utility>

#include "base/digest.h"
#include "base/text.h"
#include "json/document.h"
#include "json/writer.h"

namespace pi_mcp::setup {
namespace {

constexpr int version = 1;

void write_names(json::Writer& out, std::string_view key, const std::vector<std::string>& names) {
  out.key(key).begin_array();
  for (const std::string& name : names) {
    out.string(name);
  }
  out.end_array();
}

std::vector<std::string> names_of(json::Value array) {
  std::vector<std::string> names;
  for (const json::Value name : array.elements()) {
    names.push_back(name.string_or(""));
  }
  return names;
}

void write_place(json::Writer& out, const config::EntryPlace& place) {
  out.member("format", static_cast<int>(place.format));
  write_names(out, "at", place.at);
  out.member("name", place.name).member("list", place.list);
}

config::EntryPlace read_place(json::Value step) {
  const auto format = step.find("format").as_int().value_or(0);
  return {.format = static_cast<config::FileFormat>(format),
          .at = names_of(step.find("at")),
          .name = step.find("name").string_or(""),
          .list = step.find("list").bool_or(false)};
}

void write_change(json::Writer& out, const config::TextChange& change) {
  out.key("change").begin_object().member("offset", change.offset);
  out.member("was", change.was).member("is", change.is);
  out.member("before", change.before).member("behind", change.behind).end_object();
}

config::TextChange read_change(json::Value step) {
  const json::Value change = step.find("change");
  return {.offset = static_cast<std::size_t>(change.find("offset").as_int().value_or(0)),
          .was = change.find("was").string_or(""),
          .is = change.find("is").string_or(""),
          .before = change.find("before").string_or(""),
          .behind = change.find("behind").string_or("")};
}

void write_step(json::Writer& out, const PutStep& step) {
  out.member("did", "put");
  write_place(out, step.place);
  out.member_raw("value", step.value).member("parentsMade", step.put.parents_made);
  if (step.put.replaced) {
    out.member_raw("replaced", *step.put.replaced);
  }
  write_change(out, step.put.change);
}

void write_step(json::Writer& out, const RemoveStep& step) {
  out.member("did", "remove");
  write_place(out, step.place);
  out.member_raw("value", step.removed.value).member("piece", step.removed.piece);
  out.member("next", step.removed.next).member("previous", step.removed.previous);
  write_change(out, step.removed.change);
}

void write_step(json::Writer& out, const ListStep& step) {
  out.member("did", "list").member("made", step.made);
  write_names(out, "at", step.path);
  write_names(out, "names", step.names);
}

Step read_step(json::Value step) {
  if (step.find("did").equals("list")) {
    return ListStep{.path = names_of(step.find("at")),
                    .names = names_of(step.find("names")),
                    .made = step.find("made").bool_or(false)};
  }
  if (step.find("did").equals("put")) {
    PutStep put{
        .place = read_place(step),
        .value = std::string(step.find("value").raw()),
        .put = {.text = {}, .change = read_change(step), .replaced = {}, .parents_made = 0}};
    put.put.parents_made = static_cast<std::size_t>(step.find("parentsMade").as_int().value_or(0));
    if (const json::Value replaced = step.find("replaced")) {
      put.put.replaced = std::string(replaced.raw());
    }
    return put;
  }
  return RemoveStep{.place = read_place(step),
                    .removed = {.text = {},
                                .change = read_change(step),
                                .value = std::string(step.find("value").raw()),
                                .piece = step.find("piece").string_or(""),
                                .next = step.find("next").string_or(""),
                                .previous = step.find("previous").string_or("")}};
}

RecordedFile read_file(json::Value entry) {
  RecordedFile file{.path = entry.find("path").string_or(""),
                    .before = {},
                    .after = entry.find("after").string_or(""),
                    .backup = entry.find("backup").string_or(""),
                    .steps = {},
                    .is_users = entry.find("isUsers").bool_or(false)};
  if (const json::Value before = entry.find("before"); before.is_string()) {
    file.before = before.string_or("");
  }
  for (const json::Value step : entry.find("steps").elements()) {
    file.steps.push_back(read_step(step));
  }
  return file;
}

}  // namespace

RecordedFile recorded(const FileChange& change, std::string backup) {
  RecordedFile file{.path = change.path,
                    .before = {},
                    .after = sha256_hex(change.after),
                    .backup = std::move(backup),
                    .steps = change.steps,
                    .is_users = change.is_users};
  if (change.before) {
    file.before = sha256_hex(*change.before);
  }
  return file;
}

std::string record_text(const Record& record) {
  json::Writer out;
  out.begin_object().member("version", version).key("files").begin_array();
  for (const RecordedFile& file : record.files) {
    out.begin_object().member("path", file.path).member("isUsers", file.is_users);
    if (file.before) {
      out.member("before", *file.before);
    }
    out.member("after", file.after).member("backup", file.backup).key("steps").begin_array();
    for (const Step& step : file.steps) {
      out.begin_object();
      std::visit([&out](const auto& one) { write_step(out, one); }, step);
      out.end_object();
    }
    out.end_array().end_object();
  }
  return out.end_array().end_object().take();
}

Result<Record> parse_record(std::string_view text) {
  Record record;
  if (text::trim(text).empty()) {
    return record;
  }
  const Result<json::Document> document = json::Document::parse_view(text);
  if (!document) {
    return fail(document.error());
  }
  if (document->root().find("version").as_int() != version) {
    return fail(ErrorCode::invalid_argument,
                "it is of another version of pi-mcp; undo with that one");
  }
  for (const json::Value entry : document->root().find("files").elements()) {
    record.files.push_back(read_file(entry));
  }
  return record;
}

}  // namespace pi_mcp::setup
