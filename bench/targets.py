"""The targets of this project, each judged from the figures of a record and never by hand."""
from figures import APART, figure

FLAT = "Memory and open files over 1,000,000 calls"
SIGNS = {"at most": "≤", "at least": "≥"}


class Record:
    """What docs/benchmarks.json holds, asked for single figures."""

    def __init__(self, content):
        self.measures = content["measures"]

    def tables(self, measure):
        return self.measures.get(measure, {}).get("tables", [])

    def median(self, place, work, subject):
        """`place`: (measure, number of its table). None where there is no such figure."""
        measure, number = place
        tables = self.tables(measure)
        for row in tables[number]["rows"] if number < len(tables) else []:
            if (row["work"], row["subject"]) == (work, subject) and "failed" not in row:
                return row["median"]
        return None

    def ratio(self, place, work, one="pi-mcp", other="relay"):
        return over(self.median(place, work, one), self.median(place, work, other))

    def added(self, subject, table=0):
        """µs that a subject adds to each call; on one core (0) or on any (1)."""
        alone, through = (self.median(("calls", table), "", name) for name in ("direct", subject))
        return None if alone is None or through is None else through - alone

    def added_over_http(self, subject):
        """µs that one over HTTP adds to a call of the server on stdio."""
        alone, through = (self.median(("http_calls", 0), "", name) for name in ("direct", subject))
        return None if alone is None or through is None else through - alone

    def works(self, place):
        measure, number = place
        tables = self.tables(measure)
        return [row["work"] for row in tables[number]["rows"]] if number < len(tables) else []


def over(one, other):
    return None if one is None or not other else one / other


def largest(values):
    known = [value for value in values if value is not None]
    return max(known) if known else None


def flat(record):
    tables = record.tables("day")
    return tables[0].get("flat") if tables else None


def pi_start(record):
    with_it, alone = (record.median(("pi", 0), "", name) for name in ("with pi-mcp", "Pi alone"))
    return None if with_it is None or alone is None else with_it - alone


def list_bytes(record):
    return largest(record.median(("start", 1), work, "pi-mcp")
                   for work in record.works(("start", 1)))


def over_http(record):
    """The lines of serve --http; of two paths, what is worse."""
    paths = ("pi-mcp /mcp", "pi-mcp /servers/s0/mcp")
    rates = [record.ratio(("http_calls", 1), "", path) for path in paths]
    return [
        ("Over HTTP: time added to a call, × what the relay adds", "http_calls",
         largest(over(record.added_over_http(path), record.added_over_http("relay"))
                 for path in paths), "at most", 2, ""),
        ("Over HTTP: 64 connections, share of the relay's calls/s", "http_calls",
         None if None in rates else min(rates), "at least", 0.4, ""),
        ("Over HTTP: peak with a 50 MB answer", "http_large",
         largest(record.median(("http_large", 1), "", path) for path in paths), "at most", 64,
         "MiB"),
        ("Over HTTP: an idle session", "http_sessions",
         record.median(("http_sessions", 0), "once all are open", "pi-mcp"), "at most", 2, "KiB"),
        ("Over HTTP: an idle session with a stream", "http_sessions",
         record.median(("http_sessions", 0), "each with a stream that it reads", "pi-mcp"),
         "at most", 8, "KiB"),
        ("The same in front of one server", "http_sessions",
         record.median(("http_sessions", 0), "the same in front of one server", "pi-mcp"),
         "at most", 8, "KiB"),
    ]


def of_sessions(record):
    """The lines of sessions that use the same ten real servers."""
    def weighed(table, work):
        return record.median(("real_sessions", table), work, "pi-mcp, shared")

    one, four = weighed(0, "1 session × 10 servers"), weighed(0, "4 sessions × 10 servers")
    # Without pages of files, which a kernel that is short of memory takes from any process.
    busy = weighed(1, "1 session × 10 servers, the calls of 20")
    twenty = weighed(1, "20 sessions × 10 servers")
    each = None if busy is None or twenty is None else (twenty - busy) / 19
    all_twenty = weighed(0, "20 sessions × 10 servers")
    all_each = None if one is None or all_twenty is None else (all_twenty - one) / 19
    return [
        ("4 sessions that use 10 real servers, × the PSS of one", "real_sessions",
         over(four, one), "at most", 1.05, ""),
        ("Each further session, up to 20, with the calls that it makes (PSS)", "real_sessions",
         all_each, "at most", 1, "MiB"),
        ("The same beside one that calls as often, without pages of files", "real_sessions",
         each, "at most", 1, "MiB"),
    ]


