#include "packages/launcher_table.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace pi_mcp::packages {
namespace {

// npm 11, @npmcli/config, definitions of type Boolean, and their short forms (bin/npx-cli.js reads
// a command line by the same list).
constexpr std::string_view npm_flags =
    "all allow-same-version audit bin-links browser bypass-2fa color commit-hooks "
    "dangerously-allow-all-scripts description dev diff-ignore-all-space diff-name-only "
    "diff-no-prefix diff-text dry-run engine-strict expect-results force foreground-scripts "
    "format-package-lock fund git-tag-version global global-style if-present ignore-scripts "
    "include-staged include-workspace-root include-attestations init-private install-links json "
    "legacy-bundling legacy-peer-deps link long offline omit-lockfile-registry-resolved optional "
    "package-lock package-lock-only parseable allow-scripts-pending allow-scripts-pin "
    "prefer-dedupe "
    "prefer-offline prefer-online production progress provenance read-only rebuild-bundle save "
    "save-bundle save-dev save-exact save-optional save-peer save-prod packages-all shrinkwrap "
    "sign-git-commit sign-git-tag strict-peer-deps strict-allow-scripts strict-ssl timing unicode "
    "update-notifier usage version versions workspaces workspaces-update yes no-install quiet q "
    "help h H v y s silent d dd ddd verbose f g l a n no p S B D E O P iwr porcelain readonly "
    "local "
    "desc";
constexpr std::string_view npm_valued = "c call workspace w";
constexpr std::string_view npm_files = "prefix C userconfig globalconfig cache";
constexpr std::string_view npm_folders = "workspace w workspaces ws";

// uv 0.13, `uvx --help` and `uv run --help`.
constexpr std::string_view uv_valued =
    "python-platform torch-backend index default-index i index-url extra-index-url index-strategy "
    "keyring-provider P upgrade-package upgrade-group resolution prerelease prerelease-package "
    "fork-strategy exclude-newer exclude-newer-package no-sources-package reinstall-package "
    "link-mode C config-setting config-settings-package no-build-isolation-package "
    "no-build-package no-binary-package refresh-package directory p python color "
    "allow-insecure-host extra no-extra group no-group only-group no-editable-package package "
    "python-preference";
constexpr std::string_view uv_packages = "from w with with-editable";
constexpr std::string_view uv_files =
    "with-requirements c constraints b build-constraints overrides env-file f find-links "
    "cache-dir config-file project";

constexpr std::string_view pnpm_valued =
    "allow-build cpu os libc registry reporter loglevel store-dir C dir";
constexpr std::string_view deno_valued =
    "ext location v8-flags seed conditions min-dep-age node-modules-linker p package";
constexpr std::string_view deno_files = "c config import-map lock cert preload require";
constexpr std::string_view pipx_valued =
    "with python fetch-python i index-url pip-args python-args cooldown backend";

// For each command the row with more words stands first.
// NOLINTBEGIN(modernize-use-designated-initializers): a table, whose columns are those of its type.
constexpr auto rows = std::to_array<LauncherRow>({
    {Launcher::npm_exec, "npx", "", npm_valued, "p package", npm_files, npm_folders, npm_flags},
    {Launcher::npm_exec, "npm", "exec", npm_valued, "package", npm_files, npm_folders, npm_flags},
    {Launcher::npm_exec, "npm", "x", npm_valued, "package", npm_files, npm_folders, npm_flags},
    {Launcher::pnpm_dlx, "pnpm", "dlx", pnpm_valued, "package", "env-file", "C dir"},
    {Launcher::pnpm_dlx, "pn", "dlx", pnpm_valued, "package", "env-file", "C dir"},
    {Launcher::pnpm_dlx, "pnpx", "", pnpm_valued, "package", "env-file", "C dir"},
    {Launcher::pnpm_dlx, "pnx", "", pnpm_valued, "package", "env-file", "C dir"},
    {Launcher::yarn_dlx, "yarn", "dlx", "cwd", "p package", "", "cwd"},
    {Launcher::yarn_dlx, "yarnpkg", "dlx", "cwd", "p package", "", "cwd"},
    {Launcher::bunx, "bunx", "", "cwd", "p package", "c config env-file", "cwd"},
    {Launcher::bunx, "bun", "x", "cwd", "p package", "c config env-file", "cwd"},
    {Launcher::bun_file, "bun", "run", "r preload cwd", "", "c config env-file", "cwd"},
    {Launcher::bun_file, "bun", "", "r preload cwd", "", "c config env-file", "cwd"},
    {Launcher::uv_tool, "uvx", "", uv_valued, uv_packages, uv_files, "directory"},
    {Launcher::uv_tool, "uv", "tool run", uv_valued, uv_packages, uv_files, "directory"},
    {Launcher::uv_run, "uv", "run", uv_valued, uv_packages, uv_files, "directory"},
    {Launcher::pipx_run, "pipx", "run", pipx_valued, "spec", "", "path"},
    {Launcher::deno, "deno", "run", deno_valued, "", deno_files, ""},
    {Launcher::deno, "deno", "x", deno_valued, "", deno_files, ""},
    {Launcher::deno, "dx", "", deno_valued, "", deno_files, ""},
    {Launcher::deno, "deno", "", deno_valued, "", deno_files, ""},
    {Launcher::dotnet_tool, "dnx", "", "", "", "", ""},
    {Launcher::dotnet_tool, "dotnet", "tool exec", "", "", "", ""},
    {Launcher::dotnet_tool, "dotnet", "dnx", "", "", "", ""},
});
// NOLINTEND(modernize-use-designated-initializers)

bool lists(std::string_view names, std::string_view name) {
  const std::vector<std::string_view> all = text::words(names);
  return std::find(all.begin(), all.end(), name) != all.end();
}

bool is_option(std::string_view arg) {
  return arg.size() > 1 && arg.front() == '-';
}

// Reads one command line by one row.
class CallReader {
 public:
  CallReader(const LauncherRow& row, const std::vector<std::string>& args)
      : row_(row), args_(args), words_(text::words(row.words)) {
    call_.row = &row;
  }

