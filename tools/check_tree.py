#!/usr/bin/env python3
"""Fails when the tree breaks a rule of CONTRIBUTING.md or ARCHITECTURE.md that a machine can see.

Usage: check_tree.py [ROOT]. Each rule is one function that yields (path, line, message); a rule is
named after its function. tools/limits_exceptions.txt lists what is allowed all the same, and why.
"""
import os
import pathlib
import re
import sys

import class_members

SKIPPED_FOLDERS = {".git", "build", "node_modules", ".cache", "__pycache__", "corpus"}
CODE = {".cc", ".h", ".py", ".mjs", ".sh", ".ts"}
PURE = {"rpc", "mcp", "search", "config", "json", "schema", "http", "secrets"}
EXCEPTIONS = "tools/limits_exceptions.txt"
ASIO = {"io", "transport", "servers", "registry", "tool", "gateway", "host", "cli"}


class Tree:
    """Every text file below a root, read once: path relative to the root -> lines."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.files = {}
        for folder, names, files in os.walk(self.root):
            names[:] = sorted(n for n in names if n not in SKIPPED_FOLDERS)
            for name in sorted(set(files) - SKIPPED_FOLDERS):
                path = pathlib.Path(folder, name)
                try:
                    text = path.read_text()
                except (UnicodeDecodeError, OSError):
                    continue
                self.files[path.relative_to(self.root).as_posix()] = text.splitlines()

    def code(self, *prefixes):
        for path, lines in self.files.items():
            if pathlib.PurePath(path).suffix in CODE and path.startswith(prefixes or ""):
                yield path, lines

    def documents(self):
        return ((path, lines) for path, lines in self.files.items() if path.endswith(".md"))


def is_test(path):
    return path.startswith("tests/") or re.search(r"_test\.(cc|py|mjs)$", path)


def tests(tree):
    return ((path, lines) for path, lines in tree.code() if is_test(path))


def grep(files, pattern, message, strip=lambda line: line):
    for path, lines in files:
        for number, line in enumerate(lines, 1):
            if found := re.search(pattern, strip(line)):
                yield path, number, f"{message}: {found[0].strip()}"


def without_comments_and_strings(line):
    return re.sub(r'"(\\.|[^"\\])*"', '""', line).split("//")[0]


def size(tree):
    for path, lines in tree.code():
        limit = 800 if is_test(path) else 500
        if len(lines) > limit:
            yield path, limit, f"{len(lines)} lines, the limit is {limit}: split it by idea"
        for number, line in enumerate(lines, 1):  # clang-format sees to the columns of C++
            if len(line) > 100 and not path.endswith((".cc", ".h")):
                yield path, number, f"{len(line)} columns, the limit is 100"


def folders(tree):
    """A folder shows its shape at a glance. A unit is a header with its source and its tests."""
    units = {}
    for path in tree.files:
        if path.startswith("src/") and path.endswith((".cc", ".h")):
            folder, name = path.rsplit("/", 1)
            unit = re.sub(r"(_linux)?(_test)?\.(cc|h)$", "", name)
            units.setdefault(folder, set()).add(unit)
    for folder, names in units.items():
        if len(names) > 27:
            yield folder, 1, f"{len(names)} units side by side: divide it by idea"


def purpose(tree):
    for path, lines in tree.code():
        if re.sub(r"(_linux)?(_test)?\.cc$", ".h", path) in tree.files and path.endswith(".cc"):
            continue  # its header says it
        body = lines[1:] if lines and lines[0].startswith("#!") else lines
        if not body or not body[0].startswith(("//", "# ", '"""')):
            yield path, 1, "begin with a sentence on what the file is for"


def leftovers(tree):
    pattern = r"\b(FIX[M]E|X[X]X|HAC[K])\b|\bTO[D]O\b(?!\(#\d+\))"
    yield from grep(tree.files.items(), pattern, "leftover marker; work to do is an issue")


def sleeps(tree):
    pattern = (r"\bsleep_(for|until)\b|\b(nano|u)?sleep\(|time\.sleep|timers/promises"
               r"|setTimeout\((resolve|done|ok|r)\b")
    yield from grep(tests(tree), pattern, "a test waits for a condition, never for time")


