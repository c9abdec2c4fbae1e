#include "auth/keyring.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>

#include <gtest/gtest.h>

#include "io/files/fd.h"
#include "io/loop/random.h"

namespace pi_mcp::auth {
namespace {

using Variables = std::map<std::string, std::string>;

TEST(Keyring, the_users_bus_is_found_where_a_host_keeps_its_variables_back) {
  const std::string folder = testing::TempDir() + "/kr-" + io::random_hex(4);
  const std::string own = folder + "/" + std::to_string(::geteuid());
  std::filesystem::create_directories(own);
  const auto has_bus = [&](const Variables& variables) {
    return Keyring(variables, "program", folder).has_bus();
  };
  EXPECT_FALSE(has_bus({}));
  const io::Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  (own + "/bus").copy(&address.sun_path[0], sizeof(address.sun_path) - 1);
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): what bind() takes
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  EXPECT_TRUE(has_bus({}));
  EXPECT_FALSE(has_bus({{"DBUS_SESSION_BUS_ADDRESS", "disabled:"}})) << "said is said";
  EXPECT_FALSE(has_bus({{"XDG_RUNTIME_DIR", folder}}));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace pi_mcp::auth
