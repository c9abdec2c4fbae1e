// TOML, for config/host_edit.h.
#include "config/host_edit/format.h"

namespace pi_mcp::config::host_edit {

// The next commit brings it.
const Format toml_format{
    .to_json = [](std::string_view) -> Result<std::string> { return fail(unsafe_edit()); },
    .put = nullptr,
    .cut = nullptr,
    .paste = nullptr};

}  // namespace pi_mcp::config::host_edit
