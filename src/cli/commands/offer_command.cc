// The commands for what servers offer beside tools: resources, prompts, prompt.
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cli/commands/commands.h"
#include "cli/commands/once.h"
#include "cli/commands/performer.h"
#include "cli/real_files.h"
#include "cli/show/result_output.h"
#include "cli/unknown_server.h"
#include "cli/words/request.h"
#include "cli/words/tool_arguments.h"
#include "io/loop/loop.h"
#include "json/writer.h"
#include "rpc/message.h"
#include "tool/failures.h"

namespace pi_mcp::cli {
namespace {

struct FoundPrompt {
  std::string server;
  mcp::Prompt prompt;
  std::size_t words = 1;  // of the command line
};

// What somebody may have meant.
struct NamedPrompt {
  std::string server;  // empty: any
  std::string prompt;
};

// Between a server and its prompt.
constexpr std::array<std::string_view, 3> separators = {".", "/", "__"};

// What its arguments look like as a tool's would: they are texts.
std::string schema_of(const mcp::Prompt& prompt) {
  json::Writer out;
  out.begin_object().key("properties").begin_object();
  for (const mcp::PromptArgument& argument : prompt.arguments) {
    out.key(argument.name).begin_object().member("type", "string").end_object();
  }
  out.end_object().key("required").begin_array();
  for (const mcp::PromptArgument& argument : prompt.arguments) {
    if (argument.required) {
      out.string(argument.name);
    }
  }
  return out.end_array().end_object().take();
}

std::string usage_of(const mcp::Prompt& prompt) {
  std::string out;
  for (const mcp::PromptArgument& argument : prompt.arguments) {
    out += argument.required ? " " + argument.name + "=..." : " [" + argument.name + "=...]";
  }
  return text::printable_line(out);
}

// Why these arguments cannot be sent; empty: they can.
std::string wrong_arguments(const mcp::Prompt& prompt, json::Value arguments) {
  for (const json::Member member : arguments.members()) {
    if (std::ranges::find(prompt.arguments, member.name(), &mcp::PromptArgument::name) ==
        prompt.arguments.end()) {
      return "it has no argument " + quoted(member.name());
    }
  }
  for (const mcp::PromptArgument& argument : prompt.arguments) {
    if (argument.required && !arguments.find(argument.name)) {
      return argument.name + " is missing";
    }
  }
  return "";
}

class OfferCommand {
 public:
  OfferCommand(const io::Executor& executor, const Setup& setup)
      : setup_(setup),
        console_(*setup.console),
        performer_(executor, setup, load_settings(setup)) {}

  io::Task<ExitStatus> run() {
    performer_.start();
    const ExitStatus status = co_await command();
    (void)console_.finish();  // a failure is reported at the end of the program
    co_await performer_.close();
    co_return performer_.stopped().value_or(status);
  }

 private:
  io::Task<ExitStatus> command() {
    if (setup_.line.command()->id == CommandId::prompt) {
      co_return co_await prompt();
    }
    std::vector<std::string> servers = setup_.line.words();
    const bool one = !servers.empty() || !setup_.load_options.registered.empty();
    if (!servers.empty() && session().settings().find(servers.front()) == nullptr) {
      co_return report(setup_, unknown_server(session().settings(), servers.front()));
    }
    if (servers.empty()) {
      servers = enabled_servers();
    }
    say_warnings(session().settings(), servers);
    for (const std::string& server : servers) {
      const bool unknown = session().catalog().knowledge(server) == catalog::Knowledge::unknown;
      if (unknown && !one) {
        console_.note("nothing is known of " + quoted(server) + "; pi-mcp connect " + server);
      } else if (unknown) {
        if (const std::optional<ExitStatus> failed = co_await connect(server)) {
          co_return *failed;
        }
      }
    }
    co_return setup_.line.command()->id == CommandId::resources ? resources(servers)
                                                                : prompts(servers);
  }

  ExitStatus resources(const std::vector<std::string>& servers) {
    json::Writer out;
    out.begin_object();
    std::string text;
    for (const bool is_template : {false, true}) {
      out.key(is_template ? "templates" : "resources").begin_array();
      for (const std::string& server : servers) {
        for (const mcp::Resource& resource : is_template ? session().catalog().templates(server)
                                                         : session().catalog().resources(server)) {
          out.begin_object().member("server", server).member("uri", resource.uri);
          out.member("name", resource.name).member("description", resource.description);
          out.member("mimeType", resource.mime_type).end_object();
          text += line_of(resource.uri, server, resource.description, resource.name);
        }
      }
      out.end_array();
    }
    return print(out.end_object().take(), text, "no resource is known");
  }

