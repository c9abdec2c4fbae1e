#!/usr/bin/env python3
"""The pages say of each figure where it comes from, what is missed, and what the record says."""
import pathlib
import tempfile
import unittest
from unittest import mock

import figures
import pages
import targets


def run(commit, **others):
    return {"commit": commit, "date": f"date of {commit}", "command": f"measure {commit}",
            "machine": {"processor": "P", "cores": 2, "kernel": "6"}, "versions": {},
            "not_driven": [], **others}


def measure(of, rows=()):
    table = {"title": "T", "unit": "µs", "kind": "share", "base": "", "note": "",
             "rows": [{"work": "", "subject": name, "median": value} for name, value in rows]}
    return {"run": of, "commit": of, "date": "2026-01-02 10:00", "rounds": 9, "load": 1.0,
            "seconds": 3, "tables": [table]}


def record(calls="a", memory="a", added=15.3, **others):
    """Of which run the measures are, and what pi-mcp adds to a call to which a relay adds 10."""
    rows = [("direct", 5), ("relay", 15), ("pi-mcp", 5 + added)]
    return {"runs": {name: run(name, **others) for name in {calls, memory}},
            "measures": {"calls": measure(calls, rows), "memory_use": measure(memory)}}


class Pages(unittest.TestCase):
    def test_figures_of_one_command_are_of_one_run(self):
        text = pages.readme_text(record())
        self.assertIn("Medians of one run at a (2026-01-02) on 2 cores", text)

    def test_figures_of_two_commits_are_not_of_one_run(self):
        text = pages.readme_text(record("a", "b"))
        self.assertIn("Medians at a (2026-01-02), b (2026-01-02)", text)
        self.assertNotIn("one run", text)

    def test_figures_of_commands_that_nobody_recorded_are_not_of_one_run(self):
        self.assertNotIn("one run", pages.readme_text(record(command=None)))

    def test_each_measure_says_its_commit_and_each_run_its_measures(self):
        text = pages.page_text(record("a", "b"))
        self.assertIn("At a, 2026-01-02 10:00, 9 rounds", text)
        self.assertIn("At a, date of a, P, 2 cores, Linux 6, `measure a`: calls.", text)
        self.assertIn("`measure b`: memory_use.", text)
        self.assertRegex(text, r"Time added to a call.*\| a \|")

    def test_the_readme_names_what_is_missed_by_how_little_it_may_be(self):
        text = pages.readme_text(record(added=15.3))
        self.assertIn("Time added to a call, × what the relay adds: 1.53, the target", text)
        self.assertIn(": 1.50001, the target", pages.readme_text(record(added=15.0001)))
        self.assertIn("All targets of `docs/benchmarks.md` are met.",
                      pages.readme_text(record(added=15)))

    def test_figures_have_three_digits_unless_that_hides_a_difference(self):
        self.assertEqual(figures.figure(1.5011, 1.5), "1.501")
        self.assertEqual(figures.figure(1.5, 1.5), "1.5")
        self.assertEqual(figures.figure(1.72962), "1.73")
        self.assertEqual(figures.figure(274113.2, 5), "274,113")
        self.assertEqual(figures.figure(None, 1.5), "–")

    def test_a_verdict_is_of_the_figure_and_not_of_what_is_shown(self):
        self.assertIn("| 1.5001 | **not met** |", targets.markdown(record(added=15.001)))

    def test_a_page_that_says_something_else_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            page, readme = (pathlib.Path(folder, name) for name in ("page.md", "readme.md"))
            page.write_text("<!-- numbers -->\n<!-- /numbers -->\n")
            readme.write_text("<!-- measured -->\n<!-- /measured -->\n")
            with mock.patch.multiple(pages, PAGE=page, README=readme,
                                     RECORD=pathlib.Path(folder, "record.json")), \
                    mock.patch("builtins.print"):
                pages.write(record())
                self.assertTrue(pages.main())
                readme.write_text(readme.read_text().replace("1.53", "1.5"))
                self.assertFalse(pages.main())


if __name__ == "__main__":
    unittest.main()
