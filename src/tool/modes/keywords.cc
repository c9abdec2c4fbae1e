#include "tool/modes/keywords.h"

#include <algorithm>
#include <utility>

#include "base/count_text.h"
#include "json/writer.h"
#include "mcp/client_session.h"
#include "mcp/methods.h"
#include "tool/call_context.h"
#include "tool/consent/user_question.h"
#include "tool/failures.h"
#include "tool/mode_parts.h"

namespace pi_mcp::tool {
namespace {

// 40 tools with eight words each, and their names.
constexpr std::int64_t answer_tokens_asked = 4000;
constexpr std::size_t waiting_named_max = 5;
constexpr std::string_view answer_form = R"({"SERVER/TOOL": ["word", "other word"]})";

using FewTools = std::vector<const catalog::CatalogTool*>;

// What the catalog has now; the tools are valid until it changes.
struct KeywordState {
  std::vector<KeywordsFacts::Row> rows;
  FewTools few;
  FewTools waiting;
};

KeywordState keyword_state(const registry::ServerRegistry& registry, const std::string& only) {
  const catalog::Keywords& written = registry.known().keywords();
  KeywordState state;
  for (const std::string& server : registry.enabled_servers()) {
    if (!only.empty() && server != only) {
      continue;
    }
    KeywordsFacts::Row row{.server = server, .tools = 0, .few = 0, .written = 0};
    for (const catalog::CatalogTool& tool : registry.catalog().tools(server)) {
      row.tools += tool.is_resource() ? 0 : 1;
      if (!registry::wants_keywords(tool)) {
        continue;
      }
      const bool has_keywords = !written.empty() && written.contains(catalog::tool_digest(tool));
      ++row.few;
      row.written += has_keywords ? 1 : 0;
      state.few.push_back(&tool);
      if (!has_keywords) {
        state.waiting.push_back(&tool);
      }
    }
    state.rows.push_back(std::move(row));
  }
  return state;
}

KeywordsFacts keyword_facts(const KeywordState& state) {
  KeywordsFacts facts;
  facts.rows = state.rows;
  facts.waiting = state.waiting.size();
  facts.requests_needed =
      (facts.waiting + registry::asked_tools_max - 1) / registry::asked_tools_max;
  return facts;
}

std::string servers_with_waiting(const std::vector<KeywordsFacts::Row>& rows) {
  std::vector<std::string> names;
  for (const KeywordsFacts::Row& row : rows) {
    if (row.few > row.written) {
      names.push_back(row.server);
    }
  }
  return name_list(names, waiting_named_max);
}

// How many and whose, as in "57 tools of github and jira".
std::string waiting_text(const KeywordsFacts& facts) {
  return text::count_text(facts.waiting, "tool") + " of " + servers_with_waiting(facts.rows);
}

std::string left_out_text(const KeywordsFacts::Kept& kept) {
  std::string out;
  if (kept.unknown > 0) {
    out += " Left out: " + text::count_text(kept.unknown, "name") +
           " that no tool with few words has (" +
           name_list(kept.unknown_names, registry::unknown_named_max) + ").";
  }
  if (kept.without_words > 0) {
    out += " " + text::count_text(kept.without_words, "tool") +
           " had no usable words: letters, digits, spaces and hyphens, three words and 40 bytes "
           "at most.";
  }
  return out;
}

// Keeps what an answer has; how it went is in the facts of the answer.
Answer take_answer(registry::ServerRegistry& registry, const ToolRequest& request) {
  const registry::KeywordAnswer answer = registry::read_keyword_answer(
      request.args.view(), keyword_state(registry, request.subject).few);
  KeywordsFacts::Kept kept;
  kept.add(answer);
  if (answer.keywords.empty()) {
    return Reply(Mode::keywords,
                 Failure::usage,
                 "no_keywords",
                 "No words were kept." + left_out_text(kept) + " An answer looks like " +
                     std::string(answer_form) + ", with the names of the request.")
        .take();
  }
  if (const Result<void> saved = registry.known().add_keywords(answer.keywords); !saved) {
    return Reply(Mode::keywords,
                 Failure::tool_error,
                 "persistence_failed",
                 "The words were not kept: " + saved.error().message())
        .take();
  }
  KeywordsFacts facts = keyword_facts(keyword_state(registry, request.subject));
  facts.kept = std::move(kept);
  return answer_of(Mode::keywords, std::move(facts));
}

std::string sampling_params(const std::string& request) {
  json::Writer out;
  out.begin_object().key("messages").begin_array().begin_object().member("role", "user");
  out.key("content").begin_object().member("type", "text").member("text", request).end_object();
  out.end_object().end_array();
  out.member("systemPrompt",
             "pi-mcp asks for words by which its search finds tools. Answer with JSON only.");
  out.key("modelPreferences").begin_object().key("costPriority").number(0.8).end_object();
  return out.member("maxTokens", answer_tokens_asked).end_object().take();
}

// The text of a CreateMessageResult: one block, or several (2025-11-25).
std::string text_of_result(json::Value result) {
  const json::Value content = result.find("content");
  std::string text = content.find("text").string_or("");
  for (const json::Value block : content.elements()) {
    text += block.find("text").string_or("");
  }
  return text;
}

io::Task<Result<std::string>> ask_model(CallContext context, std::string request) {
  Result<rpc::Message> answer = co_await context.host->ask(
      std::string(mcp::method::sampling_create_message), SharedText(sampling_params(request)));
  if (!answer) {
    co_return fail(std::move(answer.error()).while_doing("the host's model was asked"));
  }
  if (answer->kind() == rpc::Message::Kind::failure) {
    co_return fail(ErrorCode::unavailable,
                   "the host refused: " + short_error(mcp::error_text(answer->error())));
  }
  co_return text_of_result(answer->result());
}

// One request after the other; what came before a failure stays. The catalog may change meanwhile,
// so it is looked at anew each time.
io::Task<Answer> ask_for_all(ModeParts* parts, std::string server, CallContext context) {
  registry::ServerRegistry& registry = *parts->registry;
  KeywordsFacts::Kept kept;
  std::string stopped;
  const std::size_t needed =
      std::min(keyword_facts(keyword_state(registry, server)).requests_needed, model_requests_max);
  for (std::size_t number = 1; number <= needed && stopped.empty(); ++number) {
    const std::vector<std::string> requests =
        registry::keyword_requests(keyword_state(registry, server).waiting, 1);
    if (requests.empty()) {
      break;
    }
    context.phase("asking the model for words, " + std::to_string(number) + " of " +
                  std::to_string(needed));
    const Result<std::string> text = co_await ask_model(context, requests.front());
    if (!text) {
      stopped = text.error().message();
      break;
    }
    const registry::KeywordAnswer answer =
        registry::read_keyword_answer(*text, keyword_state(registry, server).few);
    kept.add(answer);
    if (answer.keywords.empty()) {
      stopped = "the model's answer had no words for the tools";
    } else if (const auto saved = registry.known().add_keywords(answer.keywords); !saved) {
      stopped = saved.error().message();
    }
  }
  KeywordsFacts facts = keyword_facts(keyword_state(registry, server));
  facts.kept = std::move(kept);
  facts.stopped = std::move(stopped);
  const bool failed = facts.kept->tools == 0;
  Answer answer = answer_of(Mode::keywords, std::move(facts));
  answer.failure = failed ? Failure::tool_error : Failure::none;
  answer.code = failed ? "no_keywords" : "";
  co_return answer;
}

// Whether the host's model may be asked: by the setting, else the user. nullopt: nobody can say.
io::Task<std::optional<bool>> is_allowed(const registry::ServerRegistry* registry,
                                         KeywordsFacts facts,
                                         CallContext context) {
  if (registry->settings().write_keywords) {
    co_return true;
  }
  if (!can_ask_user(context)) {
    co_return std::nullopt;
  }
  const std::size_t requests = std::min(facts.requests_needed, model_requests_max);
  const Result<std::string> agreed = co_await ask_choice(
      std::move(context),
      "pi-mcp: may your model write search words for " + waiting_text(facts) +
          "? It is sent their names and descriptions, in " + text::count_text(requests, "request") +
          ".",
      {{.value = "write", .title = "Write them"}, {.value = "no", .title = "No"}});
  co_return agreed && *agreed == "write";
}

Reply not_agreed() {
  return Reply(
      Mode::keywords,
      Failure::cancelled,
      "not_agreed",
      "No words were written: the user did not agree. Any model can write them, by hand: " +
          Message(
              PersonStep{.shell = "keywords --write FILE", .pi = "pi-mcp keywords --write FILE"}));
}

}  // namespace

void KeywordsFacts::Kept::add(const registry::KeywordAnswer& answer) {
  tools += answer.keywords.size();
  words += answer.words;
  unknown += answer.unknown;
  without_words += answer.without_words;
  const std::size_t room =
      registry::unknown_named_max - std::min(registry::unknown_named_max, unknown_names.size());
  const std::size_t more = std::min(room, answer.unknown_names.size());
  for (std::size_t i = 0; i < more; ++i) {
    unknown_names.push_back(one_line(echoed(answer.unknown_names[i])));
  }
}

Message KeywordsFacts::text() const {
  Message text;
  if (kept) {
    text += (kept->tools == 0 ? std::string("No words were kept.")
                              : "Kept " + text::count_text(kept->words, "word") + " for " +
                                    text::count_text(kept->tools, "tool") + ".") +
            left_out_text(*kept);
    text += stopped.empty() ? "" : " It stopped early: " + stopped + ".";
  } else {
    std::string lines;
    for (const Row& row : rows) {
      lines += row.server + ": ";
      lines += row.tools == 0 ? "no tools known\n"
                              : text::count_text(row.tools, "tool") + ", " +
                                    std::to_string(row.few) + " with few words, " +
                                    std::to_string(row.written) + " of them with keywords\n";
    }
    text += Message(Reader::shell, lines);
  }
  if (waiting == 0) {
    return text + (kept ? "" : "No tool with few words is without keywords.");
  }
  const NextStep again{.mode = Mode::keywords};
  if (requests.empty() || kept) {
    text += "\n" + waiting_text(*this) + (waiting == 1 ? " has" : " have") +
            " few words and no keywords yet; ";
    return text + Message(Reader::model, Message(again)) +
           Message(Reader::shell,
                   "pi-mcp keywords --write FILE writes what to ask a model, and "
                   "pi-mcp keywords --read FILE takes its answer.");
  }
  text += Message(
      Reader::model,
      waiting_text(*this) + " " + (waiting == 1 ? "has" : "have") +
          " few words for search to find. Answer this request, and give the object "
          "to: " +
          Message(NextStep{.mode = Mode::keywords, .args = "{\"SERVER/TOOL\": [...]}"}) +
          (requests_needed > 1 ? " (" + std::to_string(requests_needed - 1) + " more to come)"
                               : "") +
          "\n\n" + requests.front());
  return text;
}

void KeywordsFacts::write_details(json::Writer& out) const {
  out.key("servers").begin_array();
  for (const Row& row : rows) {
    out.begin_object().member("server", row.server).member("tools", row.tools);
    out.member("fewWords", row.few).member("withKeywords", row.written).end_object();
  }
  out.end_array().member("waiting", waiting).member("requests", requests_needed);
  if (kept) {
    out.key("kept").begin_object().member("tools", kept->tools).member("words", kept->words);
    out.member("unknown", kept->unknown).member("withoutWords", kept->without_words).end_object();
  }
  if (!stopped.empty()) {
    out.member("stopped", stopped);
  }
}

io::Task<Answer> run_keywords(ModeParts* parts, ToolRequest request, CallContext context) {
  registry::ServerRegistry& registry = *parts->registry;
  if (!request.subject.empty() && registry.find(request.subject) == nullptr) {
    co_return unknown_server(Mode::keywords, registry, request.subject).take();
  }
  if (!request.subject.empty() && !registry.is_enabled(request.subject)) {
    co_return disabled_server(Mode::keywords, registry, request.subject).take();
  }
  if (!registry.settings().principal.empty()) {
    co_return Reply(Mode::keywords,
                    Failure::usage,
                    "keywords_not_kept",
                    "No words are kept here: everybody's search would find by them. Only the user "
                    "whose servers these are has them written.")
        .take();
  }
  registry.learn_from_others(request.subject);
  if (!request.args.empty()) {
    co_return take_answer(registry, request);
  }
  KeywordsFacts facts = keyword_facts(keyword_state(registry, request.subject));
  if (facts.waiting > 0 && context.host && context.host->features().sampling) {
    const std::optional<bool> allowed = co_await is_allowed(&registry, facts, context);
    if (allowed) {
      co_return *allowed
          ? co_await ask_for_all(parts, std::move(request.subject), std::move(context))
          : not_agreed().take();
    }
  }
  facts.requests = registry::keyword_requests(keyword_state(registry, request.subject).waiting,
                                              request.definitions ? facts.waiting : 1);
  co_return answer_of(Mode::keywords, std::move(facts));
}

}  // namespace pi_mcp::tool
