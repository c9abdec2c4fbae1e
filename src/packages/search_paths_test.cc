#include "packages/search_paths.h"

#include <gtest/gtest.h>

namespace pi_mcp::packages {
namespace {

using Variables = std::map<std::string, std::string>;

Variables without(Variables variables, const Variables& configured = {}) {
  remove_relative_entries(variables, configured);
  return variables;
}

TEST(SearchPaths, lose_entries_that_mean_the_folder_a_program_runs_in) {
  EXPECT_EQ(without({{"PATH", ":/usr/bin:.:node_modules/.bin::/bin:"}}),
            (Variables{{"PATH", "/usr/bin:/bin"}}));
  EXPECT_EQ(without({{"PYTHONPATH", ":/x"}, {"NODE_PATH", "."}, {"LD_LIBRARY_PATH", "/x:"}}),
            (Variables{{"PYTHONPATH", "/x"}, {"LD_LIBRARY_PATH", "/x"}}));
}

TEST(SearchPaths, keep_everything_else) {
  const Variables usual = {{"PATH", "/bin"}, {"OTHER", ":."}, {"PYTHONPATH", "/x:/y"}};
  EXPECT_EQ(without(usual), usual);
}

TEST(SearchPaths, keep_what_the_user_wrote_for_this_server_but_for_programs) {
  const Variables written = {{"PATH", "bin:/bin"}, {"PYTHONPATH", "src"}};
  EXPECT_EQ(without(written, written), (Variables{{"PATH", "/bin"}, {"PYTHONPATH", "src"}}));
}

}  // namespace
}  // namespace pi_mcp::packages
