#include "cli/eval_command.h"

#include <optional>
#include <string>
#include <vector>

#include "gateway/search_evaluation.h"
#include "io/file.h"

namespace pi_mcp::cli {
namespace {

Result<std::string> read(std::string path) {
  path = path == "-" ? "/dev/stdin" : path;
  Result<std::optional<std::string>> text = io::read_file(path);
  if (!text) {
    return fail(text.error());
  }
  const std::optional<std::string>& found = *text;
  if (!found) {
    return fail(ErrorCode::invalid_argument, "there is no file " + path);
  }
  return *found;
}

Result<gateway::EvaluationReport> evaluate(const CommandLine& line,
                                           const catalog::Catalog& catalog,
                                           const std::vector<std::string>& servers) {
  const std::string path = line.value(OptionId::eval).value_or("");
  const Result<std::string> lines = read(path);
  if (!lines) {
    return fail(lines.error());
  }
  const Result<std::vector<gateway::EvaluationQuery>> queries =
      gateway::parse_evaluation_queries(*lines);
  if (!queries) {
    return fail(Error(queries.error()).while_doing(path));
  }
  const std::optional<std::string> catalog_path = line.value(OptionId::catalog);
  if (!catalog_path) {
    gateway::SearchableTools own;
    own.update(catalog, servers, {});
    return gateway::evaluate_search(own, *queries);
  }
  const Result<std::string> tools = read(*catalog_path);
  if (!tools) {
    return fail(tools.error());
  }
  catalog::Catalog given;
  if (const Result<void> filled = gateway::fill_catalog(*tools, given); !filled) {
    return fail(Error(filled.error()).while_doing(*catalog_path));
  }
  gateway::SearchableTools listed;
  listed.update(given, given.servers(), {});
  return gateway::evaluate_search(listed, *queries);
}

}  // namespace

ExitStatus run_eval(const Setup& setup,
                    const catalog::Catalog& catalog,
                    const std::vector<std::string>& servers) {
  const Result<gateway::EvaluationReport> report_made = evaluate(setup.line, catalog, servers);
  if (!report_made) {
    return report(setup, report_made.error());
  }
  if (const std::optional<std::string> run = setup.line.value(OptionId::run)) {
    const std::string file = *run == "-" ? "/dev/stdout" : *run;
    if (const Result<void> written = io::write_output(file, report_made->run); !written) {
      return report(setup, written.error());
    }
  }
  if (setup.json) {
    print_json(*setup.console, gateway::report_json(*report_made));
  } else {
    setup.console->print(gateway::report_text(*report_made));
  }
  return ExitStatus::done;
}

}  // namespace pi_mcp::cli
