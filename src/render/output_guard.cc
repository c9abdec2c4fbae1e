#include "render/output_guard.h"

#include <algorithm>

#include "base/text.h"
#include "json/writer.h"

namespace pi_mcp::render {
namespace {

// Room for the numbers in the notice, which is written once the cut is known.
constexpr std::size_t notice_numbers_bytes = 120;
// An empty line and the notice itself.
constexpr std::size_t notice_lines = 2;
// Claude Code puts a result of more than 50,000 characters into a file of its own and shows 2 KB of
// it; it counts more than the text.
constexpr std::size_t host_bytes_max = 40'000;

std::size_t line_count(std::string_view text) {
  if (text.empty()) {
    return 0;
  }
  const auto breaks = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  return text.back() == '\n' ? breaks : breaks + 1;
}

// The lines of a text, by its JSON form; one more than line_count() when it ends in a line feed.
std::size_t line_count_of_json(std::string_view raw) {
  std::size_t lines = 1;
  for (;;) {
    const std::size_t backslash = raw.find('\\');
    if (backslash == std::string_view::npos || backslash + 1 >= raw.size()) {
      return lines;
    }
    const std::string_view escape = raw.substr(backslash + 1, 5);
    lines += escape[0] == 'n' || text::lower(escape) == "u000a" ? 1U : 0U;
    raw.remove_prefix(backslash + 2);
  }
}

struct Measure {
  std::size_t text_bytes = 0;  // of the JSON forms, which are never shorter than the texts
  std::size_t text_lines = 0;
  std::size_t media_bytes = 0;
  bool media_too_large = false;

