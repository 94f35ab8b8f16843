#!/usr/bin/env python3
"""Measures what a user of `ssdlab serve` gets, beside `nbdkit file` in the same place: same client (fio), same rounds.

    cargo build --release -p ssdlab -p ssdlab-plugin --features full && python3 dev/benches/serve.py

The drive is that of the preset nvme-tlc at 2 GiB with a write buffer of 16 MiB; both servers are overwritten once. Each
place (memory, a disk) is measured in rounds, the servers of a round in turn: 1 GiB of random writes of 4 KiB at depth 32,
writes of 128 KiB in sequence at depth 8, random reads of 4 KiB at depth 8 beside these random writes; with one connection
and with four that share the depth. The table has medians over the rounds: the rates of `nbdkit file`, those of ssdlab
relative to it in the same round, and the 99th percentile of the latency of each. The second table is the clock: random
writes at growing rates in real time, and how late the replies are. Needs nbdkit and fio.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SSDLAB = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release/ssdlab"
SIZE = 2 << 30
DRIVE = ["--preset", "nvme-tlc", "--scale-to", "2GiB", "--set", "buffer.size=16MiB"]
REFERENCE, OWN = "nbdkit file", "ssdlab serve"


def writes(block, depth, jobs, **options):
    """Writes over 1 GiB, by `jobs` connections that share the depth."""
    size = (1 << 30) // jobs
    rw = "randwrite" if block == "4k" else "write"
    return dict(rw=rw, bs=block, iodepth=depth // jobs, numjobs=jobs, size=size, offset_increment=size, norandommap=1, **options)


RANDOM = writes("4k", 32, 1)
READS = {**RANDOM, "rw": "randread", "iodepth": 8}
# the jobs of each load; the last one is measured
LOADS = {
    "random 4 KiB": [RANDOM],
    "the same, 4 connections": [writes("4k", 32, 4)],
    "sequential 128 KiB": [writes("128k", 8, 1)],
    "the same, 4 connections each in its quarter": [writes("128k", 8, 4)],
    "reads of 4 KiB beside random writes": [RANDOM, READS],
}


class Server:
    """A server in a folder; what is new there is overwritten once."""

    def __init__(self, name, folder, options):
        self.socket = folder / f"{name.replace(' ', '-')}.socket"
        file, image = folder / "file.raw", folder / "ssd.img"
        is_new = not (image if name == OWN else file).exists()
        if name == OWN:
            if is_new:
                subprocess.run([SSDLAB, "drive", "create", image, *DRIVE], check=True, stdout=subprocess.DEVNULL)
            command = [SSDLAB, "serve", image, "--socket", self.socket, *options]
        else:
            with open(file, "wb") as made:
                made.truncate(SIZE)
            command = ["nbdkit", "--foreground", "--unix", self.socket, "file", file]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        while not self.socket.exists():
            time.sleep(0.01)
            if self.process.poll() is not None:
                sys.exit(f"{name} does not start: {self.process.stderr.read()}")
        if is_new:
            self.fio([{**writes("128k", 8, 1), "size": SIZE}])

    def fio(self, jobs, seconds=None):
        """Bytes a second, the 99th percentile of the latency in µs, and the server's CPU time for each request in µs."""
        command = ["fio", "--output-format=json", "--ioengine=nbd", f"--uri=nbd+unix:///?socket={self.socket}", "--group_reporting=1"]
        if seconds:
            command += ["--time_based", f"--runtime={seconds}"]
        for number, job in enumerate(jobs):
            command += [f"--name=job{number}", "--new_group", *(f"--{key}={value}" for key, value in job.items())]
        before = self.cpu()
        run = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        spent = self.cpu() - before
        # it may begin with warnings
        found = json.loads(run.stdout[run.stdout.index("{\n"):])["jobs"]
        requests = sum(job[kind]["total_ios"] for job in found for kind in ["read", "write"])
        measured = found[-1]["read" if "read" in jobs[-1]["rw"] else "write"]
        return measured["bw_bytes"], measured["clat_ns"]["percentile"]["99.000000"] / 1000, spent / requests * 1e6

    def cpu(self):
        """CPU time so far, in s."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self):
        """What it says at its end."""
        self.process.terminate()
        said = self.process.communicate()[1]
        self.socket.unlink(missing_ok=True)
        return said


def compare(place, parent, options):
    """The rows of a place."""
    found = {load: {name: [] for name in [REFERENCE, OWN]} for load in LOADS}
    with tempfile.TemporaryDirectory(dir=parent) as folder:
        servers = {}
        try:
            for name in [REFERENCE, OWN]:
                servers[name] = Server(name, pathlib.Path(folder), options.serve)
            for number in range(options.rounds):
                for load, jobs in LOADS.items():
                    # none is always behind the same one
                    for name in sorted(servers, reverse=number % 2 == 1):
                        found[load][name].append(servers[name].fio(jobs, options.seconds))
        finally:
            for server in servers.values():
                server.end()
    for load, rounds in found.items():
        (rates, late, cpu), (own, own_late, own_cpu) = (list(zip(*rounds[name])) for name in [REFERENCE, OWN])
        median = statistics.median
        rate = median(rates) / (131072 if "128" in load or "quarter" in load else 4096)
        ratio = median(mine / other for mine, other in zip(own, rates))
        print(
            f"| {place} | {load} | {rate:,.0f} | {ratio:.2f} | {median(late):,.0f} µs | {median(own_late):,.0f} µs "
            f"| {median(cpu):.1f} µs | {median(own_cpu):.1f} µs |"
        )


def clock(place, parent, options):
    """Random writes at growing rates in real time, until the drive falls behind."""
    with tempfile.TemporaryDirectory(dir=parent) as folder:
        # at full speed, which no clock can keep
        Server(OWN, pathlib.Path(folder), options.serve).end()
        rate = 5_000
        while rate < 1_000_000:
            server = Server(OWN, pathlib.Path(folder), ["--realtime", *options.serve])
            bandwidth, late, _ = server.fio([{**RANDOM, "rate_iops": rate}], options.seconds)
            said = server.end()
            served = bandwidth / 4096
            replies = re.search(r"half of them at most (\d+) µs late", said)
            is_behind = "too slow" in said
            print(f"| {place} | {rate:,} | {served:,.0f} | {late:,.0f} µs | {replies[1]} µs | {'yes' if is_behind else 'no'} |")
            # the drive itself serves no more
            if is_behind or served < 0.9 * rate:
                break
            rate *= 2


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--rounds", type=int, default=8)
    arguments.add_argument("--seconds", type=float, default=2, help="of each measurement")
    arguments.add_argument("--memory", default="/dev/shm", help="a folder in memory")
    arguments.add_argument("--disk", default="/var/tmp", help="a folder on a disk")
    arguments.add_argument("serve", nargs="*", help="further options of `ssdlab serve`, such as -- --no-sync")
    options = arguments.parse_args()
    if not shutil.which("fio"):
        sys.exit("fio is missing")
    places = {"memory": options.memory, "disk": options.disk}
    print("| place | load | nbdkit file, a second | ssdlab serve | p99 of the file | p99 of ssdlab | CPU of the file | CPU of ssdlab |")
    print("| --- | --- | --: | --: | --: | --: | --: | --: |")
    for place, folder in places.items():
        compare(place, folder, options)
    print("\n| place | asked for | served a second | p99 | median lateness | behind |")
    print("| --- | --: | --: | --: | --: | --- |")
    for place, folder in places.items():
        clock(place, folder, options)


main()
