#include "packages/unread_files.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/text.h"

namespace pi_mcp::packages {

constexpr std::string_view how_it_counts =
    "trust that folder, or give the entry a \"cwd\" of its own, to make it count";

namespace {

// A file of a project that says where packages come from, by one of these words in it.
struct Source {
  std::string_view file;
  std::string_view words;
};

constexpr auto npm_sources = std::to_array<Source>({{.file = ".npmrc", .words = "registry"}});
constexpr auto pnpm_sources =
    std::to_array<Source>({{.file = ".npmrc", .words = "registry"},
                           {.file = "pnpm-workspace.yaml", .words = "registry registries"}});
constexpr auto yarn_sources =
    std::to_array<Source>({{.file = ".yarnrc.yml", .words = "npmRegistryServer npmScopes"},
                           {.file = ".yarnrc", .words = "registry"},
                           {.file = ".npmrc", .words = "registry"}});
constexpr auto bun_sources = std::to_array<Source>(
    {{.file = "bunfig.toml", .words = "registry scopes"}, {.file = ".npmrc", .words = "registry"}});
constexpr auto uv_sources =
    std::to_array<Source>({{.file = "uv.toml", .words = "index find-links"},
                           {.file = "pyproject.toml", .words = "tool.uv [project]"}});
constexpr auto deno_sources = std::to_array<Source>({{.file = ".npmrc", .words = "registry"},
                                                     {.file = "deno.json", .words = "imports"},
                                                     {.file = "deno.jsonc", .words = "imports"}});
constexpr auto version_files = std::to_array<std::string_view>(
    {".tool-versions", "mise.toml", ".mise.toml", ".nvmrc", ".node-version", ".python-version"});
constexpr auto dotnet_files = std::to_array<std::string_view>({"NuGet.config",
                                                               "NuGet.Config",
                                                               "nuget.config",
                                                               "global.json",
                                                               ".config/dotnet-tools.json",
                                                               "dotnet-tools.json"});

bool says_one_of(std::string_view text, std::span<const std::string_view> phrases) {
  return std::any_of(phrases.begin(), phrases.end(), [text](std::string_view phrase) {
    return text.find(phrase) != std::string_view::npos;
  });
}

// What npm 11, pnpm 10 and 12, Yarn 4, Bun 1.4, Deno 2.9, uv 0.13 and pip say of a package that
// their registry does not have or does not give.
bool package_was_not_found(std::string_view said) {
  constexpr std::array<std::string_view, 12> phrases = {"404",
                                                        "401",
                                                        "403",
                                                        "ETARGET",
                                                        "not found in the package registry",
                                                        "No matching distribution",
                                                        "Package not found",
                                                        "failed to resolve",
                                                        "not in the npm registry",
                                                        "No solution found",
                                                        "not found in the registry",
                                                        "Failed to spawn"};
  return says_one_of(said, phrases);
}

// asdf, mise, pyenv and nodenv, volta.
bool has_no_default_version(std::string_view said) {
  constexpr std::array<std::string_view, 6> phrases = {"No version is set",
                                                       "no version is set",
                                                       "No preset version",
                                                       "command exists in these",
                                                       "is not installed (set by",
                                                       "Volta error"};
  return says_one_of(said, phrases);
}

std::span<const Source> sources_of(Launcher launcher) {
  switch (launcher) {
    case Launcher::npm_exec:
      return npm_sources;
    case Launcher::pnpm_dlx:
      return pnpm_sources;
    case Launcher::yarn_dlx:
      return yarn_sources;
    case Launcher::bunx:
    case Launcher::bun_file:
      return bun_sources;
    case Launcher::uv_tool:
    case Launcher::uv_run:
      return uv_sources;
    case Launcher::deno:
      return deno_sources;
    case Launcher::pipx_run:
    case Launcher::dotnet_tool:
    case Launcher::python:
      break;
  }
  return {};
}

std::string joined(const std::string& folder, std::string_view name) {
  return folder + (folder.ends_with('/') ? "" : "/") + std::string(name);
}

std::string sentence(const std::string& file, std::string_view reason) {
  return file + " " + std::string(reason) +
         ", but files of the folder do not count for servers of yours; " +
         std::string(how_it_counts);
}

// The folder and those above it, nearest first, up to and without the home folder or "/".
std::vector<std::string> folders_from(std::string folder, const std::string& home) {
  std::vector<std::string> folders;
  while (folder.size() > 1 && folder != home && !home.starts_with(folder + "/")) {
    folders.push_back(folder);
    folder.resize(std::max<std::size_t>(folder.rfind('/'), 1));
  }
  return folders;
}

}  // namespace

std::optional<std::string> unread_file_advice(const FailedStart& start, const ReadFile& read) {
  if (!start.module.empty() && start.said.find("No module named") != std::string_view::npos) {
    const std::string path = joined(
        start.folder, text::replace_all(start.module.substr(0, start.module.find('.')), "-", "_"));
    for (const std::string& file : {path + ".py", path + "/__init__.py", path + "/__main__.py"}) {
      if (read(file)) {
        return sentence(file, "has that module");
      }
    }
  }
  if (has_no_default_version(start.said)) {
    for (const std::string_view name : version_files) {
      if (read(joined(start.folder, name))) {
        return sentence(joined(start.folder, name), "names a version") +
               ", or set a default version";
      }
    }
  }
  if (package_was_not_found(start.said)) {
    for (const Source& source : sources_of(start.launcher)) {
      const std::optional<std::string> text = read(joined(start.folder, source.file));
      if (text && says_one_of(*text, text::words(source.words))) {
        return sentence(joined(start.folder, source.file), "says where packages come from");
      }
    }
  }
  return std::nullopt;
}

std::vector<std::string> files_in_the_way(const std::string& folder,
                                          const std::string& home,
                                          const ReadFile& read) {
  std::vector<std::string> found;
  for (const std::string& place : folders_from(folder, home)) {
    for (const std::string_view name : dotnet_files) {
      if (read(joined(place, name))) {
        found.push_back(joined(place, name));
      }
    }
  }
  return found;
}

}  // namespace pi_mcp::packages
