// Run records as another version of pi-mcp, or somebody else, may have left them: what was read,
// written and read again is the same.
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "runs/run_record.h"

namespace {

using pi_mcp::EpochMs;
using pi_mcp::runs::last_run_json;
using pi_mcp::runs::parse_last_run;
using pi_mcp::runs::parse_run_record;
using pi_mcp::runs::run_record_json;

constexpr EpochMs now{1'800'000'000'000};

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

bool is_age(const std::optional<std::int64_t>& seconds) {
  return !seconds || *seconds >= 0;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto record = parse_run_record(text, now)) {
    for (const auto& server : record->servers) {
      require(is_age(server.status.connected_seconds) && is_age(server.status.failed_seconds_ago));
    }
    const std::string written = run_record_json(*record, now);
    const auto again = parse_run_record(written, now);
    require(again && again->servers.size() == record->servers.size());
    require(run_record_json(*again, now) == written);
  }
  if (const auto run = parse_last_run(text)) {
    const std::string written = last_run_json(*run);
    const auto again = parse_last_run(written);
    require(again && last_run_json(*again) == written);
  }
  return 0;
}
