#!/usr/bin/env python3
"""Groups C++ files that can be compiled as one, so that their headers are read once.

Usage: unity.py FILE...; prints a line `GROUP FILE` for each that has company. Files of one folder
share a group unless a name that one keeps to itself (in an anonymous namespace) is a word of the
other: such a pair would clash, or quietly mean something else. Relies on the lines of clang-format.
"""
import os
import pathlib
import re
import sys

FILES_MAX = 16  # in a group: a change compiles its whole group anew
NOISE = re.compile(r'R"(\w*)\((?:.|\n)*?\)\1"|//[^\n]*|"(?:\\.|[^"\\\n])*"')
ANONYMOUS = re.compile(r"^namespace \{$(.*?)^\}  // namespace$", re.M | re.S)
DECLARED = re.compile(
    r"^(?:template.*>\s+)?(?:struct|class|enum class|enum|union)\s+(?:\[\[\w+\]\]\s+)?(\w+)"
    r"|^using (\w+) =|^#define (\w+)|^MATCHER\w*\((\w+)"
    r"|^(?!TEST|namespace|struct|class|enum|union|using|template|public|private|protected)"
    r"\w.*?(\w+)(?:\(|\[|\{|;| =)", re.M)


def words_of(pattern, text):
    return {word for found in pattern.finditer(text) for word in found.groups() if word}


class File:
    def __init__(self, path, text):
        self.path = path
        self.kept = words_of(DECLARED, NOISE.sub('""', "\n".join(ANONYMOUS.findall(text))))
        self.words = set(re.findall(r"\w+", NOISE.sub('""', text)))

    def clashes(self, other):
        return self.kept & other.words or other.kept & self.words


def groups(files):
    """The files in groups that do not clash, each in the first that takes it."""
    made = []
    for file in files:
        for group in made:
            if len(group) < FILES_MAX and not any(file.clashes(other) for other in group):
                group.append(file)
                break
        else:
            made.append([file])
    return made


def named_groups(files):
    """Groups within folders. Numbers are the folder's own: a group that nothing changes keeps its
    name, and ccache knows it."""
    folders = {}
    for file in files:
        folders.setdefault(os.path.dirname(file.path), []).append(file)
    return [(f"{'_'.join(pathlib.Path(folder).parts[-2:])}_{number}", group)
            for folder, inside in folders.items() for number, group in enumerate(groups(inside))]


if __name__ == "__main__":
    sources = [File(path, pathlib.Path(path).read_text()) for path in sorted(sys.argv[1:])]
    for name, group in named_groups(sources):
        for each in group if len(group) > 1 else []:
            print(name, each.path)
