#!/usr/bin/env python3
"""Each rule of check_tree.py finds what it is for, and nothing in a tree that is in order."""
import pathlib
import tempfile
import unittest

import check_tree

TO_DO = "TO" + "DO"


def found(files, rule):
    """What `rule` says about a tree of {path: text}, as 'path:line'."""
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            file = pathlib.Path(root, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        problems = list(check_tree.check(root))
    return [p.split(": ")[0] for p in problems if p.endswith(f"[{rule}]")]


class CheckTree(unittest.TestCase):
    def test_a_folder_has_few_units(self):
        many = {f"src/a/b{n}.h": "// x\n" for n in range(28)}
        self.assertEqual(found(many, "folders"), ["src/a:1"])
        few = {f"src/a/b{n}{end}": "// x\n" for n in range(25) for end in (".h", ".cc", "_test.cc")}
        self.assertEqual(found(few, "folders"), [])

    def test_a_long_source_is_found_and_a_listed_one_is_not(self):
        long = {"src/a/b.h": "// x\n" * 501}
        self.assertEqual(found(long, "size"), ["src/a/b.h:500"])
        listed = {**long, "tools/limits_exceptions.txt": "size src/a/b.h why"}
        self.assertEqual(found(listed, "size"), [])
        self.assertEqual(found({"tests/b_test.cc": "// x\n" * 501}, "size"), [])

    def test_an_exception_that_is_not_needed_is_found(self):
        listed = {"src/a/b.h": "// x\n", "tools/limits_exceptions.txt": "size src/a/b.h why"}
        self.assertEqual(found(listed, "exceptions"), ["tools/limits_exceptions.txt:1"])
        self.assertEqual(found({**listed, "src/a/b.h": "// x\n" * 501}, "exceptions"), [])

    def test_a_header_begins_with_its_purpose_and_a_source_may_leave_it_to_the_header(self):
        self.assertEqual(found({"src/a/b.h": "#pragma once\n"}, "purpose"), ["src/a/b.h:1"])
        self.assertEqual(found({"src/a/c.cc": "int x;\n"}, "purpose"), ["src/a/c.cc:1"])
        self.assertEqual(found({"src/a/b.h": "// Why.\n", "src/a/b.cc": "int x;\n"}, "purpose"), [])

    def test_leftover_markers_are_found_unless_they_name_an_issue(self):
        self.assertEqual(found({"src/a/b.h": f"//\n// {TO_DO}: x\n"}, "leftovers"), ["src/a/b.h:2"])
        self.assertEqual(found({"src/a/b.h": f"//\n// {TO_DO}(#7): x\n"}, "leftovers"), [])
        self.assertEqual(found({"README.md": "FIX" + "ME\n"}, "leftovers"), ["README.md:1"])

    def test_sleeps_and_switched_off_tests_are_found_in_tests_only(self):
        body = "// t\nstd::this_thread::sleep" + "_for(1s);\n"
        self.assertEqual(found({"src/a/b_test.cc": body}, "sleeps"), ["src/a/b_test.cc:2"])
        self.assertEqual(found({"src/a/b.cc": body}, "sleeps"), [])
        off = "// t\nTEST(A, DISABLED" + "_b) {}\n"
        self.assertEqual(found({"src/a/b_test.cc": off}, "disabled_tests"), ["src/a/b_test.cc:2"])

    def test_a_suppression_without_check_or_reason_is_found(self):
        for text in ["// NOLINT", "// NOLINTNEXTLINE(bugprone-x)"]:
            self.assertEqual(found({"src/a/b.h": f"//\n{text}\n"}, "suppressions"), ["src/a/b.h:2"])
        fine = "//\nx;  // NOLINT(bugprone-x): the caller holds it\n"
        self.assertEqual(found({"src/a/b.h": fine}, "suppressions"), [])

    def test_invariants_hold_per_folder(self):
        bad = {"src/rpc/a.h": "//\n#include <unistd.h>\n", "src/json/b.h": "//\nClock::now();\n",
               "src/catalog/c.h": "//\n#include <boost/asio.hpp>\n",
               "src/gateway/d.h": '//\nstd::puts("x");\n',
               "src/gateway/e.h": '//\n#include "io/process/environment.h"\n',
               "src/io/f.h": '//\nstd::getenv("TMPDIR");\n',
               "src/io/g.cc": '//\n#include <sys/inotify.h>\n',
               "src/io/i.cc": '//\ndlopen("libx.so", RTLD_NOW);\n',
               "src/runs/h.cc": '//\nread("/proc/self/stat");\n'}
        self.assertEqual(found(bad, "invariants"), [f"{path}:2" for path in sorted(bad)])
        good = {"src/io/process/environment.cc": '// x\nstd::getenv("HOME");\n',
                "src/cli/a.h": '//\n#include "io/process/environment.h"\n',
                "src/io/g_linux.cc": '//\n#include <sys/inotify.h>\nread("/proc/self/stat");\n',
                "src/io/a.h": "//\n#include <unistd.h>\n#include <boost/asio.hpp>\n",
                "src/cli/b.h": '//\nstd::puts("x");\n', "src/servers/c.h": "//\nClock::now();\n",
                "src/gateway/d.h": '//\nf("junk on stdout");  // stdout\n'}
        self.assertEqual(found(good, "invariants"), [])

    def test_the_environment_is_read_by_no_product_source(self):
        for text in ('std::getenv("A");', 'secure_getenv("A");', "extern char** environ;"):
            for path in ("src/io/a.cc", "src/cli/a.cc", "src/servers/a.h"):
                self.assertEqual(found({path: f"//\n{text}\n"}, "environment"), [f"{path}:2"])
        for path, text in (("src/io/a_test.cc", 'getenv("A");'), ("src/io/a.cc", "// getenv"),
                           ("src/io/a.cc", "environment(x);"), ("bench/a.cc", 'getenv("A");'),
                           ("src/packages/a.h", 'os.environ.pop("A")')):
            self.assertEqual(found({path: f"//\n{text}\n"}, "environment"), [])

    def test_a_class_has_25_public_members_at_most(self):
        def header(count):
            members = "".join(f"  void f{n}();\n" for n in range(count))
            return {"src/a/b.h": f"//\nclass Many {{\n public:\n{members}}};\n"}

        self.assertEqual(found(header(25), "members"), [])
        self.assertEqual(found(header(26), "members"), ["src/a/b.h:2"])

    def test_absolute_paths_of_machines_are_found(self):
        for path in ("/home" + "/someone/x", "/Users" + "/someone", "/root" + "/.profile",
                     "/workspace" + "/repo/a.cc", "/builds" + "/1/x", "/mnt" + "/disk/x",
                     "/tmp" + "/job-1/out"):
            for text in (path, f"see `{path}`", f'open("{path}")', f"-I{path}", f"x={path}",
                         f"file://{path}"):
                page = {"docs/a.md": f"\n{text}\n"}
                self.assertEqual(found(page, "machine_traces"), ["docs/a.md:2"], text)

    def test_paths_of_the_checkout_itself_are_found_wherever_it_lies(self):
        tree = check_tree.Tree("/odd/place")
        tree.files = {"a.md": ["cd /odd/place/src", "cd /odd/other"]}
        self.assertEqual([line for _, line, _ in check_tree.machine_traces(tree)], [1])

    def test_paths_that_every_machine_has_or_nobody_are_no_traces(self):
        for text in ("/usr/bin/env", "/home/ann/.pi/agent", "/home/u", "/tmp/out-1.txt", "/etc/x/y",
                     "/proc/self/maps", "src/mnt/a.h", "$HOME/mnt/x", "${PWD}/build/dev",
                     "~/mnt/x", "https://x.example/home/bob", "/v1/mcp", "build/dev/tests"):
            self.assertEqual(found({"docs/a.md": text + "\n"}, "machine_traces"), [], text)

    def test_registries_are_found(self):
        for text in ('"resolved' + '": "https://x/y.tgz"', "registry" + ".x.org"):
            lock = {"package-lock.json": text + "\n"}
            self.assertEqual(found(lock, "machine_traces"), ["package-lock.json:1"])

    def test_documents_name_only_files_and_verbs_that_exist(self):
        page = "`src/a/b.h` `src/a/c.h` [x](docs/y.md) `tools/call`\n./dev build ./dev fly\n"
        tree = {"README.md": page, "src/a/b.h": "//\n", "dev": "build) x ;;\n"}
        self.assertEqual(found(tree, "dead_paths"), ["README.md:1", "README.md:1"])
        self.assertEqual(found(tree, "verbs"), ["README.md:2"])

    def test_versions_agree(self):
        tree = {"CMakeLists.txt": "project(pi-mcp VERSION 1.2.3)\n", "CHANGELOG.md": "## [1.2.2]\n"}
        self.assertEqual(found(tree, "version"), ["CHANGELOG.md:1"])
        self.assertEqual(found({**tree, "CHANGELOG.md": "## [Unreleased]\n"}, "version"), [])

    def test_a_row_that_holds_names_a_test_that_exists(self):
        tree = {"src/a/b_test.cc": "//\nTEST(A, b) {}\n",
                "tests/e2e/x.mjs": "//\ntest('does y', f)\n"}

        def rows(*lines):
            others = [f"| {row} | it | | missing |" for row in range(2, 96)]
            page = {"docs/compatibility.md": "\n".join([*lines, *others])}
            return found({**tree, **page}, "compatibility")

        self.assertEqual(rows("| 1 | it | `A.b`, `does y` | holds |"), [])
        self.assertEqual(rows("| 1 | it | `A.c` | holds |"), ["docs/compatibility.md:1"])
        self.assertEqual(rows("| 1-3 | it | | holds |"), ["docs/compatibility.md:1"] * 2)
        self.assertEqual(rows(), ["docs/compatibility.md:1"], "row 1")
        self.assertEqual(rows("| 1 | it | | nearly |"), ["docs/compatibility.md:1"])

    def test_the_rows_beside_other_clients_of_pi_name_what_exists(self):
        tree = {"tests/pi/a.test.mjs": 'test("it works", async () => {});\n'}

        def rows(line):
            head = "| point | a | b | c | shown by |\n|---|---|---|---|---|\n"
            return found({**tree, "docs/pi.md": head + line + "\n"}, "beside")
        for shown in ("`it works`", "`a.test.mjs`", "[page](a.md)"):
            self.assertEqual(rows(f"| it | no | no | yes | {shown} |"), [])
        self.assertEqual(rows("| it | no | no | yes | `it fails` |"), ["docs/pi.md:3"])
        self.assertEqual(rows("| it | no | no | yes | – |"), ["docs/pi.md:3"])

    def test_what_the_gateway_carries_is_shown_by_tests_that_exist(self):
        tree = {"src/a/b_test.cc": "//\nTEST(A, b) {}\n", "tests/transcripts/host/c.txt": "x\n",
                "tests/e2e/x.mjs": "//\ntest(\"does x's y\", f)\n"}

        def rows(*lines):
            page = {"docs/gateway.md": "\n".join(["| feature | by | direct | shown by |", *lines])}
            return found({**tree, **page}, "gateway")

        self.assertEqual(rows("| it | yes | | `A.b`, `host/c.txt`, `does x's y` |"), [])
        self.assertEqual(rows("| it | yes | yes | `A.b`, `host/d.txt` |"), ["docs/gateway.md:2"])
        self.assertEqual(rows("| it | yes | no | [why](decisions/1.md) |"), ["docs/gateway.md:2"])
        self.assertEqual(rows("| it | no | no | [why](decisions/1.md) |"), [])

    def test_each_code_of_doctor_has_a_section_that_names_a_test(self):
        tree = {"src/doctor/finding.cc": '//\n{"PM-A"}, {"PM-B-C"}\n',
                "src/a/b_test.cc": "//\nTEST(A, b) {}\n"}

        def rows(*lines):
            return found({**tree, "docs/doctor.md": "\n".join(lines)}, "doctor")

        good = ["## PM-A", "Shown by `A.b`.", "## PM-B-C", "Shown by `A.b`."]
        page = "docs/doctor.md"
        self.assertEqual(rows(*good), [])
        self.assertEqual(rows(*good[:2]), [f"{page}:1"])
        self.assertEqual(rows(*good[:3]), [f"{page}:1"])
        self.assertEqual(rows(*good[:3], "Shown by `A.c`."), [f"{page}:4"])
        self.assertEqual(rows(*good, "## PM-D"), [f"{page}:5"])


if __name__ == "__main__":
    unittest.main()
