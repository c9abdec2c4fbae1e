#include "secrets/plain.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "base/ascii.h"
#include "base/text.h"
#include "base/variable_reference.h"
#include "secrets/mask.h"

namespace pi_mcp::secrets {
namespace {

// "yes", "none" and "1234" are no tokens, whatever they are called.
bool could_be_token(std::string_view text) {
  constexpr std::size_t bytes_min = 8;
  const bool is_path = text.find_first_of("/~.") == 0 || text.find("://") != std::string_view::npos;
  const bool is_placeholder =
      text.find_first_of("<>{}") != std::string_view::npos || text::lower(text).starts_with("your");
  return text.size() >= bytes_min && !is_path && !is_placeholder &&
         text.find(' ') == std::string_view::npos;
}

struct Piece {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// What `masked` hides of `text`. Of what cannot be told apart nothing.
std::vector<Piece> hidden_pieces(std::string_view text, std::string_view masked_text) {
  std::vector<Piece> pieces;
  std::size_t at = 0;
  std::size_t mark = masked_text.find(masked);
  if (mark == std::string_view::npos || !text.starts_with(masked_text.substr(0, mark))) {
    return {};
  }
  at = mark;
  while (mark != std::string_view::npos) {
    masked_text.remove_prefix(mark + masked.size());
    mark = masked_text.find(masked);
    const std::string_view kept = masked_text.substr(0, mark);
    const std::size_t end = mark == std::string_view::npos
                                ? text.size() - std::min(kept.size(), text.size())
                                : text.find(kept, at);
    if (end == std::string_view::npos || end < at || !text.substr(end).starts_with(kept)) {
      return {};
    }
    pieces.push_back({.begin = at, .end = end});
    at = end + kept.size();
  }
  return pieces;
}

class Finder {
 public:
  Finder(std::string_view server, std::vector<PlainSecret>* found)
      : server_(server), found_(found) {}

  // `is_called_so`: by its name it holds a secret.
  void look(const std::vector<std::string>& path,
            std::string_view text,
            std::string_view masked_text,
            bool is_called_so) {
    PlainSecret secret{.path = path, .names = {}, .replacement = {}};
    std::size_t at = 0;
    for (const Piece& piece : hidden_pieces(text, masked_text)) {
      const std::string_view token = text.substr(piece.begin, piece.end - piece.begin);
      const bool counts = looks_like_secret(token) || (is_called_so && could_be_token(token));
      if (counts) {
        secret.names.push_back(name_for(path));
      }
      secret.replacement += text.substr(at, piece.begin - at);
      secret.replacement +=
          counts ? std::string(secret_opening) + secret.names.back() + "}" : std::string(masked);
      at = piece.end;
    }
    if (!secret.names.empty()) {
      secret.replacement += text.substr(at);
      found_->push_back(std::move(secret));
    }
  }

 private:
  // "github.GITHUB_TOKEN"; a second one there is "github.GITHUB_TOKEN-2".
  std::string name_for(const std::vector<std::string>& path) {
    constexpr std::size_t bytes_max = 60;
    const bool is_element = path.size() > 1 && ascii::is_digit(path.back().front());
    std::string name = server_ + "." + path[is_element ? path.size() - 2 : path.size() - 1];
    std::ranges::replace_if(name, [](char c) { return !ascii::is_alphanumeric_or(c, "_.-"); }, '-');
    name.resize(std::min(name.size(), bytes_max));
    std::string wanted = name;
    for (int number = 2; !names_.insert(wanted).second; ++number) {
      wanted = name + "-" + std::to_string(number);
    }
    return wanted;
  }

  std::string server_;
  std::vector<PlainSecret>* found_;
  std::set<std::string> names_;
};

bool is_command(std::string_view text) {
  return text.starts_with('!') && !text.starts_with("!!");
}

// Values that mask.h hides whatever they are.
void look_in_values(Finder& finder, const std::string& key, json::Value values) {
  for (const json::Member member : values.members()) {
    const std::string value = member.value.string_or("");
    if (!is_command(value)) {
      finder.look({key, member.name()}, value, mask_literal(value), is_secret_name(member.name()));
      // postgres://me:PASSWORD@host
      if (value.find("://") != std::string::npos) {
        finder.look({key, member.name()}, value, mask_url(value), true);
      }
    }
  }
}

// "--token", or the name in "--token=x" and "TOKEN=x".
std::string_view holder_of(std::string_view argument, std::string_view before) {
  const std::size_t mark = argument.find_first_of("=:");
  return mark == std::string_view::npos ? before : argument.substr(0, mark);
}

void look_in_arguments(Finder& finder, json::Value list) {
  std::vector<std::string> arguments;
  for (const json::Value element : list.elements()) {
    arguments.push_back(element.string_or(""));
  }
  const std::vector<std::string> hidden = mask_arguments(arguments);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view before = i == 0 ? "" : std::string_view(arguments[i - 1]);
    const bool is_url = arguments[i].find("://") != std::string::npos;
    finder.look({"args", std::to_string(i)},
                arguments[i],
                hidden[i],
                is_url || is_secret_name(holder_of(arguments[i], before)));
  }
}

}  // namespace

std::vector<PlainSecret> plain_secrets(std::string_view server, json::Value entry) {
  std::vector<PlainSecret> found;
  Finder finder(server, &found);
  look_in_arguments(finder, entry.find("args"));
  look_in_values(finder, "env", entry.find("env"));
  look_in_values(finder, "headers", entry.find("headers"));
  const std::string url = entry.find("url").string_or("");
  finder.look({"url"}, url, mask_url(url), true);
  const std::string token = entry.find("bearerToken").string_or("");
  if (!is_command(token)) {
    finder.look({"bearerToken"}, token, mask_literal(token), true);
  }
  for (const std::string_view key : {"clientSecret", "privateKey"}) {
    const std::string secret = entry.at({"oauth", key}).string_or("");
    if (!is_command(secret)) {
      finder.look({"oauth", std::string(key)}, secret, mask_literal(secret), true);
    }
  }
  return found;
}

}  // namespace pi_mcp::secrets
