#!/usr/bin/env python3
"""tidy.py checks what is not known to be clean, all of it, and says when it did not."""
import contextlib
import io
import json
import pathlib
import tempfile
import unittest

import tidy

# Stands in for clang-tidy: a finding for each line with BAD in a source or what it includes. Of a
# file that includes sources it says that they cannot be together where two have the word ALONE.
PROGRAM = """#!/usr/bin/env python3
import pathlib, re, sys
given = pathlib.Path(next(word for word in sys.argv if word.endswith(".cc")))
sources = [pathlib.Path(name) for name in re.findall('#include "(.+[.]cc)"', given.read_text())]
sources = sources or [given]
with open("checked.txt", "a") as log:
    print(" ".join(sys.argv[1:]).replace(str(given), " ".join(map(str, sources))), file=log)
files = sources + [pathlib.Path("src", name) for source in sources for name in
                   re.findall('#include "(.+[.]h)"', source.read_text())]
if sum("ALONE" in source.read_text() for source in sources) > 1:
    sys.exit("they clash")
bad = [f"{file.resolve()}:{number}:1: error: bad\\n  | {line}" for file in files
       for number, line in enumerate(file.read_text().splitlines(), 1) if "BAD" in line]
print("\\n".join(bad))
sys.exit(bool(bad))
"""


class Checkout:
    """A tree of {path: text} that runs the lint."""

    def __init__(self, root, files):
        self.root = pathlib.Path(root).resolve()
        self.write({".clang-tidy": "", "fake": PROGRAM, **files})
        (self.root / "fake").chmod(0o755)
        self.compiles([path for path in files if path.endswith(".cc")])

    def write(self, files):
        for path, text in files.items():
            file = self.root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)

    def compiles(self, sources, options="-Ix"):
        entries = [{"file": str(self.root / path), "command": f"clang++ {options} -o x.o -c {path}"}
                   for path in sources]
        self.write({"build/dev/compile_commands.json": json.dumps(entries)})

    def lint(self, everything=False, **options):
        """(clean, sources checked, what was printed)"""
        (self.root / "checked.txt").write_text("")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            clean = tidy.Lint(self.root, program=self.root / "fake", **options).run(everything)
        calls = (self.root / "checked.txt").read_text().splitlines()
        names = [word.removeprefix(f"{self.root}/") for call in calls for word in call.split()
                 if word.endswith(".cc")]
        return clean, sorted(set(names)), printed.getvalue()

    def call(self):
        return (self.root / "checked.txt").read_text()


def wide(count):
    """A header that `count` sources include, and its own source."""
    users = {f"src/u{n:02}.cc": '#include "wide.h"\n' for n in range(count)}
    return {"src/wide.h": "int x;\n", "src/wide.cc": '#include "wide.h"\n', **users}