  void add_text(json::Value text) {
    text_bytes += text.raw().size();
    text_lines += line_count_of_json(text.raw());
  }
  void add_media(json::Value data, const MediaLimits& limits) {
    media_bytes += data.raw().size();
    media_too_large = media_too_large || data.raw().size() > limits.one_max;
  }
};

void measure_block(json::Value item, const MediaLimits& limits, Measure& sum) {
  const json::Value type = item.find("type");
  if (type.equals("text")) {
    sum.add_text(item.find("text"));
  } else if (type.equals("image") || type.equals("audio")) {
    sum.add_media(item.find("data"), limits);
  } else if (type.equals("resource")) {
    sum.add_text(item.at({"resource", "text"}));
    sum.add_media(item.at({"resource", "blob"}), limits);
  } else {
    sum.add_text(item);
  }
}

bool is_plain_for_pi(json::Value item) {
  const json::Value type = item.find("type");
  if (type.equals("text")) {
    return item.find("text").is_string();
  }
  return type.equals("image") && item.find("data").is_string() && item.find("mimeType").is_string();
}

bool needs_reduction(json::Value result, json::Value content) {
  if (result.find("isError").bool_or(false) || result.find("structuredContent").exists()) {
    return true;
  }
  for (const json::Value item : content.elements()) {
    if (!is_plain_for_pi(item)) {
      return true;
    }
  }
  return false;
}

bool has_broken_block(json::Value content) {
  for (const json::Value item : content.elements()) {
    if (is_broken(item)) {
      return true;
    }
  }
  return false;
}

// Bytes of `text` up to `bytes_max` that end at a code point.
std::size_t whole_code_points(std::string_view text, std::size_t bytes_max) {
  std::size_t length = std::min(text.size(), bytes_max);
  while (length > 0 && length < text.size() &&
         (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U) {
    --length;
  }
  return length;
}

struct Room {
  std::size_t bytes;
  std::size_t lines;
};

// Length of the leading lines of `text` that fit; sets cut.by_lines when the lines ran out first.
std::size_t whole_lines(std::string_view text, const Room& room, Cut& cut) {
  std::size_t length = 0;
  std::size_t lines = 0;
  while (length < text.size()) {
    const std::size_t line_end = text.find('\n', length);
    const std::size_t next = line_end == std::string_view::npos ? text.size() : line_end + 1;
    if (lines == room.lines || next > room.bytes) {
      cut.by_lines = lines == room.lines;
      return length;
    }
    length = next;
    ++lines;
  }
  return length;
}

// The part of `text` that is shown when it does not fit as a whole.
std::string_view shown_part(std::string_view text, const Room& room, Cut& cut) {
  std::size_t length = whole_lines(text, room, cut);
  if (!cut.by_lines && length < room.bytes / 2) {
    cut.first_line_too_long = length == 0 && cut.shown_lines == 0;
    length += whole_code_points(text.substr(length), room.bytes - length);
    cut.last_line_partial = true;
  }
  return text.substr(0, length);
}

std::string notice(const Cut& cut, std::string_view where) {
  return "[Output cut: " + std::to_string(cut.shown_lines) + " of " +
         std::to_string(cut.original_lines) + " lines shown, " + text::size_text(cut.shown_bytes) +
         " of " + text::size_text(cut.original_bytes) + ". " + std::string(where) + "]";
}

// All texts, one after another; the single text itself when there is only one.
SharedText full_text(const std::vector<Block>& blocks) {
  const auto is_text = [](const Block& block) {
    return block.is_text();
  };
  if (std::count_if(blocks.begin(), blocks.end(), is_text) == 1) {
    return std::find_if(blocks.begin(), blocks.end(), is_text)->text;
  }
  std::string full;
  for (const Block& block : blocks) {
    if (block.is_text()) {
      full += full.empty() || full.ends_with('\n') ? "" : "\n";
      full += block.text.view();
    }
  }
  return SharedText(std::move(full));
}

void count_shown(std::string_view text, Room& room, Cut& cut) {
  const std::size_t lines = line_count(text);
  cut.shown_bytes += text.size();
  cut.shown_lines += lines;
  room.bytes -= std::min(room.bytes, text.size());
  room.lines -= std::min(room.lines, lines);
}

// The notice stands above the first text too. That is the one that was cut, unless it fitted: then
// it stays as it came.
void put_first(std::vector<Block>& kept, const std::string& notice) {
  const auto first = std::ranges::find_if(kept, &Block::is_text);
  if (first->json.empty()) {
    *first = Block::of_text(notice + "\n\n" + std::string(first->text.view()));
  } else {
    kept.insert(first, Block::of_text(notice));
  }
}

void keep_leading(
    std::vector<Block>& blocks, Room room, std::string_view where, bool note_first, Cut& cut) {
  bool full = false;
  std::vector<Block> kept;
  for (Block& block : blocks) {
    if (!block.is_text()) {
      kept.push_back(std::move(block));
      continue;
    }
    const std::string_view text = block.text.view();
    if (full) {
      continue;
    }
    if (text.size() <= room.bytes && line_count(text) <= room.lines) {
      count_shown(text, room, cut);
      kept.push_back(std::move(block));
      continue;
    }
    const std::string_view part = shown_part(text, room, cut);
    count_shown(part, room, cut);
    full = true;
    std::string shown(part);
    shown += shown.empty() ? "" : shown.ends_with('\n') ? "\n" : "\n\n";
    kept.push_back(Block::of_text(shown + notice(cut, where)));
  }
  if (note_first && cut.shown_bytes > 0) {
    put_first(kept, notice(cut, where));
  }
  blocks = std::move(kept);
}

}  // namespace

std::string Cut::json(const TextLimits& limits) const {
  json::Writer out;
  out.begin_object()
      .member("truncated", true)
      .member("truncatedBy", by_lines ? "lines" : "bytes")
      .member("originalBytes", original_bytes)
      .member("originalLines", original_lines)
      .member("totalBytes", original_bytes)
      .member("totalLines", original_lines)
      .member("outputBytes", shown_bytes)
      .member("outputLines", shown_lines)
      .member("maxBytes", limits.bytes_max)
      .member("maxLines", limits.lines_max)
      .member("firstLineExceedsLimit", first_line_too_long)
      .member("lastLinePartial", last_line_partial);
  if (!path.empty()) {
    out.member("fullOutputPath", path);
  }
  return out.end_object().take();
}

TextLimits TextLimits::of(HostKind host) {
  TextLimits limits;
  if (host != HostKind::pi) {
    limits.bytes_max = host_bytes_max;
    limits.note_first = true;
  }
  return limits;
}

bool passes_untouched(json::Value result,
                      HostKind host,
                      const TextLimits& limits,
                      const MediaLimits& media) {
  const json::Value content = result.find("content");
  if (!content.element(0).exists()) {
    return false;
  }
  if (host == HostKind::pi ? needs_reduction(result, content) : has_broken_block(content)) {
    return false;
  }
  // A line costs at least two bytes of JSON.
  const std::size_t bytes = result.raw().size();
  const std::size_t small = std::min({limits.bytes_max, media.one_max, media.total_max});
  if (bytes <= small && bytes / 2 <= limits.lines_max) {
    return true;
  }
  Measure sum;
  for (const json::Value item : content.elements()) {
    measure_block(item, media, sum);
  }
  return sum.text_bytes <= limits.bytes_max && sum.text_lines <= limits.lines_max &&
         !sum.media_too_large && sum.media_bytes <= media.total_max &&
         result.find("structuredContent").raw().size() <= limits.bytes_max;
}

std::optional<Cut> cut_texts(std::vector<Block>& blocks,
                             const TextLimits& limits,
                             const SaveOutput& save_output,
                             json::Value structured) {
  Cut cut;
  for (const Block& block : blocks) {
    cut.original_bytes += block.text.size();
    cut.original_lines += line_count(block.text.view());
  }
  if (cut.original_bytes <= limits.bytes_max && cut.original_lines <= limits.lines_max) {
    return std::nullopt;
  }
  SharedText full = full_text(blocks);
  if (structured && !is_shown(structured, blocks)) {
    full = SharedText(std::string(full.view()) + "\n\nStructured content:\n" +
                      std::string(structured.raw()) + "\n");
  }
  const std::string what = structured ? "ull text and structured content" : "ull text";
  const Result<std::string> path = save_output("txt", full.view());
  cut.path = path ? *path : std::string();
  const std::string where =
      path ? "F" + what + ": " + *path + " - read parts of it or search it."
           : "The f" + what + " could not be saved: " + path.error().message() + ".";
  const std::size_t notices = limits.note_first ? 2 : 1;
  const std::size_t reserved = notices * (where.size() + notice_numbers_bytes);
  const Room room{.bytes = limits.bytes_max - std::min(limits.bytes_max, reserved),
                  .lines = limits.lines_max - std::min(limits.lines_max, notices * notice_lines)};
  keep_leading(blocks, room, where, limits.note_first, cut);
  return cut;
}

}  // namespace pi_mcp::render
