#!/usr/bin/env python3
"""Measures how fast ssdlab simulates, and writes the tables of docs/performance.md.

    python3 dev/benches/run.py             measures every buffer policy on three traces, every FTL and buffer-aware merges on
                                       two, both models of time, page mapping under uniform writes, placements, and LRU
                                       beside libCacheSim; some minutes
    python3 dev/benches/run.py clocks …    measures what these tables need, and leaves the others as they are
    python3 dev/benches/run.py --quick     measures one trace once and prints the tables, as a test of this script

The script builds the release binary, unless SSDLAB_BINARY names one. It installs libCacheSim into a virtual environment in
the target folder, and measures it with libtcmalloc_minimal.so.4 too, if the system has that library (Debian package
libtcmalloc-minimal4). All times are CPU time of one thread.
"""
import argparse
import ctypes
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BENCHES = ROOT / "dev" / "benches"
DOCUMENT = ROOT / "docs" / "performance.md"
TRACES = ["w9-ext3-postmark", "w4-ext4-random-4k", "w1-ntfs-office-install"]
PROGRAMS = ["flash_programs", "merge_programs", "flash_copies", "copy_backs"]
# stream, pages of the buffer, repetitions a round
STREAMS = [
    ("w9-ext3-postmark", 4096, 20),
    ("w4-ext4-random-4k", 4096, 10),
    ("zipf", 4096, 2),
    ("zipf", 65536, 2),
]
# policy and FTL under both models of time
CLOCKED = [("none", "page"), ("lru", "page"), ("bplru", "page"), ("none", "bast"), ("lru", "bast"), ("bplru", "bast")]
# today's drives, and the units and the space of uniform writes to them
DRIVES = [("sata-tlc", "4KiB", "8GiB"), ("nvme-tlc", "4KiB", "8GiB"), ("nvme-qlc-16k", "16KiB", "16GiB"),
          ("nvme-qlc-64k", "64KiB", "64GiB")]
# capacity and cleaning
UNIFORM = [("1GiB", "greedy"), ("1GiB", "cost-benefit"), ("1GiB", "cat"), ("1GiB", "fifo"), ("1GiB", "jffs2"),
           ("1GiB", "d-choices"), ("4GiB", "greedy"), ("16GiB", "greedy"), ("16GiB", "cost-benefit"), ("16GiB", "cat"),
           ("64GiB", "greedy")]
# placements that are asked for each page, and those that are not; beside single, which other spares give other work
PLACEMENTS = [("fdp", []), ("dac-updates", ["ftl.regions=6"]), ("sepbit", []), ("tt", ["ftl.heads=4"]), ("2a", ["ftl.heads=4"]),
              ("future", ["ftl.regions=6"])]
SPARES = [0.15, 0.19, 0.23]
# 512 blocks beyond the logical ones
LOG = "ftl.log_blocks=512"
FTLS = [("block", ["ftl.open_blocks=512"]), ("replacement", [LOG]), ("bast", [LOG]), ("fast", [LOG]), ("superblock", [LOG]),
        ("page", ["ftl.spare_blocks=514"])]
# buffer-aware merges under the preset bagc-2012
AWARE = [("off", []), ("merge", []), ("merge+victim", ["ftl.candidates=32"]), ("merge+victim", [])]
ROUNDS = 3
# in docs/performance.md
TABLES = ["policies", "ftls", "clocks", "drives", "uniform", "placements", "libcachesim"]
PAGE = 4096
TCMALLOC = "libtcmalloc_minimal.so.4"


def output(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT, **options).stdout


RELEASE = ["build", "--release", "--bins", "--examples", "--package"]
# what the tests have built already
TESTS = ["test", "--no-run", "--workspace"]


def built(name, *how):
    """The executable of this name that cargo builds."""
    messages = output("cargo", *how, "--quiet", "--message-format=json")
    artifacts = filter(lambda message: message.get("executable"), map(json.loads, messages.splitlines()))
    return next(pathlib.Path(artifact["executable"]) for artifact in artifacts if artifact["target"]["name"] == name)


