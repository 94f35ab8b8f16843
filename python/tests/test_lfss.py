"""Data blocks over virtual SSDs, with the calls of the DEB paper.

Planted bugs that these catch: a write that replaces a block, an update that creates one; a block that a power cut loses after
a flush; a home that is always flash; a drive with a write buffer that is taken; a store that keeps its drive to itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import ssdlab as sl
from ssdlab.drive import crash_states

DEB = sl.Device(preset="deb", precondition="empty")


@pytest.fixture
def lfss(tmp_path: Path) -> Iterator[sl.Lfss]:
    with sl.Lfss(sl.Drive.create(tmp_path / "lfss.img", DEB)) as lfss:
        yield lfss


def test_the_four_calls(lfss: sl.Lfss) -> None:
    one, two = b"1" * lfss.block_size, np.full(lfss.block_size, 2, dtype="u1")
    assert (lfss.block_size, lfss.blocks, lfss.existing()) == (4096, 14720, [])
    assert lfss.home(7) is None
    lfss.write(7, one)
    assert (lfss.read(7), lfss.home(7), lfss.in_ebr()) == (one, "ebr", [7])
    lfss.update(7, two)  # type: ignore[arg-type]
    assert lfss.read(7) == bytes(two)
    lfss.erase(7)
    assert (lfss.existing(), lfss.in_ebr(), lfss.erases) == ([], [], 0)


def test_blocks_leave_a_full_ebr(lfss: sl.Lfss) -> None:
    # 4 MiB are 1024 blocks
    for block in range(1025):
        lfss.write(block, bytes([block % 256]) * lfss.block_size)
    assert lfss.existing() == list(range(1025))
    held = lfss.in_ebr()
    assert 0 < len(held) < 1024 and held[-1] == 1024
    assert {lfss.home(block) for block in range(1025) if block not in held} == {"flash"}
    assert all(lfss.read(block)[0] == block % 256 for block in (0, 500, 1024))


def test_wrong_calls_say_why(lfss: sl.Lfss) -> None:
    lfss.write(3, bytes(4096))
    with pytest.raises(sl.DriveError, match="data block 3 exists already"):
        lfss.write(3, bytes(4096))
    for call in (lambda: lfss.read(4), lambda: lfss.update(4, bytes(4096)), lambda: lfss.erase(4)):
        with pytest.raises(sl.DriveError, match="data block 4 does not exist") as missing:
            call()
        assert missing.value.file == str(lfss.drive.path)
    with pytest.raises(sl.DriveError, match="this drive has 0 to 14719"):
        lfss.home(14720)
    with pytest.raises(sl.ConfigError, match="takes 4096 bytes, not 5") as size:
        lfss.update(3, b"12345")
    assert size.value.key == "data"
    with pytest.raises(sl.ConfigError, match="block = -1"):
        lfss.read(-1)
    with sl.Drive.in_memory(sl.Device(capacity="1MiB", ftl="page", buffer="lru:16KiB")) as buffered:
        with pytest.raises(sl.ConfigError, match="needs a drive with buffer.policy") as unsuited:
            sl.Lfss(buffered)
        assert unsuited.value.key == "buffer.policy"
    lfss.drive.close()
    with pytest.raises(sl.DriveError, match="is closed"):
        lfss.existing()


def test_a_drive_that_is_only_read(tmp_path: Path) -> None:
    file = tmp_path / "lfss.img"
    with sl.Lfss(sl.Drive.create(file, DEB)) as lfss:
        lfss.write(1, b"x" * 4096)
    with sl.Lfss(sl.Drive.open(file, read_only=True)) as lfss:
        assert lfss.read(1) == b"x" * 4096
        with pytest.raises(sl.DriveError, match="read_only"):
            lfss.erase(1)


def test_blocks_survive_power_cuts() -> None:
    def workload(drive: sl.Drive) -> Iterator[int]:
        lfss = sl.Lfss(drive)
        for number in range(100):
            (lfss.update if number >= 50 else lfss.write)(number % 50, bytes([number]) * 4096)
            drive.flush()
            yield number

    def check(drive: sl.Drive, recorded: list[int]) -> None:
        lfss = sl.Lfss(drive)
        for number in recorded[-50:]:
            assert lfss.read(number % 50)[0] in (number, number + 50)

    small = sl.Device(preset="deb", precondition="empty", ftl_ram="64KiB", flash_capacity="1MiB", ftl_spare_blocks=12)
    assert crash_states(small, workload, check, cuts=20) == 20
