#include "support/transcript.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

namespace pi_mcp::test {
namespace {

std::filesystem::path folder(std::string_view group) {
  return std::filesystem::path(PI_MCP_SOURCE_DIR) / "tests/transcripts" / group;
}

std::string played(const std::string& written, const TranscriptDriver& driver) {
  std::string text;
  std::istringstream lines(written);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("  ")) {
      continue;
    }
    text += line + "\n";
    if (line.empty() || line.starts_with('#')) {
      continue;
    }
    for (const std::string& out : driver(line)) {
      text += "  " + out + "\n";
    }
  }
  return text;
}

}  // namespace

bool update_transcripts = false;

std::vector<std::string> transcripts(std::string_view group) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder(group))) {
    if (entry.path().extension() == ".txt") {
      names.push_back(entry.path().stem());
    }
  }
  std::ranges::sort(names);
  return names;
}

void play_transcript(std::string_view group,
                     std::string_view name,
                     const TranscriptDriver& driver) {
  const std::filesystem::path path = folder(group) / (std::string(name) + ".txt");
  std::ostringstream written;
  written << std::ifstream(path).rdbuf();
  const std::string now = played(written.str(), driver);
  if (update_transcripts) {
    std::ofstream(path) << now;
    return;
  }
  EXPECT_EQ(written.str(), now) << path << "\nIf the new one is right: unit_tests --update";
}

std::string transcript_test_name(std::string_view name) {
  std::string letters(name);
  std::ranges::replace_if(letters, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return letters;
}

}  // namespace pi_mcp::test