def build():
    """The release binary and the target folder."""
    named = os.environ.get("SSDLAB_BINARY")
    binary = pathlib.Path(named) if named else built("ssdlab", *RELEASE, "ssdlab")
    return binary, binary.parent.parent


def registered(binary, section):
    """The names in a section of `ssdlab list`."""
    rows = output(binary, "list").split("\n\n")[section].splitlines()[2:]
    return [row.split()[0] for row in rows]


def policies(binary):
    """The registered buffer policies."""
    names = registered(binary, 0)
    # the description of the key must list the same names
    described = re.search(r"^policy = .*; ([^;\n]*)", output(binary, "config", "show"), re.M)[1]
    if names != described.split(" | "):
        sys.exit(f"`ssdlab list` names {names}, `ssdlab config show` {described}")
    return names


def simulate(binary, trace, repeat, settings, plain=False):
    """The counters of a run, and the best time of its repetitions in ns. A setting is KEY=VALUE, or an option."""
    sets = [setting if setting.startswith("--") else f"--set={setting}" for setting in settings]
    environment = {key: value for key, value in os.environ.items() if key != "SSDLAB_PLAIN"}
    environment |= {"SSDLAB_PLAIN": "1"} if plain else {}
    result = json.loads(output(binary, "run", "--json", "--repeat", str(repeat), *sets, trace, env=environment))
    return result["counters"], result["timing"]["simulate_ns_best"]