  ExitStatus prompts(const std::vector<std::string>& servers) {
    json::Writer out;
    out.begin_object().key("prompts").begin_array();
    std::string text;
    for (const std::string& server : servers) {
      for (const mcp::Prompt& prompt : session().catalog().prompts(server)) {
        out.begin_object().member("server", server);
        out.member("name", prompt.name).member("description", prompt.description);
        out.key("arguments").begin_array();
        for (const mcp::PromptArgument& argument : prompt.arguments) {
          out.begin_object().member("name", argument.name);
          out.member("description", argument.description);
          out.member("required", argument.required).end_object();
        }
        out.end_array().end_object();
        text += line_of(
            server + "." + prompt.name + usage_of(prompt), "", prompt.description, prompt.title);
      }
    }
    return print(out.end_array().end_object().take(), text, "no prompt is known");
  }

  io::Task<ExitStatus> prompt() {
    std::optional<FoundPrompt> found = find();
    if (!found) {
      const NamedPrompt named = named_prompt();
      if (const std::optional<ExitStatus> failed = co_await learn(named)) {
        co_return *failed;
      }
      found = find();
      if (!found) {
        co_return report(setup_, no_prompt(named));
      }
    }
    say_warnings(session().settings(), std::vector{found->server});
    const Result<std::string> arguments = arguments_of(*found);
    if (!arguments) {
      co_return report(setup_, arguments.error());
    }
    if (const std::optional<ExitStatus> failed = co_await connect(found->server)) {
      co_return *failed;
    }
    json::Writer request;
    request.begin_object().member("jsonrpc", "2.0").member("id", 1);
    request.member("method", "prompts/get").key("params").begin_object();
    request.member("name", found->server + "__" + found->prompt.name);
    request.member_raw("arguments", *arguments).end_object().end_object();
    const Result<rpc::Message> message = rpc::Message::parse(request.take());
    if (!message) {
      co_return report(setup_, message.error());
    }
    const std::optional<rpc::Outgoing> answer =
        co_await performer_.finish(session().prompts().get(&*message, {}));
    if (!answer) {
      tool::ToolRequest given_up;
      given_up.subject = found->server + "." + found->prompt.name;
      co_return print_failure(performer_.given_up(given_up));
    }
    co_return print_prompt(found->prompt.name, answer->flat());
  }

  // Starts those that may have the prompt and of which nothing is known, until it is found. Why
  // nobody can say that there is none, as a status; nullopt: there is one, or all were asked.
  io::Task<std::optional<ExitStatus>> learn(NamedPrompt named) {
    std::vector<tool::ToolRequest> requests;
    for (const std::string& server :
         named.server.empty() ? enabled_servers() : std::vector{named.server}) {
      const bool is_known = session().catalog().knowledge(server) != catalog::Knowledge::unknown;
      if (!is_known || session().settings().find(server)->disabled) {
        requests.push_back(connect_request(server));
      }
    }
    const auto is_found = [this] {
      return find().has_value();
    };
    std::vector<tool::Answer> answers =
        co_await performer_.perform_each(std::move(requests), {}, is_found);
    std::erase_if(answers, [](const tool::Answer& answer) { return !answer.is_error(); });
    if (answers.empty() || is_found()) {
      co_return std::nullopt;
    }
    const ExitStatus status = print_failure(answers.front());
    if (performer_.stopped()) {
      co_return status;
    }
    for (std::size_t i = 1; i < answers.size(); ++i) {
      console_.error(text_of(answers[i], tool::Reader::shell));
    }
    if (named.server.empty()) {
      console_.error("none of the servers that answered has a prompt " + quoted(named.prompt));
    }
    co_return status;
  }

  [[nodiscard]] Error no_prompt(const NamedPrompt& named) const {
    const std::string left_out = left_out_text(session().settings());
    const std::string who =
        named.server.empty() ? "no server has a prompt " : quoted(named.server) + " has no prompt ";
    const std::string lists =
        "; pi-mcp prompts" +
        (named.server.empty() ? " lists them" : " " + named.server + " lists them");
    return {ErrorCode::not_found,
            who + quoted(named.prompt) + (left_out.empty() ? lists : "; " + left_out)};
  }

  ExitStatus print_prompt(const std::string& name, const std::string& answer) {
    const Result<json::Document> document = json::Document::parse_view(answer);
    const json::Value result = document ? document->root().find("result") : json::Value();
    if (!result) {
      const std::string why =
          document ? document->root().at({"error", "message"}).string_or("") : "";
      console_.error(name + ": " + text::printable(why));
      return ExitStatus::tool_error;
    }
    if (setup_.json) {
      print_json(console_, result.raw());
      return ExitStatus::done;
    }
    const json::Value messages = result.find("messages");
    std::size_t count = 0;
    for ([[maybe_unused]] const json::Value message : messages.elements()) {
      ++count;
    }
    const bool several = count > 1;
    for (const json::Value message : messages.elements()) {
      const json::Value content = message.find("content");
      const std::string kind = content.find("type").string_or("");
      const std::string role = several ? message.find("role").string_or("") + ": " : "";
      const std::string text = kind == "text"       ? content.find("text").string_or("")
                               : kind == "resource" ? content.at({"resource", "text"}).string_or("")
                                                    : "[" + kind + "]";
      console_.print_foreign(role + text + "\n");
    }
    return ExitStatus::done;
  }

