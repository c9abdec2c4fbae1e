#include "packages/npx_command.h"

#include <algorithm>
#include <set>

#include "base/ascii.h"
#include "base/digest.h"

namespace pi_mcp::packages {
namespace {

bool is_version_character(char c) {
  return ascii::is_alphanumeric_or(c, ".-+");
}

std::string_view without_version_mark(std::string_view version) {
  if (version.starts_with('=')) {
    version.remove_prefix(1);
  }
  if (version.starts_with('v')) {
    version.remove_prefix(1);
  }
  return version;
}

// npm's rules for package names, without the ones only old packages break.
bool is_package_name(std::string_view name) {
  const std::size_t slash = name.find('/');
  if (name.starts_with('@') != (slash != std::string_view::npos)) {
    return false;
  }
  if (name.starts_with('@')) {
    return is_package_name(name.substr(1, slash - 1)) && is_package_name(name.substr(slash + 1));
  }
  return !name.empty() && !name.starts_with('.') &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return ascii::is_alphanumeric_or(c, ".-+_~");
         });
}

// Walks over the options in front of the package. `npx` ends them at the first positional, `npm
// exec` only at "--".
class OptionReader {
 public:
  explicit OptionReader(const std::vector<std::string>& args) : args_(args) {}

  // False on an option that this reader does not know.
  bool read_npx() {
    for (; next_ < args_.size() && args_[next_].starts_with('-'); ++next_) {
      const std::string& option = args_[next_];
      if (option == "--") {
        ++next_;
        return true;
      }
      if (!is_quiet(option) && !read_package(option, true)) {
        return false;
      }
    }
    return true;
  }

  bool read_npm_exec() {
    for (; next_ < args_.size(); ++next_) {
      const std::string& option = args_[next_];
      if (option == "--") {
        ++next_;
        return true;
      }
      if (!is_quiet(option) && !read_package(option, false)) {
        return false;
      }
    }
    return false;  // without "--" npm reads options behind the package too
  }

  void skip(std::size_t count) { next_ += count; }
  [[nodiscard]] const std::string& package() const { return package_; }
  [[nodiscard]] std::vector<std::string> rest() const {
    return {args_.begin() + static_cast<std::ptrdiff_t>(std::min(next_, args_.size())),
            args_.end()};
  }

 private:
  static bool is_quiet(const std::string& option) {
    return option == "-y" || option == "--yes" || option == "-q" || option == "--quiet";
  }

  bool read_package(const std::string& option, bool short_form) {
    constexpr std::string_view joined = "--package=";
    if (!package_.empty()) {
      return false;
    }
    if (option.starts_with(joined)) {
      package_ = option.substr(joined.size());
      return !package_.empty();
    }
    const bool is_package = option == "--package" || (short_form && option == "-p");
    if (!is_package || next_ + 1 >= args_.size() || args_[next_ + 1].starts_with('-')) {
      return false;
    }
    package_ = args_[++next_];
    return true;
  }

  const std::vector<std::string>& args_;
  std::size_t next_ = 0;
  std::string package_;
};

std::string unscoped(const std::string& name) {
  return name.starts_with('@') ? name.substr(name.find('/') + 1) : name;
}

}  // namespace

bool PackageSpec::is_exact() const {
  const std::string_view digits = without_version_mark(version);
  const auto core = digits.substr(0, digits.find_first_of("-+"));
  return std::count(core.begin(), core.end(), '.') == 2 &&
         core.find_first_not_of("0123456789.") == std::string_view::npos &&
         core.find("..") == std::string_view::npos && core.front() != '.' && core.back() != '.' &&
         std::all_of(digits.begin(), digits.end(), is_version_character);
}

std::string PackageSpec::exact_version() const {
  return std::string(without_version_mark(version));
}

PackageSpec PackageSpec::pinned(const std::string& pinned_version) const {
  return {.text = name + "@" + pinned_version, .name = name, .version = pinned_version};
}

NpxCommand NpxCommand::pinned(const std::string& version) const {
  return {.package = package.pinned(version), .bin = bin, .args = args};
}

std::optional<PackageSpec> parse_package_spec(std::string_view text) {
  const std::size_t at = text.find('@', 1);
  PackageSpec spec;
  spec.text = std::string(text);
  spec.name = std::string(text.substr(0, at));
  if (at != std::string_view::npos) {
    spec.version = std::string(text.substr(at + 1));
  }
  // "name@npm:other", "name@file:…", "name@https://…" are not plain registry packages.
  if (!is_package_name(spec.name) || spec.version.find_first_of(":/\\") != std::string::npos) {
    return std::nullopt;
  }
  return spec;
}

std::optional<NpxCommand> parse_npx_command(std::string_view command,
                                            const std::vector<std::string>& args) {
  OptionReader options(args);
  bool understood = false;
  if (command == "npx") {
    understood = options.read_npx();
  } else if (command == "npm" && !args.empty() && args[0] == "exec") {
    options.skip(1);
    understood = options.read_npm_exec();
  }
  std::vector<std::string> rest = options.rest();
  if (!understood || rest.empty()) {
    return std::nullopt;
  }
  NpxCommand result;
  const bool named = !options.package().empty();
  std::optional<PackageSpec> package = parse_package_spec(named ? options.package() : rest.front());
  if (!package) {
    return std::nullopt;
  }
  result.package = *std::move(package);
  result.bin = named ? rest.front() : "";
  result.args.assign(rest.begin() + 1, rest.end());
  return result;
}

std::string npx_folder_name(const PackageSpec& package) {
  return sha512_hex(package.text).substr(0, 16);
}

std::optional<PackageBin> choose_bin(json::Value manifest,
                                     const PackageSpec& package,
                                     std::string_view wanted) {
  const json::Value bin = manifest.find("bin");
  const std::string name = unscoped(package.name);
  if (bin.is_string()) {
    const bool right = wanted.empty() || wanted == name;
    return right ? std::optional(PackageBin{.name = name, .path = bin.string_or("")})
                 : std::nullopt;
  }
  std::set<std::string> programs;
  for (const json::Member member : bin.members()) {
    programs.insert(member.value.string_or(""));
  }
  std::string chosen(wanted);
  if (chosen.empty()) {
    chosen = programs.size() == 1 ? (*bin.members().begin()).name() : name;
  }
  std::string path = bin.find(chosen).string_or("");
  if (path.empty()) {
    return std::nullopt;
  }
  return PackageBin{.name = std::move(chosen), .path = std::move(path)};
}

bool is_node_script(std::string_view path, std::string_view head) {
  if (path.ends_with(".js") || path.ends_with(".mjs") || path.ends_with(".cjs")) {
    return true;
  }
  const std::string_view first_line = head.substr(0, head.find('\n'));
  return first_line.starts_with("#!") && first_line.find("node") != std::string_view::npos;
}

}  // namespace pi_mcp::packages
