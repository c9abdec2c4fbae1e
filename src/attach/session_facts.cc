#include "attach/session_facts.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

namespace pi_mcp::attach {
namespace {

class Writer {
 public:
  void number(std::uint64_t value) {
    text_ += std::to_string(value);
    text_ += ' ';
  }
  void text(std::string_view value) {
    number(value.size());
    text_ += value;
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

// After the first thing that is not there everything is empty, and good() says so.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    const auto used = static_cast<std::size_t>(end - rest_.data());
    if (error != std::errc() || used >= rest_.size() || *end != ' ') {
      good_ = false;
      rest_ = {};
      return 0;
    }
    rest_.remove_prefix(used + 1);
    return value;
  }

  std::string text() {
    const std::uint64_t size = number();
    if (size > rest_.size()) {
      good_ = false;
      rest_ = {};
      return "";
    }
    std::string value(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return value;
  }

  // Each entry has at least two bytes, so a count that is not true does not take memory.
  std::size_t count() {
    const std::uint64_t value = number();
    good_ = good_ && value <= rest_.size();
    return good_ ? value : 0;
  }

  [[nodiscard]] bool good() const { return good_; }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
  bool good_ = true;
};

}  // namespace

std::string session_text(const SessionFacts& facts) {
  Writer writer;
  writer.text(facts.folder);
  writer.number(facts.arguments.size());
  for (const std::string& argument : facts.arguments) {
    writer.text(argument);
  }
  writer.number(facts.environment.size());
  for (const auto& [name, value] : facts.environment) {
    writer.text(name);
    writer.text(value);
  }
  writer.number(facts.traits.umask);
  writer.text(std::to_string(facts.traits.niceness));
  for (const io::ResourceLimit& limit : facts.traits.limits) {
    writer.number(limit.soft);
    writer.number(limit.hard);
  }
  return writer.take();
}

Result<SessionFacts> parse_session_text(std::string_view text) {
  SessionFacts facts;
  Reader reader(text);
  facts.folder = reader.text();
  for (std::size_t left = reader.count(); left > 0 && reader.good(); --left) {
    facts.arguments.push_back(reader.text());
  }
  for (std::size_t left = reader.count(); left > 0 && reader.good(); --left) {
    std::string name = reader.text();
    facts.environment.insert_or_assign(std::move(name), reader.text());
  }
  facts.traits.umask = static_cast<unsigned>(reader.number());
  const std::string niceness = reader.text();
  const auto [end, error] =
      std::from_chars(niceness.data(), niceness.data() + niceness.size(), facts.traits.niceness);
  for (io::ResourceLimit& limit : facts.traits.limits) {
    limit.soft = reader.number();
    limit.hard = reader.number();
  }
  if (!reader.good() || !reader.at_end() || error != std::errc() || *end != '\0') {
    return fail(ErrorCode::protocol, "the session that was handed over cannot be read");
  }
  return facts;
}

}  // namespace pi_mcp::attach
