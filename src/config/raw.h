// What a configuration file says before it is merged: raw JSON text per key, in document order.
// Pure data.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.h"
#include "json/document.h"

namespace pi_mcp::config {

struct RawField {
  std::string key;
  std::string json;  // one complete strict JSON value, without comments
};

// The members of one JSON object; no key twice.
class RawObject {
 public:
  RawObject() = default;
  // Of an object; empty for anything else. The last of equal keys wins, as in JavaScript.
  static RawObject from(json::Value object);

  [[nodiscard]] const std::vector<RawField>& fields() const { return fields_; }
  [[nodiscard]] bool empty() const { return fields_.empty(); }
  // nullptr when there is no such key.
  [[nodiscard]] const std::string* find(std::string_view key) const;
  // Replaces the value in its place, or appends.
  void set(std::string_view key, std::string json);
  // Removes the key and gives its value.
  std::optional<std::string> take(std::string_view key);
  // As one JSON object.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<RawField> fields_;
};

struct RawServer {
  std::string name;
  RawObject fields;
  Origin origin;
  std::string digest;   // of the entry as written, for a project's file only
  std::string written;  // the same: the entry
};

// Everything one file says.
struct Layer {
  std::vector<RawServer> servers;
  RawObject settings;
  Origin origin;
  std::vector<std::string> imports;
};

// Parses text that is known to be JSON (a RawField's); an empty document should it not be.
json::Document parse_trusted(const std::string& json);

}  // namespace pi_mcp::config
