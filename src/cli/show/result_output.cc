#include "cli/show/result_output.h"

#include "base/text.h"
#include "cli/setup.h"
#include "cli/show/call_output.h"
#include "cli/show/describe_view.h"
#include "io/files/file.h"
#include "json/document.h"
#include "tool/modes/describe.h"

namespace pi_mcp::cli {
namespace {

// A person who saves a result wants an ordinary file, not a secret one.
constexpr io::WriteOptions output_file{.mode = 0644, .durability = io::Durability::cache};

ExitStatus print_failure(Console& console,
                         const OutputOptions& options,
                         const std::string& subject,
                         const tool::Answer& answer) {
  const bool from_server = !answer.passed.empty();
  if (answer.failure == tool::Failure::cancelled) {
    return exit_status(answer.failure);  // whoever asked for it knows
  }
  if (options.json) {
    print_json(
        console,
        from_server ? std::string(answer.passed.view()) : details_of(answer, tool::Reader::shell));
  }
  if (!from_server) {
    console.error(text_of(answer, tool::Reader::shell));
  } else if (!options.json) {
    const Result<json::Document> document = json::Document::parse(answer.passed);
    const std::string text = document ? call_text(document->root()) : "";
    const std::string_view trimmed = text::trim(text);
    console.error(subject + " reported an error" +
                  (trimmed.empty() ? "" : ": " + std::string(trimmed)));
  }
  return exit_status(answer.failure);
}

ExitStatus write_output(Console& console, const std::string& path, json::Value result) {
  Result<OutputBytes> output = output_bytes(result);
  if (output && path == "-") {
    console.print(output->bytes);
    return ExitStatus::done;
  }
  const std::size_t slash = path.rfind('/');
  if (output && slash != std::string::npos && slash > 0 &&
      !io::is_directory(path.substr(0, slash))) {
    output = fail(ErrorCode::io, "there is no folder " + path.substr(0, slash));
  }
  Result<void> written = output ? io::write_file(path, output->bytes, output_file)
                                : Result<void>(fail(output.error()));
  if (!written) {
    return report(console, false, std::move(written.error()).while_doing("--output " + path));
  }
  console.note("wrote " + path + " (" + output->what + ")");
  return ExitStatus::done;
}

// False for an empty result.
bool print_call_text(Console& console, json::Value result) {
  if (!console.output_is_terminal()) {
    return write_call_text(result, [&console](std::string_view piece) { console.print(piece); });
  }
  // A control sequence must not hide behind the end of a piece.
  const std::string text = call_text(result);
  console.print_foreign(text);
  return !text.empty();
}

}  // namespace

ExitStatus print_answer(Console& console,
                        const OutputOptions& options,
                        const std::string& subject,
                        gateway::Session& session,
                        const tool::Answer& answer) {
  if (answer.is_error()) {
    return print_failure(console, options, subject, answer);
  }
  if (answer.passed.empty()) {
    const auto* tool = answer.get<tool::DescribeFacts>();
    if (options.json) {
      print_json(console, details_of(answer, tool::Reader::shell));
    } else if (tool != nullptr && tool->offset == 0 && console.output_is_terminal()) {
      console.print(describe_view(*tool, console.style(), console.columns()));
    } else {
      const std::string text = session.text_of(answer, tool::Reader::shell) + "\n";
      console.print_fitted(console.output_is_terminal() ? text::printable(text) : text);
    }
    return ExitStatus::done;
  }
  if (options.json) {
    print_json(console, answer.passed.view());
  }
  if (options.json && !options.file) {
    return ExitStatus::done;
  }
  const Result<json::Document> document = json::Document::parse(answer.passed);
  if (!document) {
    return report(console, false, Error(document.error()).while_doing("reading the result"));
  }
  if (options.file) {
    return write_output(console, *options.file, document->root());
  }
  if (!print_call_text(console, document->root())) {
    console.note("the result is empty");
  }
  return ExitStatus::done;
}

}  // namespace pi_mcp::cli
