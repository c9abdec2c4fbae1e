// What is wrong with the values of one file, said with the file's name. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/keys.h"
#include "config/raw.h"
#include "config/settings.h"
#include "json/document.h"
#include "json/failure.h"

namespace pi_mcp::config {

// Adds a warning about this file, which it begins with; `server` is the one it concerns alone.
// Nothing where that was said already; a hundred in a row about one file are enough.
void warn(std::vector<Warning>& warnings,
          const std::string& path,
          std::string_view message,
          std::string_view server = {});

// The same about one of which nothing counts. `why` names the file.
void warn_unreadable(std::vector<Warning>& warnings,
                     const std::string& path,
                     std::string_view why,
                     json::Position at = {});

// "a string", "an array", "null": what stands there instead. Never the value: it may be a secret.
std::string found_text(json::Value value);

// What messages about a key name: the file, and the server when it is about one.
struct Place {
  KeyScope scope;
  std::string path;
  std::string server;
};

// `server "x": "command" must be a string, found a number`: a value that decides what is started,
// with the key as it is written.
std::string unusable_text(std::string_view server,
                          std::string_view name,
                          const Key& key,
                          json::Value value);
// Whether the warning says no more than Server::problem does.
[[nodiscard]] bool is_problem_of(const Server& server, const Warning& warning);

// Comments that people write as keys, and schema references.
[[nodiscard]] bool is_annotation(std::string_view key);

// Warns about every value of the wrong type and removes it, so that a lower source's value counts;
// the fields that decide what is started (command, args, url, socket) stay, for Server::problem.
void check_types(RawObject& fields, const Place& place, std::vector<Warning>& warnings);
// Warns about unknown keys that look like a misspelling; they stay, as all unknown keys do.
void check_spelling(const std::vector<std::string>& keys,
                    const Place& place,
                    std::vector<Warning>& warnings);
void check_spelling(const RawObject& fields, const Place& place, std::vector<Warning>& warnings);

}  // namespace pi_mcp::config
