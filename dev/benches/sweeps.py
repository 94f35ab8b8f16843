#!/usr/bin/env python3
"""Measures what sweeps cost beside their runs, for docs/scale.md.

    python3 dev/benches/sweeps.py parts [N ...]   plan, run, status, verify, merge and report of sweeps with N parts of 10 runs
                                                  (1,000 and 10,000): CPU time, elapsed time and memory of each command
    python3 dev/benches/sweeps.py postmark        a sweep of 200 configurations over one trace, with one and two workers: the
                                                  share of decoding, the speed-up, and what a part takes

The script builds the release binary, unless SSDLAB_BINARY names one. CPU times are those of user and system together. Elapsed
times depend on what else the machine does. --folder DIR is where the parts are written: a folder of the system's temporary
files by default, so that its file system is the one that is measured.
"""
import argparse
import csv
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONFIGURATIONS = 10
ROUNDS = 5

PARTS = """\
traces = [{{ generate = "uniform --requests 20 --capacity 1MiB", seeds = [{seeds}] }}]
[device]
flash.page_size = 4096
flash.capacity = "4MiB"
[axes]
buffer.policy = ["lru", "fab", "bplru", "fifo", "blru"]
buffer.size = ["64KiB", "128KiB"]
"""

# 5 x 10 x 4 configurations
POSTMARK = """\
traces = ["{trace}"]
preset = "bplru-2008"
[axes]
buffer.policy = ["lru", "fab", "bplru", "lb-clock", "cbb"]
buffer.size = ["256KiB", "512KiB", "1MiB", "2MiB", "3MiB", "4MiB", "6MiB", "8MiB", "12MiB", "16MiB"]
ftl.log_blocks = [7, 16, 32, 64]
"""


def build():
    """The release binary."""
    named = os.environ.get("SSDLAB_BINARY")
    if named:
        return named
    subprocess.run(["cargo", "build", "--release", "--quiet", "--package", "ssdlab", "--features", "full"], check=True, cwd=ROOT)
    target = os.environ.get("CARGO_TARGET_DIR", ROOT / "target")
    return str(pathlib.Path(target) / "release" / "ssdlab")


def measured(binary, folder, *words):
    """Runs a command: CPU seconds, elapsed seconds, MiB of memory at most."""
    started = time.monotonic()
    with open(folder / "output", "wb") as output:
        process = subprocess.Popen([binary, *map(str, words)], cwd=folder, stdout=output)
        _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"ssdlab {' '.join(map(str, words))}: exit code {os.waitstatus_to_exitcode(status)}")
    return usage.ru_utime + usage.ru_stime, time.monotonic() - started, usage.ru_maxrss / 1024


def row(what, figures):
    cpu, elapsed, memory = figures
    print(f"| {what} | {cpu:.2f} | {elapsed:.2f} | {memory:,.0f} |", flush=True)


def parts(binary, folder, number):
    (folder / "plan.toml").write_text(PARTS.format(seeds=", ".join(map(str, range(1, number + 1)))))
    print(f"\n{number:,} parts of {CONFIGURATIONS} runs:\n\n| command | CPU s | elapsed s | MiB |\n| --- | --: | --: | --: |")
    row("`sweep plan --out`", measured(binary, folder, "sweep", "plan", "plan.toml", "--out", "out"))
    row("`sweep run`", measured(binary, folder, "sweep", "run", "plan.toml", "--out", "out"))
    row("`sweep run` again", measured(binary, folder, "sweep", "run", "plan.toml", "--out", "out"))
    row("`sweep work --shard 1/1000`, nothing left",
        measured(binary, folder, "sweep", "work", "plan.toml", "--out", "out", "--shard", "1/1000"))
    row("`sweep status`", measured(binary, folder, "sweep", "status", "plan.toml", "--out", "out"))
    row("`sweep verify`", measured(binary, folder, "sweep", "verify", "plan.toml", "--out", "out"))
    row("`sweep merge -o all.parquet`", measured(binary, folder, "sweep", "merge", "plan.toml", "--out", "out", "-o", "all.parquet"))
    row("`report all.parquet`", measured(binary, folder, "report", "all.parquet", "-o", "all.html"))
    row("`report out`", measured(binary, folder, "report", "out", "-o", "out.html"))
    sizes = [entry.stat().st_size for entry in os.scandir(folder / "out") if entry.name.startswith("part-")]
    merged = (folder / "all.parquet").stat().st_size
    runs = number * CONFIGURATIONS
    print(f"\na part has {sum(sizes) / len(sizes):,.0f} bytes, the merged table {merged:,} ({merged / runs:.0f} for each run)")


def postmark(binary, folder):
    trace = ROOT / "traces" / "w9-ext3-postmark.csv.zst"
    (folder / "plan.toml").write_text(POSTMARK.format(trace=trace))
    kept = {}

    def keep(what, figures):
        before = kept.get(what, figures)
        kept[what] = [min(pair) for pair in zip(before, figures)]

    for attempt in range(ROUNDS):
        planned = f"planned-{attempt}"
        # the second time, what is known of the trace is in the folder
        for what in ("first plan", "second plan"):
            keep(what, measured(binary, folder, "sweep", "plan", "plan.toml", "--out", planned))
        for share in ("1/2", "2/2"):
            keep(share, measured(binary, folder, "sweep", "work", "plan.toml", "--out", planned, "--shard", share))
        for jobs in (1, 2):
            log = folder / f"log-{jobs}-{attempt}.csv"
            out = f"out-{jobs}-{attempt}"
            keep(jobs, measured(binary, folder, "sweep", "run", "plan.toml", "--out", out, "--jobs", jobs, "--log", log))
            rows = list(csv.DictReader(open(log)))
            keep(f"write {jobs}", [sum(float(row["write_s"]) for row in rows)])
            estimated = sum(float(row["estimated_s"]) for row in rows)
    cpu = {what: figures[0] for what, figures in kept.items()}
    decoding = cpu["first plan"] - cpu["second plan"]
    shares = [cpu[share] - cpu["second plan"] for share in ("1/2", "2/2")]
    print(f"200 runs in {len(rows)} parts, the least of {ROUNDS} rounds\n")
    print(f"CPU: 1 worker {cpu[1]:.3f} s, 2 threads {cpu[2]:.3f} s; estimated {estimated:.3f} s")
    print(f"a pass of decoding {1000 * decoding:.2f} ms; two passes are {200 * decoding / cpu[1]:.2f} % of the CPU time")
    print(f"CPU of the workers 1/2 and 2/2: {shares[0]:.3f} s and {shares[1]:.3f} s, besides {cpu['second plan']:.3f} s each to begin; "
          f"all / longer: {sum(shares) / max(shares):.2f}")
    print(f"elapsed: 1 worker {kept[1][1]:.3f} s, 2 threads {kept[2][1]:.3f} s: {kept[1][1] / kept[2][1]:.2f} times as fast")
    print(f"a part is written in {1000 * kept['write 1'][0] / len(rows):.2f} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["parts", "postmark"])
    parser.add_argument("numbers", nargs="*", type=int, default=[1_000, 10_000])
    parser.add_argument("--folder", help="where the parts are written")
    args = parser.parse_args()
    binary = build()
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        if args.what == "postmark":
            postmark(binary, pathlib.Path(folder))
        else:
            for number in args.numbers:
                with tempfile.TemporaryDirectory(dir=folder) as inside:
                    parts(binary, pathlib.Path(inside), number)


if __name__ == "__main__":
    main()
