#!/usr/bin/env python3
"""Databases on virtual SSDs: what their writes become in flash.

    examples/databases.py sqlite                        # or sqlite-wal, postgresql, rocksdb; a table of five devices
    examples/databases.py rocksdb --preset nvme-tlc     # how long will this drive live, and what would help?

Each device is served to ext4 (examples/on-ext4: root, FUSE, loop devices). The database is made and closed; then the
drive is served again, and its counters and its trace are those of the transactions alone. Trace and counters are kept in
the folder that --keep names. `ssdlab` must be in the search path. sqlite3, postgresql or rocksdb-tools is installed by
apt-get if it is missing.

With --preset, the device is a small one that behaves like that of the preset (--scale-to). mkfs discards all of it, so it
is aged afterwards: the recorded transactions are replayed on a drive that is full and was overwritten at random. A small
drive with this database stands for the large one with a database that is larger in proportion.
"""

import argparse
import glob
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib

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
    steady = 30000  # they write twice a drive of 1 GiB
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
    steady, journal = 60000, "WAL"


class Postgresql:
    """pgbench: its tables of 90 MB and its transactions, in four clients, and a checkpoint at the end."""

    capacity, transactions, steady = "256MiB", 20000, 90000
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


class Rocksdb:
    """db_bench: a table of 200,000 rows of 400 bytes; each transaction overwrites one of them anywhere."""

    capacity, transactions, program, package = "512MiB", 300000, "db_bench", "rocksdb-tools"
    steady = 2000000
    # as in a large table, most of it lies below the first levels
    settings = {
        "db": "db",
        "num": 200000,
        "value_size": 400,
        "compression_type": "none",
        "write_buffer_size": 4 << 20,
        "target_file_size_base": 4 << 20,
        "max_bytes_for_level_base": 16 << 20,
    }

    def make(self, _):
        self.bench("fillrandom", seed=1)

    def work(self, transactions):
        self.bench("overwrite", seed=2, use_existing_db=1, writes=transactions)

    def bench(self, benchmark, **more):
        settings = [f"--{key}={value}" for key, value in {**self.settings, **more}.items()]
        command = ["db_bench", f"--benchmarks={benchmark}", *settings]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert done.returncode == 0 and re.search(rf"^{benchmark} +:", done.stdout, re.M), done.stdout


DATABASES = {"sqlite": Sqlite, "sqlite-wal": SqliteWal, "postgresql": Postgresql, "rocksdb": Rocksdb}
MIB = 1 << 20
YEAR_S = 365.25 * 86400


def install(database):
    if not shutil.which(database.program) and not glob.glob(database.program):
        subprocess.run(["apt-get", "update", "-qq"], check=True)
        apt = ["apt-get", "install", "-qq", "-y", "--no-install-recommends", database.package]
        subprocess.run(apt, check=True, stdout=sys.stderr, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})


