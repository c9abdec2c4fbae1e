// `bench_search eval QUERIES --catalog TOOLS [--keywords ANSWERS] [--json] [--run FILE]`: how well
// search answers a file of queries whose right tools are known (docs/search.md).
#pragma once

#include <span>
#include <string>

#include "base/result.h"

namespace bench {

// "-" is standard input, and for `run` standard output.
struct EvalOptions {
  std::string queries;
  std::string catalog;
  std::string keywords;  // what a model wrote for tools (docs/search.md); empty: nothing
  std::string run;       // where the ranked tools of each query go; empty: nowhere
  bool json = false;
};

// The words behind `eval`; an option may have its value attached, as in --catalog=TOOLS.
// invalid_argument: what is missing or not known.
pi_mcp::Result<EvalOptions> parse_eval(std::span<const std::string> words);

// Prints the report, and what is wrong with words or files on stderr. The exit status: 0, or 2 for
// words or files that cannot be used.
int run_eval(std::span<const std::string> words);

}  // namespace bench
