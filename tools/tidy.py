#!/usr/bin/env python3
"""Runs clang-tidy on every C++ source that is not known to be clean, and fails on what it finds.

Usage: tidy.py [all] [SECONDS] [--build FOLDER]. tools/tidy/clean records what passed, by content: a
source is checked unless the record has it with the digest it has now, so in any clone the change is
what differs from what was clean. What passes is recorded; commit that with the change. `all` checks
everything. After SECONDS no check is started any more; that files are left is a failure.
docs/decisions/0025-lint.md says what a digest covers and why.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time

import unity

INCLUDED_FROM = ("src", "tests", "bench")
SKIPPED = {"node_modules", "build", "corpus"}
RECORD = "tools/tidy/clean"
HEAD = "# What clang-tidy found nothing in: digest, file. Written by tools/tidy.py.\n"
# A header that more sources include than this counts only for its own source and test.
WIDE = 12
# Tests run under sanitizers, where a wrong access stops at once; what is left out for them is slow,
# does not understand ASSERT_TRUE, or costs more words than it is worth there. Benchmarks are no
# product either.
# One run checks the sources of a group that tools/unity.py makes, by a file that includes them:
# most of the time goes into headers. The analyzer takes included .cc files for what they are.
GROUP_CHECKS = "-bugprone-suspicious-include"
COMPILE_ERROR = "[clang-diagnostic-error]"
HEADERS = "--header-filter=/(src|tests|bench)/"
TEST_CHECKS = (f"--checks={GROUP_CHECKS},-clang-analyzer-*,-performance-*,"
               "-modernize-use-designated-initializers,-readability-function-cognitive-complexity")


def checks_of(path):
    is_product = path.startswith("src/") and not path.endswith("_test.cc")
    return [f"--checks={GROUP_CHECKS}" if is_product else TEST_CHECKS]


class Tree:
    """The C++ files below a root as they are now: path relative to the root -> content."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.files = {}
        for folder, names, files in os.walk(self.root):
            names[:] = sorted(name for name in names if name not in SKIPPED and name[0] != ".")
            for name in sorted(files):
                if name.endswith((".cc", ".h")):
                    path = pathlib.Path(folder, name)
                    self.files[path.relative_to(self.root).as_posix()] = path.read_text()
        self.rules = (self.root / ".clang-tidy").read_text()
        self.sources = [path for path in self.files if path.endswith(".cc")]
        self.headers = [path for path in self.files if path.endswith(".h")]
        self.included_by = collections.defaultdict(set)
        for path, text in self.files.items():
            for name in re.findall(r'^#include "([^"]+)"', text, re.M):
                for folder in (os.path.dirname(path), *INCLUDED_FROM):
                    if (header := f"{folder}/{name}") in self.files:
                        self.included_by[header].add(path)
                        break
        self.counted = collections.defaultdict(list)  # source -> headers that its digest covers
        for header in self.headers:
            for source in self.counts_for(header):
                self.counted[source].append(header)

    def readers(self, header, seen=()):
        """The sources that include a header themselves; where none does, through other headers."""
        files = self.included_by[header]
        sources = {path for path in files if path.endswith(".cc")}
        if not sources:
            for other in files - {header, *seen}:
                sources |= self.readers(other, (*seen, header))
        return sources

    def is_wide(self, header):
        return len(self.readers(header)) > WIDE

    def counts_for(self, header):
        """The sources that are checked again when this header changes."""
        readers = self.readers(header)
        if len(readers) <= WIDE:
            return readers
        stem = header.removesuffix(".h")
        own = readers & {f"{stem}.cc", f"{stem}_test.cc"}
        return own or {min(readers, key=lambda path: (bool(checks_of(path)), path))}

    def digest(self, path):
        """Of a source: what decides the outcome, as far as that is cheap; of a header: itself."""
        covered = [path, *self.counted[path]]
        parts = [self.rules, *checks_of(path), *(part for name in covered
                                                 for part in (name, self.files[name]))]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


class Record:
    """tools/tidy/clean: the digests that passed."""

    def __init__(self, root):
        self.path = pathlib.Path(root, RECORD)
        text = self.path.read_text() if self.path.exists() else ""
        self.passed = {tuple(line.split()[::-1]) for line in text.splitlines() if line[:1] != "#"}

    def has(self, path, digest):
        return (path, digest) in self.passed

    def note(self, path, digest, clean=True):
        (self.passed.add if clean else self.passed.discard)((path, digest))

    def write(self, tree):
        """Keeps what is true of the tree as it is."""
        now = {(path, tree.digest(path)) for path in tree.files}
        lines = [f"{digest} {path}\n" for path, digest in sorted(self.passed & now)]
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(HEAD + "".join(lines))


def flags(command):
    """The flags of a compile command without compiler, files and precompiled headers: a source is
    checked with what it includes itself."""
    words = shlex.split(command)
    while words and not words[0].startswith("-"):
        del words[0]
    kept = []
    while words:
        word = words.pop(0)
        value = words[0] if words else ""
        if word in {"-o", "-c", "-MF", "-MT", "-include-pch"}:
            del words[:1]
        elif word == "-Xclang" and value in {"-include-pch", "-include"}:
            del words[:3]
        elif word == "-Xclang" and "pch" in value:
            del words[:1]
        elif word == "-include" and "cmake_pch" in value:
            del words[:1]
        elif word not in {"-MD", "-MMD", "-Winvalid-pch"} and not word.startswith("-fpch"):
            kept.append(word)
    return kept


