// What stands between a launcher, which runs where no files of the session's folder are, and the
// program, which runs in that folder.
#pragma once

#include <string_view>

namespace pi_mcp::packages {

// Where launchers run: nothing is above it, only the system's owner writes there, and every one of
// them is used to it (hosts on the desktop start servers there).
constexpr std::string_view launch_folder = "/";

// What waits for a launcher, and what a launcher starts in place of the program.
constexpr const char* shell = "/bin/sh";

// BUN_OPTIONS for programs: Bun reads bunfig.toml (which may name files to load first) and .env of
// the folder in which a program runs, whoever starts it.
constexpr const char* bun_options = "--config=/dev/null --env-file=/dev/null";

// The variable by which the helpers learn the session's folder. They remove it.
constexpr const char* folder_variable = "PI_MCP_SESSION_FOLDER";

// sh -c … FOLDER PROGRAM ARGS…: by a launcher that puts its package's programs into PATH.
constexpr std::string_view step_to_program = R"(cd "$0" && exec "$@")";

// sh -c … FOLDER SPEC ARGS…: where the package decides which program it is, that is `$bin/$wanted`
// after this, with ARGS as parameters; step_to_choice or tell_choice follows. Its programs
// are the links in the first such folder of PATH that lead into it (pnpm: all there are). Like npm
// 11: the only one, else the one named like the package without its scope.
constexpr std::string_view choose_program = R"sh(spec=$1; shift
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
)sh";
constexpr std::string_view step_to_choice = R"(cd "$0" && exec "$bin/$wanted" "$@")";

// What a launcher's shell tells one that waits above it (below): of npm PATH and the program.
constexpr std::string_view tell_choice = R"(printf '%s\n' "$PATH" "$bin/$wanted")";
constexpr std::string_view tell_program = R"sh(printf '%s\n' "$PATH"
command -v "$1" || { echo "$1: not found" >&2; exit 127; })sh";
// Of uv its own path, and the folder of the environment's programs.
constexpr std::string_view tell_environment = R"sh(bin=${PATH%%:*}
[ -x "$bin/$0" ] || command -v "$0" >/dev/null || {
  echo "$0 is not a program of the package; it has:" \
    $(ls "$bin" | grep -v -e '^python' -e '^activate' -e '^deactivate' -e '^pydoc') >&2
  exit 127
}
printf '%s\n' "$UV" "$bin")sh";

// sh -c … FOLDER COUNT WORDS… ARGS…: runs a launcher to its end, whose command line is COUNT words
// with a shell that tells, and becomes the program. The launcher must not read what the host sends.
constexpr std::string_view npx_to_program = R"sh(pi_mcp_count=$1; shift
pi_mcp_told=$("$@" </dev/null) || exit
shift "$pi_mcp_count"
PATH=${pi_mcp_told%%'
'*}
cd "$0" && exec "${pi_mcp_told##*'
'}" "$@")sh";

// sh -c … FOLDER NOTE STAMP LAST COUNT WORDS… PROGRAM ARGS…: the same with uv. What it told is kept
// in the file NOTE below STAMP; LAST, if any, is what it told before, for when it fails now. With
// an empty FOLDER only the note is made.
constexpr std::string_view uv_to_program = R"sh(
pi_mcp_note=$1 pi_mcp_stamp=$2 pi_mcp_told=$3 pi_mcp_count=$4; shift 4
if pi_mcp_new=$("$@" </dev/null); then
  pi_mcp_told=$pi_mcp_new
  { printf '%s\n' "$pi_mcp_stamp" "$pi_mcp_told" >"$pi_mcp_note.$$" &&
    mv "$pi_mcp_note.$$" "$pi_mcp_note"; } 2>/dev/null
else
  pi_mcp_status=$?
  [ -n "$pi_mcp_told" ] || exit "$pi_mcp_status"
  echo "uv failed; what it made last is started" >&2
fi
[ -n "$0" ] || exit 0
shift "$pi_mcp_count"
UV=${pi_mcp_told%%'
'*}
[ -z "$UV" ] || export UV
PATH=${pi_mcp_told#*'
'}${PATH:+:$PATH}
cd "$0" && exec "$@")sh";

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