def measure(options, folder, device):
    """The counters of a device."""
    database = DATABASES[options.database]
    name = device.replace("/", "-").replace(" ", "-")
    config = folder / f"{name}.toml"
    text = FLASH % database.capacity + DEVICES[device]
    # as many spare blocks as page mapping has
    blocks = int(database.capacity.removesuffix("MiB")) * MIB // (4096 * 64)
    config.write_text(text.replace("LOG_BLOCKS", str(blocks * 15 // 100)))
    return serve(options, folder / name, ["--config", config])


def serve(options, place, device, blocks=""):
    """The counters of the transactions on a device; their trace is in the file `place`.csv. `blocks` is the size of the
    file system, if it is not that of the device."""
    image, trace, counters = (place.with_suffix(f".{end}") for end in ["img", "csv", "json"])
    image.unlink(missing_ok=True)
    subprocess.run(["ssdlab", "drive", "create", image, *device], check=True, stdout=subprocess.DEVNULL)
    for phase in ["make", "work"]:
        inside = f"'{HERE.with_name('on-ext4')}' '{HERE}' {options.database} --inside {phase} -t {options.transactions}"
        serve = ["ssdlab", "serve", image, "--no-sync", "--run", inside]
        if phase == "work":
            serve += ["--counters", counters, "--record", trace]
        environment = {**os.environ, "blocks": str(blocks)}
        served = subprocess.run(serve, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
        if served.returncode != 0:
            sys.exit(f"{served.stdout}{place.name}: failed with {served.returncode}")
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


def live(options, folder):
    """How long a drive lives under the transactions, and what would help."""
    preset = scaled = ["--preset", options.preset]
    large = small = shown(preset)["flash"]["capacity"]
    if number_of_bytes(large) > number_of_bytes(options.scale_to):
        scaled = [*preset, "--scale-to", options.scale_to]
        small = shown(scaled)["flash"]["capacity"]
    # there is room for other data, which the owner may leave out; mkfs unmaps its part anyway
    blocks = int(0.78 * number_of_bytes(small)) // 4096
    counted = serve(options, folder / options.preset, [*scaled, "--set", "precondition=empty"], blocks)
    aged = [part for setting in options.set for part in ["--set", setting]]
    policy = shown(scaled)["buffer"]["policy"]
    outcome = folder / f"{options.preset}.compared.json"
    compare = ["ssdlab", "compare", folder / f"{options.preset}.csv", *scaled, *aged, "--loops", "6", "--buffer", policy]
    # reads wear nothing, and mount looks at the end of the device, which an owner may leave unused
    compare += ["--drop-reads", "--no-bounds", "--no-html", "--json", outcome]
    if options.drop_discards:
        compare.append("--drop-discards")
    subprocess.run(compare, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    compared = json.loads(outcome.read_text())
    advice = compared["would_help"]
    each = counted["host_write_bytes"] / options.transactions

    rated = shown(preset)["flash"].get("rated_tbw")

    def told(figures):
        written = figures["life"]  # terabytes until the large drive is worn out
        transactions = written * 1e12 / each
        years = transactions / options.rate / YEAR_S
        # the P/E cycles are an assumption, so a life has two digits
        return f"write amplification {figures['waf']:.2f}, {amount(written, 2)} TB, {amount(years, 2)} years"

    print(f"{options.database} on {options.preset}: {options.transactions:,} transactions of {each:,.0f} bytes each")
    print(f"a drive of {small} for one of {large}, {' '.join(options.set)}; {options.rate:g} transactions a second")
    if rated:
        print(f"the maker rates {rated:g} TB, which are {amount(rated * 1e12 / each / options.rate / YEAR_S)} years")
    for note in compared["warnings"]:
        if not note.startswith("--scale-to"):
            print(f"note: {note}")
    lines = [("as it is", advice["figures"], [])]
    for tried in advice["tried"]:
        if "refused" not in tried:
            helps = "would help" if tried["helps"] else "would not help"
            lines.append((f"{helps}: {tried['change']}", tried["figures"], tried["set"]))
    width = max(len(name) for name, *_ in lines) + 2
    for name, figures, settings in lines:
        print(f"{name:{width}}{told(figures)}   {' '.join(settings)}".rstrip())


def amount(number, digits=3):
    short = float(f"{number:.{digits}g}")
    return f"{short:,.0f}" if short >= 10 ** (digits - 1) else f"{short:#.{digits}g}"


def shown(device):
    """All keys of a device."""
    show = subprocess.run(["ssdlab", "config", "show", *device], capture_output=True, text=True)
    if show.returncode != 0:
        sys.exit(show.stderr)
    return tomllib.loads(show.stdout)


def number_of_bytes(size):
    """Of a size as `config show` and --scale-to have it: 953856MiB, 500107862016B."""
    found = re.fullmatch(r"(\d+)([KMGT]i)?B", size)
    if not found:
        sys.exit(f"--scale-to {size}: must be a size, such as 512MiB or 4GiB")
    count, unit = found[1], (found[2] or "") + "B"
    return int(count) << 10 * ["B", "KiB", "MiB", "GiB", "TiB"].index(unit)


def line(first, cells):
    return f"{first:20}" + "".join(f"{cell:>10}" for cell in cells)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("database", choices=DATABASES)
    parser.add_argument("-t", "--transactions", type=int, help="other than usual")
    parser.add_argument("--device", choices=DEVICES, action="append", help="only this one; may be repeated")
    parser.add_argument("--preset", help="a drive of `ssdlab list`: how long it lives, and what would help")
    parser.add_argument("--scale-to", default="1GiB", help="the size of the drive that stands for it [1GiB]")
    parser.add_argument("--set", action="append", help="another key of the aged drive [precondition=random:2]")
    parser.add_argument("--rate", type=float, default=100, help="transactions a second, for the years [100]")
    parser.add_argument("--drop-discards", action="store_true", help="the file system does not trim")
    parser.add_argument("--keep", type=pathlib.Path, help="the folder of traces, counters and configurations")
    parser.add_argument("--inside", choices=["make", "work"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    database = DATABASES[options.database]()
    options.transactions = options.transactions or (database.steady if options.preset else database.transactions)
    options.set = options.set or ["precondition=random:2"]
    if options.inside:
        getattr(database, options.inside)(options.transactions)
        return
    install(database)
    with tempfile.TemporaryDirectory() as temporary:
        folder = (options.keep or pathlib.Path(temporary)).absolute()
        folder.mkdir(parents=True, exist_ok=True)
        if options.preset:
            return live(options, folder)
        heads = ["host MB", "flushes", "w. amp.", "switch", "partial", "full", "padding", "cleaned", "erases", "time"]
        print(line(options.database, heads))
        for device in options.device or DEVICES:
            print(row(device, measure(options, folder, device)), flush=True)


main()