class Commands:
    """The flags of every source. One that the build does not compile by itself (a fuzzer, part of a
    unity build) gets those of the nearest that it does."""

    def __init__(self, root, build):
        entries = json.loads(pathlib.Path(root, build, "compile_commands.json").read_text())
        self.known = {}
        for entry in entries:  # the first counts: one source may be part of several programs
            path = os.path.relpath(entry["file"], root)
            self.known.setdefault(path, flags(entry["command"]))
        self.folders = [f"-I{pathlib.Path(root, name)}" for name in INCLUDED_FROM]

    def of(self, path):
        if path in self.known:
            return self.known[path]
        nearest = max(self.known, key=lambda other: len(os.path.commonprefix([path, other])))
        return self.known[nearest] + self.folders


def new_findings(output, seen):
    """The findings of an output that no other source has shown: those in headers come often."""
    for part in re.split(r"(?m)^(?=\S+:\d+:\d+: (?:warning|error):)", output):
        first = part.split("\n", 1)[0]
        if part.strip() and first not in seen:
            seen.add(first)
            yield part


class Lint:
    """One run over a tree; `program` is clang-tidy."""

    def __init__(self, root, build="build/dev", seconds=float("inf"), program="clang-tidy-19"):
        self.root, self.program = pathlib.Path(root), program
        self.deadline = time.monotonic() + seconds
        self.tree, self.record = Tree(root), Record(root)
        self.commands = Commands(root, build)
        self.failed, self.left, self.seen = [], [], set()

    def tidy(self, source, like):
        """(passed, output) of a file with the checks and flags of the source `like`."""
        ran = subprocess.run([self.program, "--quiet", f"--config-file={self.root}/.clang-tidy",
                              HEADERS, *checks_of(like), source, "--", *self.commands.of(like)],
                             cwd=self.root, capture_output=True, text=True)
        return ran.returncode == 0, ran.stdout or ran.stderr

    def check(self, paths):
        """[(path, passed or None when there was no time, output)] of sources of one group."""
        if time.monotonic() > self.deadline:
            return [(path, None, "") for path in paths]
        if len(paths) == 1:
            return [(paths[0], *self.tidy(self.root / paths[0], paths[0]))]
        with tempfile.NamedTemporaryFile("w", suffix=".cc") as together:
            together.write("".join(f'#include "{self.root / path}"\n' for path in paths))
            together.flush()
            passed, output = self.tidy(together.name, paths[0])
        if passed:
            return [(path, True, "") for path in paths]
        found = self.found_in(output)
        if not found or COMPILE_ERROR in output:  # perhaps they only do not go together
            return [result for path in paths for result in self.check([path])]
        bad = [path for path in paths if found & {path, *self.tree.counted[path]}] or paths
        return [(path, path not in bad, output if path in bad else "") for path in paths]

    def found_in(self, output):
        """The files of ours that the findings of an output are in."""
        names = re.findall(r"(?m)^(\S+):\d+:\d+: (?:warning|error):", output)
        return {os.path.relpath(name, self.root) for name in names} & self.tree.files.keys()

    def groups(self, paths):
        """Sources that can be checked by one run, of any folder: with the same checks and flags."""
        alike = collections.defaultdict(list)
        for path in paths:
            alike[(*checks_of(path), *self.commands.of(path))].append(
                unity.File(path, self.tree.files[path]))
        return [[file.path for file in group]
                for files in alike.values() for group in unity.groups(files)]

    def take(self, path, passed, output):
        if passed is None:
            self.left.append(path)
            return
        self.record.note(path, self.tree.digest(path), passed)
        if not passed:
            self.failed.append(path)
            for finding in new_findings(output.replace(f"{self.root}/", ""), self.seen):
                print(finding, end="", flush=True)

    def run(self, everything):
        """Whether all is clean."""
        wanted = [path for path in self.tree.sources
                  if everything or not self.record.has(path, self.tree.digest(path))]
        groups = sorted(self.groups(sorted(wanted)), key=len, reverse=True)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            jobs = [pool.submit(self.check, group) for group in groups]
            for job in concurrent.futures.as_completed(jobs):
                for result in job.result():
                    self.take(*result)
                self.record.write(self.tree)
        return self.tell(wanted, everything)

    def tell(self, wanted, everything):
        unread = [header for header in self.tree.headers if not self.tree.readers(header)]
        clean = not (self.failed or self.left or unread)
        wide = [header for header in self.tree.headers if self.tree.is_wide(header)]
        if everything and clean:
            for header in wide:
                self.record.note(header, self.tree.digest(header))
        # What was edited meanwhile has another digest now, so it is not taken for checked.
        now = Tree(self.root)
        self.record.write(now)
        for header in wide:
            if not self.record.has(header, self.tree.digest(header)):
                others = self.tree.readers(header) - self.tree.counts_for(header) - set(wanted)
                print(f"clang-tidy: {header} has changed since ./dev lint all; not checked again: "
                      f"{len(others)} sources that include it")
        for header in unread:
            print(f"clang-tidy: {header} was not reached, nothing includes it")
        for path in sorted(self.failed):
            print(f"clang-tidy: findings in {path}")
        for path in sorted(self.left):
            print(f"clang-tidy: no time for {path}")
        if self.left:
            print(f"clang-tidy: run ./dev lint without a limit and commit {RECORD}")
        checked, known = len(wanted) - len(self.left), len(self.tree.sources) - len(wanted)
        print(f"clang-tidy: {checked} checked, {len(self.failed)} with findings, "
              f"{len(self.left)} not reached, {known} known clean")
        return clean


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*", metavar="all | SECONDS")
    parser.add_argument("--build", default="build/dev")
    chosen = parser.parse_args()
    seconds = [float(word) for word in chosen.words if word != "all"]
    root = pathlib.Path(__file__).resolve().parent.parent
    return Lint(root, chosen.build, *seconds).run("all" in chosen.words)


if __name__ == "__main__":
    sys.exit(not main())