def targets(record):
    """[(what, measure, figure or None, "at most" or "at least", limit, unit)]."""
    cached = "100 × 10 tools cached"
    lines = [
        ("Time added to a call, × what the relay adds", "calls",
         over(record.added("pi-mcp"), record.added("relay")), "at most", 1.5, ""),
        ("64 in flight, share of the relay's calls/s", "in_flight",
         record.ratio(("in_flight", 0), ""), "at least", 0.5, ""),
        ("Added through the shared process, × what pi-mcp alone adds", "calls",
         over(record.added("pi-mcp, shared", 1), record.added("pi-mcp", 1)), "at most", 1.05, ""),
        ("On one core: added through the shared process, × what pi-mcp alone adds", "calls",
         over(record.added("pi-mcp, shared"), record.added("pi-mcp")), "at most", 1.05, ""),
        ("The same × what one in a session of its own adds", "calls",
         over(record.added("pi-mcp, shared"), record.added(APART)), "at most", 1.05, ""),
        ("64 in flight through the shared process, share of the calls/s of pi-mcp alone",
         "in_flight", record.ratio(("in_flight", 0), "", "pi-mcp, shared", "pi-mcp"),
         "at least", 0.85, ""),
        *((f"{work}, × the relay's time", "payloads", record.ratio(("payloads", 0), work),
           "at most", 1.5, "")
          for work in ("5 MB text", "5 MB image", "5 MB argument")),
        ("Started → tools listed with 100 servers × 10 tools, × the relay's start", "start",
         record.ratio(("start", 0), "100 servers × 10 tools"), "at most", 1.5, ""),
        ("Started → tools listed through the shared process, 1 to 100 servers, × the relay's start",
         "start",
         largest(record.ratio(("start", 0), f"{count} × 10 tools", "pi-mcp, shared")
                 for count in ("1 server", "10 servers", "100 servers")), "at most", 1.2, ""),
        ("Alone with 1,000 servers × 10 tools", "start",
         record.median(("start", 0), "1000 servers × 10 tools", "pi-mcp"), "at most", 20, "ms"),
        ("Answer to tools/list, for any number of servers", "start", list_bytes(record),
         "at most", 1500, "bytes"),
        (f"PSS idle, {cached}", "memory_use",
         record.median(("memory_use", 0), cached, "pi-mcp: PSS"), "at most", 5, "MiB"),
        ("PSS after using 10 servers", "memory_use",
         record.median(("memory_use", 0), "10 servers used once", "pi-mcp: PSS"),
         "at most", 4, "MiB"),
        *of_sessions(record),
        *over_http(record),
        ("One call from a shell, × driving the server directly", "one_shot",
         record.ratio(("one_shot", 0), "", other="direct"), "at most", 3, ""),
        ("Added to Pi's start", "pi", pi_start(record), "at most", 30, "ms"),
        ("Index of 10,000 tools ready", "search",
         record.median(("search", 0), "10,000 tools", "ready, once"), "at most", 30, "ms"),
        ("Search among 100,000 tools, p50", "search",
         record.median(("search", 0), "100,000 tools", "p50"), "at most", 5, "ms"),
    ]
    return lines


def is_met(value, bound, limit):
    if value is None:
        return None
    return value <= limit if bound == "at most" else value >= limit


def verdict(met):
    return {None: "not measured", True: "met", False: "**not met**"}[met]


def unmet(content):
    """[(what, figure, target)] of what is missed; each figure is told as exactly as it takes to see
    on which side of its limit it is."""
    found = []
    for what, _, value, bound, limit, unit in targets(Record(content)):
        if is_met(value, bound, limit) is False:
            found.append((what, f"{figure(value, limit)} {unit}".strip(),
                          f"{SIGNS[bound]} {limit} {unit}".strip()))
    if flat(Record(content)) is False:
        found.append((FLAT, "not flat", "flat"))
    return found


def markdown(content):
    record = Record(content)
    lines = ["### Targets", "", "| | target | measured | | at |", "|---|---|---|---|---|"]

    def at(measure):
        return content["measures"].get(measure, {}).get("commit", "")

    for what, measure, value, bound, limit, unit in targets(record):
        shown = f"{figure(value, limit)} {unit if value is not None else ''}".rstrip()
        lines.append(f"| {what} | {SIGNS[bound]} {limit} {unit}".rstrip() +
                     f" | {shown} | {verdict(is_met(value, bound, limit))} | {at(measure)} |")
    is_flat = flat(record)
    lines.append(f"| {FLAT} | flat | "
                 f"{ {None: '–', True: 'flat', False: 'not flat'}[is_flat]} | {verdict(is_flat)} | "
                 f"{at('day')} |")
    return "\n".join(lines) + "\n"
