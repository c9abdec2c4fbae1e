#include "auth/keyring.h"

#include <array>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "io/files/file.h"
#include "io/process/run_command.h"

namespace pi_mcp::auth {
namespace {

constexpr std::string_view bus_variable = "DBUS_SESSION_BUS_ADDRESS";
constexpr std::string_view runtime_variable = "XDG_RUNTIME_DIR";

// What the way to the bus needs, and none of the session's secrets.
constexpr std::array<std::string_view, 3> passed_on = {bus_variable, runtime_variable, "HOME"};

std::string value_of(const std::map<std::string, std::string>& variables, std::string_view name) {
  const auto found = variables.find(std::string(name));
  return found == variables.end() ? "" : found->second;
}

// "autolaunch:" would start a bus, which has no keyring on it.
bool has_bus_address(const std::map<std::string, std::string>& variables) {
  const std::string address = value_of(variables, bus_variable);
  if (!address.empty()) {
    return !address.starts_with("autolaunch:") && !address.starts_with("disabled:");
  }
  const std::string folder = value_of(variables, runtime_variable);
  return !folder.empty() && io::modified_at(folder + "/bus").has_value();
}

std::string verb(std::string_view word, Keyring::Kind kind) {
  return std::string(word) + (kind == Keyring::Kind::login ? "" : "-named");
}

}  // namespace

Keyring::Keyring(const std::map<std::string, std::string>& variables,
                 std::string program,
                 const std::string& run_folder)
    : program_(std::move(program)) {
  const bool is_told =
      !value_of(variables, bus_variable).empty() || !value_of(variables, runtime_variable).empty();
  if (const std::optional<std::string> own = io::own_folder_in(run_folder);
      !is_told && own && io::is_own_socket(*own + "/bus")) {
    environment_.emplace(runtime_variable, *own);
    environment_.emplace(bus_variable, "unix:path=" + *own + "/bus");
  } else if (!has_bus_address(variables)) {
    return;
  }
  for (const std::string_view name : passed_on) {
    if (std::string value = value_of(variables, name); !value.empty()) {
      environment_.emplace(name, std::move(value));
    }
  }
}

// The exit statuses are those of `pi-mcp __keyring`.
io::Task<Result<std::optional<std::string>>> Keyring::ask(std::vector<std::string> question,
                                                          std::string secret) const {
  constexpr int done = 0;
  constexpr int not_found = 3;
  constexpr int unavailable = 4;
  if (!has_bus()) {
    co_return fail(ErrorCode::unavailable,
                   "there is no desktop session here (DBUS_SESSION_BUS_ADDRESS is not set)");
  }
  io::Command command;
  command.program = program_;
  command.arguments = std::move(question);
  command.arguments.insert(command.arguments.begin(), "__keyring");
  command.environment = environment_;
  command.folder = "/";
  const Result<io::CommandOutput> output =
      co_await io::run_command(std::move(command), {.time_max = keyring_max}, std::move(secret));
  if (!output) {
    const ErrorCode code = output.error().code();
    co_return code == ErrorCode::timed_out
        ? fail(ErrorCode::unavailable,
               "it did not answer within " + std::to_string(keyring_max.count()) + " ms")
        : fail(output.error());
  }
  const std::optional<int> status = output->status.code();
  if (status == unavailable) {
    co_return fail(ErrorCode::unavailable, std::string(text::trim(output->text)));
  }
  if (status != done && status != not_found) {
    co_return fail(ErrorCode::unavailable, "asking it " + output->status.text());
  }
  co_return status == done ? std::optional(output->text) : std::nullopt;
}

io::Task<Result<std::optional<std::string>>> Keyring::find(std::string name, Kind kind) const {
  return ask({verb("find", kind), std::move(name)}, "");
}

io::Task<Result<std::optional<std::string>>> Keyring::find_foreign(std::string service,
                                                                   std::string user) const {
  return ask({"find-of", std::move(service), std::move(user)}, "");
}

io::Task<Result<void>> Keyring::keep(std::string name, std::string secret, Kind kind) const {
  const auto answer = co_await ask({verb("keep", kind), std::move(name)}, std::move(secret));
  co_return answer ? Result<void>() : fail(answer.error());
}

io::Task<Result<bool>> Keyring::drop(std::string name, Kind kind) const {
  const auto answer = co_await ask({verb("drop", kind), std::move(name)}, "");
  co_return answer ? Result<bool>(answer->has_value()) : fail(answer.error());
}

io::Task<Result<std::vector<std::string>>> Keyring::names() const {
  const auto answer = co_await ask({"names"}, "");
  if (!answer) {
    co_return fail(answer.error());
  }
  std::vector<std::string> names;
  const std::string listed = answer->value_or("");
  for (const std::string_view name : text::split(listed, '\n')) {
    names.emplace_back(name);
  }
  std::erase(names, "");
  co_return names;
}

}  // namespace pi_mcp::auth
