// What configuration files say before it is typed: parsed values by key, in document order. Pure
// data.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/settings.h"
#include "json/document.h"

namespace pi_mcp::config {

struct RawField {
  std::string key;
  std::shared_ptr<const json::Document> document;  // strict and compact; copies share it
  Origin origin;                                   // of a field that was merged

  // `json` is one strict JSON value.
  static RawField of(std::string_view key, std::string json);
  [[nodiscard]] json::Value value() const { return document->root(); }
};

// The members of one JSON object; no key twice. Quick with a hundred thousand, too: files come from
// strangers.
class RawObject {
 public:
  RawObject() = default;
  // The members of an object; empty for anything else. The last of equal keys wins, as in
  // JavaScript.
  static RawObject from(json::Value object);

  [[nodiscard]] const std::vector<RawField>& fields() const { return fields_; }
  [[nodiscard]] bool empty() const { return fields_.empty(); }
  // nullptr when there is no such key.
  [[nodiscard]] const RawField* field(std::string_view key) const;
  // Absent when there is no such key.
  [[nodiscard]] json::Value find(std::string_view key) const;
  // Replaces the value in its place, or appends.
  void set(RawField field);
  void set(std::string_view key, std::string json) { set(RawField::of(key, std::move(json))); }
  // Removes the key and gives what it had.
  std::optional<RawField> take(std::string_view key);
  template <class Predicate>
  void erase_if(Predicate is_dropped) {
    if (std::erase_if(fields_, is_dropped) > 0) {
      places_.clear();
    }
  }
  // As one JSON object.
  [[nodiscard]] std::string text() const;

 private:
  // Of the key in fields_; its size: it is not there.
  [[nodiscard]] std::size_t place_of(std::string_view key) const;

  std::vector<RawField> fields_;
  std::map<std::string, std::size_t, std::less<>> places_;  // of all fields, or empty
};

struct RawServer {
  std::string name;
  RawObject fields;
  Origin origin;
  std::string digest;   // of the entry as written, for a project's file only
  std::string written;  // the same: the entry
  // It means another server in each folder that its host runs in.
  bool depends_on_folder = false;
};

// Everything one file says.
struct Layer {
  std::vector<RawServer> servers;
  RawObject settings;
  Origin origin;
  std::vector<std::string> imports;
  std::string claude_plugins;  // the array, JSON; empty: none
};

// Parses text that is known to be JSON; an empty document should it not be.
json::Document parse_trusted(std::string json);

}  // namespace pi_mcp::config
