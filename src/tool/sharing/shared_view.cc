#include "tool/sharing/shared_view.h"

#include <algorithm>

#include "base/count_text.h"

namespace pi_mcp::tool {
namespace {

constexpr std::string_view view_key = "shared";
constexpr std::string_view runs_key = "runs";

void write_texts(json::Writer& out, std::string_view name, const std::vector<std::string>& texts) {
  out.key(name).begin_array();
  for (const std::string& text : texts) {
    out.string(text);
  }
  out.end_array();
}

void write_copies_of_one(json::Writer& out, const servers::Copies& copies) {
  out.begin_object().member("server", copies.server).member("count", copies.count);
  out.key("partedBy").begin_array();
  for (const servers::Parting& parting : copies.parted_by) {
    out.begin_object().member("by", servers::parted_by_name(parting.by));
    if (!parting.name.empty()) {
      out.member("name", parting.name);
    }
    out.end_object();
  }
  out.end_array();
  if (!copies.join.empty()) {
    out.member("join", copies.join);
  }
  out.end_object();
}

std::vector<std::string> read_texts(json::Value texts) {
  std::vector<std::string> all;
  for (const json::Value text : texts.elements()) {
    all.emplace_back(text.string_or(""));
  }
  return all;
}

std::int64_t read_number(json::Value number) {
  return std::max<std::int64_t>(number.as_int().value_or(0), 0);
}

servers::Copies read_copies(json::Value value) {
  servers::Copies copies{.server = value.find("server").string_or(""),
                         .count = static_cast<std::size_t>(read_number(value.find("count"))),
                         .parted_by = {},
                         .join = std::string(value.find("join").string_or(""))};
  for (const json::Value parting : value.find("partedBy").elements()) {
    if (const auto by = servers::read_parted_by(parting.find("by").string_or(""))) {
      copies.parted_by.push_back({.by = *by, .name = parting.find("name").string_or("")});
    }
  }
  return copies;
}

}  // namespace

void write_shared_view(json::Writer& out, const SharedView& view) {
  out.begin_object().member("process", view.process_id).key("sessions").begin_array();
  for (const SharedView::Session& session : view.sessions) {
    out.begin_object().member("client", session.client).member("folder", session.folder);
    out.member("ageMs", session.age.count());
    write_texts(out, "servers", session.servers);
    out.end_object();
  }
  out.end_array();
  write_texts(out, "resting", view.resting);
  write_copies(out, view.copies);
  out.end_object();
}

void write_copies(json::Writer& out, const std::vector<servers::Copies>& all) {
  out.key("copies").begin_array();
  for (const servers::Copies& copies : all) {
    write_copies_of_one(out, copies);
  }
  out.end_array();
}

Answer shared_answer(const SharedView& view) {
  json::Writer out;
  write_shared_view(out, view);
  return Reply(std::nullopt, text::count_text(view.sessions.size(), "session"))
      .with_json(view_key, out.take())
      .take();
}

Result<SharedView> take_shared_view(const Answer& answer) {
  const std::string details = details_of(answer, Reader::shell);
  const Result<json::Document> document = json::Document::parse_view(details);
  const json::Value found = document ? document->root().find(view_key) : json::Value();
  if (!found.is_object()) {
    return fail(ErrorCode::protocol, "the shared process of pi-mcp does not say who shares it");
  }
  SharedView view{.process_id = static_cast<int>(read_number(found.find("process"))),
                  .sessions = {},
                  .resting = read_texts(found.find("resting")),
                  .copies = {}};
  for (const json::Value session : found.find("sessions").elements()) {
    view.sessions.push_back({.client = session.find("client").string_or(""),
                             .folder = session.find("folder").string_or(""),
                             .age = Milliseconds(read_number(session.find("ageMs"))),
                             .servers = read_texts(session.find("servers"))});
  }
  for (const json::Value copies : found.find("copies").elements()) {
    view.copies.push_back(read_copies(copies));
  }
  return view;
}

Answer runs_answer(const std::vector<runs::RunRecord>& runs, EpochMs now) {
  json::Writer out;
  out.begin_array();
  for (const runs::RunRecord& run : runs) {
    out.raw(runs::run_record_json(run, now));
  }
  return Reply(std::nullopt, text::count_text(runs.size(), "session"))
      .with_json(runs_key, out.end_array().take())
      .take();
}

Result<std::vector<runs::RunRecord>> take_runs(const Answer& answer, EpochMs now) {
  const std::string details = details_of(answer, Reader::shell);
  const Result<json::Document> document = json::Document::parse_view(details);
  const json::Value found = document ? document->root().find(runs_key) : json::Value();
  if (!found.is_array()) {
    return fail(ErrorCode::protocol, "the shared process of pi-mcp does not say what runs in it");
  }
  std::vector<runs::RunRecord> runs;
  for (const json::Value each : found.elements()) {
    if (std::optional<runs::RunRecord> run = runs::parse_run_record(each.raw(), now)) {
      runs.push_back(*std::move(run));
    }
  }
  return runs;
}

}  // namespace pi_mcp::tool
