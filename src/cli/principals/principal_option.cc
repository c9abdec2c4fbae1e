#include "cli/principals/principal_option.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "access/token_file.h"
#include "config/load.h"

namespace pi_mcp::cli {

Setup as_served(Setup setup) {
  setup.load_options.users_alone = true;
  setup.environment.cwd = setup.environment.home;
  return setup;
}

Result<std::optional<access::Principal>> principal_option(const Setup& setup) {
  const std::optional<std::string> name = setup.line.value(OptionId::for_token);
  if (!name) {
    return std::optional<access::Principal>();
  }
  const Result<std::vector<access::TokenRecord>> records =
      access::TokenFile(config::agent_dir(setup.environment)).list();
  if (!records) {
    return fail(records.error());
  }
  const auto found = std::ranges::find_if(
      *records, [&](const access::TokenRecord& record) { return record.principal->name == *name; });
  if (found == records->end()) {
    return fail(ErrorCode::not_found,
                "--for: there is no token " + quoted(*name) + "; pi-mcp token list shows all");
  }
  return std::optional(*found->principal);
}

}  // namespace pi_mcp::cli