class Tidy(unittest.TestCase):
    def checkout(self, files):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return Checkout(folder.name, files)

    def test_what_has_passed_is_checked_again_when_it_changes_and_not_before(self):
        tree = self.checkout({"src/a.cc": "int a;\n", "src/b.cc": "int b;\n"})
        self.assertEqual(tree.lint()[:2], (True, ["src/a.cc", "src/b.cc"]))
        self.assertEqual(tree.lint()[:2], (True, []))
        tree.write({"src/a.cc": "int c;\n"})
        self.assertEqual(tree.lint()[:2], (True, ["src/a.cc"]))

    def test_a_finding_fails_until_it_is_gone(self):
        tree = self.checkout({"src/a.cc": "BAD\n", "src/b.cc": "int b;\n"})
        for checked in (["src/a.cc", "src/b.cc"], ["src/a.cc"]):
            clean, names, said = tree.lint()
            self.assertEqual((clean, names), (False, checked))
            self.assertIn("src/a.cc:1:1: error: bad", said)
        tree.write({"src/a.cc": "int a;\n"})
        self.assertEqual(tree.lint()[:2], (True, ["src/a.cc"]))

    def test_sources_of_all_folders_are_checked_by_one_run(self):
        tree = self.checkout({f"src/{name}/{name}.cc": f"int {name};\n" for name in "abcd"})
        self.assertEqual(tree.lint()[:2], (True, [f"src/{name}/{name}.cc" for name in "abcd"]))
        self.assertEqual(len(tree.call().splitlines()), 1)

    def test_sources_that_do_not_go_together_are_checked_each_for_itself(self):
        tree = self.checkout({"src/a.cc": "// ALONE\n", "src/b.cc": "// ALONE\n"})
        self.assertEqual(tree.lint()[:2], (True, ["src/a.cc", "src/b.cc"]))
        self.assertEqual(len(tree.call().splitlines()), 3)

    def test_a_header_is_checked_with_what_includes_it_and_told_once(self):
        tree = self.checkout({"src/a.h": "int a;\n", "src/a.cc": '#include "a.h"\n',
                              "src/b.cc": '#include "a.h"\n', "src/c.cc": "int c;\n"})
        tree.lint()
        tree.write({"src/a.h": "BAD\n"})
        clean, names, said = tree.lint()
        self.assertEqual((clean, names), (False, ["src/a.cc", "src/b.cc"]))
        self.assertEqual(said.count("error: bad"), 1)

    def test_a_header_of_headers_counts_for_the_sources_behind_them(self):
        tree = self.checkout({"src/inner.h": "int i;\n", "src/a.h": '#include "inner.h"\n',
                              "src/a.cc": '#include "a.h"\n', "src/b.cc": "int b;\n"})
        tree.lint()
        tree.write({"src/inner.h": "int j;\n"})
        self.assertEqual(tree.lint()[1], ["src/a.cc"])

    def test_a_wide_header_is_checked_with_its_own_source_and_the_rest_is_named(self):
        tree = self.checkout(wide(tidy.WIDE))
        self.assertNotIn("not checked again", tree.lint(everything=True)[2])
        tree.write({"src/wide.h": "int y;\n"})
        clean, names, said = tree.lint()
        self.assertEqual((clean, names), (True, ["src/wide.cc"]))
        self.assertIn("src/wide.h has changed since ./dev lint all; not checked again: "
                      f"{tidy.WIDE} sources", said)
        self.assertIn("not checked again", tree.lint()[2])
        self.assertEqual(len(tree.lint(everything=True)[1]), tidy.WIDE + 1)
        self.assertNotIn("not checked again", tree.lint()[2])

    def test_a_header_of_few_is_checked_with_all_of_them(self):
        tree = self.checkout(wide(tidy.WIDE - 1))
        tree.lint()
        tree.write({"src/wide.h": "int y;\n"})
        self.assertEqual(len(tree.lint()[1]), tidy.WIDE)

    def test_what_there_was_no_time_for_is_a_failure_with_names(self):
        tree = self.checkout({"src/a.cc": "int a;\n"})
        clean, names, said = tree.lint(seconds=-1)
        self.assertEqual((clean, names), (False, []))
        self.assertIn("no time for src/a.cc", said)
        self.assertEqual(tree.lint()[:2], (True, ["src/a.cc"]))

    def test_a_header_that_nothing_includes_is_a_failure(self):
        clean, _, said = self.checkout({"src/a.cc": "", "src/lonely.h": ""}).lint()
        self.assertFalse(clean)
        self.assertIn("src/lonely.h was not reached", said)

    def test_other_rules_make_everything_unknown(self):
        tree = self.checkout({"src/a.cc": "int a;\n"})
        tree.lint()
        tree.write({".clang-tidy": "Checks: '*'\n"})
        self.assertEqual(tree.lint()[1], ["src/a.cc"])

    def test_the_record_serves_another_clone_and_a_merge_of_both_sides(self):
        files = {"src/a.cc": "int a;\n", "src/b.cc": "int b;\n"}
        one, other = self.checkout(files), self.checkout(files)
        one.lint()
        other.write({tidy.RECORD: (one.root / tidy.RECORD).read_text()})
        self.assertEqual(other.lint()[1], [])
        other.write({"src/b.cc": "int c;\n"})
        other.lint()
        ours, theirs = ((tree.root / tidy.RECORD).read_text() for tree in (one, other))
        one.write({tidy.RECORD: ours + theirs, "src/b.cc": "int c;\n"})
        self.assertEqual(one.lint()[1], [])
        self.assertEqual((one.root / tidy.RECORD).read_text(), theirs)

    def test_a_source_that_the_build_leaves_out_is_checked_as_its_neighbours_are(self):
        tree = self.checkout({"src/a.cc": "int a;\n", "bench/b.cc": "int b;\n"})
        tree.compiles(["src/a.cc"], "-DNEAR")
        self.assertEqual(tree.lint()[1], ["bench/b.cc", "src/a.cc"])
        self.assertEqual(tree.call().count("-DNEAR"), 2)

    def test_flags_are_those_of_the_compiler_without_precompiled_headers(self):
        command = ("/usr/bin/ccache clang++-19 -DA='\"1\"' -Isrc -Winvalid-pch "
                   "-Xclang -include-pch -Xclang /b/cmake_pch.hxx.pch "
                   "-Xclang -include -Xclang /b/cmake_pch.hxx "
                   "-fpch-instantiate-templates -Xclang -fno-pch-timestamp "
                   "-include /b/cmake_pch.hxx -std=c++20 -MD -MT x.o -MF x.d -o x.o -c /s/x.cc")
        self.assertEqual(tidy.flags(command), ['-DA="1"', "-Isrc", "-std=c++20"])

    def test_fewer_checks_count_for_tests_and_benchmarks(self):
        self.assertEqual(tidy.checks_of("src/a.cc"), [f"--checks={tidy.GROUP_CHECKS}"])
        for path in ("src/a_test.cc", "tests/support/a.cc", "bench/a.cc"):
            self.assertEqual(tidy.checks_of(path), [tidy.TEST_CHECKS])


if __name__ == "__main__":
    unittest.main()
