#!/usr/bin/env python3
"""Writes what a program is built from.

Usage: build_facts.py OUT.cc VERSION TYPE LINKING PROCESSOR [SYSROOT]

As C++ (src/cli/show/build_facts.h): version, commit and its date, and the libraries of
packaging/libraries.json with the versions of their packages, those that are installed or those in
the sysroot. The file is written only when it changes."""
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ARCHITECTURES = {"x86_64": "x64", "AMD64": "x64", "aarch64": "arm64", "arm64": "arm64"}


def git(*words):
    asked = subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True, check=False)
    return asked.stdout.strip() if asked.returncode == 0 else None


def commit():
    """The commit and its day. A change that was not committed is told."""
    try:
        found = git("log", "-1", "--format=%H %cs")
    except FileNotFoundError:
        found = None
    if not found:
        return "unknown", ""
    name, day = found.split()
    return name + ("-changed" if git("status", "--porcelain", "--untracked-files=no") else ""), day


def table():
    return json.loads((ROOT / "packaging/libraries.json").read_text())["libraries"]


def versions(sysroot):
    """Package -> version."""
    if sysroot:
        lines = (pathlib.Path(sysroot).parent / "versions").read_text().splitlines()
    else:
        shown = subprocess.run(["dpkg-query", "-W", "-f", "${Package} ${Version}\\n"],
                               capture_output=True, text=True, check=True)
        lines = shown.stdout.splitlines()
    return dict(line.split() for line in lines if line.count(" ") == 1)


def text(value):
    return json.dumps(value)  # these are ASCII without control characters, so it is C++ too


def source(version, kind, linking, processor, sysroot):
    name, day = commit()
    found = versions(sysroot)
    rows = []
    for library in table():
        if library["package"] not in found:
            sys.exit(f"{library['package']} is not installed, so the version of {library['name']} "
                     "is not known; run ./dev setup")
        told = [library["name"], found[library["package"]], library["licence"]]
        rows.append("    LinkedLibrary{" + ", ".join(map(text, told)) + "},\n")
    facts = [version, name, day, kind.lower(), linking, ARCHITECTURES.get(processor, processor)]
    return f"""// Written by tools/build_facts.py.
#include "cli/show/build_facts.h"

#include <array>

namespace pi_mcp::cli {{

const BuildFacts& build_facts() {{
  static constexpr std::array libraries = {{
{"".join(rows)}  }};
  static constexpr BuildFacts facts = {{{", ".join(map(text, facts))}, libraries}};
  return facts;
}}

}}  // namespace pi_mcp::cli
"""


def main(out, *facts):
    made, file = source(*facts, *[None] * (5 - len(facts))), pathlib.Path(out)
    if not file.exists() or file.read_text() != made:
        file.write_text(made)


if __name__ == "__main__":
    main(*sys.argv[1:])
