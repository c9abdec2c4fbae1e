"""The queries of packaging/replicas ask for what /metrics has. Usage: dashboard_test.py PI_MCP
FAKE_SERVER"""
import json
import pathlib
import re
import unittest

from http_client import MODERN
from replica_home import ReplicasTest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "packaging/replicas"
# What Prometheus adds to each sample, and what it has of its own.
ADDED, OWN = {"job", "instance"}, {"up"}
WORDS = {"or", "and", "unless", "bool"}
# Values that only bad days make.
RARE = {("status", "403"), ("status", "503")}


def samples(text):
    """The values of each label of each metric."""
    found = {}
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        name, labels = re.fullmatch(r"(\w+)(?:\{(.*)\})? \S+", line).groups()
        labels_of = found.setdefault(name, {})
        for label, value in re.findall(r'(\w+)="([^"]*)"', labels or ""):
            labels_of.setdefault(label, set()).add(value)
    return found


def alert_expressions():
    """Each is one line, or lines below `>-` that are farther in."""
    lines = (FOLDER / "alerts.yaml").read_text().splitlines()
    for number, line in enumerate(lines):
        found = re.fullmatch(r"( *)expr: (.*)", line)
        if not found:
            continue
        text = found[2]
        if text == ">-":
            text = ""
            for below in lines[number + 1:]:
                if len(below) - len(below.lstrip()) <= len(found[1]):
                    break
                text += below.strip() + " "
        yield text


TOKEN = re.compile(r'"[^"]*"|\{[^}]*\}|\b(?:by|on) \([^)]*\)|[a-zA-Z_]\w*|\S')


class Query:
    """As much of PromQL as the two files have."""
    def __init__(self, text):
        tokens = TOKEN.findall(re.sub(r"\[[\w$]+\]", "", text)) + [""]
        self.grouped = set()
        self.matched = []  # of each: its name, and what it wants of which label
        for token, behind in zip(tokens, tokens[1:]):
            if re.match(r"(by|on) \(", token):
                self.grouped |= set(re.findall(r"\w+", token)[1:])
            elif re.match(r"[a-zA-Z_]", token) and token not in WORDS and not re.match(
                    r"\(|(by|on) \(", behind):
                matchers = behind if behind.startswith("{") else ""
                self.matched.append((token, re.findall(r'(\w+)(!?=~?)"([^"]*)"', matchers)))


class Queries(ReplicasTest):
    def setUp(self):
        super().setUp()
        store = self.store()
        a, b = self.replicas(2, f"redis://127.0.0.1:{store.port}")
        self.load(a, b)
        self.known = {}
        for replica in (a, b):
            metrics = self.at(replica, path="/metrics").request("GET").body
            for name, labels in samples(metrics).items():
                for label, values in labels.items():
                    self.known.setdefault(name, {}).setdefault(label, set()).update(values)
                self.known.setdefault(name, {})

    def load(self, a, b):
        """Calls and a stream, here and through the other replica, failures and refusals."""
        client = self.session_at(a)
        self.assertTrue(client.request("GET").is_stream)
        self.echo(client, b, "passed on")
        self.assertIn("error", client.post("tools/call", {"name": "none"}).message())
        stranger = self.at(b, token="pimcp_none")
        self.assertEqual(stranger.post("ping").status, 401)
        token = self.home.run("token", "add", "slow", "--rate", "1/m").stdout.strip()
        slow = self.at(b, version=MODERN, token=token)
        self.assertEqual([slow.post("tools/list").status for _ in range(2)], [200, 429])

    def check_query(self, text, legend=""):
        query = Query(text)
        self.assertTrue(query.matched, text)
        labels = set(ADDED)
        for name, matchers in query.matched:
            if name not in OWN:
                self.assertIn(name, self.known, text)
                labels |= self.known[name].keys()
            for label, relation, value in matchers:
                if label in ADDED:
                    continue
                self.assertIn(label, self.known[name], text)
                for one in value.split("|") if "!" not in relation else ():
                    if (label, one) not in RARE:
                        self.assertIn(one, self.known[name][label], text)
        self.assertLessEqual(query.grouped, labels, text)
        said = set(re.findall(r"\{\{(\w+)\}\}", legend))
        self.assertLessEqual(said, query.grouped or labels, text)

    def test_dashboard_and_alerts_ask_for_what_is_there(self):
        panels = json.loads((FOLDER / "dashboard.json").read_text())["panels"]
        targets = [target for panel in panels for target in panel["targets"]]
        self.assertGreater(len(targets), 20)
        for target in targets:
            self.check_query(target["expr"], target["legendFormat"])
        alerts = list(alert_expressions())
        self.assertGreater(len(alerts), 5)
        for text in alerts:
            self.check_query(text)
        variable, = [each for each in json.loads((FOLDER / "dashboard.json").read_text())[
            "templating"]["list"] if each["name"] == "job"]
        self.assertIn("label_values(pi_mcp_connections, job)", variable["query"]["query"])

    def test_a_query_for_what_is_not_there_is_seen(self):
        for wrong in ('sum(rate(pi_mcp_none_total{job="x"}[5m]))',
                      'pi_mcp_calls{method="x"}', "sum by (method) (pi_mcp_calls)",
                      'rate(pi_mcp_answers_total{method="none"}[5m])',
                      'pi_mcp_calls / pi_mcp_none{job="x"}', "pi_mcp_calls or pi_mcp_none"):
            with self.subTest(wrong), self.assertRaises(AssertionError):
                self.check_query(wrong)


if __name__ == "__main__":
    unittest.main(argv=[__file__])
