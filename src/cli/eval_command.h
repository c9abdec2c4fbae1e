// `pi-mcp search --eval`: how well search answers a file of queries.
#pragma once

#include "catalog/catalog.h"
#include "cli/exit_status.h"
#include "cli/setup.h"

namespace pi_mcp::cli {

// Measures the tools of --catalog FILE; without it those of `servers` in `catalog`, and then
// nothing of the configuration but its catalog counts.
ExitStatus run_eval(const Setup& setup,
                    const catalog::Catalog& catalog,
                    const std::vector<std::string>& servers);

}  // namespace pi_mcp::cli
