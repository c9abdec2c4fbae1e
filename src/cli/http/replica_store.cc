#include "cli/http/replica_store.h"

#include <utility>

#include "cli/http/replica.h"

namespace pi_mcp::cli {

Result<std::optional<ReplicaStore::Options>> ReplicaStore::options(const Setup& setup) {
  const std::optional<std::string> key_file = setup.line.value(OptionId::session_key);
  Result<std::optional<replicas::StoreAddress>> address = store_option_of(setup);
  if (!address) {
    return fail(std::move(address).error());
  }
  if (key_file.has_value() != address->has_value()) {
    return fail(ErrorCode::invalid_argument,
                "--store and --session-key go together: the store of the replicas and the file of "
                "keys that they have");
  }
  if (!key_file) {
    return std::optional<Options>();
  }
  Result<access::SessionKeys> keys = access::SessionKeys::read(*key_file);
  if (!keys) {
    return fail(std::move(keys).error());
  }
  return std::optional(Options{.address = **std::move(address), .keys = *std::move(keys)});
}

ReplicaStore::ReplicaStore(const io::Executor& executor, const Setup& setup, Options options)
    : keys_(std::move(options.keys)),
      store_(executor,
             {.address = std::move(options.address), .environment = setup.environment.variables}),
      logins_(executor, store_, keys_) {}

io::Task<void> ReplicaStore::close() {
  co_await logins_.close();
  co_await store_.close();
}

}  // namespace pi_mcp::cli
