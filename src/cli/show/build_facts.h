// What this program was built from. The values are in a file that tools/build_facts.py writes with
// each build; it belongs to the program alone, so that a commit links no test anew.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace pi_mcp::cli {

struct LinkedLibrary {
  std::string_view name;
  std::string_view version;  // of the package that it was linked from
  std::string_view licence;  // SPDX
};

struct BuildFacts {
  std::string_view version;
  std::string_view
      commit;             // "unknown" outside of a checkout; with "-changed" when it was not clean
  std::string_view date;  // of the commit, YYYY-MM-DD; "" where there is none
  std::string_view type;  // of CMake, in small letters
  std::string_view linking;  // "static" or "dynamic"
  std::string_view arch;     // as Node.js calls it: "x64", "arm64"
  std::span<const LinkedLibrary> libraries;
};

const BuildFacts& build_facts();

// "pi-mcp 1.2.3 (0123456789ab, 2026-01-31)". Other versions of this program read its first two
// words.
std::string version_line(const BuildFacts& facts);
// The same and all else, as JSON.
std::string version_details(const BuildFacts& facts);

}  // namespace pi_mcp::cli
