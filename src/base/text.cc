#include "base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace pi_mcp::text {
namespace {

constexpr std::string_view white_space = " \t\r\n\v\f";
constexpr char32_t replacement = U'\uFFFD';

bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

// Length of the well-formed sequence at `p` (Unicode 15, table 3-7), or 0.
std::size_t utf8_length(const char* p, std::size_t left) {
  const auto byte = [p](std::size_t i) {
    return static_cast<unsigned char>(p[i]);
  };
  const unsigned char lead = byte(0);
  if (lead < 0xE0) {
    return lead < 0x80 ? 1 : lead >= 0xC2 && left > 1 && is_continuation(p[1]) ? 2 : 0;
  }
  if (left < 3 || !is_continuation(p[1]) || !is_continuation(p[2])) {
    return 0;
  }
  if (lead < 0xF0) {
    const bool overlong = lead == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = lead == 0xED && byte(1) >= 0xA0;
    return overlong || surrogate ? 0 : 3;
  }
  const bool overlong = lead == 0xF0 && byte(1) < 0x90;
  const bool beyond = lead > 0xF4 || (lead == 0xF4 && byte(1) >= 0x90);
  return left > 3 && is_continuation(p[3]) && !overlong && !beyond ? 4 : 0;
}

// The code point at `position`, or nothing decodable: then `length` is 1.
struct Decoded {
  char32_t code_point;
  std::size_t length;
  bool ok;
};

Decoded decode(std::string_view text, std::size_t position) {
  const std::size_t length = utf8_length(text.data() + position, text.size() - position);
  if (length == 0) {
    return {.code_point = replacement, .length = 1, .ok = false};
  }
  const auto lead = static_cast<unsigned char>(text[position]);
  char32_t code_point = length == 1 ? lead : lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    code_point = (code_point << 6U) | (static_cast<unsigned char>(text[position + i]) & 0x3FU);
  }
  return {.code_point = code_point, .length = length, .ok = true};
}

// Length of a terminal escape sequence at the start of `text` (ECMA-48: CSI, OSC and two-byte
// ones).
std::size_t escape_sequence_length(std::string_view text) {
  if (text.size() < 2) {
    return text.size();
  }
  if (text[1] == '[') {
    const std::size_t last = text.find_first_not_of("0123456789;:<=>? !\"#$%&'()*+,-./", 2);
    return last == std::string_view::npos ? text.size() : last + 1;
  }
  if (text[1] == ']') {
    const std::size_t bell = text.find('\a');
    const std::size_t terminator = text.find("\x1b\\", 2);
    if (bell == std::string_view::npos && terminator == std::string_view::npos) {
      return 2;
    }
    return bell < terminator ? bell + 1 : terminator + 2;
  }
  return 2;
}

// The three emoji that are made with tags (UTS #51, RGI_Emoji_Tag_Sequence): the flags of England,
// Scotland and Wales.
constexpr std::array<std::u32string_view, 3> tagged_flags = {
    U"\U0001F3F4\U000E0067\U000E0062\U000E0065\U000E006E\U000E0067\U000E007F",
    U"\U0001F3F4\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F",
    U"\U0001F3F4\U000E0067\U000E0062\U000E0077\U000E006C\U000E0073\U000E007F"};

// Bytes of plain ASCII at the start of `text`: nearly all of most texts, and kept as they are.
std::size_t plain_length(std::string_view text) {
  const auto end = std::ranges::find_if_not(
      text, [](char c) { return (c >= ' ' && c <= '~') || c == '\n' || c == '\t'; });
  return static_cast<std::size_t>(end - text.begin());
}

// Bytes of such a flag at the start of `text`; 0: there is none.
std::size_t tagged_flag_length(std::string_view text) {
  constexpr std::size_t bytes = std::size_t{7} * 4;  // all of them: seven code points beyond U+FFFF
  if (text.size() < bytes || !text.starts_with("\U0001F3F4")) {
    return 0;
  }
  const std::u32string points = code_points(text.substr(0, bytes));
  return std::ranges::find(tagged_flags, points) == tagged_flags.end() ? 0 : bytes;
}

}  // namespace

bool is_control(char32_t code_point) {
  return code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0) || code_point == 0x2028 ||
         code_point == 0x2029;
}

bool is_joiner(char32_t code_point) {
  return code_point == 0x034F || (code_point >= 0x180B && code_point <= 0x180D) ||
         code_point == 0x200C || code_point == 0x200D ||
         (code_point >= 0xFE00 && code_point <= 0xFE0F) ||
         (code_point >= 0xE0100 && code_point <= 0xE01EF);
}

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(white_space);
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(white_space) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) {
      return parts;
    }
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t first = text.find_first_not_of(white_space);
    if (first == std::string_view::npos) {
      return parts;
    }
    text.remove_prefix(first);
    const std::size_t length = std::min(text.find_first_of(white_space), text.size());
    parts.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string joined;
  for (const std::string& part : parts) {
    if (&part != &parts.front()) {
      joined += separator;
    }
    joined += part;
  }
  return joined;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') {
      c = static_cast<char>(c - 'A' + 'a');
    }
  }
  return out;
}

std::string replace_all(std::string_view text, std::string_view from, std::string_view to) {
  std::string out;
  for (;;) {
    const std::size_t found = text.find(from);
    out += text.substr(0, found);
    if (found == std::string_view::npos) {
      return out;
    }
    out += to;
    text.remove_prefix(found + from.size());
  }
}

