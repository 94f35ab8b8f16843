"""Tables of results: one row a run, with the columns of ``docs/results.md``."""

from __future__ import annotations

import csv
from html import escape
from io import StringIO
from itertools import islice
from os import PathLike, fspath
from pathlib import Path

from . import _native
from ._words import several
from .plots import Plot, asked
from .trace import ArrowStream

__all__ = ["Results"]

LINES = 20
"""Rows that a notebook shows."""


class Results:
    """Rows of results. pandas, Polars, DuckDB and pyarrow read them as they are, through ``__arrow_c_stream__``."""

    def __init__(self, native: _native.Results) -> None:
        self._native = native

    @classmethod
    def read(cls, *paths: str | PathLike[str]) -> Results:
        """Read what ``ssdlab report`` reads: folders of a sweep, tables in Parquet or CSV, files of ``compare`` and ``run``.

        :raises ResultsError: a file that cannot be read, or has no results.
        """
        return cls(_native.Results.read([Path(fspath(path)) for path in paths]))

    def to_arrow(self) -> ArrowStream:
        """The rows as a table of Arrow."""
        return self._native.stream()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._native.stream().__arrow_c_stream__(requested_schema)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return self._native.stream().columns

    @property
    def axes(self) -> list[str]:
        """What varies between the rows: keys, and other columns."""
        return self._native.axes()

    def plot(
        self,
        figure: str | tuple[str, str],
        *,
        x: str | None = None,
        by: object = None,
        facet: object = None,
        y: str | None = None,
        kind: str | None = None,
        log: bool = False,
    ) -> Plot:
        """A picture of a figure over what varies, as ``ssdlab report --plot`` draws it.

        :param figure: such as ``"waf"``; two of them give a Pareto front.
        :param x: the key from left to right, by default the size of the buffer or the key with most numbers.
        :param by: what distinguishes curves: a key or several.
        :param facet: what distinguishes panels, by default the trace; ``"none"`` for one panel.
        :param y: the other axis of a map (``kind="heat"``).
        :param kind: ``curves``, ``heat``, ``pareto`` or ``spread``.
        :param log: a logarithmic axis of the figure.
        :raises ResultsError: an unknown name, or nothing to draw.
        """
        if kind is None:
            kind = "pareto" if isinstance(figure, tuple) else "heat" if y else "curves"
        return Plot(self._native, asked(figure, kind, x, y, by, facet, log))

    def to_latex(
        self,
        path: str | PathLike[str] | None = None,
        *,
        figures: object = "waf",
        rows: object = "buffer.policy",
        columns: object = (),
        best: str = "column",
    ) -> str:
        """A table of figures for a paper (booktabs, the best in bold); written to ``path`` if it is given.

        The ending of the path may also be ``.md`` or ``.csv``.

        :param rows: keys that distinguish the rows.
        :param columns: keys that distinguish the columns.
        :param best: where the best value is bold: in each ``column`` or ``row``, or ``none``.
        """
        format = "tex" if path is None else Path(fspath(path)).suffix.removeprefix(".")
        names = [[str(one) for one in several(of)] for of in (figures, rows, columns)]
        text, _ = self._native.figures(names[0], names[1], names[2], best, format)
        if path is not None:
            _native.write_file(Path(fspath(path)), text.encode())
        return text

    def report(self, path: str | PathLike[str], *, figures: object = ()) -> Path:
        """Write the page that ``ssdlab report`` makes of these rows: one file, without network."""
        names = [str(one) for one in several(figures)]
        file = Path(fspath(path))
        _native.write_file(file, self._native.html(names, "ssdlab report").encode())
        return file

    def __len__(self) -> int:
        return len(self._native)

    def __repr__(self) -> str:
        return f"<Results: {len(self)} runs, {', '.join(self.axes) or 'nothing'} varies>"

    def _repr_html_(self) -> str:
        axes = self.axes or ["buffer.policy"]
        shown = ["waf", "throughput", "erases"]
        text, _ = self._native.figures(shown, axes, [], "none", "csv")
        head, *lines = islice(csv.reader(StringIO(text)), LINES + 1)
        table = html_table(head, lines)
        more = len(self) - len(lines)
        return table + (f"<p>and {more} more</p>" if more > 0 else "")


def html_table(head: list[str], rows: list[list[str]], winners: set[int] | None = None) -> str:
    """A table of texts as HTML; the rows of ``winners`` are bold."""

    def line(cells: list[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    body = []
    for number, row in enumerate(rows):
        text = line(row, "td")
        body.append(text.replace("<tr>", '<tr style="font-weight: bold">') if winners and number in winners else text)
    return f"<table><thead>{line(head, 'th')}</thead><tbody>{''.join(body)}</tbody></table>"
