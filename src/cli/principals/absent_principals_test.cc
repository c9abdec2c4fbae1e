#include "cli/principals/absent_principals.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/identity.h"
#include "io/files/file.h"
#include "io/loop/clock.h"
#include "io/loop/random.h"

namespace pi_mcp::cli {
namespace {

using std::chrono::days;
using std::chrono::hours;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class AbsentPrincipals : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove_all(agent_dir); }

  // "jwt-00…07".
  static std::string id_of(int number) {
    const std::string digits = std::to_string(number);
    return "jwt-" + std::string(32 - digits.size(), '0') + digits;
  }
  [[nodiscard]] std::string folder_of(const std::string& id) const {
    return config::own_dir(agent_dir, id);
  }
  void make_folder(const std::string& id, hours age) const {
    ASSERT_TRUE(io::make_folders(folder_of(id)));
    std::filesystem::last_write_time(folder_of(id),
                                     std::filesystem::file_time_type::clock::now() - age);
  }
  [[nodiscard]] EpochMs ago(hours age) const {
    return EpochMs{now.value - Milliseconds(age).count()};
  }
  // Whether the visit was written down, so that its folder is of now.
  [[nodiscard]] bool is_noted(const std::string& id) const {
    access::Principal principal;
    principal.id = id;
    const std::optional<EpochMs> last = io::modified_at(folder_of(id));
    note_visit(agent_dir, principal, now);
    return io::modified_at(folder_of(id)) != last;
  }

  std::string agent_dir = testing::TempDir() + "/absent-" + io::random_hex(8);
  EpochMs now = io::epoch_now();
};

TEST_F(AbsentPrincipals, a_visit_is_written_down_once_a_day) {
  make_folder(id_of(1), days(80));
  EXPECT_TRUE(is_noted(id_of(1)));
  EXPECT_THAT(absent_principals(agent_dir, ago(hours(1))), IsEmpty());
  EXPECT_FALSE(is_noted(id_of(1)));
  make_folder(id_of(2), hours(23));
  EXPECT_FALSE(is_noted(id_of(2)));
  make_folder(id_of(3), hours(25));
  EXPECT_TRUE(is_noted(id_of(3)));
}

TEST_F(AbsentPrincipals, nothing_is_made_for_who_has_nothing_and_tokens_of_ours_are_not_looked_at) {
  EXPECT_FALSE(is_noted(id_of(1)));
  EXPECT_FALSE(io::is_directory(folder_of(id_of(1))));
  make_folder("0123456789abcdef", days(80));
  EXPECT_FALSE(is_noted("0123456789abcdef"));
}

TEST_F(AbsentPrincipals, who_has_been_away_for_longest_goes_first) {
  EXPECT_THAT(absent_principals(agent_dir, now), IsEmpty()) << "there is no folder at all";
  make_folder(id_of(1), days(91));
  make_folder(id_of(2), days(300));
  make_folder(id_of(3), days(89));
  make_folder("0123456789abcdef", days(300));
  make_folder("jwt-", days(300));
  make_folder("jwt-" + std::string(32, 'g'), days(300));
  EXPECT_THAT(absent_principals(agent_dir, ago(days(90))), ElementsAre(id_of(2), id_of(1)));
}

TEST_F(AbsentPrincipals, there_are_so_many_at_a_time) {
  for (int i = 0; i < 300; ++i) {
    make_folder(id_of(i), days(400 - i));
  }
  const std::vector<std::string> absent = absent_principals(agent_dir, ago(days(90)));
  EXPECT_THAT(absent, SizeIs(absent_max));
  EXPECT_EQ(absent.front(), id_of(0));
}

}  // namespace
}  // namespace pi_mcp::cli
