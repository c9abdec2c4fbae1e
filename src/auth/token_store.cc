#include "auth/token_store.h"

#include <utility>

#include "base/digest.h"
#include "base/log.h"
#include "io/file.h"

namespace pi_mcp::auth {
namespace {

constexpr std::size_t file_bytes_max = std::size_t{1} << 20U;

// One part of a path, as the adapter took it: a name with a slash would lead somewhere else.
bool is_folder_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(std::string_view("/\0", 2)) == std::string::npos;
}

std::string hashed(const std::string& server, const std::string& url) {
  return sha256_hex(server + "\n" + url);
}

}  // namespace

TokenStore::TokenStore(const std::string& agent_dir, const std::string& server, std::string url)
    : url_(std::move(url)),
      path_(agent_dir + "/mcp-credentials/" + hashed(server, url_) + ".json"),
      adapter_path_(is_folder_name(server) ? agent_dir + "/mcp-oauth/" + server + "/tokens.json"
                                           : "") {}

Result<std::optional<Credentials>> TokenStore::read() const {
  Result<std::optional<std::string>> text = io::read_file(path_, file_bytes_max);
  if (!text) {
    return fail(std::move(text).error());
  }
  if (!*text) {
    return std::optional<Credentials>();
  }
  Result<Credentials> credentials = parse_credentials(**text);
  if (!credentials) {
    log::warning(path_ + " is not used: " + credentials.error().message());
    return std::optional<Credentials>();
  }
  if (credentials->server_url != url_) {
    return std::optional<Credentials>();
  }
  return std::optional(*std::move(credentials));
}

Result<void> TokenStore::write(const Credentials& credentials) const {
  return io::write_file(path_, to_json(credentials));
}

Result<bool> TokenStore::remove() const {
  bool existed = false;
  for (const std::string& path : {path_, adapter_path_}) {
    if (path.empty() || !io::is_file(path)) {
      continue;
    }
    existed = true;
    io::remove_file(path);
    if (io::is_file(path)) {
      return fail(ErrorCode::io, "cannot remove " + path + "; remove it by hand");
    }
  }
  return existed;
}

io::Task<Result<io::FileLock>> TokenStore::lock(Milliseconds wait_max) const {
  return io::take_lock(path_ + ".lock", wait_max);
}

std::optional<Tokens> TokenStore::adapter_tokens() const {
  if (adapter_path_.empty()) {
    return std::nullopt;
  }
  const Result<std::optional<std::string>> text = io::read_file(adapter_path_, file_bytes_max);
  if (!text) {
    log::warning(text.error().message());
    return std::nullopt;
  }
  return *text ? parse_adapter_tokens(**text) : std::nullopt;
}

}  // namespace pi_mcp::auth
