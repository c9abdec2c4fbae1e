#include "cli/trust_prompt.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <string>

#include "base/text.h"
#include "io/loop/signals.h"
#include "tool/consent/trust_note.h"

namespace pi_mcp::cli {
namespace {

// An answer is a letter; the rest of a longer line is dropped.
std::string read_line() {
  std::string line;
  for (int c = std::fgetc(stdin); c != EOF && c != '\n'; c = std::fgetc(stdin)) {
    if (line.size() < 16) {
      line += static_cast<char>(c);
    }
  }
  return text::lower(text::trim(line));
}

}  // namespace

std::string trust_introduction(const tool::TrustView& view) {
  return "Files of the project in " + view.folder +
         " want to use MCP servers. They run with your rights.\n\n" +
         tool::trust_text(view, std::numeric_limits<std::size_t>::max());
}

TrustReply ask_trust(Console& console, const tool::TrustView& view) {
  const io::InterruptEnds interrupt;
  console.prompt(trust_introduction(view) +
                 "\n\nTrust them, as they are now? [y]es, only this [o]nce, [N]o: ");
  const std::string reply = read_line();
  if (reply == "y" || reply == "yes") {
    return TrustReply::trust;
  }
  return reply == "o" || reply == "once" ? TrustReply::once : TrustReply::no;
}

Error needs_trust(std::string_view server, const config::Settings& settings) {
  const auto& requests = settings.trust_requests;
  const auto request = std::ranges::find(requests, server, &config::TrustRequest::server);
  const bool changed = request != requests.end() && request->changed;
  return {ErrorCode::unauthorized,
          quoted(server) + " comes from a file of the project" +
              std::string(tool::untrusted_words(changed)) +
              "; to see what it wants and allow it, run: pi-mcp trust"};
}

bool ask_yes(Console& console, std::string_view question) {
  const io::InterruptEnds interrupt;
  console.prompt(std::string(question) + " [y/N]: ");
  const std::string reply = read_line();
  return reply == "y" || reply == "yes";
}

}  // namespace pi_mcp::cli