  std::optional<LauncherCall> read() {
    // `npm exec` reads its options behind the package too, up to "--".
    const bool mixed = row_.program == "npm";
    while (next_ < args_.size()) {
      const std::string& arg = args_[next_++];
      if (arg == "--") {
        take_rest();
      } else if (is_option(arg)) {
        read_option(arg);
      } else if (word_ < words_.size()) {
        if (arg != words_[word_++]) {
          return std::nullopt;
        }
        call_.options.push_back(arg);
      } else {
        call_.program.push_back(arg);
        if (!mixed) {
          take_rest();
        }
      }
    }
    return word_ < words_.size() ? std::nullopt : std::optional(std::move(call_));
  }

 private:
  void take_rest() {
    call_.program.insert(
        call_.program.end(), args_.begin() + static_cast<std::ptrdiff_t>(next_), args_.end());
    next_ = args_.size();
  }

  [[nodiscard]] bool takes_value(std::string_view name) const {
    if (lists(row_.valued, name) || lists(row_.packages, name) || lists(row_.files, name)) {
      return true;
    }
    return !row_.flags.empty() && !lists(row_.flags, name) && next_ < args_.size() &&
           !is_option(args_[next_]);
  }

  void read_option(const std::string& arg) {
    call_.options.push_back(arg);
    const std::size_t dashes = arg.find_first_not_of('-');
    const std::size_t equals = arg.find('=');
    const std::string name = dashes == std::string::npos ? "" : arg.substr(dashes, equals - dashes);
    std::string value = equals == std::string::npos ? "" : arg.substr(equals + 1);
    if (equals == std::string::npos && takes_value(name) && next_ < args_.size()) {
      value = args_[next_];
      call_.options.push_back(args_[next_++]);
    }
    call_.names.push_back(name);
    if (lists(row_.packages, name)) {
      call_.packages.push_back(value);
    }
    if (!row_.flags.empty() && (name == "c" || name == "call")) {
      call_.call = call_.options.size() - 1;
    }
    call_.names_folder = call_.names_folder || lists(row_.folders, name);
    const bool relative = !value.empty() && value.front() != '/' && value.front() != '~' &&
                          value.find("://") == std::string::npos;
    call_.names_file = call_.names_file || (lists(row_.files, name) && relative);
  }

  const LauncherRow& row_;
  const std::vector<std::string>& args_;
  std::vector<std::string_view> words_;
  std::size_t next_ = 0;
  std::size_t word_ = 0;
  LauncherCall call_;
};

}  // namespace

bool LauncherCall::has(std::string_view name) const {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::optional<LauncherCall> read_launcher_call(const CommandLine& line) {
  const std::string_view program = file_name(line.command);
  for (const LauncherRow& row : rows) {
    if (row.program == program) {
      if (std::optional<LauncherCall> call = CallReader(row, line.args).read()) {
        return call;
      }
    }
  }
  return std::nullopt;
}

bool is_in_folder(std::string_view text) {
  if (const std::size_t at = text.find('@', 1); at != std::string_view::npos) {
    const std::string_view behind = text::trim(text.substr(at + 1));
    if (behind.starts_with('.') || behind.starts_with("file:") || behind.starts_with("link:") ||
        behind.starts_with("portal:")) {
      return is_in_folder(behind);
    }
  }
  for (const std::string_view scheme : {"file:", "link:", "portal:"}) {
    if (text.starts_with(scheme)) {
      return !text.substr(scheme.size()).starts_with('/');
    }
  }
  if (text.starts_with('/') || text.starts_with('~') || text.find(':') != std::string_view::npos) {
    return false;
  }
  constexpr std::array<std::string_view, 6> endings = {
      ".tgz", ".tar.gz", ".tar", ".whl", ".zip", ".py"};
  const std::string_view bare = text.substr(0, text.find('['));
  return bare == "." || bare == ".." || text.starts_with("./") || text.starts_with("../") ||
         std::any_of(endings.begin(), endings.end(), [bare](std::string_view ending) {
           return bare.ends_with(ending);
         });
}

std::string_view file_name(std::string_view path) {
  return path.substr(path.find_last_of('/') + 1);
}

}  // namespace pi_mcp::packages
