// Shell completion: the scripts, which only ask the program, and the answers. Pure.
//
// A script runs `pi-mcp __complete WORD...` with the words typed so far, the last of them
// incomplete or empty. The answer has one candidate a line, "text<tab>what it is", and a last line
// that says what the shell adds: ":nothing", ":files" or ":directories".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/shared_text.h"

namespace pi_mcp::cli {

struct Candidate {
  Candidate(std::string candidate, std::string_view meaning)
      : text(std::move(candidate)), what(meaning) {}
  std::string text;  // ends with '=' when a value must follow
  std::string what;  // one line; may be empty
};

struct Completions {
  enum class Also : std::uint8_t { nothing, files, directories };
  std::vector<Candidate> candidates;
  Also also = Also::nothing;

  [[nodiscard]] std::string text() const;
};

// What completion has to know besides the command table.
class CompletionFacts {
 public:
  CompletionFacts() = default;
  CompletionFacts(const CompletionFacts&) = delete;
  CompletionFacts& operator=(const CompletionFacts&) = delete;
  CompletionFacts(CompletionFacts&&) = delete;
  CompletionFacts& operator=(CompletionFacts&&) = delete;
  virtual ~CompletionFacts() = default;
  [[nodiscard]] virtual std::vector<Candidate> servers() const = 0;
  [[nodiscard]] virtual std::vector<Candidate> tools() const = 0;
  [[nodiscard]] virtual std::vector<Candidate> import_kinds() const = 0;
  // Stored ones, and those that servers use.
  [[nodiscard]] virtual std::vector<Candidate> secrets() const = 0;
  // Names of those that let agents in over HTTP.
  [[nodiscard]] virtual std::vector<Candidate> tokens() const = 0;
  [[nodiscard]] virtual std::vector<Candidate> host_kinds() const = 0;
  // Under the names that the server itself has for them; none for what is not a server.
  [[nodiscard]] virtual std::vector<Candidate> tools_of(const std::string& server) const = 0;
  // The input schema of the tool that these words name, in any spelling; empty when there is none.
  [[nodiscard]] virtual SharedText schema(const std::vector<std::string>& words) const = 0;
};

Completions complete(const std::vector<std::string>& words, const CompletionFacts& facts);

// nullopt for a shell that is not known.
std::optional<std::string_view> completion_script(std::string_view shell);

}  // namespace pi_mcp::cli
