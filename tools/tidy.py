#!/usr/bin/env python3
"""Runs clang-tidy on every C++ source, in parallel, and remembers what passed.

Usage: tidy.py BUILD_FOLDER [SECONDS]. A file is checked again only when it, a header of ours that
it includes, its compile command or .clang-tidy changes. When SECONDS have passed no new check is
started, the rest is listed, and the next run goes on from there.
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
STAMPS = CACHE / "pi-mcp-tidy"
TIDY = "clang-tidy-19"
# Tests run under sanitizers, where a wrong access stops at once; what is left out for them is slow,
# does not understand ASSERT_TRUE, or costs more words than it is worth there.
TEST_CHECKS = ("--checks=-clang-analyzer-*,-performance-*,-modernize-use-designated-initializers,"
               "-readability-function-cognitive-complexity")


def fingerprint(entry, checks):
    """A hash of all that decides the outcome, or None when the file does not even preprocess."""
    words = [word for word in shlex.split(entry["command"]) if "ccache" not in word]
    del words[words.index("-o"):words.index("-o") + 2]
    words.remove("-c")
    made = subprocess.run(words + ["-MM"], cwd=entry["directory"], capture_output=True, text=True)
    if made.returncode:
        return None
    digest = hashlib.sha256(" ".join(words).replace(str(ROOT), "").encode())
    digest.update((ROOT / ".clang-tidy").read_bytes() + "".join(checks).encode())
    for name in made.stdout.replace("\\\n", " ").split()[1:]:
        digest.update(pathlib.Path(entry["directory"], name).read_bytes())
    return digest.hexdigest()


def check(entry, build, deadline):
    """(file, outcome, output); outcome is 'passed', 'failed', 'kept' (known to pass) or 'left'."""
    file = os.path.relpath(entry["file"], ROOT)
    checks = [TEST_CHECKS] if file.startswith("tests/") or file.endswith("_test.cc") else []
    key = fingerprint(entry, checks)
    if key and (STAMPS / key).exists():
        return file, "kept", ""
    if time.monotonic() > deadline:
        return file, "left", ""
    ran = subprocess.run([TIDY, "-p", build, "--quiet", *checks, entry["file"]], cwd=ROOT,
                         capture_output=True, text=True)
    if ran.returncode:
        return file, "failed", ran.stdout
    if key:
        (STAMPS / key).touch()
    return file, "passed", ""


def main(build, seconds="inf"):
    STAMPS.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + float(seconds)
    entries = json.loads(pathlib.Path(build, "compile_commands.json").read_text())
    entries = {e["file"]: e for e in entries if not e["file"].startswith(str(ROOT / "build"))}
    biggest_first = sorted(entries.values(), key=lambda e: -os.path.getsize(e["file"]))
    files = {"passed": [], "failed": [], "kept": [], "left": []}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for job in [pool.submit(check, e, build, deadline) for e in biggest_first]:
            file, outcome, output = job.result()
            files[outcome].append(file)
            print(output, end="", flush=True)
    if files["left"]:
        print("clang-tidy: no time for", *files["left"])
    print("clang-tidy:", ", ".join(f"{len(names)} {outcome}" for outcome, names in files.items()))
    return bool(files["failed"])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
