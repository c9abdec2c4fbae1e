#!/usr/bin/env python3
"""Fails when a file in src/ includes a header from a folder its own folder may not use.

The allowed edges are the block in ARCHITECTURE.md between `<!-- layers -->` and `<!-- /layers -->`,
so the picture a newcomer reads is the rule the build enforces. One line a folder: `rpc: base json`.
Tests may also use tests/support/.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def allowed_edges(architecture):
    block = architecture.split("<!-- layers -->")[1].split("<!-- /layers -->")[0]
    lines = re.findall(r"^(\w+):(.*)$", block, re.M)
    return {name: set(uses.split()) for name, uses in lines}


def violations(edges):
    for path in sorted((ROOT / "src").rglob("*.[hc]*")):
        folder = path.relative_to(ROOT / "src").parts[0]
        allowed = edges[folder] | {folder} | ({"support"} if "_test." in path.name else set())
        for number, line in enumerate(path.read_text().splitlines(), 1):
            used = re.match(r'#include "(\w+)/', line)
            if used and used[1] not in allowed:
                yield f"{path.relative_to(ROOT)}:{number}: {folder}/ may not use {used[1]}/"


found = list(violations(allowed_edges((ROOT / "ARCHITECTURE.md").read_text())))
print("\n".join(found) or "layers: ok")
sys.exit(bool(found))
