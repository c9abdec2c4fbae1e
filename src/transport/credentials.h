// Where a transport gets tokens that change. Implemented above; a transport knows nothing of OAuth.
#pragma once

#include <string>
#include <vector>

#include "base/pinned.h"
#include "base/result.h"
#include "io/loop/task.h"

namespace pi_mcp::transport {

// A request that a server answered with 401 or 403.
struct Refusal {
  int status = 0;
  std::vector<std::string> challenges;  // WWW-Authenticate, a line each
  std::string token;                    // what was sent; empty: none
  int attempt = 0;                      // how often this request was repeated already
};

class Credentials : Pinned {
 public:
  virtual ~Credentials() = default;

  // The bearer token for the next request; empty: none. Its errors are those of the request.
  virtual io::Task<Result<std::string>> token() = 0;
  // true: send the request again with token(). false: nothing that tokens can do. unauthorized: a
  // person has to log in, and how. It ends the repetitions itself, by `attempt`.
  virtual io::Task<Result<bool>> refused(Refusal refusal) = 0;
};

}  // namespace pi_mcp::transport
