// mcp({ instructions }): what a server says about its use. Starts it where nothing is known of it.
#include <utility>

#include "base/text.h"
#include "io/loop/clock.h"
#include "tool/answer.h"
#include "tool/answer_budget.h"
#include "tool/call_context.h"
#include "tool/failures.h"
#include "tool/first_use.h"
#include "tool/mode_parts.h"
#include "tool/modes/past_end.h"
#include "tool/text.h"

namespace pi_mcp::tool {
namespace {

struct InstructionsFacts final : Facts {
  std::string server;
  std::string instructions;
  std::size_t offset = 0;      // bytes to leave out
  std::size_t tokens_max = 0;  // of the text

  [[nodiscard]] Message text() const override {
    if (offset >= instructions.size()) {
      return server + " instructions: " + past_end_text(instructions.size(), "byte");
    }
    return server + " instructions:\n\n" +
           shown_part({.text = instructions,
                       .offset = offset,
                       .tokens_max = tokens_max,
                       .more = {.mode = Mode::instructions, .subject = server}});
  }
  void write_details(json::Writer& out) const override {
    out.member("server", server).member("length", text::utf16_length(instructions));
  }
};

Answer instructions_of(const registry::ServerRegistry& registry, const ToolRequest& request) {
  const std::string& name = request.subject;
  const config::Server* server = registry.find(name);
  if (server == nullptr) {
    return unknown_server(Mode::instructions, registry, name).take();
  }
  if (server->disabled) {
    return disabled_server(Mode::instructions, registry, name).take();
  }
  InstructionsFacts facts;
  facts.server = name;
  facts.instructions = registry.catalog().instructions(name);
  facts.offset = request.offset;
  facts.tokens_max = answer_tokens_max(registry);
  if (!facts.instructions.empty()) {
    return answer_of(Mode::instructions, std::move(facts));
  }
  if (registry.knowledge(name) == catalog::Knowledge::unknown) {
    return Reply(Mode::instructions,
                 Failure::unavailable,
                 "not_connected",
                 "What " + quoted(name) + " says of its use is not known yet.\n" +
                     unknown_text(unknown_servers(registry, name)))
        .with("server", name)
        .take();
  }
  return Reply(Mode::instructions,
               Failure::not_found,
               "no_instructions",
               "Server " + quoted(name) + " does not provide instructions.")
      .with("server", name)
      .take();
}

}  // namespace

io::Task<Answer> run_instructions(ModeParts* parts, ToolRequest request, CallContext context) {
  const std::string& server = request.subject;
  parts->registry->note_use(server);
  if (parts->registry->is_enabled(server) &&
      parts->registry->knowledge(server) == catalog::Knowledge::unknown) {
    co_await wait_for_unknown(
        parts, server, std::move(context), [] { return false; }, io::now() + parts->first_wait);
  }
  co_return instructions_of(*parts->registry, request);
}

}  // namespace pi_mcp::tool
