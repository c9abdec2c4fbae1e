#include "packages/uv_tool.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "packages/python_line.h"

namespace pi_mcp::packages {
namespace {

// uv 0.13, `uvx --help`: what changes which environment is made, and means the same every time.
constexpr std::string_view lasting_options =
    "from w with isolated no-env-file lfs python-platform torch-backend index default-index i "
    "index-url extra-index-url no-index index-strategy keyring-provider resolution prerelease "
    "prerelease-package fork-strategy exclude-newer exclude-newer-package no-sources "
    "no-sources-package link-mode compile-bytecode C config-setting config-settings-package "
    "no-build-isolation no-build-isolation-package no-build no-build-package no-binary "
    "no-binary-package require-build-hashes no-require-build-hashes p python python-preference "
    "managed-python no-managed-python no-python-downloads q quiet v verbose color system-certs "
    "native-tls offline allow-insecure-host no-progress no-config";
// What uv has to be asked at every start.
constexpr std::string_view asking_options =
    "U upgrade P upgrade-package upgrade-group refresh refresh-package reinstall "
    "reinstall-package with-requirements c constraints b build-constraints overrides f find-links "
    "cache-dir config-file project";

bool lists(std::string_view names, std::string_view name) {
  const std::vector<std::string_view> all = text::words(names);
  return std::find(all.begin(), all.end(), name) != all.end();
}

// PEP 503: lower case, and one "-" for each run of "-", "_" and ".".
std::string normal_name(const std::string& name) {
  std::string normal;
  for (const char c : text::lower(name)) {
    const char kept = c == '_' || c == '.' ? '-' : c;
    if (kept != '-' || !normal.ends_with('-')) {
      normal.push_back(kept);
    }
  }
  return normal;
}

bool means_the_same_every_time(const LauncherCall& call) {
  const auto asks = [](const std::string& name) {
    return lists(asking_options, name);
  };
  const auto moves = [](const std::string& spec) {  // "x@latest", a url, a folder
    return spec.ends_with("@latest") || spec.find('/') != std::string::npos;
  };
  return std::none_of(call.names.begin(), call.names.end(), asks) &&
         std::none_of(call.packages.begin(), call.packages.end(), moves) &&
         !moves(call.program.front());
}

std::string value_of_from(const LauncherCall& call) {
  constexpr std::string_view joined = "--from=";
  for (std::size_t i = 0; i < call.options.size(); ++i) {
    if (call.options[i].starts_with(joined)) {
      return call.options[i].substr(joined.size());
    }
    if (call.options[i] == "--from" && i + 1 < call.options.size()) {
      return call.options[i + 1];
    }
  }
  return "";
}

bool is_understood(const LauncherCall& call) {
  const auto known = [](const std::string& name) {
    return lists(lasting_options, name) || lists(asking_options, name);
  };
  return call.row->launcher == Launcher::uv_tool && !call.program.empty() && !call.names_folder &&
         !call.names_file && std::all_of(call.names.begin(), call.names.end(), known) &&
         std::none_of(call.packages.begin(), call.packages.end(), is_python_package_in_folder);
}

}  // namespace

std::string python_program(const std::string& spec) {
  if (spec.find("://") != std::string::npos || spec.find('/') != std::string::npos) {
    return "";
  }
  return std::string(text::trim(spec.substr(0, spec.find_first_of("@=<>!~;[ "))));
}

bool is_python_package_in_folder(const std::string& text) {
  const bool path = text.find('/') != std::string::npos && text.find(':') == std::string::npos &&
                    !text.starts_with('/') && !text.starts_with('~');
  return path || is_in_folder(text);
}

std::optional<UvTool> parse_uv_tool(const CommandLine& line) {
  std::optional<LauncherCall> call = read_launcher_call(line);
  if (!call || !is_understood(*call)) {
    return std::nullopt;
  }
  UvTool tool;
  tool.lasting = means_the_same_every_time(*call);
  tool.spec = value_of_from(*call);
  tool.launcher = {.command = line.command, .args = std::move(call->options)};
  std::string& program = call->program.front();
  if (tool.spec.empty()) {
    tool.spec = std::exchange(program, python_program(program));
    tool.launcher.args.push_back("--from=" + tool.spec);
  }
  const std::string package = python_program(tool.spec);
  // Instead of a package uv also takes an interpreter, and some files as programs.
  if (program.find_first_of("/@") != std::string::npos || program.ends_with(".py") ||
      program.empty() || is_python(package)) {
    return std::nullopt;
  }
  tool.package = normal_name(package);
  tool.program = std::move(call->program);
  return tool;
}

}  // namespace pi_mcp::packages
