// The unit tests' own start: Google Test's, and --update for transcripts.
#include <string_view>

#include <gmock/gmock.h>

#include "support/transcript.h"

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--update") {
      pi_mcp::test::update_transcripts = true;
    }
  }
  return RUN_ALL_TESTS();
}
