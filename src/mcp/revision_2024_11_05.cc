// Protocol revision 2024-11-05, the first: text, image and embedded resource content.
#include "mcp/revisions.h"

namespace pi_mcp::mcp {

const RevisionTraits revision_2024_11_05 = {.name = "2024-11-05"};

}  // namespace pi_mcp::mcp
