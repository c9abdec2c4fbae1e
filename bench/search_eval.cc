#include "search_eval.h"

#include <cstdio>
#include <optional>
#include <string_view>
#include <vector>

#include "io/files/file.h"
#include "registry/keyword_requests.h"
#include "registry/search_index.h"
#include "search_evaluation.h"

namespace bench {
namespace {

using pi_mcp::Error;
using pi_mcp::ErrorCode;
using pi_mcp::fail;
using pi_mcp::Result;

constexpr std::string_view usage =
    "bench_search eval QUERIES --catalog TOOLS [--keywords ANSWERS] [--json] [--run FILE]";

tl::unexpected<Error> wrong(const std::string& message) {
  return fail(ErrorCode::invalid_argument, message + ": " + std::string(usage));
}

// Where the value of an option goes; null for what is no option with a value.
std::string* value_of(EvalOptions& options, std::string_view name) {
  if (name == "--catalog") {
    return &options.catalog;
  }
  if (name == "--keywords") {
    return &options.keywords;
  }
  return name == "--run" ? &options.run : nullptr;
}

// Takes one option; `left` is what stands behind it.
Result<void> take_option(EvalOptions& options,
                         std::string_view word,
                         std::span<const std::string>& left) {
  const std::size_t equals = word.find('=');
  const std::string name(word.substr(0, equals));
  if (word == "--json") {
    options.json = true;
    return {};
  }
  std::string* value = value_of(options, name);
  if (value == nullptr) {
    return wrong("unknown option " + name);
  }
  if (equals != std::string_view::npos) {
    *value = word.substr(equals + 1);
  } else if (!left.empty()) {
    *value = left.front();
    left = left.subspan(1);
  }
  if (value->empty()) {
    return wrong(name + " needs a value");
  }
  return {};
}

Result<std::string> read(const std::string& path) {
  Result<std::optional<std::string>> text =
      pi_mcp::io::read_file(path == "-" ? "/dev/stdin" : path);
  if (!text) {
    return fail(text.error());
  }
  const std::optional<std::string>& found = *text;
  if (!found) {
    return fail(ErrorCode::invalid_argument, "there is no file " + path);
  }
  return *found;
}

// As `pi-mcp keywords --read` would take them.
pi_mcp::catalog::Keywords keywords_of(std::string_view answers,
                                      const pi_mcp::catalog::Catalog& catalog) {
  std::vector<const pi_mcp::catalog::CatalogTool*> asked;
  for (const std::string& server : catalog.servers()) {
    for (const pi_mcp::catalog::CatalogTool& tool : catalog.tools(server)) {
      if (pi_mcp::registry::wants_keywords(tool)) {
        asked.push_back(&tool);
      }
    }
  }
  return pi_mcp::registry::read_keyword_answer(answers, asked).keywords;
}

Result<EvaluationReport> evaluate(const EvalOptions& options) {
  const Result<std::string> lines = read(options.queries);
  if (!lines) {
    return fail(lines.error());
  }
  const Result<std::vector<EvaluationQuery>> queries = parse_evaluation_queries(*lines);
  if (!queries) {
    return fail(Error(queries.error()).while_doing(options.queries));
  }
  const Result<std::string> tools = read(options.catalog);
  if (!tools) {
    return fail(tools.error());
  }
  pi_mcp::catalog::Catalog catalog;
  if (const Result<void> filled = fill_catalog(*tools, catalog); !filled) {
    return fail(Error(filled.error()).while_doing(options.catalog));
  }
  pi_mcp::catalog::Keywords keywords;
  if (!options.keywords.empty()) {
    const Result<std::string> answers = read(options.keywords);
    if (!answers) {
      return fail(answers.error());
    }
    keywords = keywords_of(*answers, catalog);
  }
  pi_mcp::registry::SearchableTools listed;
  listed.update(
      catalog,
      catalog.servers(),
      [&keywords](const pi_mcp::catalog::CatalogTool& tool, pi_mcp::search::Document& document) {
        if (const auto found = keywords.find(pi_mcp::catalog::tool_digest(tool));
            found != keywords.end()) {
          document.written = found->second;
        }
      });
  return evaluate_search(listed, *queries);
}

Result<std::string> report_of(const EvalOptions& options) {
  const Result<EvaluationReport> report = evaluate(options);
  if (!report) {
    return fail(report.error());
  }
  std::string text = options.json ? report_json(*report) + "\n" : report_text(*report);
  if (options.run == "-") {
    return report->run + text;
  }
  if (!options.run.empty()) {
    if (const Result<void> written = pi_mcp::io::write_output(options.run, report->run); !written) {
      return fail(written.error());
    }
  }
  return text;
}

}  // namespace

Result<EvalOptions> parse_eval(std::span<const std::string> words) {
  EvalOptions options;
  while (!words.empty()) {
    const std::string& word = words.front();
    words = words.subspan(1);
    if (word.starts_with("--")) {
      if (const Result<void> taken = take_option(options, word, words); !taken) {
        return fail(taken.error());
      }
    } else if (options.queries.empty()) {
      options.queries = word;
    } else {
      return wrong("one file of queries at a time");
    }
  }
  if (options.queries.empty() || options.catalog.empty()) {
    return wrong("it wants the queries and the tools to rank");
  }
  return options;
}

int run_eval(std::span<const std::string> words) {
  const Result<EvalOptions> options = parse_eval(words);
  const Result<std::string> report =
      options ? report_of(*options) : Result<std::string>(fail(options.error()));
  if (!report) {
    (void)std::fprintf(stderr, "bench_search: %s\n", report.error().message().c_str());
    return 2;
  }
  (void)std::fputs(report->c_str(), stdout);
  return 0;
}

}  // namespace bench
