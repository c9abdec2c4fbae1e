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

std::size_t RawObject::place_of(std::string_view key) const {
  if (places_.empty()) {
    return static_cast<std::size_t>(std::ranges::find(fields_, key, &RawField::key) -
                                    fields_.begin());
  }
  const auto found = places_.find(key);
  return found == places_.end() ? fields_.size() : found->second;
}

const RawField* RawObject::field(std::string_view key) const {
  const std::size_t place = place_of(key);
  return place == fields_.size() ? nullptr : &fields_[place];
}

json::Value RawObject::find(std::string_view key) const {
  const RawField* found = field(key);
  return found == nullptr ? json::Value() : found->value();
}

void RawObject::set(RawField field) {
  constexpr std::size_t searched_max = 64;
  const std::size_t place = place_of(field.key);
  if (place < fields_.size()) {
    fields_[place] = std::move(field);
    return;
  }
  fields_.push_back(std::move(field));
  if (fields_.size() > searched_max) {
    for (std::size_t i = places_.size(); i < fields_.size(); ++i) {
      places_.emplace(fields_[i].key, i);
    }
  }
}

std::optional<RawField> RawObject::take(std::string_view key) {
  const std::size_t place = place_of(key);
  if (place == fields_.size()) {
    return std::nullopt;
  }
  RawField field = std::move(fields_[place]);
  fields_.erase(fields_.begin() + static_cast<std::ptrdiff_t>(place));
  places_.clear();
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
