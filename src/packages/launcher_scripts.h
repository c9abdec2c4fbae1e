// What stands between a launcher, which runs where no files of the session's folder are, and the
// program, which runs in that folder.
#pragma once

#include <string_view>

namespace pi_mcp::packages {

// Where launchers run: nothing is above it, only the system's owner writes there, and every one of
// them is used to it (hosts on the desktop start servers there).
constexpr std::string_view launch_folder = "/";

// BUN_OPTIONS for programs: Bun reads bunfig.toml (which may name files to load first) and .env of
// the folder in which a program runs, whoever starts it.
constexpr const char* bun_options = "--config=/dev/null --env-file=/dev/null";

// The variable by which the helpers learn the session's folder. They remove it.
constexpr const char* folder_variable = "PI_MCP_SESSION_FOLDER";

// sh -c … FOLDER PROGRAM ARGS…: by a launcher that puts its package's programs into PATH.
constexpr std::string_view step_to_program = R"(cd "$0" && exec "$@")";

// sh -c … FOLDER SPEC ARGS…: the same where the package decides which program it is. Its programs
// are the links in the first such folder of PATH that lead into it (pnpm: all there are). Like npm
// 11: the only one, else the one named like the package without its scope.
constexpr std::string_view step_to_package = R"sh(spec=$1; shift
IFS=:
for bin in $PATH; do
  case $bin in */node_modules/.bin) [ -d "$bin" ] && break ;; esac
done
unset IFS
name=$(sed -n '/"dependencies"/,/}/s/^[[:space:]]*"\([^"]*\)": *".*/\1/p' \
  "$bin/../../package.json" 2>/dev/null | head -n 1)
wanted=${name:-$spec}; wanted=${wanted#@*/}; wanted=${wanted%%@*}
own=; first=; count=0
for file in "$bin"/*; do
  [ -e "$file" ] || continue
  target=$(readlink "$file") || target=
  case $target in
    ''|"../$name${name:+/}"*) ;;
    *) continue ;;
  esac
  own="$own ${file##*/}"
  if [ -z "$target" ] || [ "$target" != "$first" ]; then count=$((count + 1)); fi
  first=${first:-$target}
done
case " $own " in
  *" $wanted "*) ;;
  *) wanted=${own# }; wanted=${wanted%% *}
    if [ "$count" != 1 ]; then
      echo "$spec has no program of its name; it has:${own:- none}" >&2
      exit 127
    fi ;;
esac
cd "$0" && exec "$bin/$wanted" "$@")sh";

// NODE_OPTIONS=--require of yarn dlx, which runs a package's programs and nothing else, in the
// folder in which it runs itself. BERRY_BIN_FOLDER is set for what it starts.
constexpr std::string_view node_helper = R"js(const folder = process.env.PI_MCP_SESSION_FOLDER;
if (process.env.BERRY_BIN_FOLDER && folder) {
	process.chdir(folder);
	delete process.env.PI_MCP_SESSION_FOLDER;
	const own = `--require ${JSON.stringify(__filename)}`;
	process.env.NODE_OPTIONS = process.env.NODE_OPTIONS.replace(own, "").trim();
}
)js";

// sitecustomize of pipx, which becomes the package's program by os.execvpe and drops PYTHONPATH for
// it and for the installers it starts.
constexpr std::string_view python_helper = R"py(import os

folder = os.environ.pop("PI_MCP_SESSION_FOLDER", None)


def in_folder(run):
    def moved(*given):
        os.chdir(folder)
        return run(*given)

    return moved


if folder is not None:
    os.execvpe = in_folder(os.execvpe)
)py";

}  // namespace pi_mcp::packages
