// Protocol revision 2025-06-18: adds structured results, resource links, titles and elicitation by
// form; takes batches away.
#include "mcp/revisions.h"

namespace pi_mcp::mcp {

const RevisionTraits revision_2025_06_18 = {
    .name = "2025-06-18",
    .audio = true,
    .tool_annotations = true,
    .progress_message = true,
    .completions_declared = true,
    .structured_content = true,
    .resource_links = true,
    .titles = true,
    .elicitation = true,
};

}  // namespace pi_mcp::mcp