def table(head, rows):
    lines = [head, ["---"] + ["--:"] * (len(head) - 1), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def speed_table(binary, trace, repeat, rounds, what, systems):
    """Measures each system (a label and settings) with runs and page by page, in turn."""
    rows = []
    for label, settings in systems:
        best = {}
        for _ in range(rounds):
            for plain in (False, True):
                counters, ns = simulate(binary, ROOT / "traces" / f"{trace}.csv.zst", repeat, settings, plain)
                first, fastest = best.get(plain, (counters, ns))
                best[plain] = first, min(fastest, ns)
        (counters, ns), (plain_counters, plain_ns) = best[False], best[True]
        if counters != plain_counters:
            sys.exit(f"{label} on {trace}: page by page, the counters differ")
        pages = counters["host_write_pages"]
        programs = sum(counters[name] for name in PROGRAMS)
        figures = [ns / pages, ns / programs, plain_ns / pages, plain_ns / programs]
        rows.append([label, f"{programs / pages:.2f}", *(f"{figure:.1f}" for figure in figures)])
    head = [what, "programs / host page", "ns / host page", "ns / program", "plain: ns / host page",
            "plain: ns / program"]
    return f"`{trace}`, {pages:,} host pages written:\n\n{table(head, rows)}"


def policy_table(binary, trace, repeat, rounds):
    """Every policy over bast, and lru over ideal."""
    systems = [*((name, "bast") for name in policies(binary)), ("lru", "ideal")]
    systems = [(f"{name}, {ftl}", [f"buffer.policy={name}", f"ftl.kind={ftl}"]) for name, ftl in systems]
    return speed_table(binary, trace, repeat, rounds, "policy, FTL", systems)


def ftl_table(binary, trace, repeat, rounds):
    """Every FTL under lru, and the cost of buffer-aware merges."""
    systems = [(f"lru, {name}", ["buffer.policy=lru", f"ftl.kind={name}", *settings]) for name, settings in FTLS]
    missing = set(registered(binary, 1)) - {"ideal"} - {name for name, _ in FTLS}
    if missing:
        sys.exit(f"dev/benches/run.py measures no {missing}")
    for aware, settings in AWARE:
        label = f"bagc-2012, {aware}{', 32 candidates' if settings else ''}"
        systems.append((label, ["--preset=bagc-2012", f"ftl.buffer_aware={aware}", *settings]))
    return speed_table(binary, trace, repeat, rounds, "system", systems)


def under_models(binary, path, repeat, rounds, settings, clocked):
    """The counters of a system, and its best times in ns under the serial model, page by page and with runs, and under the
    other one, measured in turn."""
    fastest, counts = {}, []
    models = [("serial", True), ("serial", False), (clocked, False)]
    for _ in range(rounds):
        for model in models:
            name, plain = model
            counters, ns = simulate(binary, path, repeat, [*settings, f"timing.model={name}"], plain)
            fastest[model] = min(ns, fastest.get(model, ns))
            counts.append({key: value for key, value in counters.items() if key != "elapsed_ns"})
    if any(count != counts[0] for count in counts):
        sys.exit(f"{settings} on {path}: the counters depend on the model of time")
    return counts[0], [fastest[model] for model in models]


def drive_table(binary, drives, requests, repeat, rounds):
    """Drives of today that clean all the time, under their model of time and the serial one."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for preset, unit, space in drives:
            trace = pathlib.Path(folder) / f"{preset}.csv.zst"
            output(binary, "trace", "generate", "uniform", "--requests", str(requests), "--unit", unit, "--capacity", space,
                   "--output", trace)
            for pace in ["whole", "paced"]:
                settings = [f"--preset={preset}", f"--scale-to={space}", "--wrap", f"ftl.pace={pace}", "precondition=random:1"]
                counters, times = under_models(binary, trace, repeat, rounds, settings, "drive")
                programs = sum(counters[name] for name in PROGRAMS)
                waf = programs / counters["flash_programs"]
                plain, serial, clocked = (ns / programs for ns in times)
                rows.append([f"`{preset}`, {pace}", f"{waf:.2f}", *(f"{ns:.1f}" for ns in (plain, serial, clocked, clocked - serial))])
    head = ["preset, cleaning", "write amplification", "serial, plain: ns / program", "serial: ns / program",
            "drive: ns / program", "drive beyond serial: ns / program"]
    return table(head, rows)


def clock_table(binary, trace, repeat, rounds):
    """Some systems under the serial and the parallel model of time."""
    rows = []
    for policy, ftl in CLOCKED:
        settings = [f"buffer.policy={policy}", f"ftl.kind={ftl}", "flash.capacity=auto"]
        counters, times = under_models(binary, ROOT / "traces" / f"{trace}.csv.zst", repeat, rounds, settings, "parallel")
        plain, runs, clocked = (ns / counters["host_write_pages"] for ns in times)
        rows.append([f"{policy}, {ftl}", *(f"{ns:.1f}" for ns in (plain, runs, clocked)), f"{clocked / plain:.2f}"])
    head = ["policy, FTL", "serial, plain: ns / host page", "serial: ns / host page", "parallel: ns / host page",
            "parallel / plain"]
    return f"`{trace}`:\n\n{table(head, rows)}"


def uniform_table(cases, how):
    """Page mapping under uniform random writes of single pages."""
    binary = built("uniform_writes", *how)
    rows = []
    for capacity, cleaning in cases:
        print(f"uniform writes: {capacity}, {cleaning}", file=sys.stderr)
        said = output(binary, f"flash.capacity={capacity}", f"ftl.cleaning={cleaning}")
        amplification, ns = map(float, re.findall(r"[\d.]+", said))
        rows.append([capacity, cleaning, f"{amplification:.2f}", f"{ns * amplification:.1f}", f"{ns:.1f}"])
    return table(["capacity", "cleaning", "programs / host page", "ns / host page", "ns / program"], rows)


def at_equal_work(points, work):
    """The time of `single` for this many programs a host page, on the line through the nearest two of these (work, time)."""
    points = sorted(sorted(points, key=lambda point: abs(point[0] - work))[:2])
    (less, fast), (more, slow) = points
    return fast + (slow - fast) * (work - less) / (more - less)


def placement_table(binary, capacity, pages_per_block, requests, rounds):
    """Placements under skewed writes of single pages, beside `single` on the same device, and for as many programs."""
    device = ["ftl.kind=page", "buffer.policy=none", f"flash.page_size={PAGE}", f"flash.pages_per_block={pages_per_block}",
              f"flash.capacity={capacity}"]
    systems = [("single", spare, []) for spare in SPARES] + [(name, SPARES[0], more) for name, more in PLACEMENTS]
    works, fastest = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "zipf.csv.zst"
        output(binary, "trace", "generate", "zipf", "--theta=1.0", "--shuffle", "--capacity", capacity, "--requests", str(requests),
               "--output", trace)
        for _ in range(rounds):
            for name, spare, more in systems:
                settings = [*device, f"ftl.over_provisioning={spare}", f"ftl.placement={name}", *more]
                counters, ns = simulate(binary, trace, 1, settings)
                pages = counters["host_write_pages"]
                works[name, spare] = sum(counters[name] for name in PROGRAMS) / pages
                fastest[name, spare] = min(ns / pages, fastest.get((name, spare), ns / pages))
    single = [(works["single", spare], fastest["single", spare]) for spare in SPARES]
    rows = []
    for name, spare, _ in systems[:1] + systems[len(SPARES):]:
        work, ns = works[name, spare], fastest[name, spare]
        figures = [f"{work:.2f}", f"{ns:.1f}", f"{ns / work:.1f}", f"{ns / work * single[0][0] / single[0][1]:.2f}"]
        rows.append([f"`{name}`", *figures, f"{ns / at_equal_work(single, work):.2f}"])
    head = ["placement", "programs / host page", "ns / host page", "ns / program", "/ `single`, a program", "/ `single` at equal work"]
    return table(head, rows)


def environment(target):
    """A Python with libCacheSim."""
    python = target / "benches" / "venv" / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", python.parent.parent], check=True)
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                    "-r", BENCHES / "requirements.txt"], check=True)
    return python


def has_tcmalloc():
    try:
        return ctypes.CDLL(TCMALLOC) is not None
    except OSError:
        return False


def peer(python, stream, pages, repeat, tcmalloc):
    """libCacheSim's hits and, for each size of its table, the best time in ns; "reader" is the time without a cache."""
    preload = {"LD_PRELOAD": TCMALLOC} if tcmalloc else {}
    script = BENCHES / "libcachesim_lru.py"
    return json.loads(output(python, script, stream, str(pages), str(repeat), env=os.environ | preload))


def peer_row(binary, python, folder, name, pages, repeat):
    """Measures one stream in both simulators, in turn."""
    settings = ["ftl.kind=ideal", "buffer.policy=lru", f"flash.page_size={PAGE}", "flash.capacity=auto",
                f"buffer.size={pages * PAGE}"]
    ours, theirs = [], {}
    for _ in range(ROUNDS):
        counters, ns = simulate(binary, folder / f"{name}.csv", repeat, settings)
        ours.append(ns)
        for tcmalloc in (False, True) if has_tcmalloc() else (False,):
            result = peer(python, folder / f"{name}.oracleGeneral.bin", pages, repeat, tcmalloc)
            found = [(count, counters["host_write_pages"]) for count in result["hits"].values()]
            if set(found) != {(counters["buffer_write_hits"], result["requests"])}:
                sys.exit(f"{name}, {pages} pages: {counters['buffer_write_hits']} hits, libCacheSim {result['hits']}")
            for size, ns in result["ns"].items():
                theirs[size, tcmalloc] = min(ns, theirs.get((size, tcmalloc), ns))
    count = counters["host_write_pages"]
    installed = theirs["24", False]
    reader = min(ns for (size, _), ns in theirs.items() if size == "reader")
    (size, tcmalloc), tuned = min((entry for entry in theirs.items() if entry[0][0] != "reader"), key=lambda e: e[1])
    own = min(ours)
    return [name, f"{pages:,}", f"{counters['buffer_write_hits'] / count:.1%}",
            *(f"{ns / count:.1f}" for ns in (own, installed, tuned)),
            f"2^{size}{', tcmalloc' if tcmalloc else ''}", f"{reader / count:.1f}",
            *(f"{ns / own:.2f}" for ns in (installed, tuned, tuned - reader))]


def peer_table(binary, target):
    folder = target / "benches"
    folder.mkdir(exist_ok=True)
    python = environment(target)
    subprocess.run([python, BENCHES / "streams.py", ROOT / "traces", folder], check=True)
    head = ["stream", "buffer pages", "hits", "ssdlab ns", "as installed ns", "tuned ns", "tuned how", "its reader ns",
            "as installed / ssdlab", "tuned / ssdlab", "tuned without reader / ssdlab"]
    rows = []
    for name, pages, repeat in STREAMS:
        print(f"libCacheSim: {name}, {pages} pages", file=sys.stderr)
        rows.append(peer_row(binary, python, folder, name, pages, repeat))
    version = output(python, "-c", "import libcachesim; print(libcachesim.__version__)").strip()
    tcmalloc = "glibc's malloc and tcmalloc" if has_tcmalloc() else "glibc's malloc only; no tcmalloc was found"
    return f"libCacheSim: PyPI `libcachesim` {version}, {tcmalloc}.\n\n{table(head, rows)}"


def machine(binary):
    fields = dict(re.findall(r"^(model name|cpu MHz)\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M))
    clock = f"{fields['cpu MHz']} MHz as the kernel says" if "cpu MHz" in fields else "clock unknown"
    model = fields.get("model name", platform.machine())
    versions = [output(binary, "--version").strip(), output("rustc", "--version").split(" (")[0]]
    return f"`python3 dev/benches/run.py` on {model}, {clock}; {', '.join(versions)}.\n"


def fill(document, name, text):
    """Replaces the text between the markers of this name."""
    start, end = f"<!-- benches: {name} -->\n", "<!-- end -->"
    before, found, rest = document.partition(start)
    if not found or end not in rest:
        sys.exit(f"{DOCUMENT} has no {start}{end}")
    return before + start + text + rest[rest.index(end):]


def measured(binary, target, name):
    """The text of a table."""
    match name:
        case "policies":
            return "\n".join(policy_table(binary, trace, 10, ROUNDS) for trace in TRACES)
        case "ftls":
            return "\n".join(ftl_table(binary, trace, 3, ROUNDS) for trace in TRACES[:2])
        case "clocks":
            # ratios of short times
            return "\n".join(clock_table(binary, trace, 2, 4 * ROUNDS) for trace in TRACES[:2])
        case "drives":
            return drive_table(binary, DRIVES, 2_000_000, 1, ROUNDS)
        case "uniform":
            return uniform_table(UNIFORM, [*RELEASE, "ssdlab-testkit"])
        case "placements":
            return placement_table(binary, "16GiB", 1024, 8_000_000, ROUNDS)
        case "libcachesim":
            return peer_table(binary, target)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--quick", action="store_true", help="measure one trace once and write no file")
    arguments.add_argument("tables", nargs="*", help=f"{', '.join(TABLES)}; all if none is named")
    options = arguments.parse_args()
    if unknown := set(options.tables) - set(TABLES):
        arguments.error(f"no table {', '.join(unknown)}; there are {', '.join(TABLES)}")
    binary, target = build()
    text = DOCUMENT.read_text()
    if options.quick:
        # the document must have the markers of all tables
        for name in TABLES:
            fill(text, name, "")
        print(policy_table(binary, TRACES[0], 1, 1))
        print(ftl_table(binary, TRACES[0], 1, 1))
        print(clock_table(binary, TRACES[0], 1, 1))
        print(drive_table(binary, [("nvme-tlc", "4KiB", "1GiB")], 2000, 1, 1))
        print(uniform_table([("64MiB", "greedy")], TESTS))
        print(placement_table(binary, "64MiB", 64, 60_000, 1))
        return
    for name in options.tables or TABLES:
        print(name, file=sys.stderr)
        text = fill(text, name, f"{machine(binary)}\n{measured(binary, target, name)}")
    DOCUMENT.write_text(text)


if __name__ == "__main__":
    main()
