"""Traces: requests of a host."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import warnings
from array import array
from collections.abc import Mapping, Sequence
from hashlib import sha256
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Protocol, cast, runtime_checkable

from . import _native
from ._progress import Progress, bar
from ._words import options, size
from .errors import TraceError

__all__ = ["ArrowStream", "Sample", "Trace", "generate"]

UNITS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
"""Nanoseconds of each unit of time."""


@runtime_checkable
class ArrowStream(Protocol):
    """A table that gives a stream of Arrow: of pyarrow, pandas, Polars, DuckDB and others."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


class Trace:
    """Requests of a host to a block device, in the order of the trace.

    They are kept in memory, 24 bytes each, or read from their file for each pass if they are too many. Made by
    :meth:`open`, :meth:`from_arrow`, :meth:`from_columns` and :func:`generate`.
    """

    def __init__(self, native: _native.Trace, has_file: bool = False) -> None:
        self._native, self._has_file = native, has_file

    @classmethod
    def open(
        cls,
        path: str | PathLike[str],
        *,
        format: str | None = None,
        memory: int | str | None = None,
        progress: Progress = None,
        **read: object,
    ) -> Trace:
        """Read a trace file in any layout, plain or compressed (gz, zst, bz2, xz).

        :param path: the file, or an address that fsspec opens, such as ``s3://bucket/hm_0.csv.gz``.
        :param format: the layout; by default it is detected from the first lines.
        :param memory: bytes that the requests may take; a larger file is read for each pass. By default a quarter of the
            memory that is free.
        :param progress: ``True`` shows a bar, if tqdm is there; or a function that takes what is done and what there is
            to do (``None`` if that is unknown).
        :param read: the options of ``ssdlab run`` that say how to read a trace, with underscores: ``volume="usr.0"``,
            ``fields={"time": "ts", "op": "type", "offset": "lba", "size": "len"}``, ``time_unit="us"``, ``sector=512``,
            ``limit=1000``, ``skip_malformed=3``, ``drop_reads=True``.
        :raises TraceError: a file that cannot be read; with ``file``, and ``line`` where one is wrong.
        """
        file = local(fspath(path))
        most = None if memory is None else size(memory, "memory")
        words = options({"format": format, **read})
        with bar(progress, "reading") as told:
            return cls(_native.Trace.open(file, words, most, told), has_file=True)

    @classmethod
    def from_arrow(
        cls,
        table: ArrowStream,
        *,
        time: str | None = None,
        op: str = "op",
        offset: str | None = None,
        size: str | None = None,
        stream: str = "stream",
        time_unit: str | None = None,
        sector: int | None = None,
        size_unit: int | None = None,
        ops: Mapping[object, str] | None = None,
        name: str = "table",
    ) -> Trace:
        """Take the rows of a table as requests: of pyarrow, pandas, Polars, DuckDB, or anything with an Arrow stream.

        The columns that ``ssdlab trace convert`` writes, ``time_ns``, ``op``, ``offset_bytes`` and ``size_bytes``, are found by
        their names, which tell their units. Other columns of numbers need ``time_unit`` and ``sector``: without both they are
        taken for nanoseconds and bytes, with a warning.

        :param time: the column of times, by default ``time_ns`` or ``time``: numbers in ``time_unit`` from the start of the trace,
            durations, or timestamps, of which the first becomes 0.
        :param op: the column of operations: words such as ``R``, ``write`` or ``discard``, or numbers that ``ops`` explains.
        :param offset: the column of first bytes, by default ``offset_bytes`` or ``offset``, in units of ``sector`` bytes.
        :param size: the column of sizes, by default ``size_bytes`` or ``size``, in units of ``size_unit`` bytes, by default those of ``sector``.
        :param stream: the column of streams, 0 to 65535; it may be missing.
        :param ops: what values of the operation mean: ``{0: "R", 1: "W"}``.
        :param name: for messages and results.
        :raises TraceError: a column that is missing, or that cannot be cast; ``key`` is its name.
        """
        if not isinstance(table, ArrowStream):
            raise TypeError(f"{type(table).__name__}: must be a table with __arrow_c_stream__; columns go to from_columns")
        known = _columns_of(table)
        own = {"time": "time_ns", "offset": "offset_bytes", "size": "size_bytes"}
        found = {name: with_unit if with_unit in known else name for name, with_unit in own.items()}
        names = (time or found["time"], op, offset or found["offset"], size or found["size"], stream)
        if time_unit is None and sector is None and not {*own.values()} <= {*names}:
            what = f"{name}: times are taken for nanoseconds, offsets and sizes for bytes; give time_unit and sector"
            warnings.warn(what, stacklevel=2)
        units = _units(time_unit or "ns", 1 if sector is None else sector, size_unit, ops)
        return cls(_native.Trace.of_columns(table, [], names, *units, name))

    @classmethod
    def from_columns(
        cls,
        *,
        time: object,
        op: object,
        offset: object,
        size: object,
        stream: object | None = None,
        time_unit: str = "ns",
        sector: int = 1,
        size_unit: int | None = None,
        ops: Mapping[object, str] | None = None,
        name: str = "columns",
    ) -> Trace:
        """Take arrays of equal length as requests: of NumPy, of ``array``, or anything with a buffer of numbers.

        Operations may be a list of words, an array of letters, or numbers that ``ops`` explains; times may be
        ``datetime64`` or ``timedelta64``. The other arguments are those of :meth:`from_arrow`.

        >>> trace = Trace.from_columns(time=[0, 1000], op=["W", "R"], offset=[0, 4096], size=[4096, 512])
        >>> trace.requests, trace.end
        (2, 4608)

        :raises TraceError: an array that cannot be cast, or is shorter than others; ``key`` is its name.
        """
        plain = {"time": time, "op": op, "offset": offset, "size": size, "stream": stream}
        given = {role: _unmasked(role, column) for role, column in plain.items()}
        given["time"], unit = _times(given["time"], time_unit)
        given["op"] = _letters(given["op"])
        columns = [(role, _buffer(role, column)) for role, column in given.items() if column is not None]
        names = ("time", "op", "offset", "size", "stream")
        units = _units(unit, sector, size_unit, ops)
        return cls(_native.Trace.of_columns(None, columns, names, *units, name))

    def sample(self, rate: float | str, *, seed: int = 1, group: int | str = "1MiB") -> Sample:
        """A spatial sample: some groups of addresses, chosen by a hash, with all that happens in them, packed densely.

        :param rate: the share of the groups: ``1/16``, ``"5%"``.
        :param seed: another seed takes other groups.
        :param group: bytes of a group, a multiple of 512; no erase block should be larger.
        :returns: the trace, and what to scale a device by.
        """
        bytes_of_group = size(group, "group")
        trace, (groups, kept, _) = self._native.sample(str(rate), seed, bytes_of_group)
        return Sample(Trace(trace), kept / groups if groups else 0.0)

    def info(self, *, page_size: int | str = "4KiB", erase_block: int | str = "256KiB") -> dict[str, Any]:
        """What the workload is for flash: footprint, sizes, rewrites, hot set, hits of LRU buffers of all sizes.

        The object that ``ssdlab trace info --json`` prints.

        :param page_size: the pages in which footprint and rewrites are counted, 512 bytes to 1 MiB.
        :param erase_block: the blocks in which a buffer of whole blocks would hold the writes, 512 bytes to 1 GiB.
        """
        info = self._native.info(size(page_size, "page_size"), size(erase_block, "erase_block"))
        return cast(dict[str, Any], json.loads(info))

    def to_arrow(self) -> ArrowStream:
        """All requests as a table: ``time`` (ns), ``op`` (R, W, F, D), ``offset``, ``size`` (bytes), ``stream``."""
        return self._native.table()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._native.table().__arrow_c_stream__(requested_schema)

    @property
    def name(self) -> str:
        """Its name in messages."""
        return cast(str, self.summary["name"])

    @property
    def requests(self) -> int:
        """The number of requests."""
        return self._native.requests

    @property
    def end(self) -> int:
        """The first byte behind all requests: the least capacity of a device."""
        return self._native.end

    @property
    def duration_ns(self) -> int:
        """The time from the earliest request to the latest, nanoseconds."""
        return self._native.duration

    @property
    def summary(self) -> dict[str, Any]:
        """Name, format, number of requests, hash, what was left out."""
        return cast(dict[str, Any], json.loads(self._native.summary()))

    @property
    def warnings(self) -> list[str]:
        """What to know about it, one sentence each: units that cannot be right, times that go backwards."""
        return self._native.warnings()

    def __len__(self) -> int:
        return self.requests

    def __repr__(self) -> str:
        return f"<Trace {self.name}: {self.requests:,} requests up to byte {self.end:,}>"


