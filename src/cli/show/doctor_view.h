// What `pi-mcp doctor` has found, for people and for programs. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/show/style.h"
#include "doctor/examine.h"
#include "doctor/facts.h"
#include "doctor/finding.h"

namespace pi_mcp::cli {

struct DoctorReport {
  doctor::Facts facts;
  std::vector<doctor::Finding> findings;
  std::vector<std::string> fixed;  // what --fix has done, in sentences
  std::string home;                // shortened to ~ for people
};

// Files, servers and findings, in lines of `columns` where words allow it.
std::string doctor_text(const DoctorReport& report, const Style& style, std::size_t columns);
std::string doctor_json(const DoctorReport& report);

}  // namespace pi_mcp::cli
