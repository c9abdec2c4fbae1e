"""Samples taken in turn, and what is told of them: medians, percentiles, ratios."""
import contextlib
import datetime
import os
import statistics
import sys

from peers import Peer
from place import Failed, commit

APART = "pi-mcp, in a session of its own"  # see measures.apart()
NO_PEERS = 10 ** 9  # servers of a table without peers: none can have so many

# The last columns: how bad it gets is told by percentiles, of rates and sizes by the range.
COLUMNS = {"time": ("median", "p95", "p99"), "rate": ("median", "low", "high"),
           "size": ("median", "low", "high"), "share": ("median",)}
HEADS = {"low": "lowest", "high": "highest"}


def percentile(ordered, share):
    """None where there are too few samples for it to mean anything."""
    enough = len(ordered) * (1 - share) >= 1
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if enough else None


def summary(samples):
    ordered = sorted(float(f"{sample:.6g}") for sample in samples)
    return {"n": len(ordered), "median": statistics.median(ordered), "low": ordered[0],
            "high": ordered[-1], "p95": percentile(ordered, 0.95),
            "p99": percentile(ordered, 0.99)}


class Table:
    """Rows of one unit: a subject at a work, with a summary of samples or why there are none."""

    def __init__(self, title, unit, kind="time", base="relay", note=""):
        self.head = {"title": title, "unit": unit, "kind": kind, "base": base, "note": note}
        self.rows, self.samples = [], {}

    def add(self, work, subject, samples):
        if not samples:
            self.fail(work, subject, "no sample")
            return
        self.rows.append({"work": work, "subject": subject, **summary(samples)})
        self.samples[f"{work}: {subject}"] = samples

    def fail(self, work, subject, reason):
        self.rows.append({"work": work, "subject": subject, "failed": reason})

    def as_json(self):
        return {**self.head, "rows": self.rows}


class Bench:
    """One run: how often, and which peers take part."""

    def __init__(self, rounds, peers, full):
        self.rounds, self.peers, self.full = rounds, peers, full

    def measure(self, function):
        """What one measure has found, or why it found nothing."""
        print(f"{function.__name__} …", file=sys.stderr, flush=True)
        found = {"commit": commit(), "date": datetime.datetime.now().strftime("%Y-%m-%d %H:%M"),
                 "load": round(os.getloadavg()[0], 1), "rounds": self.rounds}
        began = datetime.datetime.now()
        tables = []
        try:
            tables = function(self)
        except Failed as error:
            found["failed"] = str(error)
        found["seconds"] = round((datetime.datetime.now() - began).total_seconds())
        found["tables"] = [table.as_json() for table in tables]
        return found, [table.samples for table in tables]

    @contextlib.contextmanager
    def subjects(self, own, count, pin=()):
        """{name: subject} of a table: these, and the peers that can have so many servers; all are
        closed at the end."""
        with contextlib.ExitStack() as stack:
            kinds = [peer for peer in self.peers if count <= peer.most_servers]
            found = {}
            for subject in own:
                found[subject.name] = stack.enter_context(contextlib.closing(subject))
            for kind in kinds:
                found[kind.name] = stack.enter_context(contextlib.closing(kind(count, list(pin))))
            yield found

    def alternate(self, subjects, run, rounds=None, share=1):
        """{name: [what run(subject) gave]}: every subject once a round, so that a noisy minute hits
        all alike; peers only in each `share`th round. A subject that fails leaves: {name: Failed}.
        """
        found = {name: [] for name in subjects}
        for turn in range(rounds or self.rounds):
            for name, subject in subjects.items():
                is_peer = isinstance(subject, Peer)
                if isinstance(found[name], Failed) or (is_peer and turn % share):
                    continue
                try:
                    found[name].append(run(subject))
                except Failed as error:
                    found[name] = error
        return found


def fill(table, work, found, of=lambda sample: [sample]):
    """Rows of one work; `of` gives the figures of one sample."""
    for name, samples in found.items():
        if isinstance(samples, Failed):
            table.fail(work, name, str(samples))
        else:
            table.add(work, name, [value for sample in samples for value in of(sample)])


def row_of(table, work, subject):
    """The row of a table of the record that has figures, or None."""
    for row in table["rows"] if table else []:
        if row["work"] == work and row["subject"] == subject and "failed" not in row:
            return row
    return None


def figure(value, beside=None):
    """Three digits, or as many as it takes to tell it from the number beside it."""
    if value is None:
        return "–"
    for digits in range(3, 17):
        text = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.{digits}g}"
        if value == beside or float(text.replace(",", "")) != beside:
            break
    return text


def markdown(table):
    works = any(row["work"] for row in table["rows"])
    columns = COLUMNS[table["kind"]]
    heads = ["", *([""] if works else [])]
    heads += [f"{HEADS.get(name, name)} {table['unit'] if name == 'median' else ''}".strip()
              for name in columns]
    heads += [f"× {table['base']}"] if table["base"] else []
    lines = [f"### {table['title']}", "", "| " + " | ".join(heads) + " |",
             "|---" * len(heads) + "|"]
    for row in table["rows"]:
        cells = [*([row["work"]] if works else []), row["subject"]]
        if "failed" in row:
            cells += [row["failed"]]
            cells += [""] * (len(heads) - len(cells))
        else:
            cells += [figure(row[name]) for name in columns]
            if table["base"]:
                base = row_of(table, row["work"], table["base"])
                cells.append(f"{row['median'] / base['median']:.2f}" if base else "–")
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines + (["", table["note"]] if table["note"] else [])) + "\n"


def side_by_side(tables):
    """One table of the medians of several, each a column."""
    heads = ["", "", *(table["column"] for table in tables)]
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    for first in tables[0]["rows"]:
        cells = [first["work"], first["subject"]]
        if "failed" in first:
            cells += [first["failed"], *[""] * (len(tables) - 1)]
        else:
            rows = (row_of(table, *cells[:2]) for table in tables)
            cells += [figure(row and row["median"]) for row in rows]
        lines.append("| " + " | ".join(cells) + " |")
    notes = [table["note"] for table in tables if table["note"]]
    return "\n".join([*lines, "", *notes]) + "\n"