class Sample:
    """A sampled trace, and the share of the device that goes with it."""

    def __init__(self, trace: Trace, share: float) -> None:
        self.trace = trace
        """The requests in the groups that were kept."""
        self.share = share
        """The share of the groups that was kept: scale capacity, write buffer and log blocks by it."""

    def __repr__(self) -> str:
        return f"<Sample of {self.share:.4g}: {self.trace!r}>"


def generate(kind: str, **options_: object) -> Trace:
    """Make a synthetic workload; the same arguments give the same requests on every machine.

    >>> generate("zipf", theta=0.9, capacity="40MiB", requests=1000, seed=7).requests
    1000

    :param kind: ``uniform``, ``zipf``, ``sequential``, ``update`` and others; ``ssdlab trace generate --help`` lists them.
    :param options_: the options of ``ssdlab trace generate``, with underscores.
    :raises ConfigError: no such workload, option or value.
    """
    return Trace(_native.Trace.generate(" ".join([kind, *(_quoted(word) for word in options(options_))])))


def _quoted(word: str) -> str:
    return f"'{word}'" if " " in word else word


def local(path: str, folder: Path | None = None) -> Path:
    """The file of a path; an address is fetched by fsspec, into a folder or its cache.

    :raises TraceError: fsspec is not there, or cannot fetch it.
    """
    if "://" not in path:
        return Path(path)
    try:
        import fsspec
    except ImportError:
        raise TraceError(f"{path}: addresses need fsspec: pip install fsspec") from None
    try:
        if folder is None:
            return Path(fsspec.open_local(f"filecache::{path}"))
        # other addresses may end in the same name, which a plan takes as a pattern
        name = re.sub(r"[*?\[\]]", "_", Path(path.split("://", 1)[1]).name)
        file = folder / f"{sha256(path.encode()).hexdigest()[:12]}-{name}"
        if not file.exists():
            folder.mkdir(parents=True, exist_ok=True)
            unfinished = file.with_name(f".{file.name}.{os.getpid()}")
            try:
                with fsspec.open(path, "rb", compression=None) as source, unfinished.open("wb") as copy:
                    shutil.copyfileobj(source, copy, 1 << 20)
                unfinished.rename(file)
            finally:
                unfinished.unlink(missing_ok=True)
        return file
    except (OSError, ValueError, ImportError) as error:
        raised = TraceError(f"{path}: cannot be fetched: {error}")
        raised.file = path
        raise raised from error


