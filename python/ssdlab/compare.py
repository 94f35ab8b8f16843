"""Comparisons: many devices, one trace."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from html import escape
from os import PathLike, fspath
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from . import _native
from ._progress import Progress, bar
from ._words import literal, options, several, size, threads
from .device import Device, varied
from .policies import Policy
from .plots import Plot
from .results import Results, html_table
from .run import replays
from .trace import Trace

__all__ = ["Comparison", "compare"]


class Comparison:
    """A comparison: a row for each policy and size, and who wins. A notebook shows it as a table with a picture."""

    def __init__(self, native: _native.Comparison, columns: list[str]) -> None:
        self._native, self._columns = native, columns

    @property
    def device(self) -> str:
        """The device in words."""
        return self._native.device

    @property
    def sentence(self) -> str:
        """The verdict in words: the winner, its lead and the causes."""
        return self._native.sentence

    @property
    def best(self) -> str | None:
        """The label of the winner; ``None`` if there is none."""
        return cast("str | None", self.to_dict()["verdict"]["winner"])

    @property
    def rows(self) -> list[dict[str, Any]]:
        """All rows, bounds last: the columns of results (``docs/results.md``), and label, size, relative figures and more."""
        return cast(list[dict[str, Any]], self.to_dict()["rows"])

    @property
    def spreads(self) -> list[dict[str, Any]]:
        """With ``settled``: of the winner and the baseline, ``label``, ``size`` and, in ``figures``, the least and the most of
        each figure, with pieces of other lengths and with other seeds."""
        return cast(list[dict[str, Any]], self.to_dict().get("spreads", []))

    @property
    def warnings(self) -> list[str]:
        """What to know about all runs, one sentence each."""
        return self._native.warnings()

    def to_dict(self) -> dict[str, Any]:
        """The object that ``ssdlab compare --json`` writes."""
        return cast(dict[str, Any], json.loads(self._native.json()))

    def results(self) -> Results:
        """The competitors as rows of results; bounds are left out."""
        return Results(self._native.results())

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.results().__arrow_c_stream__(requested_schema)

    def plot(self, figure: str | tuple[str, str] = "waf", **how: Any) -> Plot:
        """A picture of a figure, as :meth:`Results.plot` draws it."""
        return self.results().plot(figure, **how)

    def to_latex(self, path: str | PathLike[str] | None = None, **how: Any) -> str:
        """A table of figures, as :meth:`Results.to_latex` makes it; by default policies over sizes."""
        results = self.results()
        sizes = [axis for axis in results.axes if axis == "buffer.size"]
        rows = [axis for axis in results.axes if axis not in sizes] or ["buffer.policy"]
        return results.to_latex(path, **{"rows": rows, "columns": sizes, **how})

    def report(self, path: str | PathLike[str]) -> Path:
        """Write the page that ``ssdlab compare`` writes: one file, without network."""
        file = Path(fspath(path))
        _native.write_file(file, self._native.html(self._columns).encode())
        return file

    def to_csv(self, path: str | PathLike[str]) -> Path:
        """Write the table that ``ssdlab compare --csv`` writes."""
        file = Path(fspath(path))
        _native.write_file(file, self._native.csv().encode())
        return file

    def __str__(self) -> str:
        head, rows = self._native.cells(self._columns)
        lines = [head, *([text for text, _ in row] for row in rows)]
        widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
        table = []
        for line in lines:
            first, *others = line
            cells = [first.ljust(widths[0])]
            cells += [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
            table.append("  ".join(cells).rstrip())
        return "\n".join([f"device: {self.device}", *table, "", *self._native.says()])

    def __repr__(self) -> str:
        return f"<Comparison: {self.sentence}>"

    def _repr_html_(self) -> str:
        head, rows = self._native.cells(self._columns)
        winners = {number for number, row in enumerate(rows) if row[0][1] == "winner"}
        table = html_table(list(head), [[text for text, _ in row] for row in rows], winners)
        says = "".join(f"<p>{escape(line)}</p>" for line in [f"device: {self.device}", *self._native.says()])
        results = self.results()
        picture = results.plot("waf").svg if "buffer.size" in results.axes else ""
        return f"{table}{says}{picture}"


def compare(
    trace: Trace,
    device: Device | None = None,
    *,
    buffer: object = (),
    all_buffers: bool = False,
    buffer_size: object = (),
    ram_total: object = (),
    ftl: object = (),
    vary: Mapping[str, object] | None = None,
    baseline: str | type[Policy] | None = None,
    by: str | None = None,
    columns: object = (),
    bounds: bool = True,
    advice: bool = True,
    settled: bool = False,
    wrap: bool = False,
    compact: bool = False,
    loops: int = 1,
    steady: bool | int = False,
    jobs: int | None = None,
    memory: int | str | None = None,
    progress: Progress = None,
    **keys: object,
) -> Comparison:
    """Compare write buffers, sizes, FTLs and any keys on one trace; every combination runs, on all cores.

    >>> from ssdlab import Device, generate
    >>> trace = generate("zipf", theta=0.9, capacity="16MiB", requests=4000)
    >>> comparison = compare(trace, Device(ftl="page"), buffer=["none", "lru"], buffer_size="1MiB", advice=False)
    >>> comparison.best
    'lru'

    :param device: what all runs share. If nothing names a device, neither a preset nor a file nor a key of the flash, the FTL or
        the time, it is a drive of today, ``nvme-tlc``, scaled to the trace and aged by it.
    :param buffer: policies: names, or classes (:class:`~ssdlab.BufferPolicy`); by default five, and that of the device.
    :param all_buffers: compare all policies that the device accepts.
    :param buffer_size: sizes of the buffer; by default that of the device, if it gives one, or else 1 to 16 MiB.
    :param ram_total: sizes of all RAM instead; each run gets as buffer what its tables leave.
    :param ftl: FTLs.
    :param vary: further keys by path with their values; keywords do the same: ``over_provisioning=[0.07, 0.28]``.
    :param baseline: the policy or label that all are compared with.
    :param by: the figure that ranks, by default throughput, or under timed replay the p99 of commits, or of writes without flushes.
    :param columns: the figures of the table.
    :param bounds: also run an unbounded buffer, a clairvoyant one and an ideal FTL.
    :param advice: try what would lessen the writes to flash of the winner.
    :param settled: let the trace age each drive that cleans before it runs, in random pieces; ``spreads`` has the range of the answer.
    :param jobs: threads, by default one for each core.
    :param memory: bytes that the devices of all runs may take at a time.
    :raises ConfigError: a name, key or value that does not exist, or that the device refuses.
    """
    device = Device() if device is None else device
    chosen = {"buffer": buffer, "buffer_size": buffer_size, "ftl": ftl}
    own, axes, policies = varied(device, chosen, {**(vary or {}), **keys})
    names = [str(one) for one in several(columns)]
    asked = SimpleNamespace(
        buffers=own["buffer.policy"],
        all_buffers=all_buffers,
        sizes=own["buffer.size"],
        ram_total=[size(cast("int | str", one), "ram_total") for one in several(ram_total)],
        ftls=own["ftl.kind"],
        vary=list(axes.items()),
        baseline=None if baseline is None else literal(baseline),
        by=by,
        bounds=bounds,
        advice=advice,
        settled=settled,
        wrap=wrap,
        compact=compact,
        loops=replays(loops, steady),
        steady=bool(steady),
        jobs=threads(jobs),
        memory=None if memory is None else size(memory, "memory"),
    )
    with bar(progress, "comparing") as told:
        command = _command(device, trace, asked, names, bool(policies))
        native = _native.Comparison.run(device._made(policies), trace._native, asked, command, told)
    return Comparison(native, names)


def _command(device: Device, trace: Trace, asked: SimpleNamespace, columns: list[str], has_classes: bool) -> str | None:
    """The command that makes the same page, if one can know the policies and the trace."""
    if has_classes or device.policies or not trace._has_file:
        return None
    lists = {"buffer": asked.buffers, "size": asked.sizes, "ram_total": asked.ram_total, "ftl": asked.ftls, "columns": columns}
    how = options(
        {
            **{name: ",".join(map(str, values)) for name, values in lists.items() if values},
            "all": asked.all_buffers,
            "baseline": asked.baseline,
            "by": asked.by,
            "no_bounds": not asked.bounds,
            "no_advice": not asked.advice,
            "settled": asked.settled,
            "wrap": asked.wrap,
            "compact": asked.compact,
            "steady": asked.loops if asked.steady else None,
            "loops": asked.loops if asked.loops > 1 and not asked.steady else None,
            "memory": asked.memory,
        }
    )
    how += [f"--vary={path}={','.join(values)}" for path, values in asked.vary]
    return shlex.join(["ssdlab", "compare", *device.words(), *how, *trace._native.words()])
