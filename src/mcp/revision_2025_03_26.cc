// Protocol revision 2025-03-26: adds audio, tool annotations and, for this revision only, batches.
#include "mcp/revisions.h"

namespace pi_mcp::mcp {

const RevisionTraits revision_2025_03_26 = {
    .name = "2025-03-26",
    .batches = true,
    .audio = true,
    .tool_annotations = true,
    .progress_message = true,
    .completions_declared = true,
};

}  // namespace pi_mcp::mcp
