"""What a host feels: start, calls one by one and many at once, large payloads, a shell's call."""
from figures import APART, NO_PEERS, Table, fill, row_of
from peers import Mcporter, McporterCall, McporterDaemonCall
from place import DRIVER, ONE_CORE, PRODUCT, RELAY, SERVER, Failed, Shared, direct, ours, relay

MB = 1_000_000
OWN = ("direct", "relay", "pi-mcp", APART, "pi-mcp, shared")


def shared(bench, count):
    """How seldom peers, which are slow, take part so that they have about `count` rounds."""
    return max(1, bench.rounds // count)


def apart():
    """As the process that sessions share, in another session of the kernel than who drives it: the
    kernel schedules sessions as groups, and a switch from one to another costs it more."""
    subject = ours(1, name=APART)
    subject.command = ["setsid", *subject.command]
    return subject


def start(bench):
    table = Table("Process started → tools/list answered, metadata cached", "ms")
    sizes = Table("Size of the answer to tools/list", "bytes", "size", base=None)
    rounds = bench.rounds * (12 if bench.full else 3)
    for count in (1, 10, 100, 1000) if bench.full else (100,):
        work = f"{count} server{'s' if count > 1 else ''} × 10 tools"
        with bench.subjects([relay(), ours(count, 10), Shared(count, 10)], count) as subjects:
            found = bench.alternate(subjects, lambda subject: subject.drive(pin=[], calls=0),
                                    rounds, share=12)
        fill(table, work, found, lambda seen: [seen["list_ms"]])
        fill(sizes, work, {name: seen for name, seen in found.items() if name != "relay"},
             lambda seen: [seen["list_bytes"]])
    table.head["note"] = (
        "The relay has one server, which it starts. The official SDK and supergateway have one, "
        "too; mcporter's daemon has started all servers before, pi-mcp starts none.")
    return [table, sizes]


def first_call(bench):
    table = Table("First call of a session, the server's start included", "ms")

    def once(subject):
        seen = subject.drive(subject.call("echo", text="x"), pin=[], calls=1)
        return seen["us"][0] / 1000, seen["list_ms"] + seen["us"][0] / 1000

    with bench.subjects([relay(), ours(10, 10)], 1) as subjects:
        found = bench.alternate(subjects, once, bench.rounds * 12, share=12)
    fill(table, "the call alone", found, lambda times: [times[0]])
    fill(table, "process started → call answered", found, lambda times: [times[1]])
    table.head["note"] = ("All but pi-mcp start their server before they can list its tools, so "
                          "only the second work compares.")
    return [table]


def calls(bench):
    on_one = Table("One call after the other, on one core", "µs")
    own = [direct(), relay(), ours(1), apart(), Shared(1, on_one_core=True)]
    with bench.subjects(own, 1, ONE_CORE) as subjects:
        call_in_turn(bench, on_one, subjects, share=shared(bench, 5))
    on_one.head["note"] += (
        " Linux schedules sessions as groups (autogroup): on one core a switch to another costs it "
        "more, whatever runs there, so the shared process stands beside one in a session of its "
        "own.")
    on_any = Table("One call after the other, on whichever core the kernel chooses", "µs")
    with bench.subjects([direct(), relay(), ours(1), Shared(1)], NO_PEERS) as subjects:
        call_in_turn(bench, on_any, subjects, pin=[], rounds=bench.rounds * 3)
    on_any.head["note"] += " As hosts run it; each run may be on one core or on several."
    return [on_one, on_any]


def call_in_turn(bench, table, subjects, pin=ONE_CORE, **options):
    found = bench.alternate(
        subjects, lambda subject: subject.drive(subject.call("echo", text="x"), pin=pin,
                                                calls=1000, warm=100)["us"], **options)
    fill(table, "", found, lambda times: times)
    medians = {name: (row_of(table.as_json(), "", name) or {}).get("median") for name in found}
    added = {name: median - medians["direct"] for name, median in medians.items()
             if median and medians["direct"] and name != "direct"}
    table.head["note"] = "Added to each call: " + ", ".join(
        f"{name} {time:.1f} µs" for name, time in added.items()) + "."


def in_flight(bench):
    table = Table("64 calls in flight", "calls/s", "rate")

    def rate(subject):
        count = 20_000 if subject.name in OWN else 4000
        seen = subject.drive(subject.call("echo", text="x"), pin=[], calls=count, window=64)
        return count / seen["us"][0] * 1e6

    with bench.subjects([relay(), ours(1), Shared(1)], 1) as subjects:
        fill(table, "", bench.alternate(subjects, rate, share=shared(bench, 3)))
    return [table]


def payload(bytes_, kind):
    """(tool, arguments, driver's options) of one payload."""
    if kind == "argument":
        return "take", {"text": "FILL"}, {"fill": bytes_}
    return "blob", {"bytes": bytes_, **({"kind": "image"} if kind == "image" else {})}, {}


def payloads(bench):
    times = Table("Large payloads, output guard off", "ms")
    peaks = Table("Peak memory (RSS) with large payloads", "MiB", "size")
    works = [("1 MB text", MB, "text"), ("5 MB text", 5 * MB, "text")]
    if bench.full:
        works = [("1 KB text", 1000, "text"), ("100 KB text", 100_000, "text"),
                 ("1 MB text", MB, "text"), ("5 MB text", 5 * MB, "text"),
                 ("5 MB image", 5 * MB, "image"), ("5 MB argument", 5 * MB, "argument")]
    works.append(("50 MB text", 50 * MB, "text"))
    for work, size, kind in works:
        tool, arguments, options = payload(size, kind)
        is_small, for_peers = size < MB, size < 10 * MB  # no peer is made for more
        options |= {"calls": 200 if is_small else 10 if for_peers else 3, "warm": 2}

        def run(subject):
            seen = subject.drive(subject.call(tool, **arguments), **options)
            if kind != "argument" and seen["bytes"] < size:
                raise Failed(f"the result was cut to {seen['bytes']} bytes")
            return seen

        off = {"outputGuard": False}
        own = [relay(), ours(1, settings=off), Shared(1, settings=off, on_one_core=True)]
        with bench.subjects(own, 1 if for_peers else MB, ONE_CORE) as subjects:
            found = bench.alternate(subjects, run, bench.rounds if for_peers else 3,
                                    share=shared(bench, 3))
        fill(times, work, found, lambda seen: [us / 1000 for us in seen["us"]])
        if not is_small:
            fill(peaks, work, {name: seen for name, seen in found.items() if name in OWN},
                 lambda seen: [seen["peak_kib"] / 1024])
    return [times, peaks]


def one_shot(bench):
    table = Table("One call from a shell, start and end of every process included", "ms",
                  base="direct")
    own = [direct(), relay(), ours(1), Shared(1)]
    own[0].command = [DRIVER, "--calls", "1", "--", SERVER]
    own[1].command = [DRIVER, "--calls", "1", "--", RELAY, SERVER]
    own[2].command = own[3].command = [PRODUCT, "call", "s0_echo", "text=x"]
    if Mcporter in bench.peers:
        own += [McporterCall(1, []), McporterDaemonCall(1, [])]
    with bench.subjects(own, MB) as subjects:
        found = bench.alternate(subjects, lambda subject: subject.drive(pin=[], runs=1)["us"],
                                bench.rounds * 12, share=12)
    fill(table, "", found, lambda times: [times[0] / 1000])
    table.head["note"] = ("Direct and relay are a program that starts the server, or the relay and "
                          "the server, and makes one call.")
    return [table]


def at_once(bench):
    table = Table("30 servers started at once, each called", "ms", base="direct")

    def run(subject):
        if subject.name == "pi-mcp":
            params = subject.call("echo", server="s#", text="x")
            seen = subject.drive(params, pin=[], calls=30, window=30, spread=30)
            return seen["list_ms"] + seen["us"][0] / 1000
        return subject.drive(subject.call("echo", text="x"), pin=[], at_once=30)["us"][0] / 1000

    with bench.subjects([direct(), relay(), ours(30)], MB) as subjects:
        fill(table, "", bench.alternate(subjects, run, bench.rounds * 3))
    table.head["note"] = ("From starting the program to the last of 30 answers. Direct and relay "
                          "are a program that starts 30 servers, or 30 relays and their servers.")
    return [table]
