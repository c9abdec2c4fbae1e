#include "servers/share/roots.h"

#include <algorithm>
#include <vector>

#include "base/digest.h"
#include "base/text.h"
#include "json/canonical.h"

namespace pi_mcp::servers {

std::string roots_digest(const rpc::Message& answer) {
  if (answer.kind() != rpc::Message::Kind::result) {
    return {};
  }
  std::vector<std::string> roots;
  for (const json::Value root : answer.result().find("roots").elements()) {
    roots.push_back(json::canonical(root));
  }
  std::ranges::sort(roots);
  return sha256_hex("roots\n" + text::join(roots, "\n"));
}

}  // namespace pi_mcp::servers
