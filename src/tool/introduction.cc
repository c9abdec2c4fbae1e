#include "tool/introduction.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/text.h"
#include "tool/text.h"

namespace pi_mcp::tool {
namespace {

constexpr std::size_t name_characters_max = 64;
// How long the lines may be, from the first try to the last.
constexpr std::array<std::size_t, 4> line_lengths = {about_characters_max, 90, 60, 40};

constexpr std::string_view head = "MCP servers behind the tool mcp:";
constexpr std::string_view advice =
    "Find their tools with {search: \"words\"}: one search for each need, in words that a tool's "
    "name or description would use.";
// How to search is in the tool's text there, a few lines away.
constexpr std::string_view advice_in_pi =
    "One search for each need, in words that a tool's name or description would use.";

struct Introduced {
  std::string name;
  std::string about;  // empty: there is nothing to say
};

std::string shown_name(const config::Server& server) {
  return text::shortened(one_line(server.name), name_characters_max);
}

// Servers that wait for trust are among the disabled ones.
std::vector<const config::Server*> usable(const config::Settings& settings) {
  std::vector<const config::Server*> servers;
  for (const config::Server& server : settings.servers) {
    if (!server.disabled) {
      servers.push_back(&server);
    }
  }
  return servers;
}

// "a, b, +3 more", with `count` names.
std::string names_of(const std::vector<std::string>& servers, std::size_t count) {
  std::vector<std::string> names(servers.begin(),
                                 servers.begin() + static_cast<std::ptrdiff_t>(count));
  if (count < servers.size()) {
    names.push_back("+" + std::to_string(servers.size() - count) + " more");
  }
  return text::join(names, ", ");
}

// Of a text in Markdown, without the headings above it; one line.
std::string first_sentence(std::string_view instructions) {
  std::string found;
  for (const std::string_view part : text::split(instructions, '\n')) {
    const std::string line = one_line(part);
    if (line.empty() && !found.empty()) {
      break;
    }
    if (!line.empty() && !line.starts_with('#')) {
      found += (found.empty() ? "" : " ") + line;
    }
  }
  const std::size_t end = first_sentence_end(found);
  return end > 0 ? found.substr(0, end) : found;
}

// The largest number of things, up to `all`, with which a text that grows with them fits; 0 where
// none does.
template <class Fits>
std::size_t largest(std::size_t all, const Fits& fits) {
  std::size_t fitting = 0;
  for (std::size_t beyond = all + 1; beyond - fitting > 1;) {
    const std::size_t middle = fitting + (beyond - fitting) / 2;
    (fits(middle) ? fitting : beyond) = middle;
  }
  return fitting;
}

struct Size {
  std::size_t characters = 0;  // of a line about a server
  std::size_t lines = 0;       // servers that have one; the others are named
  std::size_t unnamed = 0;     // of those
};

std::string written(const std::vector<Introduced>& servers,
                    Size size,
                    std::string_view how_to_search) {
  std::string text(head);
  std::vector<std::string> others;
  for (const Introduced& server : servers) {
    if (!server.about.empty() && size.lines > 0) {
      --size.lines;
      text += "\n- " + server.name + ": " + text::shortened(server.about, size.characters);
    } else {
      others.push_back(server.name);
    }
  }
  if (!others.empty()) {
    text += others.size() == servers.size() ? " " : "\n- ";
    text += names_of(others, others.size() - size.unnamed);
  }
  return text.append("\n").append(how_to_search);
}

}  // namespace

// o200k begins a token at each upper-case letter behind a lower-case one, joins up to three digits,
// and gives a space to the word behind it.
std::size_t tokens_at_most(std::string_view text) {
  std::size_t tokens = 0;
  std::size_t letters = 0;  // of the run that goes on
  std::size_t digits = 0;
  char before = '\0';
  const auto end_run = [&] {
    tokens += (letters + 3) / 4 + (digits + 2) / 3;
    letters = digits = 0;
  };
  for (const char c : text) {
    const bool goes_on = ascii::is_digit(c) ? letters == 0 : ascii::is_letter(c) && digits == 0;
    if (!goes_on || (ascii::is_upper(c) && ascii::is_lower(before))) {
      end_run();
    }
    letters += ascii::is_letter(c) ? 1 : 0;
    digits += ascii::is_digit(c) ? 1 : 0;
    // The first byte of a character beyond ASCII counts with the others.
    const bool is_counted =
        !ascii::is_alphanumeric(c) && c != ' ' && (static_cast<unsigned char>(c) & 0xC0U) != 0xC0U;
    tokens += is_counted || (ascii::is_digit(c) && before == ' ') ? 1 : 0;
    before = c;
  }
  end_run();
  return tokens;
}

std::string about_server(const config::Server& server, const catalog::Catalog& catalog) {
  std::string about = one_line(server.description.value_or(""));
  if (about.empty()) {
    const catalog::Catalog::Words words = catalog.words(server.name);
    about = first_sentence(words.instructions);
    about = about.empty() ? one_line(words.title) : about;
  }
  return text::shortened(about, about_characters_max);
}

std::string introduction(const config::Settings& settings,
                         const catalog::Catalog& catalog,
                         render::HostKind host) {
  const bool is_pi = host == render::HostKind::pi;
  std::vector<Introduced> servers;
  std::size_t lines = 0;
  for (const config::Server* server : usable(settings)) {
    std::string about = about_server(*server, catalog);
    lines += about.empty() ? 0 : 1;
    if (!about.empty() || !is_pi) {
      servers.push_back({.name = shown_name(*server), .about = std::move(about)});
    }
  }
  if (servers.empty()) {
    return {};
  }
  const std::size_t tokens_max = is_pi ? introduction_tokens_max_in_pi : introduction_tokens_max;
  const auto text_with = [&](Size size) {
    return written(servers, size, is_pi ? advice_in_pi : advice);
  };
  const auto fits = [tokens_max](const std::string& text) {
    return tokens_at_most(text) <= tokens_max;
  };
  Size size{.lines = lines};
  for (const std::size_t characters : line_lengths) {
    size.characters = characters;
    if (std::string whole = text_with(size); fits(whole)) {
      return whole;
    }
  }
  size.lines = largest(lines, [&](std::size_t count) {
    return fits(text_with({.characters = size.characters, .lines = count}));
  });
  const std::size_t named = largest(servers.size() - size.lines, [&](std::size_t count) {
    size.unnamed = servers.size() - size.lines - count;
    return fits(text_with(size));
  });
  size.unnamed = servers.size() - size.lines - named;
  return text_with(size);
}

std::string named_in_tool(const config::Settings& settings) {
  std::vector<std::string> servers;
  for (const config::Server* server : usable(settings)) {
    servers.push_back(shown_name(*server));
  }
  return names_of(servers, largest(servers.size(), [&](std::size_t count) {
                    return tokens_at_most(names_of(servers, count)) <= names_tokens_max;
                  }));
}

}  // namespace pi_mcp::tool