  // What the words say, where no prompt is known that they name: that of the longest name counts.
  [[nodiscard]] NamedPrompt named_prompt() const {
    const std::vector<std::string>& words = setup_.line.words();
    NamedPrompt named{.server = "", .prompt = words.front()};
    for (const config::Server& server : session().settings().servers) {
      for (const std::string_view between : separators) {
        const std::string head = server.name + std::string(between);
        if (words.front().starts_with(head) && server.name.size() > named.server.size()) {
          named = {.server = server.name, .prompt = words.front().substr(head.size())};
        }
      }
    }
    const bool apart = words.size() > 1 && words[1].find_first_of("=:") == std::string::npos &&
                       session().settings().find(words.front()) != nullptr;
    return apart ? NamedPrompt{.server = words.front(), .prompt = words[1]} : named;
  }

  // server.prompt, server/prompt, server__prompt, "server prompt", or the prompt alone.
  [[nodiscard]] std::optional<FoundPrompt> find() const {
    const std::vector<std::string>& words = setup_.line.words();
    for (const std::string& server : enabled_servers()) {
      for (const mcp::Prompt& prompt : session().catalog().prompts(server)) {
        const bool together = std::ranges::any_of(separators, [&](std::string_view between) {
          return words.front() == server + std::string(between) + prompt.name;
        });
        const bool apart = words.size() > 1 && words.front() == server && words[1] == prompt.name;
        if (together || apart || words.front() == prompt.name) {
          return FoundPrompt{.server = server, .prompt = prompt, .words = apart ? 2U : 1U};
        }
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] Result<std::string> arguments_of(const FoundPrompt& found) const {
    const std::string schema_text = schema_of(found.prompt);
    const Result<json::Document> schema = json::Document::parse_view(schema_text);
    const json::Value root = schema ? schema->root() : json::Value();
    const auto given =
        given_arguments(std::span(setup_.line.words()).subspan(found.words), parameters_of(root));
    Result<std::string> json =
        given ? tool_arguments(*given, root, read_input) : fail(given.error());
    if (!json) {
      return json;
    }
    *json = json->empty() ? "{}" : *json;
    const Result<json::Document> document = json::Document::parse_view(*json);
    const std::string wrong =
        document ? wrong_arguments(found.prompt, document->root()) : std::string();
    return wrong.empty()
               ? json
               : fail(ErrorCode::invalid_argument,
                      found.prompt.name + ": " + wrong + "; write pi-mcp prompt " + found.server +
                          "." + found.prompt.name + usage_of(found.prompt));
  }

  io::Task<std::optional<ExitStatus>> connect(std::string server) {
    const tool::Answer answer = co_await performer_.perform(connect_request(server));
    co_return answer.is_error() ? std::optional(print_failure(answer)) : std::nullopt;
  }

  ExitStatus print_failure(const tool::Answer& answer) {
    if (answer.failure == tool::Failure::cancelled) {
      console_.error(text_of(answer, tool::Reader::shell));
      return exit_status(answer.failure);
    }
    return print_answer(console_, {.json = setup_.json, .file = {}}, "", session(), answer);
  }

  ExitStatus print(const std::string& json, const std::string& text, std::string_view nothing) {
    if (setup_.json) {
      print_json(console_, json);
    } else if (text.empty()) {
      console_.note(nothing);
    } else {
      console_.print(text);
    }
    return ExitStatus::done;
  }

  [[nodiscard]] std::string line_of(const std::string& head,
                                    const std::string& server,
                                    const std::string& description,
                                    const std::string& title) const {
    const std::string what = text::printable_line(description.empty() ? title : description);
    return console_.style().bold(text::printable_line(head)) +
           (server.empty() ? "" : console_.style().dim("  (" + server + ")")) + "\n" +
           (what.empty() ? "" : wrapped(what, "  ", console_.columns()));
  }

  [[nodiscard]] std::vector<std::string> enabled_servers() const {
    std::vector<std::string> names;
    for (const config::Server& server : session().settings().servers) {
      if (!server.disabled) {
        names.push_back(server.name);
      }
    }
    return names;
  }

  [[nodiscard]] gateway::Session& session() { return performer_.session(); }
  [[nodiscard]] const gateway::Session& session() const { return performer_.session(); }

  const Setup& setup_;
  Console& console_;
  Performer performer_;
};

io::Task<ExitStatus> offer_main(io::Executor executor, const Setup* setup) {
  OfferCommand command(executor, *setup);
  co_return co_await command.run();
}

}  // namespace

ExitStatus run_offer_command(const Setup& setup) {
  Setup own = setup;
  if (const Result<std::string> once = use_once(own, new_server_facts(own)); !once) {
    return report(own, once.error());
  }
  return io::run([&own](const io::Executor& executor) { return offer_main(executor, &own); });
}

}  // namespace pi_mcp::cli
