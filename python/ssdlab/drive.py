"""Virtual SSDs: a flash translation layer and a write buffer over an image, with real bytes.

The image is a file, or in memory. Bytes that were flushed survive every crash; :meth:`Drive.cut_power` loses the others as
a power cut does, and :func:`crash_states` tries a program at many power cuts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from os import PathLike, fspath
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Self, TypeVar, Unpack

from . import _native
from ._words import whole
from .device import Device
from .errors import ConfigError, DriveError, PowerCut
from .serve import Options, Server, serve

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["Drive", "crash_state", "crash_states"]

T = TypeVar("T")

Workload = Callable[["Drive"], Iterable[T] | None]
"""Writes to a drive, and yields what must survive a power cut from then on."""
Check = Callable[["Drive", list[T]], object]
"""Looks at a drive after a power cut, given what the workload yielded before; raises an error if something is missing."""


def _seed(value: int | None) -> int | None:
    return None if value is None else whole(value, "seed")


class Drive:
    """An open virtual SSD. Offsets and lengths are in bytes, and of any alignment; a write keeps the rest of its pages.

    >>> with Drive.in_memory(Device(capacity="1MiB", ftl="page")) as drive:
    ...     written = drive.write(512, b"some bytes")
    ...     drive.flush()
    ...     print(drive.read(512, written))
    b'some bytes'

    :meth:`flush` makes durable what was written before; :meth:`close`, which the end of ``with`` calls, flushes too. A
    drive that is not closed is left as a crash leaves it. Threads may share a drive: their calls take turns, and other
    threads of Python run meanwhile.
    """

    def __init__(self, native: _native.Drive, device: Device | None = None, read_only: bool = False) -> None:
        self._native = native
        self._device = device
        self._read_only = read_only

    @classmethod
    def create(cls, path: str | PathLike[str], device: Device) -> Drive:
        """Makes an image in a new file, which is sparse, and opens it.

        :raises ConfigError: a device that cannot be a drive, such as one without a capacity.
        :raises DriveError: a file that exists or cannot be made.
        """
        return cls(_native.Drive.create(fspath(path), device._native), device)

    @classmethod
    def open(cls, path: str | PathLike[str], read_only: bool = False) -> Drive:
        """Opens the image in a file, which nothing else has open. After a crash, this repairs it.

        :param read_only: change nothing in the file, not even to repair it; the drive refuses writes.
        :raises DriveError: a file that is no image, or is damaged or in use.
        """
        return cls(_native.Drive.open(fspath(path), bool(read_only)), read_only=read_only)

    @classmethod
    def in_memory(cls, device: Device) -> Drive:
        """Makes an image in memory, which lasts as long as this object, and opens it.

        :raises ConfigError: a device that cannot be a drive, such as one without a capacity.
        :raises DriveError: no memory for it.
        """
        return cls(_native.Drive.create(None, device._native), device)

    @property
    def path(self) -> Path | None:
        """The file of the image; ``None`` in memory."""
        path = self._native.path
        return None if path is None else Path(path)

    @property
    def capacity(self) -> int:
        """The bytes that a host sees."""
        capacity: int = self._native.capacity
        return capacity

    @property
    def page_size(self) -> int:
        """The bytes of a page: the best size and alignment of requests."""
        page_size: int = self._native.page_size
        return page_size

    @property
    def device(self) -> Device:
        """The device that the drive was made with; of an image, with the keys that differ from their defaults."""
        if self._device is None:
            self._device = Device(set=dict(self._native.device))
        return self._device

    @property
    def counters(self) -> dict[str, int]:
        """The counters since the drive was opened, as a run counts them."""
        counters: dict[str, int] = self.status()["counters"]
        return counters

    @property
    def erase_counts(self) -> list[int]:
        """The erases of each block over the life of the drive, chip by chip."""
        counts: list[int] = self._native.erase_counts()
        return counts

    @property
    def opened(self) -> dict[str, Any]:
        """How the image was found when it was opened: ``left`` is ``new``, ``closed`` or ``open`` (a crash), ``undone``
        the pages and erases since the last commit that the opening undid, and so on, as in ``ssdlab drive info --json``.
        """
        opened: dict[str, Any] = json.loads(self._native.opened())
        return opened

    @property
    def is_open(self) -> bool:
        """Whether requests are served: not after :meth:`close` or a power cut, nor while :meth:`serve` does."""
        is_open: bool = self._native.is_open()
        return is_open

    def status(self) -> dict[str, Any]:
        """What the drive has done since it was opened, and its state: the JSON of the status page of ``ssdlab serve``."""
        status: dict[str, Any] = json.loads(self._native.status())
        return status

    def read(self, offset: int, length: int) -> bytes:
        """The bytes from an offset on. What was never written, or was trimmed, reads as zeros.

        :raises DriveError: a range beyond the capacity; a page whose data are lost.
        """
        read: bytes = self._native.read(whole(offset, "offset"), whole(length, "length"))
        return read

    def readinto(self, offset: int, buffer: Buffer) -> int:
        """Fills a buffer, such as a ``bytearray`` or an array of NumPy, and returns its bytes.

        :raises DriveError: as for :meth:`read`.
        """
        with memoryview(buffer) as view:
            if view.readonly:
                raise ConfigError("buffer: must be writable")
            if view.nbytes > 0:
                self._native.readinto(whole(offset, "offset"), view.cast("B"))
            return view.nbytes

    def write(self, offset: int, data: Buffer) -> int:
        """Writes bytes, an array or another buffer, and returns the number of its bytes.

        :raises DriveError: a range beyond the capacity; a drive that only reads, now or before.
        """
        content = data if type(data) is bytes else memoryview(data).tobytes()
        self._native.write(whole(offset, "offset"), content)
        return len(content)

    def flush(self) -> None:
        """Makes all earlier writes and trims durable.

        :raises DriveError: a drive that only reads, now or before. After a failure, no later flush succeeds.
        """
        self._native.flush()

    def trim(self, offset: int, length: int) -> None:
        """Discards a range: pages wholly inside read as zeros, the rest of it keeps its bytes.

        :raises DriveError: as for :meth:`write`.
        """
        self._native.trim(whole(offset, "offset"), whole(length, "length"))

    def cut_power(self, seed: int | None = None) -> None:
        """Power fails now; the drive is closed until :meth:`reopen`.

        What was flushed survives, and with RAM that keeps its data (``buffer.protected``, ``ftl.ram``) all requests do.
        Otherwise RAM is lost, and the flash goes back to an earlier moment:

        - without a seed, to the last commit: the last flush, or a commit that came by itself. That is the most that a
          drive may lose.
        - with a seed, to a moment that it draws: the last commit, now, or any program or erase between them.

        Then each page is as it was after some write since the last flush, or at that flush, never a mixture; a request of
        several pages may survive in part, and a later one without an earlier one if the write buffer has reordered them.

        :raises DriveError: the drive is closed; its disk fails.
        """
        self._native.cut_power(_seed(seed))

    def cut_power_at(self, operation: int, seed: int | None = None) -> None:
        """Power will fail instead of a program or an erase of the flash, counted from now on, from 1. The request that
        needs it raises :class:`~ssdlab.errors.PowerCut`. What survives is said at :meth:`cut_power`.
        """
        self._native.cut_power_at(whole(operation, "operation", 1), _seed(seed))

    @property
    def operations(self) -> int:
        """Programs and erases of the flash since the drive was opened, which :meth:`cut_power_at` counts."""
        operations: int = self._native.operations()
        return operations

    def reopen(self) -> dict[str, Any]:
        """Opens the drive again after a power cut or a close, and returns how its image was found: see :attr:`opened`.

        :raises DriveError: the drive is open; the image is damaged or in use.
        """
        opened: dict[str, Any] = json.loads(self._native.reopen())
        return opened

    def close(self) -> None:
        """Flushes, and closes the image. Nothing happens if the drive is closed, or its power has failed."""
        if self.is_open:
            self._native.close()

    @contextmanager
    def serve(
        self, socket: str | PathLike[str] | None = None, port: int | None = None, **options: Unpack[Options]
    ) -> Iterator[Server]:
        """Serves the drive, as :func:`ssdlab.serve` does, while a ``with`` block runs. Meanwhile, only clients can use it.

        :raises DriveError: a drive in memory or one that is read-only; it cannot be served.
        """
        path = self.path
        if path is None:
            raise DriveError("a drive in memory cannot be served; make its image in a file")
        if self._read_only:
            error = DriveError(f"{path}: a drive that was opened with read_only=True cannot be served")
            error.file = str(path)
            raise error
        self._native.close("the drive is served; it opens again when its `with` block ends")
        try:
            with serve(path, socket, port, **options) as server:
                yield server
        finally:
            self._native.reopen()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        place = "in memory" if self.path is None else str(self.path)
        state = "" if self.is_open else ", closed"
        return f"<Drive {place}, {self.capacity} bytes{state}>"


def crash_states(
    device: Device,
    workload: Workload[T],
    check: Check[T],
    cuts: int | None = 100,
    seed: int = 0,
) -> int:
    """Runs a workload on a new drive in memory again and again, cuts its power at another flash operation each time, opens
    it again, and checks it. Returns the number of power cuts.

    ``workload(drive)`` writes and flushes, and yields what must survive from then on; it must do the same each time. In the
    middle of a request it gets a :class:`~ssdlab.errors.PowerCut`, which it may let pass. ``check(drive, recorded)`` gets the
    opened drive and the list of what was yielded before; it raises any exception, or returns ``False``, if the drive does
    not hold what it must.

    >>> def workload(drive):
    ...     for number in range(20):
    ...         drive.write(512 * number, bytes([number]) * 512)
    ...         drive.flush()
    ...         yield number
    >>> def check(drive, recorded):
    ...     for number in recorded:
    ...         assert drive.read(512 * number, 1)[0] == number
    >>> crash_states(Device(capacity="1MiB", ftl="page"), workload, check)
    100

    :param cuts: power cuts, at least 1, over all operations and the end of the workload; ``None``: one at each of them.
    :param seed: draws which operations, if there are more than ``cuts``, and what a power cut leaves.
    :raises AssertionError: a check failed. It names the operation and the seed with which :func:`crash_state` repeats it.
    """
    random = Random(whole(seed, "seed"))
    if cuts is not None:
        cuts = whole(cuts, "cuts", 1)
    with Drive.in_memory(device) as drive:
        for _ in workload(drive) or ():
            pass
        ends = drive.operations + 1
    places = list(range(1, ends + 1))
    if cuts is not None and cuts < ends:
        # the end is a power cut like no other
        places = [*sorted(random.sample(places[:-1], cuts - 1)), ends]
    count = len(places) if cuts is None else cuts
    for cut in range(count):
        crash_state(device, workload, check, places[cut % len(places)], random.getrandbits(32))
    return count


def crash_state(
    device: Device, workload: Workload[T], check: Check[T], operation: int, seed: int | None
) -> None:
    """One power cut of :func:`crash_states`: instead of a flash operation, counted from 1, or else at the end of the
    workload.

    :param seed: what the power cut leaves: see :meth:`Drive.cut_power`.
    :raises AssertionError: the check failed.
    """
    drive = Drive.in_memory(device)
    recorded: list[T] = []
    drive.cut_power_at(operation, seed)
    try:
        for one in workload(drive) or ():
            # the workload may go on with it
            recorded.append(deepcopy(one))
    except PowerCut:
        pass
    if drive.is_open:
        drive.cut_power(seed)
    try:
        drive.reopen()
        passed = check(drive, recorded)
    except Exception as error:
        raise AssertionError(_told(operation, seed, recorded, repr(error))) from error
    if passed is False:
        raise AssertionError(_told(operation, seed, recorded, "the check returned False"))


def _told(operation: int, seed: int | None, recorded: list[T], what: str) -> str:
    times = "1 record" if len(recorded) == 1 else f"{len(recorded)} records"
    return (
        f"after a power cut at operation {operation} with seed {seed}, {times} of what must survive: {what}; "
        f"crash_state(device, workload, check, {operation}, {seed}) repeats it"
    )