def _columns_of(table: Any) -> set[str]:
    """The names of the columns of a table, as far as it tells them."""
    names: Any = getattr(table, "column_names", None)
    if names is None:
        names = getattr(table, "columns", ())
    return {name for name in names if isinstance(name, str)}


def _units(
    time: str, sector: int, size_unit: int | None, ops: Mapping[object, str] | None
) -> tuple[float, int, int, str | None]:
    nanoseconds = UNITS.get(time)
    if nanoseconds is None:
        raise TraceError(f"time_unit = {time!r}: must be one of {', '.join(UNITS)}")
    words = None if ops is None else ",".join(f"{value}={op}" for value, op in ops.items())
    return nanoseconds, sector, sector if size_unit is None else size_unit, words


def _times(column: Any, unit: str) -> tuple[object, str]:
    """Times as numbers with their unit: arrays of NumPy may have one."""
    kind = getattr(getattr(column, "dtype", None), "kind", "")
    if kind not in "mM" or not kind:
        return column, unit
    import numpy

    # pandas takes a time zone away if it is told the type
    values = numpy.asarray(column, None if isinstance(column.dtype, numpy.dtype) else f"{kind}8[ns]")
    own, many = numpy.datetime_data(values.dtype)
    if own not in UNITS or many != 1:
        values = values.astype(f"{kind}8[ns]")
        own = "ns"
    for row in numpy.flatnonzero(numpy.isnat(values))[:1]:
        raise _wrong_row("time", int(row), "no time; must be a time")
    numbers = values.astype(values.dtype.newbyteorder("="), copy=False).view("i8")
    return (numbers - numbers[:1] if kind == "M" and len(numbers) else numbers), own


def _unmasked(role: str, column: Any) -> Any:
    """An array without its mask, which must hide nothing."""
    numpy = sys.modules.get("numpy")
    if numpy is None or not numpy.ma.isMaskedArray(column):
        return column
    for row in numpy.flatnonzero(numpy.ma.getmaskarray(column))[:1]:
        raise _wrong_row(role, int(row), "no value: it is masked")
    return column.data


def _letters(column: Any) -> object:
    """Operations as bytes, numbers or words."""
    dtype = getattr(column, "dtype", None)
    kind = getattr(dtype, "kind", "")
    if kind in ("S", "U", "O", "T"):
        import numpy

        values = numpy.ascontiguousarray(column)
        values = values.astype(values.dtype.newbyteorder("="), copy=False)
        if kind == "S" and values.dtype.itemsize == 1:
            return values.view("u1")
        if kind == "U" and values.dtype.itemsize == 4:
            return values.view("u4")
        if kind == "S":
            return [word.decode() for word in values.tolist()]
        return [str(word) for word in values.tolist()]
    if dtype is not None and not hasattr(column, "__array_interface__") and hasattr(column, "to_numpy"):
        return _letters(column.to_numpy())
    return column


def _buffer(role: str, column: Any) -> object:
    """An object with a buffer: lists of numbers become arrays."""
    if isinstance(column, (list, tuple, range)):
        return list(column) if column and isinstance(column[0], str) else _array(role, column)
    if hasattr(column, "to_numpy"):
        return column.to_numpy()
    return column


def _array(role: str, column: Sequence[Any]) -> array[Any]:
    """Numbers as whole ones, or else as floats that are the same."""
    for kind in "qQ":
        try:
            return array(kind, column)
        except (TypeError, OverflowError):
            pass
    floats = array("d")
    for row, value in enumerate(column):
        try:
            floats.append(value)
        except (TypeError, OverflowError):
            raise _wrong_row(role, row, f"{value!r}; must be a number") from None
        if hasattr(value, "__index__") and floats[row] != value:
            raise _wrong_row(role, row, f"{value!r} beside numbers with a point, which hold whole ones up to 2^53")
    return floats


def _wrong_row(role: str, row: int, what: str) -> TraceError:
    """The error of a value of a column; rows count from 0."""
    error = TraceError(f'column "{role}", row {row}: {what}')
    error.key = role
    return error
