// The result of a tools/call for a person or a shell pipeline. Pure.
#pragma once

#include <string>

#include "base/result.h"
#include "json/document.h"
#include "json/text_pieces.h"

namespace pi_mcp::cli {

// Writes texts as they are, each ending with a line feed; images, audio and files as one line that
// names them; structured content, indented, when there is no text. `result` is a CallToolResult. In
// pieces, because a text may have hundreds of megabytes. False: the result is empty.
bool write_call_text(json::Value result, const json::TextSink& sink);
// write_call_text() as one text.
std::string call_text(json::Value result);

// What --output writes: the decoded bytes of the first image, audio or binary resource, else
// call_text(). `what` names it ("image/png, 12.3KB"). protocol: the bytes are not base64.
struct OutputBytes {
  std::string bytes;
  std::string what;
};
Result<OutputBytes> output_bytes(json::Value result);

// "reading files (3/10)" of notifications/progress.
std::string progress_text(json::Value params);

}  // namespace pi_mcp::cli
