// Small text helpers on UTF-8. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pi_mcp::text {

// ASCII white space (space, tab, CR, LF, VT, FF) removed at both ends.
std::string_view trim(std::string_view text);
// Pieces between separators; "a,,b" gives three, "" gives one empty piece.
std::vector<std::string_view> split(std::string_view text, char separator);
// Pieces between runs of ASCII white space; never an empty piece.
std::vector<std::string_view> words(std::string_view text);
std::string join(const std::vector<std::string>& parts, std::string_view separator);
// ASCII letters only; other bytes are unchanged.
std::string lower(std::string_view text);
std::string replace_all(std::string_view text, std::string_view from, std::string_view to);

// Safe to show, on a terminal and to a model: escape sequences are removed, other control
// characters and separators of lines become spaces (tab and line feed stay), invalid UTF-8 becomes
// U+FFFD. Marks that turn the direction of text, characters without width and tag characters, which
// no reader sees, are removed.
std::string printable(std::string_view text);

// Whether it is a control character, or ends a line or paragraph without a line feed.
[[nodiscard]] bool is_control(char32_t code_point);

// Joiners, variation selectors and marks that only fill or part: text may need them, in a name they
// only make two look alike.
[[nodiscard]] bool is_joiner(char32_t code_point);

// Whether it is one of those marks.
[[nodiscard]] bool is_hidden_mark(char32_t code_point);

// printable() in one line: tabs and line feeds become spaces as well.
std::string printable_line(std::string_view text);

// Unchanged when at most `characters` code points long, else that many, the last of them "\u2026".
std::string shortened(std::string_view text, std::size_t characters);

// Invalid UTF-8 replaced by U+FFFD, everything else kept.
std::string valid_utf8(std::string_view text);
[[nodiscard]] bool is_valid_utf8(std::string_view text);

// Length in UTF-16 code units, the unit in which the reference adapter counts. Input is valid
// UTF-8.
std::size_t utf16_length(std::string_view text);

// The reference adapter's word cut: unchanged when at most `units` UTF-16 units long, else the
// first `units`, cut back to the last space when that lies beyond 60 % of them, and "..." appended.
// Never splits a code point.
std::string cut(std::string_view text, std::size_t units);

// How many bytes at the beginning are well-formed characters beyond ASCII.
std::size_t non_ascii_run(std::string_view text);

// Appends the UTF-8 form of a code point.
void append_utf8(std::string& out, char32_t code_point);

// The code point at `position` (valid UTF-8 expected; U+FFFD for a bad byte) and moves past it.
char32_t next_code_point(std::string_view text, std::size_t& position);

// "12B", "3.4KB", "5.0MB": as the reference adapter prints sizes.
std::string size_text(std::size_t bytes);

// Wildcard match over the whole name: `*` any run, `?` one code unit. Case-sensitive. Linear time.
[[nodiscard]] bool glob_match(std::string_view pattern, std::string_view name);

// The smallest number of insertions, deletions, substitutions and neighbour swaps between the two.
// O(a*b); callers pass names, not documents.
std::size_t edit_distance(std::string_view a, std::string_view b);
// Counts code points.
std::size_t edit_distance(std::u32string_view a, std::u32string_view b);

// The code points of valid UTF-8; U+FFFD for bad bytes.
std::u32string code_points(std::string_view text);

}  // namespace pi_mcp::text
