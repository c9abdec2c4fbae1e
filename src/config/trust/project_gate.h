// Decides which entries of project files may be used, and notes what has to be asked about the
// others. Pure but for FileSource.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "config/environment.h"
#include "config/file_source.h"
#include "config/load.h"
#include "config/raw.h"
#include "config/settings.h"
#include "config/trust/host_answers.h"
#include "config/trust/trust_store.h"

namespace pi_mcp::config {

// True for the session, not kept: --trust-project and PI_MCP_TRUST_PROJECT=1.
[[nodiscard]] bool trusts_everything(const Environment& environment, const TrustOptions& options);

class ProjectGate {
 public:
  // `trusted_folders` is the user's setting: what lies below them needs no question. All but that
  // outlive the gate.
  ProjectGate(const Environment& environment,
              const FileSource& files,
              const TrustOptions& options,
              const std::vector<std::string>& trusted_folders,
              const std::vector<std::string>& folders_above);

  // Whether it may be used; else it is noted as a request. `named_in`: the file of the project that
  // the answer is kept beside, where that is not the entry's own.
  [[nodiscard]] bool allows(const RawServer& server, const std::string& named_in = {});
  // The same for what a file says beside its servers.
  [[nodiscard]] bool allows_settings(const Layer& layer);

  [[nodiscard]] const TrustStore& book() const { return book_; }
  // What answers about the working directory are kept for.
  [[nodiscard]] const std::string& folder() const { return folder_; }
  // The user trusts the working directory as a whole.
  [[nodiscard]] bool trusts_folder() const;
  [[nodiscard]] std::vector<TrustRequest> take_requests() { return std::move(requests_); }
  // Digests that are allowed because the host's user has said yes for this run of the host.
  [[nodiscard]] std::vector<std::string> take_host_once() { return std::move(host_once_); }
  // About the trust file; empty when it can be used.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  bool decide(TrustRequest request);
  // Whether a host's answer counts at once, or is noted to be kept.
  bool takes_hosts_answer(TrustRequest& request);
  // The folder of the project that a file belongs to: /x for /x/.mcp.json and for /x/.pi/mcp.json.
  const std::string& folder_of(const std::string& path);
  [[nodiscard]] bool is_below_trusted(const std::string& folder) const;

  const Environment& environment_;
  const FileSource& files_;
  const TrustOptions& options_;
  HostAnswers hosts_;
  TrustStore book_;
  std::vector<std::string> trusted_;  // real paths
  std::map<std::string, std::string> folders_;
  std::string folder_;
  std::string problem_;
  std::vector<TrustRequest> requests_;
  std::vector<std::string> host_once_;
};

}  // namespace pi_mcp::config
