#include "access/token_book.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "access/rate.h"
#include "base/ascii.h"
#include "base/base64.h"
#include "base/digest.h"
#include "json/document.h"
#include "json/edit.h"
#include "json/writer.h"

namespace pi_mcp::access {
namespace {

constexpr std::string_view tokens_key = "tokens";
constexpr std::size_t digest_digits = 64;
constexpr std::size_t id_digits = 16;

// nullopt: it is no list of texts.
std::optional<std::vector<std::string>> texts_of(json::Value list) {
  std::vector<std::string> texts;
  if (list && !list.is_array()) {
    return std::nullopt;
  }
  for (const json::Value element : list.elements()) {
    const std::optional<std::string> text = element.as_string();
    if (!text) {
      return std::nullopt;
    }
    texts.push_back(*text);
  }
  return texts;
}

// nullopt: the value is there and is no list, or an empty one, which would stand for everything.
std::optional<std::vector<std::string>> limits_of(json::Value list) {
  std::optional<std::vector<std::string>> texts = texts_of(list);
  return list && texts && texts->empty() ? std::nullopt : std::move(texts);
}

Principal principal_of(std::string name, const std::string& digest) {
  return {.name = std::move(name),
          .id = digest.substr(0, id_digits),
          .servers = {},
          .tools = {},
          .expires = {}};
}

// nullopt: something in it cannot be understood.
std::optional<TokenRecord> read_record(const json::Member& member) {
  const json::Value value = member.value;
  TokenRecord record{.principal = {},
                     .digest = value.find("sha256").string_or(""),
                     .ending = value.find("ending").string_or(""),
                     .created = {value.find("created").as_int().value_or(0)}};
  Principal principal = principal_of(member.name(), record.digest);
  std::optional<std::vector<std::string>> servers = limits_of(value.find("servers"));
  std::optional<std::vector<std::string>> tools = limits_of(value.find("tools"));
  const json::Value expires = value.find("expires");
  const json::Value metrics = value.find("metrics");
  const json::Value rate = value.find("rate");
  const Result<Rate> limit = rate ? read_rate(rate, "rate") : Rate();
  const bool is_digest =
      record.digest.size() == digest_digits && std::ranges::all_of(record.digest, [](char c) {
        return ascii::is_hex_digit(c) && !ascii::is_upper(c);
      });
  if (!is_token_name(principal.name) || !is_digest || !servers || !tools ||
      (expires && !expires.as_int()) || (metrics && !metrics.as_bool()) || !limit) {
    return std::nullopt;
  }
  principal.metrics_alone = metrics.bool_or(false);
  if (rate) {
    principal.rate = *limit;
  }
  principal.servers = *std::move(servers);
  principal.tools = *std::move(tools);
  if (expires) {
    principal.expires = EpochMs{*expires.as_int()};
  }
  record.principal = std::make_shared<const Principal>(std::move(principal));
  return record;
}

void write_texts(json::Writer& out, std::string_view key, const std::vector<std::string>& texts) {
  if (texts.empty()) {
    return;
  }
  out.key(key).begin_array();
  for (const std::string& text : texts) {
    out.string(text);
  }
  out.end_array();
}

std::string record_json(const TokenRecord& record) {
  const Principal& principal = *record.principal;
  json::Writer out;
  out.begin_object().member("sha256", record.digest).member("ending", record.ending);
  write_texts(out, "servers", principal.servers);
  write_texts(out, "tools", principal.tools);
  if (principal.metrics_alone) {
    out.member("metrics", true);
  }
  if (principal.rate) {
    out.key("rate");
    write_rate(out, *principal.rate);
  }
  out.member("created", record.created.value);
  if (principal.expires) {
    out.member("expires", principal.expires->value);
  }
  return out.end_object().take();
}

}  // namespace

bool is_token_name(std::string_view name) {
  return !name.empty() && name.size() <= token_name_bytes_max && !name.starts_with('-') &&
         std::ranges::all_of(name, [](char c) { return ascii::is_alphanumeric_or(c, "_.-"); });
}

std::string token_text(std::string_view random_bytes) {
  return std::string(token_prefix) + base64url_encoded(random_bytes);
}

TokenRecord record_of(std::string_view token, Principal principal, EpochMs created) {
  TokenRecord record{.principal = {},
                     .digest = sha256_hex(token),
                     .ending = std::string(token.substr(token.size() - token_ending_bytes)),
                     .created = created};
  principal.id = record.digest.substr(0, id_digits);
  record.principal = std::make_shared<const Principal>(std::move(principal));
  return record;
}

TokenBook TokenBook::parse(std::string_view text) {
  TokenBook book;
  if (json::is_blank(text)) {
    return book;
  }
  const Result<json::Document> document =
      json::Document::parse(std::string(text), {.syntax = json::Syntax::jsonc});
  if (!document) {
    book.problem_ = document.error().message();
    return book;
  }
  const json::Value root = document->root();
  const json::Value version = root.find("version");
  if (version && version.as_int() != 1) {
    book.problem_ = "it was written by a newer pi-mcp";
    return book;
  }
  const json::Value tokens = root.find(tokens_key);
  if (!root.is_object() || (tokens && !tokens.is_object())) {
    book.problem_ = R"(it must hold one JSON object, with an object as "tokens")";
    return book;
  }
  for (const json::Member member : tokens.members()) {
    std::optional<TokenRecord> record = read_record(member);
    if (!record) {
      book.records_.clear();
      book.problem_ = "the token \"" + member.name() + "\" in it cannot be understood";
      return book;
    }
    book.records_.push_back(*std::move(record));
  }
  return book;
}

const TokenRecord* TokenBook::named(std::string_view name) const {
  const auto found = std::ranges::find_if(
      records_, [name](const TokenRecord& record) { return record.principal->name == name; });
  return found == records_.end() ? nullptr : &*found;
}

const TokenRecord* TokenBook::find(std::string_view digest) const {
  const TokenRecord* found = nullptr;
  for (const TokenRecord& record : records_) {
    found = is_same_digest(record.digest, digest) ? &record : found;
  }
  return found;
}

Result<std::string> add_token(std::string_view text, const TokenRecord& record) {
  const TokenBook book = TokenBook::parse(text);
  if (!book.problem().empty()) {
    return fail(ErrorCode::invalid_argument, book.problem());
  }
  const std::string& name = record.principal->name;
  if (book.named(name) != nullptr) {
    return fail(ErrorCode::invalid_argument, "there is a token \"" + name + "\" already");
  }
  Result<std::string> changed = json::set_member(text, {"version"}, "1");
  return changed ? json::set_member(*changed, {std::string(tokens_key), name}, record_json(record))
                 : std::move(changed);
}

Result<std::string> remove_token(std::string_view text, std::string_view name) {
  const TokenBook book = TokenBook::parse(text);
  if (!book.problem().empty()) {
    return fail(ErrorCode::invalid_argument, book.problem());
  }
  if (book.named(name) == nullptr) {
    return fail(ErrorCode::not_found, "there is no token \"" + std::string(name) + "\"");
  }
  return json::remove_member(text, {std::string(tokens_key), std::string(name)});
}

}  // namespace pi_mcp::access
