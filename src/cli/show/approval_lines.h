// What may be called without a question, as `pi-mcp trust` shows it.
#pragma once

#include <string>
#include <vector>

#include "config/trust/approval_store.h"
#include "json/writer.h"

namespace pi_mcp::cli {

// A line each.
std::string approval_lines(const std::vector<config::KeptApproval>& approvals);
// As the member "approvals".
void write_approvals(json::Writer& out, const std::vector<config::KeptApproval>& approvals);

}  // namespace pi_mcp::cli
