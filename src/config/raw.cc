#include "config/raw.h"

#include <algorithm>
#include <utility>

#include "json/writer.h"

namespace pi_mcp::config {

RawField RawField::of(std::string_view key, std::string json) {
  return {.key = std::string(key),
          .document = std::make_shared<const json::Document>(parse_trusted(std::move(json))),
          .origin = {}};
}

RawObject RawObject::from(json::Value object) {
  RawObject out;
  for (const json::Member member : object.members()) {
    out.set(member.name(), json::compact(member.value));
  }
  return out;
}

const RawField* RawObject::field(std::string_view key) const {
  const auto found = std::ranges::find(fields_, key, &RawField::key);
  return found == fields_.end() ? nullptr : &*found;
}

json::Value RawObject::find(std::string_view key) const {
  const RawField* found = field(key);
  return found == nullptr ? json::Value() : found->value();
}

void RawObject::set(RawField field) {
  const auto found = std::ranges::find(fields_, field.key, &RawField::key);
  if (found == fields_.end()) {
    fields_.push_back(std::move(field));
  } else {
    *found = std::move(field);
  }
}

std::optional<RawField> RawObject::take(std::string_view key) {
  const auto found = std::ranges::find(fields_, key, &RawField::key);
  if (found == fields_.end()) {
    return std::nullopt;
  }
  RawField field = std::move(*found);
  fields_.erase(found);
  return field;
}

std::string RawObject::text() const {
  json::Writer writer;
  writer.begin_object();
  for (const RawField& field : fields_) {
    writer.member_raw(field.key, field.value().raw());
  }
  writer.end_object();
  return writer.take();
}

json::Document parse_trusted(std::string json) {
  Result<json::Document> document = json::Document::parse(std::move(json));
  return document ? *std::move(document) : json::Document();
}

}  // namespace pi_mcp::config
