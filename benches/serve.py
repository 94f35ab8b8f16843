#!/usr/bin/env python3
"""Measures how fast `ssdlab serve` is beside nbdkit's own plugins and qemu-nbd: same client (fio), same run, no syncs.

    cargo build --release -p ssdlab -p ssdlab-nbdkit && python3 benches/serve.py [--rounds 3] [--seconds 3] [--folder .]

The drive has page mapping, 28 % of spare space, an lru buffer and checksums; each server is written over twice first. The
table has the median of the rounds: rates relative to `nbdkit memory` of the same round, and the CPU time of the server for
each random write, above that of `nbdkit memory`. Needs nbdkit, qemu-utils and fio, and a machine that does nothing else.
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

ROOT = pathlib.Path(__file__).resolve().parent.parent
SIZE = 256 << 20
STATUS = "127.0.0.1:18767"
CONFIG = f"""
flash = {{ capacity = {SIZE}, page_size = 4096, pages_per_block = 64 }}
ftl = {{ kind = "page", over_provisioning = 0.28 }}
buffer = {{ policy = "lru", size = "4MiB" }}
"""
REFERENCE = "nbdkit memory"


def servers(socket, folder):
    """The command of each server."""
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    ssdlab = [target / "release/ssdlab", "serve", folder / "ssd.img", "--socket", socket, "--no-sync"]
    nbdkit = ["nbdkit", "--foreground", "--unix", socket]
    return {
        REFERENCE: [*nbdkit, "memory", str(SIZE)],
        "nbdkit file": [*nbdkit, "file", folder / "file"],
        "qemu-nbd": ["qemu-nbd", "--persistent", "--shared=0", "--format=raw", "--socket", socket, folder / "file"],
        "ssdlab serve": [*ssdlab, "--counters", folder / "counters"],
        "ssdlab serve --status": [*ssdlab, "--status", STATUS],
    }


def fio(socket, *options):
    """Writes per second, bytes per second, and writes."""
    command = ["fio", "--name=f", "--ioengine=nbd", f"--uri=nbd+unix:///?socket={socket}", f"--size={SIZE}"]
    run = subprocess.run([*command, "--output-format=json", *options], check=True, stdout=subprocess.PIPE, text=True)
    # it may begin with warnings
    writes = json.loads(run.stdout[run.stdout.index("{\n"):])["jobs"][0]["write"]
    return writes["iops"], writes["bw_bytes"], writes["total_ios"]


def cpu(process):
    """CPU time so far, in s."""
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def poll(end):
    """Looks at the status as often as an open page does."""
    while not end.wait(1):
        urllib.request.urlopen(f"http://{STATUS}/status.json").read()


def measure(name, command, socket, seconds, folder):
    if name.startswith("ssdlab"):
        (folder / "ssd.img").unlink(missing_ok=True)
        create = [command[0], "drive", "create", folder / "ssd.img", "--config", folder / "drive.toml"]
        subprocess.run(create, check=True, stdout=subprocess.DEVNULL)
    else:
        with open(folder / "file", "wb") as file:
            file.truncate(SIZE)
    socket.unlink(missing_ok=True)
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    end = threading.Event()
    try:
        while not socket.exists():
            time.sleep(0.01)
            if process.poll() is not None:
                sys.exit(f"{name} does not start")
        time.sleep(0.1)
        if "--status" in name:
            threading.Thread(target=poll, args=[end], daemon=True).start()
        fio(socket, "--rw=write", "--bs=128k", "--iodepth=8")
        fio(socket, "--rw=randwrite", "--bs=4k", "--iodepth=32", "--norandommap", f"--io_size={SIZE}")
        timed = ["--time_based", f"--runtime={seconds}"]
        before = cpu(process)
        rate, _, writes = fio(socket, "--rw=randwrite", "--bs=4k", "--iodepth=32", "--norandommap", *timed)
        each = (cpu(process) - before) / writes * 1e6
        _, bandwidth, _ = fio(socket, "--rw=write", "--bs=128k", "--iodepth=8", *timed)
    finally:
        end.set()
        process.terminate()
        process.wait()
    return {"random": rate, "sequential": bandwidth, "cpu": each}


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--seconds", type=float, default=3, help="of each measurement")
    arguments.add_argument("--folder", type=pathlib.Path, help="where image and file are")
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        folder = pathlib.Path(folder)
        (folder / "drive.toml").write_text(CONFIG)
        socket = folder / "socket"
        commands = servers(socket, folder)
        rounds = []
        for number in range(options.rounds):
            # no server is always behind the same one
            names = list(commands) if number % 2 == 0 else list(reversed(commands))
            rounds.append({name: measure(name, commands[name], socket, options.seconds, folder) for name in names})
        counted = json.loads((folder / "counters").read_text())
    print("| server | random 4 KiB, depth 32 | sequential 128 KiB | server CPU for a random write |")
    print("| --- | --: | --: | --: |")
    for name in commands:
        median = lambda value: statistics.median(value(one[name], one[REFERENCE]) for one in rounds)
        random = median(lambda one, reference: one["random"] / reference["random"])
        sequential = median(lambda one, reference: one["sequential"] / reference["sequential"])
        above = median(lambda one, reference: one["cpu"] - reference["cpu"])
        if name == REFERENCE:
            rate = median(lambda one, _: one["random"])
            bandwidth = median(lambda one, _: one["sequential"]) / 1e6
            each = median(lambda one, _: one["cpu"])
            print(f"| {name} | {rate:,.0f} a second = 1 | {bandwidth:,.0f} MB/s = 1 | {each:.1f} µs |")
        else:
            print(f"| {name} | {random:.2f} | {sequential:.2f} | {above:+.1f} µs |")
    plain, shown = ([one[name]["random"] for one in rounds] for name in list(commands)[-2:])
    cost = statistics.median(1 - b / a for a, b in zip(plain, shown))
    programs = sum(counted[name] for name in ["flash_programs", "merge_programs", "flash_copies", "copy_backs"])
    print(f"\nThe status page, read once a second, costs {100 * cost:.1f} % of the random writes. The drive had a write")
    print(f"amplification of {programs * 4096 / counted['host_write_bytes']:.2f} and {counted['erases']:,} erases.")


main()
