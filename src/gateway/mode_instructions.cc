// mcp({ instructions }): what a server says about its use. Offline: starts nothing.
#include "base/text.h"
#include "gateway/answer.h"
#include "gateway/answer_budget.h"
#include "gateway/call_context.h"
#include "gateway/failures.h"
#include "gateway/mode_parts.h"
#include "gateway/tool_text.h"

namespace pi_mcp::gateway {
namespace {

struct InstructionsFacts final : Facts {
  std::string server;
  std::string instructions;
  std::size_t offset = 0;      // bytes to leave out
  std::size_t tokens_max = 0;  // of the text

  [[nodiscard]] Message text() const override {
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

Answer instructions_of(const Roster& roster, const ToolRequest& request) {
  const std::string& name = request.subject;
  const config::Server* server = roster.find(name);
  if (server == nullptr) {
    return unknown_server(Mode::instructions, name).take();
  }
  if (server->disabled) {
    return disabled_server(Mode::instructions, name).take();
  }
  InstructionsFacts facts;
  facts.server = name;
  facts.instructions = roster.catalog().instructions(name);
  facts.offset = request.offset;
  facts.tokens_max = answer_tokens_max(roster);
  if (!facts.instructions.empty()) {
    return answer_of(Mode::instructions, std::move(facts));
  }
  if (roster.knowledge(name) == catalog::Knowledge::unknown) {
    return Reply(Mode::instructions,
                 Failure::unavailable,
                 "not_connected",
                 "No instructions cached for " + quoted(name) + ". Use " +
                     Message(NextStep{.mode = Mode::connect, .subject = name}) +
                     " to connect and refresh.")
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

io::Task<Answer> run_instructions(ModeParts* parts, ToolRequest request, CallContext /*context*/) {
  parts->roster->note_use(request.subject);
  co_return instructions_of(*parts->roster, request);
}

}  // namespace pi_mcp::gateway
