"""Virtual SSDs: bytes, power cuts, and servers.

Planted bugs that these catch: flushed data that a power cut loses; a cut that loses nothing; a crash test that passes a
workload without flushes; a seed that is ignored; a served drive that others can open.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from random import Random
from shutil import which

import numpy as np
import pytest

import ssdlab as sl
from ssdlab.drive import crash_state, crash_states

SMALL = sl.Device(capacity="1MiB", ftl="page", buffer="lru:16KiB", flash_page_size=4096, flash_pages_per_block=16)
PLUGIN = Path(sl.__file__).parent / "nbdkit-ssdlab-plugin.so"
serves = pytest.mark.skipif(
    not (PLUGIN.exists() and which("nbdkit") and which("nbdinfo") and which("qemu-io")),
    reason="needs nbdkit, nbdinfo, qemu-io, and the plugin: python python/build/backend.py",
)


@pytest.fixture(params=["memory", "file"])
def drive(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[sl.Drive]:
    in_memory = request.param == "memory"
    with sl.Drive.in_memory(SMALL) if in_memory else sl.Drive.create(tmp_path / "d.img", SMALL) as drive:
        yield drive


def test_a_drive_holds_bytes(drive: sl.Drive) -> None:
    assert (drive.capacity, drive.page_size) == (1 << 20, 4096)
    assert drive.write(1000, b"some bytes") == 10
    assert drive.write(8192, np.arange(4, dtype="<u4")) == 16  # type: ignore[arg-type]
    buffer = np.empty(3, dtype="<u4")
    assert drive.readinto(8192, buffer[1:]) == 8  # type: ignore[arg-type]
    assert list(buffer[1:]) == [0, 1]
    drive.write(16384, memoryview(bytes(range(10)))[::3])
    assert drive.read(16383, 6) == b"\0\0\3\6\x09\0"
    drive.trim(8192, 4096)
    assert drive.read(8192, 16) == bytes(16)
    drive.close()
    assert drive.reopen()["left"] == "closed"
    assert drive.read(1000, 10) == b"some bytes"
    assert drive.device == SMALL


def test_files_are_those_of_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "drive.img"
    with sl.Drive.create(file, SMALL) as drive:
        for page in range(200):
            drive.write(page * 4096, b"x" * 4096)
    ran = subprocess.run(
        [sys.executable, "-m", "ssdlab", "drive", "info", "--json", str(file)], capture_output=True, check=True
    )
    info = json.loads(ran.stdout)
    with sl.Drive.open(file, read_only=True) as drive:
        assert {name: info[name] for name in drive.opened} == drive.opened
        assert drive.device == SMALL
        assert sum(drive.erase_counts) == info["erases"]["total"] > 0
        with pytest.raises(sl.DriveError, match="read_only"):
            drive.write(0, b"1")
    before = file.read_bytes()
    with sl.Drive.open(file, read_only=True) as drive:
        assert drive.read(0, 1) == b"x"
    assert file.read_bytes() == before


def test_it_counts_as_the_simulator() -> None:
    trace = sl.generate("zipf", theta=0.9, capacity="1MiB", requests=2000, seed=3)
    table = pytest.importorskip("pyarrow").table(trace)
    # a run writes its buffer back at the end, and a drive keeps it
    device = SMALL.with_(buffer_policy="none")
    with sl.Drive.in_memory(device) as drive:
        for offset, size in zip(table["offset"].to_pylist(), table["size"].to_pylist(), strict=True):
            drive.write(offset, b"1" * size)
        counters, status = drive.counters, drive.status()
        assert status["erases"]["total"] == sum(drive.erase_counts) == counters["erases"] > 10
    outcome = sl.run(device, trace)
    assert counters == outcome.counters
    figures = {one["key"]: one["value"] for one in status["figures"]}
    assert figures["waf"] == outcome.waf == status["write_amplification"]


def test_errors_name_the_file(tmp_path: Path) -> None:
    file = tmp_path / "drive.img"
    with pytest.raises(sl.DriveError, match="No such file") as missing:
        sl.Drive.open(file)
    assert missing.value.file == str(file) and str(file) in str(missing.value)
    with pytest.raises(sl.ConfigError) as no_size:
        sl.Drive.create(file, sl.Device(capacity="auto"))
    assert no_size.value.key == "flash.capacity" and not file.exists()
    with sl.Drive.create(file, SMALL) as drive:
        with pytest.raises(sl.DriveError, match="has this image open"):
            sl.Drive.open(file)
        with pytest.raises(sl.DriveError, match="beyond|past|capacity"):
            drive.read(0, 1 << 60)
        with pytest.raises(sl.ConfigError, match="offset = -1"):
            drive.read(-1, 1)
        with pytest.raises(sl.ConfigError, match="writable"):
            drive.readinto(0, b"123")
        with pytest.raises(sl.DriveError, match="is open"):
            drive.reopen()
    with pytest.raises(sl.DriveError, match="is closed"):
        drive.read(0, 1)
    with pytest.raises(sl.DriveError, match="exists"):
        sl.Drive.create(file, SMALL)
    file.write_bytes(b"no image" * 1000)
    with pytest.raises(sl.DriveError, match="no flash image"):
        sl.Drive.open(file)


def test_threads_share_a_drive() -> None:
    with sl.Drive.in_memory(SMALL) as drive:

        def write(thread: int) -> None:
            for number in range(200):
                drive.write((number % 16 * 8 + thread) * 4096, bytes([thread]) * 4096)

        threads = [threading.Thread(target=write, args=(one,)) for one in range(8)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        assert drive.counters["host_write_pages"] == 1600
        for page in range(128):
            assert drive.read(page * 4096, 4096) == bytes([page % 8]) * 4096


@pytest.mark.parametrize("seed", [None, 1, 2, 3])
def test_a_power_cut_keeps_what_was_flushed(drive: sl.Drive, seed: int | None) -> None:
    for page in range(32):
        drive.write(page * 4096, b"1" * 4096)
    drive.flush()
    for page in range(32):
        drive.write(page * 4096, b"2" * 4096)
    drive.cut_power(seed)
    with pytest.raises(sl.PowerCut):
        drive.read(0, 1)
    assert drive.reopen()["left"] == "open"
    pages = [drive.read(page * 4096, 4096) for page in range(32)]
    assert set(pages) <= {b"1" * 4096, b"2" * 4096}
    # four pages are in the buffer
    lost = pages.count(b"1" * 4096)
    assert lost == 32 if seed is None else lost >= 4


def test_a_seed_draws_what_a_power_cut_leaves() -> None:
    left = []
    for seed in range(30):
        with sl.Drive.in_memory(SMALL) as drive:
            for page in range(32):
                drive.write(page * 4096, b"1" * 4096)
            drive.cut_power(seed)
            drive.reopen()
            left.append(sum(drive.read(page * 4096, 1) == b"1" for page in range(32)))
    assert len(set(left)) > 8 and min(left) == 0 and max(left) == 28


def test_ram_that_keeps_its_data_survives() -> None:
    with sl.Drive.in_memory(SMALL.with_(buffer_protected=True)) as drive:
        for seed in (None, 1, 2, 3, 4, 5):
            for page in range(32):
                drive.write(page * 4096, bytes([seed or 0]) * 4096)
            drive.cut_power(seed)
            drive.reopen()
            assert {drive.read(page * 4096, 1)[0] for page in range(32)} == {seed or 0}


def test_power_fails_in_the_middle_of_a_request(drive: sl.Drive) -> None:
    drive.write(0, b"1" * 65536)
    drive.flush()
    assert drive.operations == 16
    drive.cut_power_at(3, seed=7)
    with pytest.raises(sl.PowerCut) as cut:
        drive.write(0, b"2" * 65536)
    assert cut.value.file == (None if drive.path is None else str(drive.path))
    with pytest.raises(sl.ConfigError, match="operation = 0"):
        drive.cut_power_at(0)
    drive.reopen()
    assert set(drive.read(0, 65536)) <= set(b"12")


def journal(flushes: bool, ordered: bool = True):  # type: ignore[no-untyped-def]
    """A log in the first half, and the newest value of each of eight cells in the second."""

    def workload(drive: sl.Drive) -> Iterator[tuple[int, int]]:
        random = Random(4)
        for number in range(1, 60):
            cell = random.randrange(8)
            drive.write(number * 4096, bytes([number, cell]) * 2048)
            if ordered:
                drive.flush()
            drive.write((128 + cell) * 4096, bytes([number]) * 4096)
            if flushes:
                drive.flush()
            yield number, cell

    return workload


def holds(drive: sl.Drive, recorded: list[tuple[int, int]]) -> None:
    logged = 0
    while drive.read((logged + 1) * 4096, 2)[0] == logged + 1:
        logged += 1
    assert logged >= len(recorded), "a record of the log is missing"
    for cell in range(8):
        assert drive.read((128 + cell) * 4096, 1)[0] <= logged, f"cell {cell} is ahead of the log"
    for cell in {cell for _, cell in recorded}:
        newest = max(number for number, of in recorded if of == cell)
        assert drive.read((128 + cell) * 4096, 1)[0] >= newest, f"cell {cell} is old"


def test_crash_states_pass_what_is_right() -> None:
    assert crash_states(SMALL, journal(flushes=True), holds) == 100
    assert crash_states(SMALL.with_(ftl="fast", buffer_policy="bplru"), journal(flushes=True), holds, cuts=30, seed=1) == 30
    with sl.Drive.in_memory(SMALL) as drive:
        list(journal(flushes=True)(drive))
        operations = drive.operations
    assert crash_states(SMALL, journal(flushes=True), holds, cuts=None) == operations + 1


def test_crash_states_find_what_is_wrong() -> None:
    with pytest.raises(AssertionError, match=r"after a power cut at operation (\d+) with seed (\d+)") as found:
        crash_states(SMALL, journal(flushes=False), holds)
    words = str(found.value).split()
    operation, seed = int(words[6]), int(words[9].rstrip(","))
    with pytest.raises(AssertionError) as again:
        crash_state(SMALL, journal(flushes=False), holds, operation, seed)
    assert str(again.value) == str(found.value)
    # a log that no flush keeps ahead of the cells
    rightly = journal(flushes=True, ordered=False)
    direct = SMALL.with_(buffer_policy="lru", buffer_size="8KiB")
    assert crash_states(direct, rightly, lambda drive, recorded: True, cuts=5) == 5
    with pytest.raises(AssertionError, match="returned False"):
        crash_states(direct, rightly, lambda drive, recorded: False, cuts=1)


def test_crash_states_find_a_log_that_is_not_ahead() -> None:
    def workload(drive: sl.Drive) -> Iterator[int]:
        for number in range(1, 30):
            drive.write(number * 4096, bytes([number]) * 4096)
            # the record stays in the buffer while cells leave it
            for page in range(8):
                drive.write((100 + page) * 4096, bytes([number]) * 4096)
                drive.write(number * 4096, bytes([number]) * 4096)
        yield 0

    def ahead(drive: sl.Drive, recorded: list[int]) -> None:
        cells = max(drive.read((100 + page) * 4096, 1)[0] for page in range(8))
        assert cells == 0 or drive.read(cells * 4096, 1)[0] == cells

    with pytest.raises(AssertionError, match="crash_state"):
        crash_states(SMALL, workload, ahead, cuts=None)


@serves
def test_a_served_drive(tmp_path: Path) -> None:
    file = tmp_path / "a drive.img"
    with sl.Drive.create(file, SMALL) as drive:
        drive.write(0, b"1" * 4096)
        with drive.serve(counters=str(tmp_path / "c.json")) as server:
            info = json.loads(subprocess.run(["nbdinfo", "--json", server.uri], capture_output=True, check=True).stdout)
            assert info["exports"][0]["export-size"] == 1 << 20
            write = ["qemu-io", "-f", "raw", "-c", "read -P 0x31 0 4k", "-c", "write -P 0x32 8k 4k", "-c", "flush", server.uri]
            said = subprocess.run(write, capture_output=True, text=True, check=True).stdout
            assert "verification failed" not in said
            with pytest.raises(sl.DriveError, match="is served"):
                drive.read(0, 1)
            with pytest.raises(sl.DriveError, match="has this image open"):
                sl.Drive.open(file)
        assert drive.opened["left"] == "closed"
        assert drive.read(8192, 4096) == b"2" * 4096
        assert json.loads((tmp_path / "c.json").read_text())["host_write_pages"] == 1
        with pytest.raises(sl.DriveError, match="has this image open") as in_use:
            sl.serve(file)
        assert in_use.value.file == str(file)


@serves
def test_addresses_of_servers(tmp_path: Path) -> None:
    file, socket = tmp_path / "drive.img", tmp_path / "socket"
    other = tmp_path / "other.img"
    for image in (file, other):
        sl.Drive.create(image, SMALL).close()
    with sl.serve(file, socket=socket) as server:
        assert server.uri == f"nbd+unix:///?socket={socket}"
        assert subprocess.run(["nbdinfo", "--size", server.uri], capture_output=True, check=True).stdout == b"1048576\n"
        with pytest.raises(sl.DriveError, match="another server listens there"):
            sl.serve(other, socket=socket)
    with sl.Drive.open(file) as drive, pytest.raises(sl.DriveError, match="port"), drive.serve(port=0):
        pass
    with sl.Drive.in_memory(SMALL) as drive, pytest.raises(sl.DriveError, match="in memory"), drive.serve():
        pass
    with sl.Drive.open(file, read_only=True) as drive, pytest.raises(sl.DriveError, match="read_only"), drive.serve():
        pass


@serves
def test_a_server_ends_beside_a_forked_process(tmp_path: Path) -> None:
    file = tmp_path / "drive.img"
    sl.Drive.create(file, SMALL).close()
    program = (
        "import os, sys, time, ssdlab\n"
        "from pathlib import Path\n"
        "server = ssdlab.serve(sys.argv[1], counters=Path(sys.argv[2]))\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    time.sleep(60)\n"
        "    os._exit(0)\n"
        "begun = time.monotonic()\n"
        "server.close()\n"
        "print(time.monotonic() - begun)\n"
        "os.kill(child, 9)\n"
    )
    # planted bug: the server waits until nobody can write to it, and the child could
    words = [sys.executable, "-c", program, str(file), str(tmp_path / "c.json")]
    ran = subprocess.run(words, capture_output=True, text=True, timeout=120)
    assert float(ran.stdout) < 30, ran.stderr
    assert (tmp_path / "c.json").exists()


@serves
def test_a_server_ends_with_its_process(tmp_path: Path) -> None:
    file = tmp_path / "drive.img"
    sl.Drive.create(file, SMALL).close()
    program = f"import os, ssdlab; server = ssdlab.serve({str(file)!r}); print(server.uri, flush=True); os.kill(os.getpid(), 9)"
    killed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert killed.stdout.startswith("nbd+unix:")
    for _ in range(100):
        try:
            sl.Drive.open(file).close()
            break
        except sl.DriveError:
            threading.Event().wait(0.1)
    else:
        pytest.fail("the server still runs")
