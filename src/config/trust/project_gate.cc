#include "config/trust/project_gate.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "config/interpolate.h"
#include "config/paths.h"
#include "config/project/project_files.h"
#include "config/trust/digest.h"
#include "config/trust/trust_folder.h"

namespace pi_mcp::config {
namespace {

bool is_true_word(const std::string& word) {
  const std::string lower = text::lower(text::trim(word));
  return lower == "1" || lower == "true" || lower == "yes";
}

}  // namespace

bool trusts_everything(const Environment& environment, const TrustOptions& options) {
  return options.everything ||
         is_true_word(environment.variable("PI_MCP_TRUST_PROJECT").value_or(""));
}

ProjectGate::ProjectGate(const Environment& environment,
                         const FileSource& files,
                         const TrustOptions& options,
                         const std::vector<std::string>& trusted_folders,
                         const std::vector<std::string>& folders_above)
    : environment_(environment),
      files_(files),
      options_(options),
      hosts_(environment, files, options, folders_above) {
  const std::string path = trust_file(environment);
  const Result<std::optional<std::string>> text = files.read(path);
  if (text) {
    book_ = TrustStore::parse(text->value_or(""));
  }
  const std::string reason = text ? book_.problem() : text.error().message();
  if (!reason.empty()) {
    problem_ = path + ": " + reason + "; no project is trusted until that is corrected";
  }
  for (const std::string& written : trusted_folders) {
    const std::string expanded = expand_home(written, environment);
    if (is_absolute(environment, expanded)) {  // nothing, or ".", is not all that lies below home
      trusted_.push_back(files.canonical(expanded));
    }
  }
  folder_ = trust_folder(environment, files, environment.cwd);
}

bool ProjectGate::is_below_trusted(const std::string& folder) const {
  return std::ranges::any_of(trusted_, [&](const std::string& trusted) {
    return is_inside(environment_, folder, trusted);
  });
}

bool ProjectGate::trusts_folder() const {
  if (options_.host == false) {
    return false;
  }
  if (trusts_everything(environment_, options_) || is_below_trusted(folder_)) {
    return true;
  }
  return std::ranges::any_of(with_parents(environment_, folder_),
                             [this](const std::string& folder) {
                               const TrustedFolder* kept = book_.find(folder);
                               return kept != nullptr && kept->whole;
                             });
}

const std::string& ProjectGate::folder_of(const std::string& path) {
  std::string_view folder = parent_path(environment_, path);
  if (base_name(folder).starts_with('.')) {
    folder = parent_path(environment_, folder);
  }
  const auto [found, is_new] = folders_.try_emplace(std::string(folder));
  if (is_new) {
    found->second = trust_folder(environment_, files_, found->first);
  }
  return found->second;
}

bool ProjectGate::decide(TrustRequest request) {
  request.forbidden = options_.host == false;
  if (!request.forbidden) {
    if (trusts_everything(environment_, options_) || options_.once.contains(request.digest) ||
        options_.host_once.contains(request.digest) || is_below_trusted(request.folder) ||
        book_.allows(request) || takes_hosts_answer(request)) {
      return true;
    }
  }
  if (requests_.size() < project_servers_max) {
    request.changed = !book_.allows(request) && book_.has_changed(request);
    requests_.push_back(std::move(request));
  }
  return false;
}

bool ProjectGate::takes_hosts_answer(TrustRequest& request) {
  const std::string_view host = hosts_.allowed_by(request);
  if (!host.empty() && !hosts_.is_kept(host)) {
    if (book_.was_taken_back(request, host)) {
      return false;
    }
    host_once_.push_back(request.digest);
    return true;
  }
  // An answer is for what was there then; once it was kept, another content is asked about again.
  request.answered_by = book_.has_answer(request, host) ? "" : host;
  return false;
}

bool ProjectGate::allows(const RawServer& server, const std::string& named_in) {
  return decide({.folder = folder_of(named_in.empty() ? server.origin.path : named_in),
                 .path = server.origin.path,
                 .server = server.name,
                 .digest = server.digest,
                 .entry = server.written,
                 .answered_by = {}});
}

bool ProjectGate::allows_settings(const Layer& layer) {
  if (layer.settings.empty() && layer.imports.empty() && layer.claude_plugins.empty()) {
    return true;
  }
  return decide({.folder = folder_of(layer.origin.path),
                 .path = layer.origin.path,
                 .server = {},
                 .digest = settings_digest(layer),
                 .entry = settings_text(layer),
                 .answered_by = {}});
}

}  // namespace pi_mcp::config
