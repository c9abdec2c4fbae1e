// Keeps a result from flooding a model: text over a limit of bytes or lines is cut, and all of it
// saved in a file whose path the result tells. Pure but for SaveOutput.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "json/document.h"
#include "render/content.h"
#include "render/host_kind.h"

namespace pi_mcp::render {

// For the texts of one result together, the notice about the cut included.
struct TextLimits {
  std::size_t bytes_max = std::size_t{50} << 10U;
  std::size_t lines_max = 2000;
  bool note_first = false;  // the notice is the first line too, not only the last

  // What a host of this kind gets where the user has said nothing.
  [[nodiscard]] static TextLimits of(HostKind host);
};

// What was cut; becomes details.outputGuard.
struct Cut {
  std::size_t original_bytes = 0;
  std::size_t original_lines = 0;
  std::size_t shown_bytes = 0;
  std::size_t shown_lines = 0;
  bool by_lines = false;             // the line limit was met before the byte limit
  bool first_line_too_long = false;  // not even one whole line fitted
  bool last_line_partial = false;
  std::string path;  // the file with the full text; empty when it could not be written
  [[nodiscard]] std::string json(const TextLimits& limits) const;
};

// True when a result needs no change for this host: nothing empty, nothing to reduce, nothing over
// a limit. Decodes nothing and for small results looks at no block's text.
[[nodiscard]] bool passes_untouched(json::Value result,
                                    HostKind host,
                                    const TextLimits& limits,
                                    const MediaLimits& media);

// Cuts the texts in place; nullopt when they are within the limits. Whole leading lines are kept;
// when they would fill less than half of the space, the beginning of the next line is kept too, so
// that one huge line shows its start. Never splits a code point. The file has `structured` too,
// where the texts do not say it.
std::optional<Cut> cut_texts(std::vector<Block>& blocks,
                             const TextLimits& limits,
                             const SaveOutput& save_output,
                             json::Value structured = {});

}  // namespace pi_mcp::render
