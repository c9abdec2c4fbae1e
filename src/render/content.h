// The blocks of a result between a server and a host: what a model reads of each, and how each is
// written. Pure but for SaveOutput.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/shared_text.h"
#include "json/document.h"
#include "render/host_kind.h"

namespace pi_mcp::render {

// Saves bytes that are too large for a model in a file and returns its path. `extension` has no
// dot.
using SaveOutput =
    std::function<Result<std::string>(std::string_view extension, std::string_view bytes)>;

// A JSON object with the bytes that hold it, so that parts can be passed on without copying.
struct RawObject {
  SharedText raw;
  json::Value root;  // `raw` is its text

  // `part` is a value inside root.
  [[nodiscard]] SharedText share(json::Value part) const;
  // The decoded text of a string; shared when it has no escapes.
  [[nodiscard]] SharedText share_text(json::Value string) const;
};

struct Block {
  SharedText text;  // what the output guard counts; empty for images, audio and links
  SharedText json;  // the block as it goes out; empty: a text block is made of `text`

  [[nodiscard]] static Block of_text(std::string text);
  [[nodiscard]] bool is_text() const { return json.empty() || !text.empty(); }
};

// Base64 characters of images, audio and blobs that go to a model as they are. Anthropic's API, the
// strictest of the common ones, refuses an image over 5 MB.
struct MediaLimits {
  std::size_t one_max = std::size_t{5} << 20U;
  std::size_t total_max = std::size_t{20} << 20U;
};

// Of a kind that MCP has, without a member that it must have (schema 2025-11-25, "ContentBlock"),
// or no object: hosts refuse the whole result for it. Kinds that nobody knows yet are not broken.
[[nodiscard]] bool is_broken(json::Value block);

// The content of a CallToolResult (`result`), reduced to text and images for Pi. Media over the
// limits go to a file and leave a note. For Pi a tool's error starts with "Error: ", and structured
// content is added unless a text already says the same. A broken block is a text of its JSON, or of
// where its media went.
std::vector<Block> result_blocks(const RawObject& result,
                                 HostKind host,
                                 const MediaLimits& limits,
                                 const SaveOutput& save_output);

// The contents of a resources/read result as blocks: a text as text, a blob as an embedded resource
// (for Pi as a file).
std::vector<Block> resource_blocks(const RawObject& result,
                                   HostKind host,
                                   const MediaLimits& limits,
                                   const SaveOutput& save_output);

// Whether structured content says no more than the texts: it is the same JSON, or an object of
// which one member is what the texts say and the others, if any, are true or null.
bool is_shown(json::Value structured, const std::vector<Block>& blocks);

// A JSON array.
std::string content_json(const std::vector<Block>& blocks);

}  // namespace pi_mcp::render
