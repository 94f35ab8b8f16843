#!/usr/bin/env python3
"""Databases on virtual SSDs: what their writes become in the flash of five devices.

    examples/databases.py sqlite        # or sqlite-wal, postgresql; prints a table

Each device is served to ext4 (examples/on-ext4: root, FUSE, loop devices). The database is made and closed; then the
drive is served again, and its counters are those of the transactions alone. Trace and counters of each device are kept in
the folder that --keep names. `ssdlab` must be in the search path. sqlite3 or postgresql is installed by apt-get if it is
missing.
"""

import argparse
import glob
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve()

# the same flash and as much RAM for all; the name says what is above it
FLASH = """
flash = { capacity = "%s", page_size = 4096, pages_per_block = 64 }
timing = { read_us = 60, program_us = 700, erase_us = 3500, transfer_us = 25 }
drain = false
"""
PAGE = 'ftl = { kind = "page", over_provisioning = 0.15, cleaning = "greedy" }\n'
BAST = 'ftl = { kind = "bast", log_blocks = LOG_BLOCKS }\n'
BUFFER = 'buffer = { policy = "%s", size = "2MiB" }\n'
BATTERY = 'buffer = { policy = "%s", size = "2MiB", protected = true }\ndrive = { hold_ms = 60000 }\n'
DEB = """
[ftl]
kind = "page"
over_provisioning = 0.15
placement = "deb"
cleaning = "cat"
ram = "2MiB"
stable_s = [1000, 2000, 4000, 8000] # pages written
[buffer]
policy = "none"
[drive]
hold_ms = 60000
"""
DEVICES = {
    "bplru/bast": BAST + BUFFER % "bplru",
    "lru/page": PAGE + BUFFER % "lru",
    "bplru/bast battery": BAST + BATTERY % "bplru",
    "lru/page battery": PAGE + BATTERY % "lru",
    "deb battery": DEB,
}


class Sqlite:
    """A table of 30 MB; each transaction adds a line to a log and changes four rows anywhere."""

    capacity, transactions, program, package = "64MiB", 5000, "sqlite3", "sqlite3"
    journal = "DELETE"

    def make(self, _):
        self.sql(
            "CREATE TABLE item(id INTEGER PRIMARY KEY, count INTEGER, text TEXT);"
            "CREATE TABLE log(id INTEGER PRIMARY KEY, item INTEGER, at INTEGER);"
            "BEGIN; WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)"
            "INSERT INTO item SELECT i, 0, printf('%0250d', i) FROM n; COMMIT;"
        )

    def work(self, transactions):
        draw = random.Random(1)
        lines = []
        for number in range(transactions):
            items = [draw.randint(1, 100000) for _ in range(4)]
            changes = [f"UPDATE item SET count = count + 1 WHERE id = {item};" for item in items]
            log = f"INSERT INTO log(item, at) VALUES({items[0]}, {number});"
            lines.append(f"BEGIN; {' '.join(changes)} {log} COMMIT;")
        self.sql("\n".join(lines))
        done = self.sql("SELECT sum(count) FROM item;").split()[-1]
        assert int(done) == 4 * transactions, done

    def sql(self, text):
        text = f"PRAGMA journal_mode = {self.journal}; PRAGMA synchronous = FULL; {text}"
        run = subprocess.run(["sqlite3", "-bail", "db"], input=text, text=True, stdout=subprocess.PIPE, check=True)
        return run.stdout


class SqliteWal(Sqlite):
    journal = "WAL"


class Postgresql:
    """pgbench: its tables of 90 MB and its transactions, in four clients, and a checkpoint at the end."""

    capacity, transactions = "256MiB", 20000
    program, package = "/usr/lib/postgresql/*/bin/initdb", "postgresql"
    settings = {
        "listen_addresses": "",
        "unix_socket_directories": ".",
        "shared_buffers": "16MB",
        "max_wal_size": "32MB",
        "min_wal_size": "4MB",
        "checkpoint_timeout": "30s",
    }

    def make(self, _):
        # it refuses to run as root
        pathlib.Path("pg").mkdir()
        shutil.chown("pg", "postgres")
        self.run("initdb", "--pgdata=.", "--auth=trust", "--wal-segsize=1")
        with open("pg/postgresql.conf", "a") as file:
            file.writelines(f"{key} = '{value}'\n" for key, value in self.settings.items())
        self.up(["pgbench", "--initialize", "--quiet", "--scale=6"])

    def work(self, transactions):
        each = f"--transactions={transactions // 4}"
        bench = ["pgbench", "--no-vacuum", "--client=4", "--random-seed=1", each]
        self.up(bench, ["psql", "--command=CHECKPOINT"])

    def up(self, *commands):
        self.run("pg_ctl", "start", "--pgdata=.", "--wait", "--silent", "--log=log")
        try:
            for name, *arguments in commands:
                end = [] if name == "psql" else ["postgres"]
                self.run(name, f"--host={os.getcwd()}/pg", *arguments, *end)
        finally:
            self.run("pg_ctl", "stop", "--pgdata=.", "--mode=fast", "--silent")

    def run(self, name, *arguments):
        [program] = glob.glob(f"/usr/lib/postgresql/*/bin/{name}")[-1:]
        command = ["runuser", "--user=postgres", "--", program, *arguments]
        subprocess.run(command, cwd="pg", stdout=sys.stderr, check=True)


