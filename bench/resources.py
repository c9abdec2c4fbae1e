"""What running costs: memory, processor time, instructions, and whether a long day adds to it."""
import contextlib
import json
import pathlib
import re
import shutil
import statistics
import subprocess
import tempfile
import time

from figures import Table, fill
from place import (DRIVER, ONE_CORE, Failed, Held, Shared, command_name, memory, open_files, ours,
                   relay)

SETTLE_SECONDS = 0.5  # after the last answer, until memory is read
FLAT_MIB = 0.5  # of growth that is not called growth: one arena of the allocator


def weigh(table, work, held):
    """Adds rows for the program, its helpers, and nothing of the servers."""
    time.sleep(SETTLE_SECONDS)
    own = held.process.pid
    pss, rss = memory(own)
    name = held.subject.name
    helpers = 0
    for pid in held.subject.home.processes():
        with contextlib.suppress(OSError):
            if pid != own and not command_name(pid).startswith("bench_"):
                helpers += memory(pid)[0]
    table.setdefault((work, f"{name}: PSS"), []).append(pss)
    table.setdefault((work, f"{name}: RSS"), []).append(rss)
    if helpers:
        table.setdefault((work, f"{name}: PSS of helpers"), []).append(helpers)


def idle_and_used(subject, work, use, found):
    with contextlib.closing(subject), contextlib.closing(Held(subject)) as held:
        if work:
            weigh(found, work, held)
        for name, params in use.items():
            for each in params:
                held.ask("tools/call", each)
            weigh(found, name, held)


def sessions(bench):
    """What several sessions with ten servers each cost together, servers included."""
    table = Table("Sessions with ten servers each, every process included (PSS)", "MiB", "size",
                  base=None)
    for count in (1, 2, 4, 20):
        for shares in (False, True):
            subject = Shared(10, 10) if shares else ours(10, 10)
            with contextlib.closing(subject), contextlib.ExitStack() as all_held:
                held = [all_held.enter_context(contextlib.closing(Held(subject)))
                        for _ in range(count - (1 if shares else 0))]  # which holds one itself
                for one in [*held, *([subject.other] if shares else [])]:
                    for server in range(10):
                        one.ask("tools/call", subject.call("echo", server=f"s{server}", text="x"))
                time.sleep(SETTLE_SECONDS)
                pids = {*subject.home.processes(), *(subject.pids() if shares else [])}
                table.add(f"{count} session{'s' if count > 1 else ''}", subject.name,
                          [sum(memory(pid)[0] for pid in pids)])
    return [table]


def memory_use(bench):
    table = Table("Memory of the program's own processes, servers left out", "MiB", "size",
                  base=None)

    def ten_calls(subject):
        return [subject.call("echo", server=f"s{i}", text="x") for i in range(10)]

    search = [{"name": "mcp", "arguments": {"search": "say a word"}}]
    found, failed = {}, {}
    for _ in range(3 if bench.full else 1):
        idle_and_used(ours(0), "no server", {}, found)
        idle_and_used(ours(100, 10), "100 × 10 tools cached", {"… after a search": search}, found)
        ten = ours(10, 10)
        idle_and_used(ten, "", {"10 servers used once": ten_calls(ten)}, found)
        if bench.full:
            idle_and_used(ours(100, 100), "100 × 100 tools cached",
                          {"… after one search": search}, found)
        for kind in bench.peers:
            if kind.name in failed:
                continue
            several = kind.most_servers >= 10
            peer = kind(10 if several else 1, [])
            work = "10 servers used once" if several else "1 server used once"
            use = ten_calls(peer) if several else [peer.call("echo", text="x")]
            try:
                idle_and_used(peer, "", {work: use}, found)
            except Failed as error:
                failed[kind.name] = error
    for (work, name), samples in found.items():
        table.add(work, name, samples)
    for name, error in failed.items():
        table.fail("", name, str(error))
    table.head["note"] = ("Helpers are the keepers of pi-mcp, which end its servers should it be "
                          "killed, and the services that peers need beside them.")
    return [table]


def counted_by_perf(subject, calls):
    """Instructions of the program alone, without the processes it starts."""
    with tempfile.NamedTemporaryFile("r", suffix=".txt") as report:
        command = ["perf", "stat", "-x,", "-e", "instructions:u", "--no-inherit", "-o", report.name]
        drive_wrapped(subject, command, calls)
        found = re.search(r"^(\d+),,instructions", report.read(), re.M)
    if not found:
        raise Failed("perf counts no instructions here")
    return int(found[1])


def counted_by_callgrind(subject, calls):
    with tempfile.NamedTemporaryFile("r", suffix=".out") as profile:
        command = ["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={profile.name}"]
        drive_wrapped(subject, command, calls)
        found = re.search(r"^(?:summary|totals): (\d+)", profile.read(), re.M)
        if not found:
            raise Failed("callgrind wrote no profile")
        return int(found[1])


def drive_wrapped(subject, command, calls, params=None):
    params = params or subject.call("echo", text="x")
    words = ["--params", json.dumps(params), "--calls", str(calls)]
    subject.home.run(*ONE_CORE, DRIVER, *words, "--", *command, *subject.command)


def counter():
    """(name, function) of what counts instructions on this machine."""
    for name, count in (("perf", counted_by_perf), ("valgrind", counted_by_callgrind)):
        with contextlib.suppress(Failed), contextlib.closing(relay()) as probe:
            if shutil.which(name):
                count(probe, 1)
                return {"valgrind": "callgrind"}.get(name, "perf stat"), count
    return None, None


