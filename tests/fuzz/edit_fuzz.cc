// Configuration files changed in place: an edit is refused or changes the one thing it should, what
// comes out can be read, and nothing that is shown of it holds a secret. Zero bytes divide the
// input into two member names, a new value, and the text.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "config/edit.h"
#include "config/raw.h"
#include "json/document.h"
#include "json/edit.h"
#include "json/writer.h"
#include "secrets/mask.h"

namespace {

using pi_mcp::config::RawObject;
using pi_mcp::json::Document;
using pi_mcp::json::MemberPath;
using pi_mcp::json::Syntax;
using pi_mcp::json::Value;

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

// Edits are only made to what can be parsed, and give only what can be parsed.
Document parsed(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) {
    text.remove_prefix(3);
  }
  if (pi_mcp::json::is_blank(text)) {
    text = "{}";
  }
  auto document = Document::parse(std::string(text), {.syntax = Syntax::jsonc});
  require(document.has_value());
  return *std::move(document);
}

// Everything but one member of the root.
std::string rest_of(const Document& document, const std::string& name) {
  RawObject object = RawObject::from(document.root());
  object.take(name);
  return object.text();
}

void check_json_edits(std::string_view text, const MemberPath& path, const std::string& value) {
  const auto set = pi_mcp::json::set_member(text, path, value);
  if (!set) {
    return;
  }
  const Document before = parsed(text);
  const Document after = parsed(*set);
  Value found = after.root();
  for (const std::string& name : path) {
    found = found.find(name);
  }
  require(found.exists());
  require(rest_of(before, path[0]) == rest_of(after, path[0]));
  const auto removed = pi_mcp::json::remove_member(*set, {path[0]});
  require(removed.has_value());
  const Document without = parsed(*removed);
  require(!without.root().find(path[0]));
  require(without.root().size() == 0 || rest_of(before, path[0]) == rest_of(without, path[0]));
  const auto appended = pi_mcp::json::append_element(text, path, value);
  if (appended) {
    require(rest_of(before, path[0]) == rest_of(parsed(*appended), path[0]));
  }
}

void check_config_edits(std::string_view text, const std::string& name, const std::string& value) {
  for (const auto& result : {pi_mcp::config::put_server(text, name, value),
                             pi_mcp::config::remove_server(text, name),
                             pi_mcp::config::add_import(text, "codex"),
                             pi_mcp::config::set_server_key(text, name, "disabled", "true")}) {
    if (result) {
      parsed(*result);
    }
  }
}

// Whatever else an entry says, these places never show what is in them.
void check_mask(const std::string& value) {
  const auto entry = Document::parse(value);
  if (!entry) {
    return;
  }
  constexpr std::string_view secret = "hunter2";
  RawObject object = RawObject::from(entry->root());
  object.set("env", R"({"A":"hunter2 ${A:-hunter2}"})");
  object.set("args", R"(["--token","hunter2","-c","x --key='hunter2 x' https://hunter2@h/"])");
  object.set("url", R"("https://u:hunter2@h/?key=hunter2")");
  const auto masked = Document::parse(
      pi_mcp::secrets::mask_entry(pi_mcp::config::parse_trusted(object.text()).root()));
  require(masked.has_value());
  for (const std::string_view key : {"env", "args", "url"}) {
    require(masked->root().find(key).raw().find(secret) == std::string_view::npos);
  }
}

std::string take_part(std::string_view& input) {
  const std::size_t end = input.find('\0');
  std::string part(input.substr(0, end));
  input.remove_prefix(end == std::string_view::npos ? input.size() : end + 1);
  return part;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::string first = take_part(input);
  const std::string second = take_part(input);
  const std::string value = take_part(input);
  MemberPath path{first};
  if (!second.empty()) {
    path.push_back(second);
  }
  check_json_edits(input, path, value);
  check_config_edits(input, first, value);
  check_mask(value);
  for (const std::string& shown : pi_mcp::secrets::mask_arguments({value, first, second})) {
    require(shown.size() <= 4 * size + 64);
  }
  return 0;
}