def disabled_tests(tree):
    pattern = r"\bDISABLED[_]|\bGTEST[_]SKIP|\.(skip|only|todo)\(|\bskip: (?!false)"
    yield from grep(tests(tree), pattern, "no test is switched off")


def suppressions(tree):
    pattern = r"NOLINT(NEXTLINE|BEGIN)?(?!\w)(?!\([\w.,* -]+\).*\w)"
    yield from grep(tree.code("src/", "tests/", "bench/"), pattern,
                    "a suppression names its check and gives a reason on the same line")


def folder_of(path):
    return path.split("/")[1] if path.startswith("src/") and path.count("/") > 1 else ""


def invariants(tree):
    """The section "What is never there" of ARCHITECTURE.md. Tests may use what they need."""
    posix = (r"#include <((unistd|fcntl|signal|poll|pthread|netdb|termios|pwd|grp|spawn|dirent"
             r"|dlfcn)\.h|csignal|(sys|netinet|arpa)/)")
    linux = (r"#include <sys/(inotify|prctl|signalfd|eventfd|timerfd|epoll|syscall|random)\.h>"
             r'|"/proc/|\bF_SETPIPE_SZ\b|::(clone|syscall)\(')
    impure = r"::now\(\)|<(fstream|filesystem|thread)>|std::[io]?fstream"
    output = r"std::(cout|print)\b|\b(printf|puts|putchar)\(|\bstdout\b|\bSTDOUT_FILENO\b"
    for path, lines in tree.code("src/"):
        if is_test(path):
            continue
        folder, file = folder_of(path), [(path, lines)]
        if folder != "io":
            yield from grep(file, posix, "POSIX headers are only for src/io/")
        yield from grep(file, r"\bdlopen\(",
                        "nothing is loaded: a release is static", without_comments_and_strings)
        if not path.endswith("_linux.cc"):
            yield from grep(file, linux, "what only Linux has is for src/io/*/*_linux.cc")
        if folder not in ASIO:
            yield from grep(file, r"#include <boost/asio(?!/buffer)", "no Asio here")
        if folder in PURE:
            yield from grep(file, impure, "this folder reads no clock, file or environment")
        if folder not in {"cli", "transport", "io"}:
            yield from grep(file, output, "only cli/ and transport/ write to standard output",
                            without_comments_and_strings)
        if not path.startswith("src/io/process/environment."):
            yield from grep(file, r"\b(secure_)?getenv\b|(?<!\.)\benviron\b"
                            r"|\b(getcwd|current_path)\b",
                            "src/io/process/environment.cc reads what a process was started with",
                            without_comments_and_strings)
            if folder != "cli":
                yield from grep(file, r'#include "io/process/environment\.h"',
                                "environment and working directory belong to the session: "
                                "only cli/ may read those of the process")


def environment(tree):
    """The environment belongs to a session: cli/ reads it once, by one file, and hands it down."""
    files = ((path, lines) for path, lines in tree.code("src/") if not is_test(path))
    yield from grep(files, r"\b(secure_)?getenv\b|(?<!os\.)\benviron\b",
                    "the environment is an argument", without_comments_and_strings)


def members(tree):
    for path, lines in tree.code("src/", "tests/", "bench/"):
        if path.endswith((".cc", ".h")):
            for name, line, count in class_members.Classes("\n".join(lines)).found:
                if count > 25:
                    yield path, line, f"{name} has {count} public members, the limit is 25"


