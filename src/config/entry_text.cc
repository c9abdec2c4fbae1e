#include "config/entry_text.h"

#include <algorithm>
#include <cstddef>

#include "base/text.h"
#include "config/parse.h"
#include "json/document.h"

namespace pi_mcp::config {
namespace {

constexpr json::ParseOptions with_comments{.syntax = json::Syntax::jsonc};

// Where the object of an entry stands, and the white space that its line begins with.
struct EntrySpan {
  std::size_t begin = 0;
  std::size_t size = 0;
  std::string indentation;
};

Result<EntrySpan> span_of(std::string_view file, const std::string& server) {
  const std::size_t mark = file.starts_with("\xef\xbb\xbf") ? 3 : 0;
  const Result<json::Document> document =
      json::Document::parse_view(file.substr(mark), with_comments);
  if (!document) {
    return fail(document.error());
  }
  const json::Value entry = document->root().find(servers_key(document->root())).find(server);
  if (!entry.is_object()) {
    return fail(ErrorCode::not_found, "the file has no entry \"" + server + "\"");
  }
  const std::size_t begin = mark + entry.offset();
  const std::size_t line = file.substr(0, begin).rfind('\n') + 1;  // 0 where there is none
  const std::size_t behind = std::min(file.find_first_not_of(" \t", line), begin);
  return EntrySpan{.begin = begin,
                   .size = entry.raw().size(),
                   .indentation = std::string(file.substr(line, behind - line))};
}

}  // namespace

Result<std::string> entry_text(std::string_view file, const std::string& server) {
  const Result<EntrySpan> span = span_of(file, server);
  if (!span) {
    return fail(span.error());
  }
  return text::replace_all(file.substr(span->begin, span->size), "\n" + span->indentation, "\n");
}

Result<std::string> with_entry_text(std::string_view file,
                                    const std::string& server,
                                    std::string_view entry) {
  const Result<EntrySpan> span = span_of(file, server);
  if (!span) {
    return fail(span.error());
  }
  const Result<json::Document> document = json::Document::parse_view(entry, with_comments);
  if (!document) {
    return fail(document.error());
  }
  const json::Value object = document->root();
  if (!object.is_object()) {
    return fail(ErrorCode::invalid_argument,
                "the entry of server \"" + server + "\" must be one JSON object");
  }
  std::string changed(file.substr(0, span->begin));
  std::string_view rest = entry.substr(object.offset(), object.raw().size());
  while (!rest.empty()) {
    const std::size_t line = std::min(rest.find('\n'), rest.size() - 1) + 1;
    changed += rest.substr(0, line);
    rest.remove_prefix(line);
    const bool is_blank = rest.starts_with('\n') || rest.starts_with("\r\n");
    changed += rest.empty() || is_blank ? "" : span->indentation;
  }
  return changed.append(file.substr(span->begin + span->size));
}

}  // namespace pi_mcp::config