DATABASES = {"sqlite": Sqlite, "sqlite-wal": SqliteWal, "postgresql": Postgresql}
MIB = 1 << 20


def install(database):
    if not shutil.which(database.program) and not glob.glob(database.program):
        subprocess.run(["apt-get", "update", "-qq"], check=True)
        apt = ["apt-get", "install", "-qq", "-y", "--no-install-recommends", database.package]
        subprocess.run(apt, check=True, stdout=sys.stderr, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})


def measure(options, folder, device):
    """The counters of a device."""
    database = DATABASES[options.database]
    name = device.replace("/", "-").replace(" ", "-")
    image, trace, counters = (folder / f"{name}.{end}" for end in ["img", "csv", "json"])
    config = folder / f"{name}.toml"
    text = FLASH % database.capacity + DEVICES[device]
    # as many spare blocks as page mapping has
    blocks = int(database.capacity.removesuffix("MiB")) * MIB // (4096 * 64)
    config.write_text(text.replace("LOG_BLOCKS", str(blocks * 15 // 100)))
    image.unlink(missing_ok=True)
    subprocess.run(["ssdlab", "drive", "create", image, "--config", config], check=True, stdout=subprocess.DEVNULL)
    for phase in ["make", "work"]:
        inside = f"'{HERE.with_name('on-ext4')}' '{HERE}' {options.database} --inside {phase} -t {options.transactions}"
        serve = ["ssdlab", "serve", image, "--no-sync", "--run", inside]
        if phase == "work":
            serve += ["--counters", counters, "--record", trace]
        served = subprocess.run(serve, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if served.returncode != 0:
            sys.exit(f"{served.stdout}{device}: failed with {served.returncode}")
    image.unlink()
    return json.loads(counters.read_text())


COUNTED = ["switch_merges", "partial_merges", "full_merges", "padding_reads", "gc_victims", "erases"]


def row(device, counted):
    programs = sum(counted[name] for name in ["flash_programs", "merge_programs", "flash_copies", "copy_backs"])
    cells = [
        f"{counted['host_write_bytes'] / 1e6:.1f}",
        f"{counted['host_flushes']:,}",
        f"{programs * 4096 / counted['host_write_bytes']:.2f}",
        *(f"{counted[name]:,}" for name in COUNTED),
        f"{counted['elapsed_ns'] / 1e9:,.0f} s",
    ]
    return line(device, cells)


def line(first, cells):
    return f"{first:20}" + "".join(f"{cell:>10}" for cell in cells)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("database", choices=DATABASES)
    parser.add_argument("-t", "--transactions", type=int, help="other than usual")
    parser.add_argument("--device", choices=DEVICES, action="append", help="only this one; may be repeated")
    parser.add_argument("--keep", type=pathlib.Path, help="the folder of traces, counters and configurations")
    parser.add_argument("--inside", choices=["make", "work"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    database = DATABASES[options.database]()
    options.transactions = options.transactions or database.transactions
    if options.inside:
        getattr(database, options.inside)(options.transactions)
        return
    install(database)
    with tempfile.TemporaryDirectory() as temporary:
        folder = (options.keep or pathlib.Path(temporary)).absolute()
        folder.mkdir(parents=True, exist_ok=True)
        heads = ["host MB", "flushes", "w. amp.", "switch", "partial", "full", "padding", "cleaned", "erases", "time"]
        print(line(options.database, heads))
        for device in options.device or DEVICES:
            print(row(device, measure(options, folder, device)), flush=True)


main()
