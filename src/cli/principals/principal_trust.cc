#include "cli/principals/principal_trust.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/count_text.h"
#include "base/text.h"
#include "cli/show/approval_lines.h"
#include "config/identity.h"
#include "config/trust/approval_store.h"
#include "json/writer.h"
#include "tool/consent/trust_file.h"

namespace pi_mcp::cli {
namespace {

using config::KeptApproval;

class PrincipalTrust {
 public:
  PrincipalTrust(const Setup& setup, const access::Principal& principal)
      : setup_(setup),
        principal_(principal),
        words_(setup.line.words()),
        file_(config::own_dir(config::agent_dir(setup.environment), principal.id)) {}

  [[nodiscard]] Result<std::string> run() const {
    const bool revoke = setup_.line.has(OptionId::revoke);
    if (setup_.line.has(OptionId::yes) || (setup_.line.has(OptionId::list) && revoke) ||
        (!revoke && !words_.empty())) {
      return fail(ErrorCode::invalid_argument,
                  "trust --for shows what a token has allowed, with --revoke [SERVER...] it "
                  "withdraws that; projects' files never count over HTTP. " +
                      see_help(setup_.line.command()));
    }
    return revoke ? take_back() : show();
  }

 private:
  [[nodiscard]] Result<std::vector<KeptApproval>> kept() const {
    const Result<std::string> text = file_.read();
    if (!text) {
      return fail(text.error());
    }
    Result<std::vector<KeptApproval>> approvals = config::kept_approvals(*text);
    return approvals ? std::move(approvals)
                     : fail(std::move(approvals).error().while_doing(file_.path()));
  }

  [[nodiscard]] Result<std::string> show() const {
    const Result<std::vector<KeptApproval>> approvals = kept();
    if (!approvals) {
      return fail(approvals.error());
    }
    if (setup_.json) {
      return as_json(*approvals);
    }
    return approvals->empty() ? "the token " + principal_.name + " has allowed nothing for good\n"
                              : approval_lines(*approvals);
  }

  [[nodiscard]] bool is_named(const KeptApproval& approval) const {
    return words_.empty() || std::ranges::find(words_, approval.server) != words_.end();
  }

  [[nodiscard]] Result<std::string> take_back() const {
    const Result<std::vector<KeptApproval>> before = kept();
    if (!before) {
      return fail(before.error());
    }
    for (const std::string& name : words_) {
      if (std::ranges::find(*before, name, &KeptApproval::server) == before->end()) {
        return fail(ErrorCode::not_found,
                    "the token " + principal_.name + " has allowed nothing of " + quoted(name) +
                        " for good; pi-mcp trust --list --for " + principal_.name + " shows all");
      }
    }
    const auto is_revoked = [this](const KeptApproval& approval) {
      return is_named(approval);
    };
    const auto count = static_cast<std::size_t>(std::ranges::count_if(*before, is_revoked));
    const auto without = [&is_revoked](const std::string& text) {
      return config::without_approvals(text, is_revoked);
    };
    if (const Result<void> changed = count > 0 ? file_.update(without) : Result<void>(); !changed) {
      return fail(changed.error());
    }
    const Result<std::vector<KeptApproval>> left = kept();
    if (!left) {
      return fail(left.error());
    }
    return setup_.json ? as_json(*left)
                       : "withdrawn: " + text::count_text(count, "approval") + " of the token " +
                             principal_.name + "\n";
  }

  [[nodiscard]] std::string as_json(const std::vector<KeptApproval>& approvals) const {
    json::Writer out;
    out.begin_object().member("mode", "trust").member("for", principal_.name);
    write_approvals(out, approvals);
    return out.end_object().take();
  }

  const Setup& setup_;
  const access::Principal& principal_;
  const std::vector<std::string>& words_;
  tool::TrustFile file_;
};

}  // namespace

ExitStatus run_trust_for(const Setup& setup, const access::Principal& principal) {
  return print_or_report(setup, PrincipalTrust(setup, principal).run());
}

}  // namespace pi_mcp::cli
