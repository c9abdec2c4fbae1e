#include "tool/consent/trust_note.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/count_text.h"
#include "config/project/plain_names.h"
#include "tool/text.h"

namespace pi_mcp::tool {
namespace {

Message connecting_asks(const std::string& server) {
  return {Reader::model,
          Message(NextStep{.mode = Mode::connect, .subject = server}) + " asks the user."};
}

}  // namespace

bool is_told_before_trust(std::string_view server) {
  constexpr std::size_t bytes_max = 64;
  return server.size() <= bytes_max &&
         std::ranges::all_of(server, [](char c) { return ascii::is_alphanumeric_or(c, "._/@-"); });
}

Message TrustNote::text() const {
  if (servers == 0) {
    return {};
  }
  const bool is_one = servers == 1;
  std::string state = is_one ? "is not trusted yet and" : "are not trusted yet and";
  if (changed == servers) {
    state = is_one ? "has changed since it was trusted and is"
                   : "have changed since they were trusted and are";
  } else if (changed > 0) {
    state = "are not trusted yet, or have changed since they were, and are";
  }
  const Message text =
      "\n\n" + text::count_text(servers, "server") + " of the project " + state + " not in use. ";
  if (forbidden) {
    return text + "The host does not trust this folder; the user decides about that there.";
  }
  if (refused) {
    return text + "The user has said no in this session. " + undo_refusal();
  }
  const Message for_model =
      step == TrustStep::connect && is_told_before_trust(first)
          ? connecting_asks(first)
          : Message(Reader::model, "The user can allow that with: pi-mcp trust");
  return text + for_model +
         Message(Reader::shell, "To see what they want and allow it, run: pi-mcp trust");
}

TrustNote trust_note(const config::Settings& settings,
                     TrustStep step,
                     const std::set<std::string>& refused) {
  TrustNote note;
  note.step = step;
  for (const config::TrustRequest& request : settings.trust_requests) {
    const config::Server* server = settings.find(request.server);
    if (server == nullptr || server->standing != config::Standing::needs_trust) {
      continue;
    }
    note.changed += request.changed ? 1U : 0U;
    const bool is_refused = refused.contains(request.folder);
    if (++note.servers == 1 || (note.refused && !is_refused)) {
      note.first = request.server;
      note.forbidden = request.forbidden;
      note.refused = is_refused;
    }
  }
  return note;
}

Message undo_refusal() {
  return "If the user wants to undo that, the user can run: " +
         Message(PersonStep{.shell = "trust", .pi = "/mcp trust"});
}

std::string_view untrusted_words(bool changed) {
  return changed ? ", and has changed since it was trusted" : ", which is not trusted yet";
}

Message trust_advice(const config::TrustRequest& request, TrustStep step) {
  const std::string server = "Server " + quoted(request.server);
  const bool is_plain = config::has_plain_names(request.path, request.folder);
  const std::string from =
      " comes from a file of the project" +
      (is_plain ? ", " + one_line(request.path) : " in " + one_line(request.folder));
  const std::string run_words = "trust (in " + one_line(request.folder) + ")";
  const std::string run = "pi-mcp " + run_words;
  if (request.forbidden) {
    // Pi says no also where it could not ask (print mode), so what the user said is not known.
    return server + from +
           ", and the host does not trust this folder. The user decides about that in the host "
           "(Pi: /trust, or pi --approve); when it trusts the folder, this allows the file: " +
           (step == TrustStep::connect ? Message(PersonStep{.shell = run_words, .pi = "/mcp trust"})
                                       : Message(run));
  }
  const Message for_model =
      step == TrustStep::connect
          ? connecting_asks(request.server)
          : Message(Reader::model, "Ask the user to look at it and to run: " + run);
  return server + from + std::string(untrusted_words(request.changed)) + ". " + for_model +
         Message(Reader::shell, "To see what it wants and allow it, run: " + run);
}

}  // namespace pi_mcp::tool
