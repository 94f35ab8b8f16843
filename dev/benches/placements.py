#!/usr/bin/env python3
"""Compares write amplification under the placements with that of an independent model, by other random numbers.

  cargo build --release -p ssdlab --features full
  python3 dev/benches/placements.py [PLACEMENT ...]

Each row of tests/placements/expected.csv is a device that was filled in order, under a load; write amplification counts from
half of the writes on. The same rule with other random numbers must be within 2 %; with future, tt and 2a, and under the
steepest Zipf, within 3 %. Prints each row that is not, and the largest difference of each placement. Takes about a quarter of
an hour.
"""
import csv
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SSDLAB = os.environ.get("SSDLAB_BINARY", ROOT / "target/release/ssdlab")

# the workload of each load, with {pages} and {tenth} of the device; one write in a hundred changes the hottest fifth
LOADS = {
    "uniform": "uniform",
    "zipf-0.8": "zipf --theta=0.8 --shuffle",
    "zipf-1.0": "zipf --theta=1.0 --shuffle",
    "zipf-1.2": "zipf --theta=1.2 --shuffle",
    "permuted-1.0": "zipf --theta=1.0 --shuffle --reshuffle={hundredth}",
    "zones-90/10": "locality --locality=10/90",
    "three-zoned": (
        "streams --stream=bytes=0.5824,range=0..0.9,kind=sequential,sizes=128KiB --stream=bytes=0.2082,range=0.9..1,kind=uniform"
        " --stream=bytes=0.2094,range=0..0.9,kind=zones,zones=s0.2_f0.8_s0.2_f0.1_s0.6_f0.1"
    ),
}

PLACEMENTS = {
    "shared": "single ftl.gc_frontier=shared",
    "sepgc": "single",
    "dacu": "dac-updates ftl.regions=6",
    "fk": "future ftl.regions=6",
    "sepbit": "sepbit",
    "tt": "tt ftl.heads=4",
    "2a": "2a ftl.heads=4",
    "fdp-ii": "fdp ftl.handles=3 ftl.handle_types=ii",
    "fdp-pi": "fdp ftl.handles=3 ftl.handle_types=pi",
}


def trace_of(row, folder):
    """The trace of a row; the fill counts as requests."""
    pages = int(row["logical_pages"])
    file = folder / f"{row['load'].replace('/', '-')}-{pages}.parquet"
    if not file.exists():
        load = LOADS[row["load"]].format(hundredth=pages // 100)
        command = [SSDLAB, "trace", "generate", *(word.replace("_", " ") for word in load.split())]
        requests = pages + int(row["host_pages"])
        command += [f"--capacity={pages * 4096}", f"--requests={requests}", "--prefill", f"--output={file}"]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    return file


def counters(row, trace, limit):
    placement, *more = PLACEMENTS[row["placement"]].split()
    spare = int(row["blocks"]) - int(row["logical_pages"]) // int(row["pages_per_block"])
    settings = [
        "buffer.policy=none",
        "precondition=empty",
        "flash.page_size=4096",
        f"flash.pages_per_block={row['pages_per_block']}",
        f"flash.capacity={int(row['logical_pages']) * 4096}",
        "ftl.kind=page",
        f"ftl.spare_blocks={spare}",
        f"ftl.gc_low={row['gc_low']}",
        f"ftl.cleaning={row['cleaning']}",
        f"ftl.placement={placement}",
        *more,
    ]
    command = [SSDLAB, "run", "--json", f"--limit={limit}", *(f"--set={setting}" for setting in settings), trace]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return json.loads(done.stdout)["counters"]


def write_amplification(row, folder):
    trace = trace_of(row, folder)
    pages = int(row["logical_pages"])
    warm = counters(row, trace, pages + int(row["warm_pages"]))
    whole = counters(row, trace, pages + int(row["host_pages"]))
    grown = {name: whole[name] - warm[name] for name in ("flash_programs", "flash_copies")}
    return 1 + grown["flash_copies"] / grown["flash_programs"]


def main():
    wanted = sys.argv[1:]
    worst, wrong = {}, 0
    with open(ROOT / "tests/placements/expected.csv", newline="") as file, tempfile.TemporaryDirectory() as folder:
        for row in csv.DictReader(file):
            placement, load = row["placement"], row["load"]
            if wanted and placement not in wanted:
                continue
            found, expected = write_amplification(row, Path(folder)), float(row["wa"])
            difference = found / expected - 1
            loose = placement in ("fk", "tt", "2a") or load == "zipf-1.2"
            worst[placement] = max(worst.get(placement, 0.0), abs(difference))
            if abs(difference) > (0.03 if loose else 0.02):
                wrong += 1
                print(f"{placement}, {row['cleaning']}, {load}, spare {row['spare']}: {found:.4f}, not {expected} ({difference:+.1%})", flush=True)
    for placement, difference in worst.items():
        print(f"{placement}: within {difference:.2%}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
