#include "host/result_writer.h"

#include <algorithm>
#include <string>

#include "json/writer.h"
#include "mcp/server/server_session.h"

namespace pi_mcp::host {
namespace {

constexpr std::size_t slot_bytes_max = 48;  // of a slot without the details

// What stands in the slot before and behind our member.
struct Around {
  std::string_view before;
  std::string_view behind;
};

// The end of an object is the place where our member wins over one of the same name, which a server
// that is a pi-mcp itself sends.
Around around(render::MetaSlot::Kind slot) {
  switch (slot) {
    case render::MetaSlot::Kind::new_member:
      return {.before = R"("_meta":{)", .behind = "},"};
    case render::MetaSlot::Kind::end_of_empty:
      return {};
    case render::MetaSlot::Kind::end:
      return {.before = ",", .behind = ""};
    case render::MetaSlot::Kind::in_place_of:
      return {.before = "{", .behind = "}"};
  }
  return {};
}

rpc::Outgoing passed_with_details(const tool::Answer& result) {
  const std::string details = tool::details_of(result, tool::Reader::model);
  rpc::Outgoing out;
  out.reserve(std::min(result.passed.size(), rpc::Outgoing::shared_bytes_min) + details.size() +
              slot_bytes_max);
  out.add(result.passed.sub(0, result.meta_slot.offset));
  const auto [before, behind] = around(result.meta_slot.kind);
  out.add(before);
  out.add(R"(")");
  out.add(mcp::details_key);
  out.add(R"(":)");
  out.add(details);
  out.add(behind);
  out.add(result.passed.sub(result.meta_slot.offset + result.meta_slot.length));
  return out;
}

}  // namespace

rpc::Outgoing call_tool_result(const tool::Answer& answer,
                               std::string_view text,
                               bool with_details) {
  if (!answer.passed.empty()) {
    rpc::Outgoing passed;
    passed.add(answer.passed);
    return with_details ? passed_with_details(answer) : passed;
  }
  json::Writer out;
  out.begin_object().key("content").begin_array();
  out.begin_object().member("type", "text").member("text", text).end_object().end_array();
  if (answer.is_error()) {
    out.member("isError", true);
  }
  if (with_details) {
    out.key("_meta")
        .begin_object()
        .member_raw(mcp::details_key, tool::details_of(answer, tool::Reader::model))
        .end_object();
  }
  out.end_object();
  return rpc::Outgoing(out.take());
}

}  // namespace pi_mcp::host
