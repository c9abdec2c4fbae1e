// What front and doorman say to each other before a session is handed over. Both show a secret of
// the other that only those can read who may look into its process (io::Proof), and repeat a number
// that the other has just made up: so what was sent was written after that.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pi_mcp::attach {

// How the process at the other end is found: the second works before Linux 6.5 too.
enum class PeerCheck { by_kernel, by_greeting };

// A number that nobody can guess.
std::string new_nonce();

// PacketKind::greeting of a front.
struct Greeting {
  std::string nonce;  // the front's
};
// The doorman's answer.
struct Welcome {
  std::string echo;   // the front's number
  std::string proof;  // the front's secret; empty: the doorman may not look into it
  std::string nonce;  // the doorman's
};
// The text of PacketKind::session.
struct HandOver {
  std::string echo;   // the doorman's number
  std::string proof;  // the doorman's secret; empty: the front may not look into it
};

std::string text_of(const Greeting& greeting);
std::string text_of(const Welcome& welcome);
std::string text_of(const HandOver& hand_over);
std::optional<Greeting> parse_greeting(std::string_view text);
std::optional<Welcome> parse_welcome(std::string_view text);
std::optional<HandOver> parse_hand_over(std::string_view text);

}  // namespace pi_mcp::attach
