// `pi-mcp keywords`: what search knows of tools from a model; --write gives what to ask a model,
// --read takes what it answered.
#include <optional>
#include <string>
#include <utility>

#include "base/count_text.h"
#include "cli/commands/commands.h"
#include "cli/commands/performer.h"
#include "cli/real_files.h"
#include "cli/show/result_output.h"
#include "io/files/file.h"
#include "io/loop/loop.h"
#include "json/writer.h"
#include "tool/modes/keywords.h"

namespace pi_mcp::cli {
namespace {

class KeywordsCommand {
 public:
  // `answer`: the text of --read; empty without it.
  KeywordsCommand(const io::Executor& executor, const Setup& setup, std::string answer)
      : setup_(setup),
        console_(*setup.console),
        answer_(std::move(answer)),
        performer_(executor, setup, load_settings(setup)) {}

  io::Task<ExitStatus> run() {
    performer_.start();
    say_warnings(performer_.session().settings(),
                 setup_.line.words().empty() ? std::nullopt : std::optional(setup_.line.words()));
    tool::ToolRequest request;
    request.mode = tool::Mode::keywords;
    request.subject = setup_.line.words().empty() ? "" : setup_.line.words().front();
    request.args = SharedText(std::move(answer_));
    request.definitions = setup_.line.has(OptionId::write);
    const tool::Answer answer = co_await performer_.perform(std::move(request));
    const auto* const facts = answer.get<tool::KeywordsFacts>();
    const ExitStatus status =
        facts != nullptr && setup_.line.has(OptionId::write) ? write(*facts) : print(answer);
    (void)console_.finish();  // a failure is reported at the end of the program
    co_await performer_.close();
    co_return performer_.stopped().value_or(status);
  }

 private:
  ExitStatus print(const tool::Answer& answer) {
    return print_answer(console_,
                        {.json = setup_.json, .file = std::nullopt},
                        setup_.line.words().empty() ? "" : setup_.line.words().front(),
                        performer_.session(),
                        answer);
  }

  ExitStatus write(const tool::KeywordsFacts& facts) {
    if (facts.requests.empty()) {
      console_.note("no tool with few words is without keywords; nothing was written");
      return ExitStatus::done;
    }
    const std::string file = setup_.line.value(OptionId::write).value_or("-");
    std::string text;
    for (const std::string& request : facts.requests) {
      json::Writer line;
      line.begin_object().member("request", request).end_object();
      text += setup_.json ? line.take() + "\n" : (text.empty() ? "" : "\n") + request;
    }
    if (file == "-") {
      console_.print(text);
    } else if (const Result<void> written = io::write_output(file, text); !written) {
      return report(setup_, written.error());
    }
    console_.note(text::count_text(facts.requests.size(), "request") + " for " +
                  text::count_text(facts.waiting, "tool") + "; give " +
                  (facts.requests.size() == 1 ? "it" : "them") +
                  " to a model, and its answer to: pi-mcp keywords --read FILE");
    return ExitStatus::done;
  }

  const Setup& setup_;
  Console& console_;
  std::string answer_;
  Performer performer_;
};

io::Task<ExitStatus> keywords_main(io::Executor executor, const Setup* setup, std::string answer) {
  KeywordsCommand command(executor, *setup, std::move(answer));
  co_return co_await command.run();
}

}  // namespace

ExitStatus run_keywords_command(const Setup& setup) {
  const std::optional<std::string> file = setup.line.value(OptionId::read);
  if (file && setup.line.has(OptionId::write)) {
    return report(setup,
                  {ErrorCode::invalid_argument,
                   "--write gives what to ask a model and --read takes its answer; use one of "
                   "them. " +
                       see_help(setup.line.command())});
  }
  Result<std::string> answer = file ? read_input(*file) : std::string();
  if (!answer) {
    return report(setup, answer.error());
  }
  if (file && answer->empty()) {
    return report(
        setup,
        {ErrorCode::invalid_argument, *file + " is empty; it should hold what a model answered"});
  }
  return io::run([&setup, &answer](const io::Executor& executor) {
    return keywords_main(executor, &setup, *std::move(answer));
  });
}

}  // namespace pi_mcp::cli