def cpu(bench):
    times = Table("Processor time of the program for each call, its server left out", "µs", "size")
    with bench.subjects([relay(), ours(1)], 1, ONE_CORE) as subjects:
        found = bench.alternate(
            subjects, lambda subject: subject.drive(subject.call("echo", text="x"), calls=2000),
            share=max(1, bench.rounds // 3))
        fill(times, "", found, lambda seen: [seen["cpu_us"] / 2000])
    times.head["note"] = "Of mcporter and supergateway without the services beside them."
    tables = [times]
    way, count = counter()
    if way:
        few, many = 500, 2500
        table = Table(f"Instructions of the program for each call, in user space, by {way}", "",
                      "size")
        with bench.subjects([relay(), ours(1)], 10 ** 6) as subjects:
            counted = bench.alternate(
                subjects, lambda subject: (count(subject, many) - count(subject, few)) /
                (many - few), 3)
            fill(table, "", counted)
        tables.append(table)
    else:
        times.head["note"] += " Neither perf nor callgrind counts instructions on this machine."
    return tables


def profile(bench):
    """Where the instructions of a call go: what a target that is not met has to be read with."""
    if not (shutil.which("valgrind") and shutil.which("callgrind_annotate")):
        raise Failed("valgrind is not installed")
    works = [("small calls", ours(1), ("echo", {"text": "x"}), 3000)]
    if bench.full:
        works.append(("5 MB text", ours(1, settings={"outputGuard": False}),
                      ("blob", {"bytes": 5_000_000}), 20))
    tables = []
    for work, subject, (tool, arguments), calls in works:
        table = Table(f"Instructions of pi-mcp in its own functions, {calls} calls, {work}", "%",
                      "share", base=None)
        with contextlib.closing(subject), tempfile.NamedTemporaryFile(suffix=".out") as out:
            command = ["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={out.name}"]
            drive_wrapped(subject, command, calls, subject.call(tool, **arguments))
            said = subject.home.run("callgrind_annotate", "--threshold=95", out.name).decode()
        for share, function in functions(said)[:15]:
            table.add(function, "pi-mcp", [share])
        tables.append(table)
    return tables


def functions(said):
    """[(percent, function)] of what callgrind_annotate prints."""
    found = re.findall(r"^ *[\d,]+ +\( ?([\d.]+)%\) +\S*?:(.*?)(?: \[[^]]*\])?$", said, re.M)
    return [(float(share), readable(name)) for share, name in found if name.strip()]


def readable(name):
    """The name of a function without the arguments of templates and calls."""
    name = re.sub(r" \(\.cold\)|\[clone .*?\]", "", name.replace("(anonymous namespace)", "{}"))
    while (shorter := re.sub(r"<[^<>]*>|\([^()]*\)", "", name)) != name:
        name = shorter
    return name.replace("|", "/").strip()[:90]


def children(pid):
    return [int(child) for child in
            pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def watched(subject, count):
    """[(calls per second)], [(seconds, PSS, RSS, open files)] of one process during its calls."""
    words = ["--calls", str(count), "--window", "64", "--spread", "10", "--params",
             json.dumps(subject.call("echo", server="s#", text="x"))]
    samples, began = [], time.monotonic()
    with subprocess.Popen([DRIVER, *words, "--", *subject.command], env=subject.home.env,
                          cwd=subject.home.path, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as driver:
        while driver.poll() is None:
            with contextlib.suppress(OSError, TypeError, IndexError):
                pid = children(driver.pid)[0]
                samples.append((time.monotonic() - began, *memory(pid), open_files(pid)))
            if time.monotonic() - began > 600:
                driver.kill()
                raise Failed("the calls did not end within 10 minutes")
            time.sleep(0.2)
        if driver.returncode:
            raise Failed(driver.stderr.read().decode(errors="replace")[:160])
        seen = json.loads(driver.stdout.read())
    if len(samples) < 8:
        raise Failed("too few samples of memory")
    return count / seen["us"][0] * 1e6, samples


def day(bench):
    """A million calls: what is held at the end beside what was held after the first eighth."""
    count = 1_000_000 if bench.full else 200_000
    table = Table(f"{count:,} calls over 10 servers, 64 in flight", "MiB", "size", base=None)
    with contextlib.closing(ours(10, 10)) as subject:
        rate, samples = watched(subject, count)
    part = max(1, len(samples) // 8)
    early, late = samples[part:2 * part], samples[-part:]
    for work, some in (("second eighth", early), ("last eighth", late)):
        table.add(work, "PSS", [sample[1] for sample in some])
        table.add(work, "RSS", [sample[2] for sample in some])
        table.add(work, "open files", [sample[3] for sample in some])
    grown = statistics.median(s[1] for s in late) - statistics.median(s[1] for s in early)
    files = max(s[3] for s in late) - max(s[3] for s in early)
    table.add("from one to the other", "growth of PSS", [grown])
    is_flat = grown <= FLAT_MIB and files <= 0
    table.head["note"] = (
        f"{rate:,.0f} calls/s, {len(samples)} samples. Flat means that PSS grew by at most "
        f"{FLAT_MIB} MiB and no file stayed open: {'flat' if is_flat else 'not flat'}.")
    table.head["flat"] = is_flat
    return [table]
