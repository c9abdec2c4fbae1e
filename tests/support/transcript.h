// Conversations as text: what goes into a state machine and what it does in consequence. In a file
// of tests/transcripts/, a line that begins in the first column is an input, the lines below it
// that are indented by two spaces are what came out, and "#" begins a comment. `unit_tests
// --update` writes what comes out now; a reader of the change then judges it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace pi_mcp::test {

// What a machine does about one input, a line each; must not depend on anything else.
using TranscriptDriver = std::function<std::vector<std::string>(std::string_view input)>;

// The files of tests/transcripts/GROUP, without ".txt", in order. At least one is expected.
std::vector<std::string> transcripts(std::string_view group);

// Plays one of them. Every difference is a failure that shows the whole transcript as it would be.
void play_transcript(std::string_view group, std::string_view name, const TranscriptDriver& driver);

// The test's name: letters and digits only, as Google Test wants it.
std::string transcript_test_name(std::string_view name);

// Set by `--update`: differences are written to the files instead.
extern bool update_transcripts;

}  // namespace pi_mcp::test
