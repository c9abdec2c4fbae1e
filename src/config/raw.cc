#include "config/raw.h"

#include <algorithm>
#include <utility>

#include "json/writer.h"

namespace pi_mcp::config {

RawObject RawObject::from(json::Value object) {
  RawObject out;
  for (const json::Member member : object.members()) {
    out.set(member.name(), json::compact(member.value));
  }
  return out;
}

const std::string* RawObject::find(std::string_view key) const {
  const auto found = std::find_if(
      fields_.begin(), fields_.end(), [key](const RawField& field) { return field.key == key; });
  return found == fields_.end() ? nullptr : &found->json;
}

void RawObject::set(std::string_view key, std::string json) {
  const auto found = std::find_if(
      fields_.begin(), fields_.end(), [key](const RawField& field) { return field.key == key; });
  if (found == fields_.end()) {
    fields_.push_back({std::string(key), std::move(json)});
  } else {
    found->json = std::move(json);
  }
}

std::optional<std::string> RawObject::take(std::string_view key) {
  const auto found = std::find_if(
      fields_.begin(), fields_.end(), [key](const RawField& field) { return field.key == key; });
  if (found == fields_.end()) {
    return std::nullopt;
  }
  std::string json = std::move(found->json);
  fields_.erase(found);
  return json;
}

std::string RawObject::text() const {
  json::Writer writer;
  writer.begin_object();
  for (const RawField& field : fields_) {
    writer.member_raw(field.key, field.json);
  }
  writer.end_object();
  return writer.take();
}

json::Document parse_trusted(const std::string& json) {
  Result<json::Document> document = json::Document::parse(json);
  return document ? *std::move(document) : json::Document();
}

}  // namespace pi_mcp::config
