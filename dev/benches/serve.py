#!/usr/bin/env python3
"""Measures how fast `ssdlab serve` is beside nbdkit's own plugins and qemu-nbd: same client (fio), same run, no syncs.

    cargo build --release -p ssdlab -p ssdlab-plugin --features full && python3 dev/benches/serve.py --folder /dev/shm

The drive has page mapping, 28 % of spare space, an lru buffer and checksums. All servers are written over twice and then
measured in turn, in short rounds. The table for docs/performance.md has medians over the rounds: rates relative to `nbdkit
memory` of the same round, and the CPU time of the server for a random write above that of `nbdkit memory`. Needs nbdkit,
qemu-utils and fio.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIZE = 256 << 20
STATUS = "127.0.0.1:18767"
CONFIG = f"""
flash = {{ capacity = {SIZE}, page_size = 4096, pages_per_block = 64 }}
ftl = {{ kind = "page", over_provisioning = 0.28 }}
buffer = {{ policy = "lru", size = "4MiB" }}
"""
REFERENCE = "nbdkit memory"
OWN = "ssdlab serve"
RANDOM = ["--rw=randwrite", "--bs=4k", "--iodepth=32", "--norandommap"]
SEQUENTIAL = ["--rw=write", "--bs=128k", "--iodepth=8"]


class Server:
    """A server, written over twice."""

    def __init__(self, name, folder):
        self.socket = folder / f"{name.replace(' ', '-')}.socket"
        file, image = folder / f"{self.socket.stem}.raw", folder / "ssd.img"
        nbdkit = ["nbdkit", "--foreground", "--unix", self.socket]
        if name == OWN:
            target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
            ssdlab = target / "release/ssdlab"
            (folder / "drive.toml").write_text(CONFIG)
            create = [ssdlab, "drive", "create", image, "--config", folder / "drive.toml"]
            subprocess.run(create, check=True, stdout=subprocess.DEVNULL)
            command = [ssdlab, "serve", image, "--socket", self.socket, "--no-sync", "--status", STATUS]
        elif name == REFERENCE:
            command = [*nbdkit, "memory", str(SIZE)]
        else:
            with open(file, "wb") as made:
                made.truncate(SIZE)
            qemu = ["qemu-nbd", "--persistent", "--shared=0", "--format=raw", "--socket", self.socket, file]
            command = qemu if name == "qemu-nbd" else [*nbdkit, "file", file]
        self.process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        while not self.socket.exists():
            time.sleep(0.01)
            if self.process.poll() is not None:
                sys.exit(f"{name} does not start")
        time.sleep(0.2)
        self.fio(*SEQUENTIAL)
        self.fio(*RANDOM, f"--io_size={SIZE}")

    def fio(self, *options):
        """Writes a second, bytes a second, and the server's CPU time for each write in µs."""
        command = ["fio", "--name=f", "--ioengine=nbd", f"--uri=nbd+unix:///?socket={self.socket}", f"--size={SIZE}"]
        before = self.cpu()
        run = subprocess.run([*command, "--output-format=json", *options], check=True, stdout=subprocess.PIPE, text=True)
        # it may begin with warnings
        writes = json.loads(run.stdout[run.stdout.index("{\n"):])["jobs"][0]["write"]
        each = (self.cpu() - before) / writes["total_ios"] * 1e6
        return writes["iops"], writes["bw_bytes"], each

    def cpu(self):
        """CPU time so far, in s."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def status():
    return json.loads(urllib.request.urlopen(f"http://{STATUS}/status.json").read())


def with_page(run):
    """Runs while a page is open, which asks each second."""
    end = threading.Event()

    def ask():
        status()
        while not end.wait(1):
            status()

    page = threading.Thread(target=ask)
    page.start()
    try:
        return run()
    finally:
        end.set()
        page.join()


def ratio(values, others):
    """The median over the rounds."""
    return statistics.median(value / other for value, other in zip(values, others))


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--rounds", type=int, default=16)
    arguments.add_argument("--seconds", type=float, default=1, help="of each measurement")
    arguments.add_argument("--folder", type=pathlib.Path, help="where image and files are; best in memory")
    options = arguments.parse_args()
    timed = ["--time_based", f"--runtime={options.seconds}"]
    names = [REFERENCE, "nbdkit file", "qemu-nbd", OWN]
    random, sequential, each = ({name: [] for name in names} for _ in range(3))
    pages = []
    servers = {}
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        try:
            for name in names:
                servers[name] = Server(name, pathlib.Path(folder))
            before = status()
            for number in range(options.rounds):
                # no server is always behind the same one
                for name in names if number % 2 == 0 else reversed(names):
                    run = lambda: servers[name].fio(*RANDOM, *timed)
                    if name == OWN and number % 4 < 2:
                        pages.append(with_page(run)[0])
                    rate, _, cpu = run()
                    random[name].append(rate)
                    each[name].append(cpu)
                    if name == OWN and number % 4 >= 2:
                        pages.append(with_page(run)[0])
            after = status()
            for number in range(options.rounds):
                for name in names if number % 2 == 0 else reversed(names):
                    sequential[name].append(servers[name].fio(*SEQUENTIAL, *timed)[1])
        finally:
            for server in servers.values():
                server.process.terminate()
            for server in servers.values():
                server.process.wait()
    print("| server | random 4 KiB, depth 32 | sequential 128 KiB | server CPU for a random write |")
    print("| --- | --: | --: | --: |")
    rate, bandwidth = statistics.median(random[REFERENCE]), statistics.median(sequential[REFERENCE]) / 1e6
    cpu = statistics.median(each[REFERENCE])
    print(f"| {REFERENCE} | 1 ({rate:,.0f} a second) | 1 ({bandwidth:,.0f} MB/s) | {cpu:.1f} µs |")
    for name in names[1:]:
        above = statistics.median(own - other for own, other in zip(each[name], each[REFERENCE]))
        cells = [ratio(values[name], values[REFERENCE]) for values in [random, sequential]]
        print(f"| {name} | {cells[0]:.2f} | {cells[1]:.2f} | {above:+.1f} µs |")
    cost = 100 - 100 * ratio(pages, random[OWN])
    print(f"\nWith an open status page, {cost:.1f} % fewer random writes are served. During them the drive had a write")
    written = after["counters"]["host_write_bytes"] - before["counters"]["host_write_bytes"]
    programmed = after["bytes_to_flash"]["total"] - before["bytes_to_flash"]["total"]
    erases = after["counters"]["erases"] - before["counters"]["erases"]
    print(f"amplification of {programmed / written:.2f}, and {erases:,} erases.")


main()
