#include "config/check.h"

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace pi_mcp::config {
namespace {

using enum KeyScope;
using enum ValueType;

// "server \"x\": " where it is about one, or in which other part of the file.
std::string where(const Place& place) {
  return place.scope == server     ? "server \"" + place.server + "\": "
         : place.scope == settings ? "settings: "
                                   : "";
}

// Times and choices are never secrets, so a wrong one is shown.
std::string value_text(const Key& key, json::Value value) {
  const bool is_time = key.type == minutes || key.type == seconds || key.type == milliseconds;
  const bool is_choice = key.type == choice || key.type == choice_or_false;
  const bool is_shown = is_time ? value.is(json::Kind::number) : is_choice && value.is_string();
  return is_shown ? text::cut(value.raw(), 20) : found_text(value);
}

std::string wrong_value_text(std::string_view name, const Key& key, json::Value value) {
  return "\"" + std::string(name) + "\" must be " + expected(key) + ", found " +
         value_text(key, value);
}

// What such a key should have said is not guessed: which program, and what nobody may call.
bool decides_use(std::string_view key) {
  return key == "command" || key == "args" || key == "url" || key == "socket" ||
         key == "exposure" || key == "toolExposure";
}

// Members of env and headers that are not texts go, the others stay.
void check_members(RawField& field, const Place& place, std::vector<Warning>& warnings) {
  RawObject kept = RawObject::from(field.value());
  kept.erase_if([&](const RawField& member) {
    const bool goes = !is_text(member.value());
    if (goes) {
      warn(warnings,
           place.path,
           where(place) + "\"" + field.key + "." + member.key + "\" must be a string, found " +
               found_text(member.value()) + "; it is ignored",
           place.server);
    }
    return goes;
  });
  field = RawField::of(field.key, kept.text());
}

// The members of requestHeadersCommand.
constexpr std::array headers_command_keys = {
    Key(server, "command", text),
    Key(server, "args", text_list),
    Key(server, "env", text_map),
    Key(server, "timeoutMs", milliseconds),
};
constexpr double headers_timeout_max = 60'000;

// Its members of a wrong type go, the others stay.
void check_headers_command(RawField& field, const Place& place, std::vector<Warning>& warnings) {
  const json::Value command = field.value();
  if (!command.is_object()) {
    return;  // null takes it away
  }
  RawObject kept = RawObject::from(command);
  const auto warn_of = [&](std::string_view member, const std::string& text) {
    warn(warnings,
         place.path,
         where(place) + "\"" + field.key + "." + std::string(member) + "\" " + text,
         place.server);
  };
  for (const Key& key : headers_command_keys) {
    const json::Value value = command.find(key.name);
    if (value && !accepts(key, value) && kept.take(key.name)) {
      warn_of(key.name,
              "must be " + expected(key) + ", found " + found_text(value) + "; it is ignored");
    }
  }
  if (!command.find("command")) {
    warn_of("command", "is missing; the server cannot be used until it names a program");
  }
  if (command.find("timeoutMs").as_double().value_or(0) > headers_timeout_max) {
    warn_of("timeoutMs", "is larger than 60000, which is used");
  }
  field = RawField::of(field.key, kept.text());
}

// The members of a value that is itself of the right type.
void check_inside(const Key& key,
                  RawField& field,
                  const Place& place,
                  std::vector<Warning>& warnings) {
  if (key.type == text_map && field.value().is_object()) {
    check_members(field, place, warnings);
  } else if (key.name == "requestHeadersCommand") {
    check_headers_command(field, place, warnings);
  }
}

std::string scope_text(const Place& place) {
  return place.scope == server     ? "in server " + place.server
         : place.scope == settings ? "in settings"
                                   : "at the top level";
}

}  // namespace

bool is_annotation(std::string_view key) {
  return key.empty() || std::string_view("$_/#@").find(key.front()) != std::string_view::npos ||
         key.starts_with("x-");
}

void warn(std::vector<Warning>& warnings,
          const std::string& path,
          std::string_view message,
          std::string_view server) {
  constexpr std::ptrdiff_t of_one_file = 100;  // it can give any number
  std::string said = path + ": " + std::string(message);
  std::ptrdiff_t before = 0;
  for (auto one = warnings.rbegin(); one != warnings.rend() && one->path == path; ++one) {
    if (++before == of_one_file || one->message == said) {
      return;
    }
  }
  if (before + 1 == of_one_file) {
    warnings.push_back({.path = path, .message = path + ": more is wrong with it"});
  } else {
    warnings.push_back({.path = path, .message = std::move(said), .server = std::string(server)});
  }
}

void warn_unreadable(std::vector<Warning>& warnings,
                     const std::string& path,
                     std::string_view why,
                     json::Position at) {
  warnings.push_back(
      {.path = path,
       .message = std::string(why) + std::string(file_left_out) + " until that is corrected",
       .unreadable = true,
       .line = at.line,
       .column = at.column});
}

std::string unusable_text(std::string_view server,
                          std::string_view name,
                          const Key& key,
                          json::Value value) {
  return "server \"" + std::string(server) + "\": " + wrong_value_text(name, key, value);
}

std::string found_text(json::Value value) {
  return value.is(json::Kind::boolean) ? std::string(value.raw()) : json::kind_text(value.kind());
}

void check_types(RawObject& fields, const Place& place, std::vector<Warning>& warnings) {
  RawObject kept;
  for (RawField field : fields.fields()) {
    const Key* key = find_key(place.scope, field.key);
    const json::Value value = field.value();
    if (key != nullptr && !key->refusal.empty() && value.raw() != key->harmless) {
      warn(warnings,
           place.path,
           where(place) + "\"" + field.key + "\" does nothing here: " + std::string(key->refusal),
           place.server);
    }
    // null takes a key of a lower source away.
    if (key == nullptr || value.is(json::Kind::null) || accepts(*key, value)) {
      if (key != nullptr) {
        check_inside(*key, field, place, warnings);
      }
      kept.set(std::move(field));
      continue;
    }
    const bool stays = place.scope == server && decides_use(key->name);
    if (!stays) {
      warn(warnings,
           place.path,
           where(place) + wrong_value_text(field.key, *key, value) + "; the value is ignored",
           place.server);
      continue;
    }
    warnings.push_back({.path = place.path,
                        .message = place.path + ": " +
                                   unusable_text(place.server, field.key, *key, value) +
                                   "; the server cannot be used until that is corrected",
                        .server = place.server,
                        .unusable_key = field.key});
    kept.set(std::move(field));
  }
  fields = std::move(kept);
}

bool is_problem_of(const Server& server, const Warning& warning) {
  const auto origin = server.origins.find(server.problem_key);
  return !server.problem_key.empty() && origin != server.origins.end() &&
         warning.server == server.name && warning.unusable_key == server.problem_key &&
         warning.path == origin->second.path;
}

void check_spelling(const std::vector<std::string>& keys,
                    const Place& place,
                    std::vector<Warning>& warnings) {
  constexpr int unknown_max = 64;  // of what somebody wrote by hand
  int unknown = 0;
  for (const std::string& key : keys) {
    if (find_key(place.scope, key) != nullptr || is_annotation(key)) {
      continue;
    }
    if (++unknown > unknown_max) {
      return;
    }
    if (const std::optional<std::string_view> near = near_key(place.scope, key)) {
      warn(warnings,
           place.path,
           "unknown key \"" + key + "\" " + scope_text(place) + ", did you mean \"" +
               std::string(*near == "mcp-servers" ? "mcpServers" : *near) + "\"?",
           place.server);
    }
  }
}

void check_spelling(const RawObject& fields, const Place& place, std::vector<Warning>& warnings) {
  std::vector<std::string> keys;
  for (const RawField& field : fields.fields()) {
    keys.push_back(field.key);
  }
  check_spelling(keys, place, warnings);
}

}  // namespace pi_mcp::config
