"""Single runs."""

from __future__ import annotations

import json
from copy import deepcopy
from functools import cached_property
from html import escape
from typing import Any, Literal, TypedDict, cast

from . import _native
from ._progress import Progress, bar
from ._words import refused, whole
from .device import Device
from .results import Results
from .trace import Trace

__all__ = ["Outcome", "Settled", "figures", "run"]

MOST_LOOPS = 100_000
"""The most replays of a trace."""


class Settled(TypedDict):
    """Whether a run has settled (section 13 of ``docs/semantics.md``)."""

    state: Literal["settled", "unsettled", "cycle", "not_cleaning"]
    """The state at its end."""
    window_bytes: int
    """Bytes that the host writes in a window: a quarter of the capacity."""
    waf: list[float]
    """Write amplification of each window, in order."""


class Outcome:
    """The results of a run. Figures are attributes (``outcome.waf``) or items (``outcome["p99"]``)."""

    def __init__(self, native: _native.Outcome) -> None:
        self._native = native

    def __getitem__(self, figure: str) -> float | None:
        """The value of a figure in the base of its unit (bytes, ns, shares); ``None`` where it has no meaning.

        :raises KeyError: there is no such figure; :func:`figures` lists them.
        """
        return self._native.figure(figure)

    @property
    def waf(self) -> float | None:
        """Write amplification: bytes programmed for each byte that the host wrote; ``None`` without writes."""
        return self["waf"]

    @property
    def throughput(self) -> float | None:
        """MB/s (10^6 bytes) that the host read and wrote, in simulated time."""
        return self["throughput"]

    @property
    def erases(self) -> int:
        """Erased blocks, or lines of blocks."""
        return self.counters["erases"]

    @property
    def p99(self) -> float | None:
        """The 99th percentile of the latencies of writes, ns; ``None`` under the serial model."""
        return self["p99"]

    @property
    def write_hit_ratio(self) -> float | None:
        """The share of the pages written that were in the write buffer."""
        return self["write_hit_ratio"]

    @property
    def life(self) -> float | None:
        """Terabytes (10^12 bytes) that the host can write until the mean block is worn out."""
        return self["life"]

    @property
    def counters(self) -> dict[str, int]:
        """Exact counts, by name: ``host_write_pages``, ``page_programs``, ``erases``, …"""
        return cast(dict[str, int], self._dict["counters"])

    @property
    def settled(self) -> Settled:
        """Whether write amplification has settled, so that the figures are those of a drive in use, and what shows it."""
        return cast(Settled, self.to_dict()["steady_state"]["settled"])

    @property
    def warnings(self) -> list[str]:
        """What to know about the run, one sentence each."""
        return cast(list[str], self._dict["warnings"])

    @cached_property
    def _dict(self) -> dict[str, Any]:
        return cast(dict[str, Any], json.loads(self._native.json()))

    def to_dict(self) -> dict[str, Any]:
        """The object that ``ssdlab run --json`` prints."""
        return deepcopy(self._dict)

    def results(self) -> Results:
        """One row, with the columns of results."""
        return Results(self._native.results())

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.results().__arrow_c_stream__(requested_schema)

    def __str__(self) -> str:
        return self._native.summary()

    def __repr__(self) -> str:
        waf = "-" if self.waf is None else f"{self.waf:.3f}"
        return f"<Outcome: write amplification {waf}, {self.erases:,} erases>"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


def run(
    device: Device,
    trace: Trace,
    *,
    wrap: bool = False,
    compact: bool = False,
    loops: int = 1,
    steady: bool | int = False,
    progress: Progress = None,
) -> Outcome:
    """Replay a trace on a device.

    >>> from ssdlab import Device, generate
    >>> outcome = run(Device(capacity="auto", buffer="lru:1MiB"), generate("uniform", capacity="16MiB", requests=2000))
    >>> outcome.counters["host_write_pages"]
    4000

    :param wrap: take page numbers modulo the capacity instead of refusing requests beyond it.
    :param compact: map the erase blocks that the trace touches to dense numbers.
    :param loops: replay the trace so often on one device, 1 to 100,000 times; the last replay is reported.
    :param steady: replay until two successive replays agree, at most so often: 2 to 100,000 times (``True``: 50).
    :param progress: ``True`` shows a bar, if tqdm is there; or a function of requests done and to do.
    :raises ConfigError: the trace does not fit the device.
    :raises TraceError: the file of the trace cannot be read any more.
    """
    most = replays(loops, steady)
    with bar(progress, "replaying") as told:
        native = _native.Outcome.run(device._native, trace._native, wrap, compact, most, bool(steady), told)
    return Outcome(native)


def replays(loops: int, steady: bool | int) -> int:
    """The most replays of a trace."""
    if steady and loops != 1:
        raise refused("loops", loops, "left out if steady is given")
    if steady is False:
        return whole(loops, "loops", 1, MOST_LOOPS)
    return 50 if steady is True else whole(steady, "steady", 2, MOST_LOOPS)


def figures() -> dict[str, str]:
    """The figures of runs: their names, and what each one is, with its unit."""
    return {name: f"{title} ({unit})" if unit else title for name, title, unit, _ in _native.figures()}
