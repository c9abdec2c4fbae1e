#include "schema/uri.h"

#include <algorithm>
#include <charconv>

namespace pi_mcp::schema {
namespace {

struct Uri {
  std::string_view scheme;     // with its colon
  std::string_view authority;  // with its slashes
  std::string_view path;
  std::string_view query;  // with its question mark
};

bool is_scheme_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' ||
         c == '-' || c == '.';
}

Uri parse(std::string_view text) {
  Uri uri;
  const auto scheme_end = static_cast<std::size_t>(
      std::find_if_not(text.begin(), text.end(), is_scheme_char) - text.begin());
  if (scheme_end > 0 && scheme_end < text.size() && text[scheme_end] == ':') {
    uri.scheme = text.substr(0, scheme_end + 1);
    text.remove_prefix(scheme_end + 1);
  }
  const std::size_t query = std::min(text.find('?'), text.size());
  uri.query = text.substr(query);
  text = text.substr(0, query);
  if (text.starts_with("//")) {
    const std::size_t path = std::min(text.find('/', 2), text.size());
    uri.authority = text.substr(0, path);
    text.remove_prefix(path);
  }
  uri.path = text;
  return uri;
}

// RFC 3986 section 5.2.4.
std::string without_dot_segments(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/', 1), path.size());
    const std::string_view segment = path.substr(0, end);
    path.remove_prefix(end);
    if (segment == "/..") {
      const std::size_t parent = out.rfind('/');
      out.erase(parent == std::string::npos ? 0 : parent);
    }
    if (segment == "/." || segment == "/..") {
      out += path.empty() ? "/" : "";
    } else {
      out += segment;
    }
  }
  return out;
}

std::string merged_path(const Uri& base, std::string_view path) {
  if (path.starts_with('/')) {
    return without_dot_segments(path);
  }
  if (base.path.empty()) {
    return (base.authority.empty() ? "" : "/") + std::string(path);
  }
  const std::size_t directory_end = base.path.rfind('/') + 1;
  return without_dot_segments(std::string(base.path.substr(0, directory_end)).append(path));
}

}  // namespace

SplitUri split_fragment(std::string_view uri) {
  const std::size_t hash = std::min(uri.find('#'), uri.size());
  return {.document = uri.substr(0, hash), .fragment = uri.substr(std::min(hash + 1, uri.size()))};
}

std::string resolve_uri(std::string_view base_text, std::string_view reference_text) {
  const Uri reference = parse(reference_text);
  if (reference_text.empty() || !reference.scheme.empty()) {
    return std::string(reference_text.empty() ? base_text : reference_text);
  }
  const Uri base = parse(base_text);
  std::string out(base.scheme);
  if (!reference.authority.empty()) {
    return out.append(reference_text);
  }
  out += base.authority;
  if (reference.path.empty()) {
    return out.append(base.path).append(reference.query);
  }
  return out.append(merged_path(base, reference.path)).append(reference.query);
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    const char* digits = text.data() + i + 1;
    const bool complete = text[i] == '%' && text.size() - i > 2 &&
                          std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2;
    out += complete ? static_cast<char>(byte) : text[i];
    i += complete ? 2 : 0;
  }
  return out;
}

}  // namespace pi_mcp::schema
