#include "schema/uri.h"

#include <re2/re2.h>

#include <algorithm>

namespace pi_mcp::schema {
namespace {

struct Uri {
  std::string scheme;     // with its colon
  std::string authority;  // with its slashes
  std::string path;
  std::string query;  // with its question mark
};

// RFC 3986 appendix B; the reference has no fragment.
Uri parse(std::string_view text) {
  static const RE2 parts("(?s)([A-Za-z0-9+.-]+:)?(//[^/?]*)?([^?]*)(\\?.*)?");
  Uri uri;
  RE2::FullMatch(text, parts, &uri.scheme, &uri.authority, &uri.path, &uri.query);
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
  return without_dot_segments(base.path.substr(0, directory_end).append(path));
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
  std::string out = base.scheme;
  if (!reference.authority.empty()) {
    return out.append(reference_text);
  }
  out += base.authority;
  if (reference.path.empty()) {
    return out.append(base.path).append(reference.query);
  }
  return out.append(merged_path(base, reference.path)).append(reference.query);
}

}  // namespace pi_mcp::schema
