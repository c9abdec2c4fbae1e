// Bytes of a stdio peer: however they are cut into reads, the same lines come out, and whatever a
// line holds, the message reader keeps its promises. The first byte of the input chooses the cuts.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "rpc/line_framer.h"
#include "rpc/message.h"

namespace {

using pi_mcp::rpc::LineFramer;
using pi_mcp::rpc::Message;

// Just above what an oversized line keeps, so that the fuzzer reaches oversized lines.
constexpr std::size_t line_bytes_max = LineFramer::kept_bytes + 100;

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

void drain(LineFramer& framer, std::vector<LineFramer::Line>& lines) {
  while (auto line = framer.next()) {
    lines.push_back(std::move(*line));
  }
}

std::vector<LineFramer::Line> lines_of(std::string_view bytes, std::size_t piece) {
  LineFramer framer({.line_bytes_max = line_bytes_max});
  std::vector<LineFramer::Line> lines;
  while (!bytes.empty()) {
    const auto space = framer.prepare();
    const std::size_t count = std::min({bytes.size(), space.size(), piece});
    std::memcpy(space.data(), bytes.data(), count);
    framer.commit(count);
    bytes.remove_prefix(count);
    drain(framer, lines);
  }
  if (auto last = framer.finish()) {
    lines.push_back(std::move(*last));
  }
  return lines;
}

bool lies_inside(std::string_view part, std::string_view whole) {
  return part.empty() || whole.find(part) != std::string_view::npos;
}

void check_message(const LineFramer::Line& line) {
  const auto message = Message::parse(line.text);
  const auto partial = pi_mcp::rpc::read_partial(line.text.view(), line.text.view());
  if (!message) {
    return;
  }
  const Message::Kind kind = message->kind();
  const bool answers = kind == Message::Kind::result || kind == Message::Kind::failure;
  require(answers == message->method().empty());
  require(kind != Message::Kind::request || message->id().exists());
  require(kind != Message::Kind::notification || !message->id().exists());
  require(kind != Message::Kind::result || message->result().exists());
  require(!message->params() || lies_inside(message->params().raw(), message->root().raw()));
  require(message->share(message->result()).view() == message->result().raw());
  // A message that can be read has an id that can be read in part, or none. A failure may have
  // "id":null behind another id; of a broken message the first one is believed.
  require(!partial.id.exists() || message->id().exists() || message->repaired() ||
          kind == Message::Kind::failure);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto whole = lines_of(bytes, bytes.size() + 1);
  const auto pieces = lines_of(bytes, std::size_t{data[0]} + 1);
  require(whole.size() == pieces.size());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    require(whole[i].text.view() == pieces[i].text.view() && whole[i].tail == pieces[i].tail);
    require(whole[i].oversized == pieces[i].oversized && whole[i].bytes == pieces[i].bytes);
    require(whole[i].oversized || whole[i].bytes <= line_bytes_max);
    check_message(whole[i]);
  }
  return 0;
}
