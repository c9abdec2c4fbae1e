// Protocol revision 2025-11-25: adds elicitation by url, tools in sampling and icons.
#include "mcp/revisions.h"

namespace pi_mcp::mcp {

const RevisionTraits revision_2025_11_25 = {
    .name = "2025-11-25",
    .audio = true,
    .tool_annotations = true,
    .progress_message = true,
    .completions_declared = true,
    .structured_content = true,
    .resource_links = true,
    .titles = true,
    .elicitation = true,
    .elicitation_url = true,
    .sampling_tools = true,
    .icons = true,
};

}  // namespace pi_mcp::mcp
