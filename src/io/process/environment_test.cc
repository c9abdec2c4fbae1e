#include "io/process/environment.h"

#include <unistd.h>

#include <cstdlib>

#include <gtest/gtest.h>

#include "io/files/file.h"
#include "io/loop/random.h"

namespace pi_mcp::io {
namespace {

// Sets a variable for the time of a test.
// NOLINTBEGIN(concurrency-mt-unsafe): the test has one thread.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) {
      old_ = old;
    }
    EXPECT_EQ(value == nullptr ? ::unsetenv(name) : ::setenv(name, value, 1), 0);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { EXPECT_EQ(::setenv(name_, old_.c_str(), 1), 0); }

 private:
  const char* name_;
  std::string old_;
};
// NOLINTEND(concurrency-mt-unsafe): the test has one thread.

TEST(Environment, variables_keep_everything_after_the_first_equals_sign) {
  const Variable variable("PI_MCP_TEST_VARIABLE", "a=b=c");
  EXPECT_EQ(process_environment().at("PI_MCP_TEST_VARIABLE"), "a=b=c");
}

TEST(Environment, the_folder_is_as_the_user_wrote_it_only_when_that_is_true) {
  {
    const Variable variable("PWD", "/nowhere");
    EXPECT_EQ(canonical_path(working_directory()), canonical_path("."));
  }
  const std::string link = testing::TempDir() + "pi-mcp-cwd-" + random_hex(4);
  ASSERT_EQ(::symlink(canonical_path(".").c_str(), link.c_str()), 0);
  const Variable variable("PWD", link.c_str());
  EXPECT_EQ(working_directory(), link);
  ASSERT_EQ(::unlink(link.c_str()), 0);
}

TEST(Environment, without_home_the_user_database_knows) {
  const Variable variable("HOME", nullptr);
  EXPECT_TRUE(home_directory().starts_with("/"));
}

TEST(Random, tokens_have_their_length_and_differ) {
  EXPECT_EQ(random_hex(8).size(), 16U);
  EXPECT_EQ(random_hex(8).find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_NE(random_hex(8), random_hex(8));
  EXPECT_EQ(random_hex(1000).size(), 128U);
}

}  // namespace
}  // namespace pi_mcp::io