// Marks that nobody sees (Unicode's format characters, and letters that are blank) and that change
// how everything around them is read: those that turn the direction of text (so that a name looks
// like a different one), those without width, and the tag characters (letters for machines only).
// Joiners and variation selectors stay: scripts and emoji need them, and a script brings its
// direction without marks.
bool is_hidden_mark(char32_t code_point) {
  constexpr std::array<std::array<char32_t, 2>, 13> ranges = {{{0xAD, 0xAD},
                                                               {0x061C, 0x061C},
                                                               {0x115F, 0x1160},
                                                               {0x180E, 0x180E},
                                                               {0x200B, 0x200B},
                                                               {0x200E, 0x200F},
                                                               {0x202A, 0x202E},
                                                               {0x2060, 0x206F},
                                                               {0x3164, 0x3164},
                                                               {0xFEFF, 0xFEFF},
                                                               {0xFFA0, 0xFFA0},
                                                               {0xFFF9, 0xFFFB},
                                                               {0xE0000, 0xE007F}}};
  return std::ranges::any_of(
      ranges, [=](const auto& range) { return code_point >= range[0] && code_point <= range[1]; });
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    if (const std::size_t length = plain_length(text.substr(i)); length > 0) {
      out += text.substr(i, length);
      i += length;
      continue;
    }
    if (text[i] == '\x1b') {
      i += escape_sequence_length(text.substr(i));
      continue;
    }
    if (const std::size_t flag = tagged_flag_length(text.substr(i)); flag > 0) {
      out += text.substr(i, flag);
      i += flag;
      continue;
    }
    const Decoded decoded = decode(text, i);
    i += decoded.length;
    if (is_hidden_mark(decoded.code_point)) {
      continue;
    }
    const bool kept = decoded.code_point == '\n' || decoded.code_point == '\t';
    append_utf8(out, is_control(decoded.code_point) && !kept ? U' ' : decoded.code_point);
  }
  return out;
}

std::string printable_line(std::string_view text) {
  std::string line = printable(text);
  std::ranges::replace_if(line, [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return line;
}

std::string shortened(std::string_view text, std::size_t characters) {
  std::size_t end = 0;  // of all characters but the last one
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (count == characters) {
      return std::string(text.substr(0, end)) + "\u2026";
    }
    end = ++count == characters ? i : end;
    (void)next_code_point(text, i);
  }
  return std::string(text);
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    append_utf8(out, next_code_point(text, i));
  }
  return out;
}

bool is_valid_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text.data() + i, text.size() - i);
    if (length == 0) {
      return false;
    }
    i += length;
  }
  return true;
}

std::size_t utf16_length(std::string_view text) {
  std::size_t units = 0;
  for (std::size_t i = 0; i < text.size();) {
    units += next_code_point(text, i) >= 0x10000 ? 2 : 1;
  }
  return units;
}

std::string cut(std::string_view text, std::size_t units) {
  std::size_t used = 0;
  std::size_t last_space = std::string_view::npos;
  std::size_t last_space_units = 0;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t next = i;
    const char32_t code_point = next_code_point(text, next);
    const std::size_t width = code_point >= 0x10000 ? 2 : 1;
    if (used + width > units) {
      // Compared in whole tenths: 10 * position > 6 * units means beyond 60 %.
      const bool at_word =
          last_space != std::string_view::npos && 10 * last_space_units > 6 * units;
      return std::string(text.substr(0, at_word ? last_space : i)) + "...";
    }
    if (code_point == U' ') {
      last_space = i;
      last_space_units = used;
    }
    used += width;
    i = next;
  }
  return std::string(text);
}

std::size_t non_ascii_run(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size() && static_cast<unsigned char>(text[i]) >= 0x80) {
    const std::size_t length = utf8_length(text.data() + i, text.size() - i);
    if (length == 0) {
      return i;
    }
    i += length;
  }
  return i;
}

void append_utf8(std::string& out, char32_t code_point) {
  const auto tail = [code_point](unsigned shift) {
    return static_cast<char>(0x80U | ((code_point >> shift) & 0x3FU));
  };
  if (code_point < 0x80) {
    out += static_cast<char>(code_point);
  } else if (code_point < 0x800) {
    out += static_cast<char>(0xC0U | (code_point >> 6U));
    out += tail(0);
  } else if (code_point < 0x10000) {
    out += static_cast<char>(0xE0U | (code_point >> 12U));
    out += tail(6);
    out += tail(0);
  } else {
    out += static_cast<char>(0xF0U | (code_point >> 18U));
    out += tail(12);
    out += tail(6);
    out += tail(0);
  }
}

char32_t next_code_point(std::string_view text, std::size_t& position) {
  const Decoded decoded = decode(text, position);
  position += decoded.length;
  return decoded.code_point;
}

std::string size_text(std::size_t bytes) {
  constexpr std::size_t kibi = 1024;
  if (bytes < kibi) {
    return std::to_string(bytes) + "B";
  }
  const bool mega = bytes >= kibi * kibi;
  const double value = static_cast<double>(bytes) / static_cast<double>(mega ? kibi * kibi : kibi);
  std::array<char, 32> buffer{};
  const auto [end, error] = std::to_chars(
      buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, 1);
  return std::string(buffer.data(), end) + (mega ? "MB" : "KB");
}

bool glob_match(std::string_view pattern, std::string_view name) {
  std::size_t p = 0;
  std::size_t n = 0;
  std::size_t star = std::string_view::npos;
  std::size_t star_name = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_name = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++star_name;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

namespace {

template <class Text>
std::size_t distance(Text a, Text b) {
  // Three rows of the optimal string alignment table: two back for neighbour swaps.
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) {
    above[j] = j;
  }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, substituted});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  return distance(a, b);
}

std::size_t edit_distance(std::u32string_view a, std::u32string_view b) {
  return distance(a, b);
}

std::u32string code_points(std::string_view text) {
  std::u32string points;
  for (std::size_t position = 0; position < text.size();) {
    points += next_code_point(text, position);
  }
  return points;
}

}  // namespace pi_mcp::text
