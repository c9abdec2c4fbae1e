#include "config/import/host_keys.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/ascii.h"
#include "config/values.h"
#include "json/writer.h"

namespace pi_mcp::config {
namespace {

void set_only_tools(RawObject& fields, json::Value names) {
  const std::vector<std::string> list = text_list_of(names);
  if (names.raw() == "[]") {
    fields.set("excludeTools", R"(["*"])");
  } else if (std::ranges::find(list, "*") == list.end()) {
    fields.set("includeTools", std::string(names.raw()));
  }
}

void set_milliseconds(RawObject& fields, std::string_view to, json::Value seconds) {
  const std::optional<double> number = seconds.as_double();
  json::Writer writer;
  writer.number(std::ceil(number.value_or(0) * 1000));
  fields.set(to, number ? writer.take() : std::string(seconds.raw()));
}

void set_oauth(RawObject& fields, std::string_view to, json::Value value) {
  RawObject oauth = RawObject::from(fields.find("oauth"));
  oauth.set(to, value.is_array() ? json::quoted(scope_text(value)) : std::string(value.raw()));
  fields.set("oauth", oauth.text());
}

// A request for nothing: what every host assumes where the key is absent.
bool says_nothing(json::Value value) {
  return value.is(json::Kind::null) || value.raw() == "false" || value.raw() == "[]" ||
         value.raw() == "{}" || value.raw() == R"("")";
}

// Of "127.0.0.1:8080" and ":8080" the port counts; the host makes the address of it, as we do.
std::string with_callback_port(json::Value oauth) {
  RawObject fields = RawObject::from(oauth);
  const std::string address = fields.find("redirectUri").string_or("");
  const std::string port = address.substr(address.rfind(':') + 1);
  if (address.find("://") == std::string::npos && !port.empty() &&
      std::ranges::all_of(port, ascii::is_digit)) {
    fields.take("redirectUri");
    fields.set("callbackPort", port);
  }
  return fields.text();
}

void set_approval(ImportReader& reader, RawServer& server, const RawField& names) {
  const std::vector<std::string> list = text_list_of(names.value());
  if (std::ranges::find(list, "*") != list.end()) {
    server.fields.set("approveTools", "false");
  } else if (!list.empty()) {
    reader.warn_unused(server, names.key, "set \"approveTools\" for it in your own file");
  }
}

void translate_key(ImportReader& reader, RawServer& server, const HostKey& key) {
  std::optional<RawField> field = server.fields.take(key.from);
  if (!field) {
    return;
  }
  const json::Value value = field->value();
  switch (key.becomes) {
    case Becomes::key:
      server.fields.set(key.to, std::string(value.raw()));
      return;
    case Becomes::milliseconds:
      set_milliseconds(server.fields, key.to, value);
      return;
    case Becomes::tools:
      set_only_tools(server.fields, value);
      return;
    case Becomes::oauth:
      set_oauth(server.fields, key.to, value);
      return;
    case Becomes::listener:
      server.fields.set(key.from,
                        value.is_object() ? with_callback_port(value) : std::string(value.raw()));
      return;
    case Becomes::members:
      for (const json::Member member : value.members()) {
        server.fields.set(member.name(), json::compact(member.value));
      }
      return;
    case Becomes::approval:
      set_approval(reader, server, *field);
      return;
    case Becomes::nothing:
      reader.note_unused(server, key.from);
      return;
    case Becomes::warning:
      if (!says_nothing(value)) {
        reader.warn_unused(server, key.from, key.to);
      }
      return;
  }
}

std::size_t name_length(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size() && (ascii::is_alphanumeric(text[length]) || text[length] == '_') &&
         (length > 0 || !ascii::is_digit(text[0]))) {
    ++length;
  }
  return length;
}

std::string braced(std::string name) {
  return "${" + std::move(name) + "}";
}

std::string with_braces(std::string_view text, bool percent) {
  std::string out;
  while (!text.empty()) {
    const char first = text.front();
    text.remove_prefix(1);
    const std::size_t length = first == '$' || (percent && first == '%') ? name_length(text) : 0;
    const bool is_name = length > 0 && (first == '$' || text.substr(length).starts_with('%'));
    if (is_name) {
      out += braced(std::string(text.substr(0, length)));
      text.remove_prefix(length + (first == '%' ? 1 : 0));
    } else {
      out += first;
    }
  }
  return out;
}

}  // namespace

void translate_keys(ImportReader& reader, RawServer& server, std::span<const HostKey> keys) {
  for (const HostKey& key : keys) {
    translate_key(reader, server, key);
  }
}

void translate_dollar_names(RawObject& fields, const Environment& environment) {
  const bool percent = environment.platform == Platform::windows;
  RawObject expanded;
  for (const RawField& field : fields.fields()) {
    expanded.set(field.key, rewrite_strings(field.value(), [percent](const std::string& text) {
                   return with_braces(text, percent);
                 }));
  }
  fields = std::move(expanded);
}

void translate_oauth_object(ImportReader& reader, RawServer& server) {
  if (!server.fields.find("oauth").is_object()) {
    return;
  }
  RawObject oauth = RawObject::from(server.fields.take("oauth")->value());
  const std::optional<RawField> enabled = oauth.take("enabled");
  if (const std::optional<RawField> scopes = oauth.take("scopes")) {
    oauth.set("scope", json::quoted(scope_text(scopes->value())));
  }
  for (const std::string_view key :
       {"authorizationUrl", "tokenUrl", "tokenParamName", "audiences", "issuer"}) {
    if (oauth.take(key)) {
      reader.warn_unused(
          server, "oauth." + std::string(key), "the server itself says where to log in");
    }
  }
  if (!oauth.empty()) {
    server.fields.set("oauth", oauth.text());
  } else if (enabled && enabled->value().bool_or(false)) {
    server.fields.set("oauth", "true");
  }
}

}  // namespace pi_mcp::config