def machine_traces(tree):
    """No absolute path of any machine, no package registry. Such paths lie in a home (the
    people of examples are ann, u and user), where workspaces and builds are mounted, in a folder of
    the one for temporary files, or in this checkout."""
    before = r"(?:(?<=-[IL])|(?<=file://)|(?<![\w.$}*)>:~/-]))"
    made_up = r"(?:ann|u|user)\b"
    mounts = (r"(?:works?|workspaces?|builds?|checkouts?|jobs?|runners?|agents?|jenkins|__w|scratch"
              r"|mnt|media|nfs|Volumes)")
    places = [rf"/(?:home|Users)/(?!{made_up})\w", r"/root/[\w.]", rf"/{mounts}/[\w.]",
              r"/tmp/[\w.-]+/[\w.]"]
    own = [re.escape(f"{folder}/") for folder in (tree.root.resolve(), pathlib.Path.home())
           if len(folder.parts) > 2]
    paths = rf"{before}(?:{'|'.join(places + own)})[\w./-]*"
    yield from grep(tree.files.items(), paths, "an absolute path of a machine")
    registries = r'"resolved["]:|\bregistry\.[a-z0-9-]+\.[a-z]+|\bdeb\.debian\b|\bregistry[=]'
    yield from grep(tree.files.items(), registries, "names a registry")


def dead_paths(tree):
    folders = r"(?:src|tests|tools|docs|bench|extension|examples|\.ci)/"
    pattern = rf"`(?!tools/(?:call|list)\b)({folders}[\w./*-]*)`|\]\((?!\w+:|#)([^)#]+)"
    for path, lines in tree.documents():
        for number, line in enumerate(lines, 1):
            for quoted, linked in re.findall(pattern, line):
                start = tree.root if quoted else (tree.root / path).parent
                wanted = quoted or linked
                if not (start / wanted).exists() and not any(start.glob(wanted)):
                    yield path, number, f"no such file: {wanted}"
    for path, lines in tree.code():  # pages that comments and messages send a reader to
        for number, line in enumerate(lines, 1):
            for page in re.findall(r"\bdocs/[\w/-]+\.md\b", line):
                if not path.startswith("tools/") and not (tree.root / page).exists():
                    yield path, number, f"no such file: {page}"


def verbs(tree):
    known = set(re.findall(r"^(\w+)\)", "\n".join(tree.files.get("dev", [])), re.M))
    for path, lines in tree.documents():
        for number, line in enumerate(lines, 1):
            for verb in re.findall(r"\./dev (\w+)", line):
                if verb not in known:
                    yield path, number, f"./dev has no verb {verb}"


def version(tree):
    def first(path, pattern):
        text = "\n".join(tree.files.get(path, []))
        found = re.search(pattern, text, re.M)
        return found[1] if found else None

    built = first("CMakeLists.txt", r"project\(\S+ VERSION ([\d.]+)")
    for path, pattern in [("CHANGELOG.md", r"^## \[?(\d[\d.]*)"),
                          ("package.json", r'"version": "([^"]+)"')]:
        told = first(path, pattern)
        if told and told != built:
            yield path, 1, f"says version {told}, CMakeLists.txt says {built}"


def named_tests(tree):
    named = set()
    for _, lines in tree.code("src/", "tests/"):
        text = "\n".join(lines)
        gtests = re.findall(r"\bTEST(?:_[FP])?\(\s*(\w+),\s*(\w+)\)", text)
        named.update(f"{suite}.{name}" for suite, name in gtests)
        named.update(name for _, name in re.findall(r"^\s*test\(\s*(['\"])(.+?)\1", text, re.M))
        named.update(re.findall(r"^ +def (test_\w+)", text, re.M))
    return named


def compatibility(tree):
    """Rows of docs/compatibility.md: | row | behaviour | `test` … | status |; all 95, and keys
    under their names."""
    path, named, seen = "docs/compatibility.md", named_tests(tree), set()
    for number, line in enumerate(tree.files.get(path, []), 1):
        if not (row := re.match(r"\| *([\d., -]+?|`\w+`) *\|(.*)\|(.*)\|\s*(\w+)[^|]*\|$", line)):
            continue
        seen.add(row[1])
        tests = re.findall(r"`([^`]+)`", row[3])
        for test in tests:
            if test not in named:
                yield path, number, f"row {row[1]} names a test that is not in the tree: {test}"
        if row[4] not in {"holds", "partly", "missing", "refused"}:
            yield path, number, f"row {row[1]}: the status is holds, partly, missing or refused"
        elif row[4] == "refused" and not re.search(r"\| *refused: \S", line):
            yield path, number, f"row {row[1]}: refused without a reason"
        elif row[4] == "holds" and not tests:
            yield path, number, f"row {row[1]} holds, but names no test"
    for row in sorted({str(row) for row in range(1, 96)} - seen if seen else [], key=int):
        yield path, 1, f"row {row} is missing"


