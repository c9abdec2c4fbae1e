#include "cli/result_output.h"

#include "base/text.h"
#include "cli/call_output.h"
#include "cli/setup.h"
#include "cli/shell_words.h"
#include "io/file.h"
#include "json/document.h"
#include "json/writer.h"

namespace pi_mcp::cli {
namespace {

// A person who keeps a result wants an ordinary file, not a secret one.
constexpr io::WriteOptions output_file{.mode = 0644, .durability = io::Durability::cache};

// What only a shell can do about it.
std::string shell_hint(const gateway::ToolResult& result) {
  const Result<json::Document> details = json::Document::parse_view(result.details);
  if (!details) {
    return "";
  }
  const json::Value code = details->root().find("error");
  if (code.equals("ambiguous_tool") && !details->root().find("server")) {
    return "\nChoose one with --server SERVER.";
  }
  return "";
}

// The details of a failure, with the message in the words of a shell as well.
std::string failure_details(const gateway::ToolResult& result) {
  const Result<json::Document> details = json::Document::parse_view(result.details);
  if (!details) {
    return result.details;
  }
  json::Writer out;
  out.begin_object();
  for (const json::Member member : details->root().members()) {
    if (member.key.equals("message")) {
      out.member("message", failure_text(result));
    } else {
      out.member_raw(member.name(), member.value.raw());
    }
  }
  return out.end_object().take();
}

ExitStatus print_failure(Console& console,
                         const OutputOptions& options,
                         const std::string& subject,
                         const gateway::ToolResult& result) {
  const bool from_server = !result.passed.empty();
  if (result.failure == gateway::ToolResult::Failure::cancelled) {
    return exit_status(result);  // whoever asked for it knows
  }
  if (options.json && from_server) {
    print_json(console, result.passed.view());
  } else if (options.json) {
    print_json(console, failure_details(result));
  }
  if (!from_server) {
    console.error(failure_text(result));
  } else if (!options.json) {
    const Result<json::Document> document = json::Document::parse(result.passed);
    const std::string text = document ? call_text(document->root()) : "";
    const std::string_view trimmed = text::trim(text);
    console.error(subject + " reported an error" +
                  (trimmed.empty() ? "" : ": " + std::string(trimmed)));
  }
  return exit_status(result);
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

ExitStatus print_result(Console& console,
                        const OutputOptions& options,
                        const std::string& subject,
                        const gateway::ToolResult& result) {
  if (result.is_error) {
    return print_failure(console, options, subject, result);
  }
  if (result.passed.empty()) {
    if (options.json) {
      print_json(console, result.details);
    } else {
      console.print_foreign(in_shell_words(result.text) + "\n");
    }
    return ExitStatus::done;
  }
  if (options.json) {
    print_json(console, result.passed.view());
  }
  if (options.json && !options.file) {
    return ExitStatus::done;
  }
  const Result<json::Document> document = json::Document::parse(result.passed);
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

std::string failure_text(const gateway::ToolResult& result) {
  return in_shell_words(result.text) + shell_hint(result);
}

}  // namespace pi_mcp::cli
