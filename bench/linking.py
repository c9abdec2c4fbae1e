"""The program as it ships beside the same objects linked to shared libraries of this machine."""
import os
import subprocess
import tempfile
import time

from figures import NO_PEERS, Table, fill
from place import BUILD, ONE_CORE, PRODUCT, Failed, execute, ours
from resources import idle_and_used

DYNAMIC = str(BUILD / "pi-mcp-dynamic")
PROGRAMS = {"pi-mcp": PRODUCT, "pi-mcp, dynamic": DYNAMIC}


def one_version(program):
    """Milliseconds of one `--version`."""
    began = time.perf_counter()
    execute([program, "--version"], {}, "/")
    return (time.perf_counter() - began) * 1000


def stripped_size(program):
    with tempfile.NamedTemporaryFile() as out:
        subprocess.run(["llvm-strip-19", "-o", out.name, program], check=True)
        return os.path.getsize(out.name) / 1e6


def linking(bench):
    if not os.path.exists(DYNAMIC):
        raise Failed("build/release has no pi-mcp-dynamic; ./dev bench builds it")
    times = Table("Static beside dynamic", "ms", base="pi-mcp, dynamic")
    rounds = bench.rounds * 12

    def both(count, tools):
        return [ours(count, tools, program=program, name=name)
                for name, program in PROGRAMS.items()]

    found = {name: [] for name in PROGRAMS}
    for _ in range(rounds):
        for name, program in PROGRAMS.items():
            found[name].append(one_version(program))
    fill(times, "--version", found)
    with bench.subjects(both(100, 10), NO_PEERS) as subjects:
        lists = bench.alternate(subjects, lambda each: each.drive(pin=[], calls=0), rounds)
    fill(times, "started → tools listed, 100 servers × 10 tools", lists,
         lambda seen: [seen["list_ms"]])
    with bench.subjects(both(1, 3), NO_PEERS, ONE_CORE) as subjects:
        calls = bench.alternate(subjects, lambda each: each.drive(
            each.call("echo", text="x"), calls=1000, warm=100)["us"])
    fill(times, "one call after the other, each", calls,
         lambda seen: [us / 1000 for us in seen])
    sizes = Table("Size and memory, static beside dynamic", "MB or MiB", "size", base=None)
    for name, program in PROGRAMS.items():
        sizes.add("the file, stripped (MB)", name, [stripped_size(program)])
    held = {}
    for _ in range(3):
        for subject in both(100, 10):
            idle_and_used(subject, "100 × 10 tools cached (MiB)", {}, held)
    for (work, name), samples in held.items():
        sizes.add(work, name, samples)
    return [times, sizes]
