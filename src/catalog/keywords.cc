#include "catalog/keywords.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "base/digest.h"
#include "base/text.h"
#include "json/writer.h"

namespace pi_mcp::catalog {
namespace {

constexpr std::size_t digest_digits = 32;
constexpr std::string_view joints = " -'+.#";

// What begins with a byte of this kind is a letter of some script, or is not printable.
bool is_foreign(char c) {
  return static_cast<unsigned char>(c) >= 0x80;
}

bool is_keyword(std::string_view text) {
  const auto may_be_in = [](char c) {
    return is_foreign(c) || ascii::is_alphanumeric_or(c, joints);
  };
  const auto is_of_word = [](char c) {
    return is_foreign(c) || ascii::is_letter(c);
  };
  return text.size() <= keyword_bytes_max && std::ranges::any_of(text, is_of_word) &&
         std::ranges::all_of(text, may_be_in) && text::words(text).size() <= keyword_words_max &&
         text::is_valid_utf8(text) && text::printable_line(text) == text;
}

bool is_ours(json::Value root) {
  return root.find("version").as_int() == 1 && root.find("tools").is_object();
}

bool is_digest(std::string_view key) {
  return key.size() == digest_digits &&
         key.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

using InOrder = std::vector<std::pair<std::string, std::vector<std::string>>>;

InOrder tools_in(json::Value root) {
  InOrder tools;
  for (const json::Member member : root.find("tools").members()) {
    std::vector<std::string> words = keywords_in(member.value);
    if (tools.size() < keyword_tools_max && is_digest(member.name()) && !words.empty()) {
      tools.emplace_back(member.name(), std::move(words));
    }
  }
  return tools;
}

}  // namespace

std::string tool_digest(const CatalogTool& tool) {
  // JSON, so that no two tools give the same text.
  json::Writer out;
  out.begin_array().string(tool.original).string(tool.title).string(tool.description).end_array();
  return sha256_hex(out.text()).substr(0, digest_digits);
}

std::vector<std::string> keywords_in(json::Value list) {
  std::vector<std::string> keywords;
  for (const json::Value value : list.elements()) {
    std::string word(text::lower(text::trim(value.string_or(""))));
    if (keywords.size() < keywords_per_tool_max && is_keyword(word) &&
        std::ranges::count(keywords, word) == 0) {
      keywords.push_back(std::move(word));
    }
  }
  return keywords;
}

Keywords read_keywords(std::string_view text) {
  const Result<json::Document> document = json::Document::parse_view(text);
  Keywords keywords;
  if (document && is_ours(document->root())) {
    for (auto& [digest, words] : tools_in(document->root())) {
      keywords.insert_or_assign(std::move(digest), std::move(words));
    }
  }
  return keywords;
}

Result<std::string> with_keywords(std::string_view old_text, const Keywords& added) {
  InOrder tools;
  if (!text::trim(old_text).empty()) {
    const Result<json::Document> document = json::Document::parse_view(old_text);
    if (!document || !is_ours(document->root())) {
      return fail(ErrorCode::invalid_argument,
                  "it is damaged, or a newer version of pi-mcp wrote it; move it away to start "
                  "anew");
    }
    tools = tools_in(document->root());
  }
  std::erase_if(tools, [&added](const auto& tool) { return added.contains(tool.first); });
  for (const auto& [digest, words] : added) {
    tools.emplace_back(digest, words);
  }
  json::Writer out;
  out.begin_object().member("version", 1).key("tools").begin_object();
  const std::size_t over = tools.size() - std::min(tools.size(), keyword_tools_max);
  for (std::size_t i = over; i < tools.size(); ++i) {
    out.key(tools[i].first).begin_array();
    for (const std::string& word : tools[i].second) {
      out.string(word);
    }
    out.end_array();
  }
  return out.end_object().end_object().take() + "\n";
}

}  // namespace pi_mcp::catalog
