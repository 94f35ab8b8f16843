"""Writes the table of docs/settled.md: what a short trace answers on a drive that it has aged, beside the truth.

The truth is the same generator for some ten capacities, of which the last five count. It takes a few minutes:

    cargo build --release && python3 dev/benches/settled.py target/release/ssdlab
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

LOADS = {
    "Postmark": (["postmark", "--capacity=900MiB"], 60_000, 2_000_000),
    "Zipf 0.99": (["zipf", "--theta=0.99", "--shuffle", "--capacity=1GiB"], 100_000, 3_000_000),
    "database: logs and random pages": (["mixed", "--capacity=900MiB"], 100_000, 3_000_000),
    "log": (["sequential", "--capacity=900MiB"], 100_000, 3_000_000),
}
"""The generator, the requests of the short trace, and those of the long one."""

DRIVE = ["--preset=nvme-tlc", "--scale-to=1GiB", "--set=buffer.policy=none", "--wrap"]
COUNTED = 20
"""Windows of a quarter of a capacity."""


def run(program: str, trace: Path, *more: str) -> dict:
    words = [program, "run", str(trace), *DRIVE, *more, "--json"]
    return json.loads(subprocess.run(words, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)


def main(program: str) -> None:
    print("| load | cleaning | truth | first part, filled in order | filled at random | aged by itself | its range |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for load, (words, short, long) in LOADS.items():
            trace = Path(folder) / "trace.csv.zst"
            subprocess.run(
                [program, "trace", "generate", *words, f"--requests={long}", f"--output={trace}"],
                check=True,
                stderr=subprocess.DEVNULL,
            )
            for cleaning in ("greedy", "cost-benefit"):

                def short_run(*settings: str) -> float:
                    settings = (f"ftl.cleaning={cleaning}", *settings)
                    return run(program, trace, f"--limit={short}", *(f"--set={one}" for one in settings))["derived"]["waf"]

                truth = run(program, trace, f"--set=ftl.cleaning={cleaning}", "--set=precondition=random:2")
                windows = truth["steady_state"]["settled"]["waf"][-COUNTED:]
                piece = short // 16
                aged = short_run("precondition=workload")
                others = [f"precondition_segment={length}" for length in (piece // 4, piece * 4)]
                others += [f"precondition_seed={seed}" for seed in (0, 3)]
                spread = [aged, *(short_run("precondition=workload", other) for other in others)]
                cells = [sum(windows) / len(windows), short_run(), short_run("precondition=random:2"), aged]
                texts = [f"{cell:.2f}" for cell in cells]
                print(f"| {load} | {cleaning} | {' | '.join(texts)} | {min(spread):.2f} to {max(spread):.2f} |", flush=True)


main(sys.argv[1])