def gateway(tree):
    """Rows of docs/gateway.md: | feature | by mcp | direct | `test` or `transcript.txt` … |."""
    path, folder = "docs/gateway.md", "tests/transcripts/"
    transcripts = {file[len(folder):] for file in tree.files if file.startswith(folder)}
    named = named_tests(tree) | transcripts
    for number, line in enumerate(tree.files.get(path, []), 1):
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if len(cells) != 4 or cells[0] in {"feature", "---"}:
            continue
        tests = re.findall(r"`([^`]+)`", cells[3])
        for test in tests:
            if test not in named:
                yield path, number, f"{cells[0]}: no such test in the tree: {test}"
        if not tests and not ("no" == cells[1] == cells[2] and "(decisions/" in cells[3]):
            yield path, number, f"{cells[0]}: names neither a test nor, for a no, a decision"


def beside(tree):
    """Rows of the last table of docs/pi.md: | point | … | … | … | `test`, its file or [page] |."""
    path = "docs/pi.md"
    known = named_tests(tree) | {pathlib.PurePath(f).name for f in tree.files if is_test(f)}
    rows = [(number, line) for number, line in enumerate(tree.files.get(path, []), 1)
            if line.count(" | ") == 4 and not line.startswith("| point ")]
    for number, line in rows:
        last = line.rsplit(" | ", 1)[1]
        shown = re.findall(r"`([^`]+)`", last)
        for test in shown:
            if test not in known:
                yield path, number, f"no such test in the tree: {test}"
        if not shown and "](" not in last:
            yield path, number, "names neither a test nor a page"


def doctor(tree):
    """Each code of `pi-mcp doctor` has a section `## CODE` in docs/doctor.md, with a line "Shown by
    `test`."."""
    table, page = "src/doctor/finding.cc", "docs/doctor.md"
    codes = set(re.findall(r'"(PM-[A-Z-]+)"', "\n".join(tree.files.get(table, []))))
    named, code, shown = named_tests(tree), None, {}
    for number, line in enumerate(tree.files.get(page, []), 1):
        if line.startswith("## "):
            code = line[3:] if line.startswith("## PM-") else None
            if code:
                shown[code] = 0
        if code and code not in codes:
            yield page, number, f"{code} is not in {table}"
            code = None
        for test in re.findall(r"`([^`]+)`", line) if line.startswith("Shown by ") and code else []:
            shown[code] += 1
            if test not in named:
                yield page, number, f"{code}: no such test in the tree: {test}"
    for code in sorted(codes):
        if not shown.get(code):
            yield page, 1, f"{code}: has no section here that names a test"


RULES = [size, folders, purpose, leftovers, sleeps, disabled_tests, suppressions, invariants,
         environment, members, machine_traces, dead_paths, verbs, version, compatibility,
         gateway, beside, doctor]


def exceptions(tree):
    """(rule, path) pairs of lines `rule path reason`."""
    for line in tree.files.get(EXCEPTIONS, []):
        if line.strip() and not line.startswith("#"):
            rule, path, reason = line.split(maxsplit=2)
            assert reason
            yield rule, path


def check(root):
    tree = Tree(root)
    allowed, needed = set(exceptions(tree)), set()
    for rule in RULES:
        for path, line, message in rule(tree):
            if (rule.__name__, path) in allowed:
                needed.add((rule.__name__, path))
            else:
                yield f"{path}:{line}: {message} [{rule.__name__}]"
    for rule, path in sorted(allowed - needed):
        yield f"{EXCEPTIONS}:1: not needed any more: {rule} {path} [exceptions]"


if __name__ == "__main__":
    here = pathlib.Path(__file__).resolve().parent.parent
    problems = list(check(sys.argv[1] if len(sys.argv) > 1 else here))
    print("\n".join(problems) or "tree: ok")
    sys.exit(bool(problems))
