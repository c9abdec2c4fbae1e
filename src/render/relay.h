// From a server's answer to what the host gets: as it arrived whenever possible, else rebuilt with
// reduced or cut content. Pure but for SaveOutput.
#pragma once

#include <cstdint>
#include <string>

#include "base/shared_text.h"
#include "render/content.h"
#include "render/host_kind.h"
#include "render/meta_slot.h"
#include "render/output_guard.h"

namespace pi_mcp::render {

struct RelayLimits {
  TextLimits text;
  MediaLimits media;
  // For a host that knows the schema of structured content: it refuses a result without it
  // (server/tools "Output Schema").
  bool keeps_structured = false;
  // Nothing is cut and nothing goes to a file for its size.
  [[nodiscard]] static RelayLimits none();
};

struct Relayed {
  SharedText result;  // a CallToolResult
  MetaSlot meta_slot;
  std::string guard_json;  // details.outputGuard; empty when nothing was cut
};

// `result` answered a tools/call. `note` is a text of ours below it; empty: there is none.
Relayed relay_result(const RawObject& result,
                     HostKind host,
                     const RelayLimits& limits,
                     const SaveOutput& save_output,
                     const std::string& note = {});

// What its texts become: blocks of text, or embedded resources, with all that is known of them.
enum class ResourceAs : std::uint8_t { text, resource };
struct RelayTo {
  HostKind host = HostKind::mcp;
  const RelayLimits& limits;
};

// `result` answered a resources/read.
Relayed relay_resource(const RawObject& result,
                       ResourceAs as,
                       const RelayTo& to,
                       const SaveOutput& save_output);

// Where "_meta" belongs in a CallToolResult that has at least one member.
MetaSlot find_meta_slot(const RawObject& result);

}  // namespace pi_mcp::render
