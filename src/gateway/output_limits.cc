#include "gateway/output_limits.h"

#include "render/output_guard.h"
#include "tool/answer_budget.h"

namespace pi_mcp::gateway {

render::RelayLimits relay_limits(const config::Settings& settings,
                                 const config::Environment& environment,
                                 render::HostKind host) {
  if (!tool::is_guarded(settings, environment)) {
    return render::RelayLimits::none();
  }
  render::RelayLimits limits{.text = render::TextLimits::of(host), .media = {}};
  if (settings.output_guard.bytes_max != 0) {
    limits.text.bytes_max = settings.output_guard.bytes_max;
  }
  limits.text.lines_max = settings.output_guard.lines_max;
  return limits;
}

std::string temp_dir(const config::Environment& environment) {
  const std::string configured = environment.variable("TMPDIR").value_or("");
  return configured.starts_with('/') ? configured : "/tmp";
}

}  // namespace pi_mcp::gateway
