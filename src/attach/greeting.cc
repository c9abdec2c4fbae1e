#include "attach/greeting.h"

#include <vector>

#include "base/text.h"
#include "io/loop/random.h"

namespace pi_mcp::attach {
namespace {

// nullopt: another number of words.
std::optional<std::vector<std::string>> words_of(std::string_view text, std::size_t count) {
  const std::vector<std::string_view> parts = text::split(text, ' ');
  if (parts.size() != count) {
    return std::nullopt;
  }
  return std::vector<std::string>(parts.begin(), parts.end());
}

}  // namespace

std::string new_nonce() {
  constexpr std::size_t bytes = 16;
  return io::random_hex(bytes);
}

std::string text_of(const Greeting& greeting) {
  return greeting.nonce;
}

std::string text_of(const Welcome& welcome) {
  return welcome.echo + ' ' + welcome.proof + ' ' + welcome.nonce;
}

std::string text_of(const HandOver& hand_over) {
  return hand_over.echo + ' ' + hand_over.proof;
}

std::optional<Greeting> parse_greeting(std::string_view text) {
  const auto words = words_of(text, 1);
  return words ? std::optional(Greeting{.nonce = words->at(0)}) : std::nullopt;
}

std::optional<Welcome> parse_welcome(std::string_view text) {
  const auto words = words_of(text, 3);
  return words ? std::optional(
                     Welcome{.echo = words->at(0), .proof = words->at(1), .nonce = words->at(2)})
               : std::nullopt;
}

std::optional<HandOver> parse_hand_over(std::string_view text) {
  const auto words = words_of(text, 2);
  return words ? std::optional(HandOver{.echo = words->at(0), .proof = words->at(1)})
               : std::nullopt;
}

}  // namespace pi_mcp::attach
