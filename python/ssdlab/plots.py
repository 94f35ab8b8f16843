"""Pictures of results."""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from . import _native
from ._words import several
from .errors import ResultsError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Plot"]


class Plot:
    """A picture of figures over what varies. A notebook shows it as SVG; it needs nothing else."""

    def __init__(self, native: _native.Results, asked: dict[str, Any]) -> None:
        self._native, self._asked = native, asked
        # wrong names are told now, not when a notebook shows the picture
        self._svg, self.notes = self._file("svg", 160.0)

    def _file(self, format: str, width: float) -> tuple[bytes, list[str]]:
        return self._native.picture(SimpleNamespace(**self._asked), format, width)

    @property
    def svg(self) -> str:
        """The picture as SVG."""
        return self._svg.decode()

    def save(self, path: str | PathLike[str], *, width: float = 160.0) -> Path:
        """Write the picture; the ending of the path is the format: svg, pdf, pgf (pgfplots) or csv (its numbers).

        :param width: in mm; texts keep their size.
        :raises ResultsError: another ending.
        """
        file = Path(fspath(path))
        if not 40 <= width <= 1000:
            raise ResultsError(f"width = {width}: must be a number of mm from 40 to 1000")
        _native.write_file(file, self._file(file.suffix.removeprefix("."), width)[0])
        return file

    def matplotlib(self) -> Figure:
        """The same points as a figure of matplotlib, to be changed at will: one panel for each facet.

        :raises ImportError: matplotlib is not there.
        :raises ResultsError: a picture that is not of curves or a front.
        """
        import csv

        from matplotlib.figure import Figure

        if self._asked["kind"] not in ("curves", "pareto"):
            raise ResultsError(f"kind = {self._asked['kind']!r}: matplotlib draws curves and fronts; save others as SVG or PDF")
        lines = csv.reader(self._file("csv", 160.0)[0].decode().splitlines())
        # panel, series, x, y, quartiles, runs
        names = next(lines)
        panels: dict[str, dict[str, list[tuple[float, float]]]] = {}
        for panel, series, x, y, *_ in lines:
            panels.setdefault(panel, {}).setdefault(series, []).append((float(x), float(y)))
        # pyplot would keep it for ever
        figure = Figure()
        axes = figure.subplots(1, max(len(panels), 1), sharey=True, squeeze=False)
        for (title, curves), panel_axes in zip(panels.items(), axes[0], strict=False):
            for series, points in curves.items():
                panel_axes.plot(*zip(*points, strict=True), marker="o", label=series)
            panel_axes.set_title(title)
            panel_axes.set_xlabel(names[2])
        axes[0][0].set_ylabel(names[3])
        if any(len(curves) > 1 for curves in panels.values()):
            axes[0][-1].legend()
        return figure

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        return f"<figure>{self.svg}</figure>"

    def __repr__(self) -> str:
        return f"<Plot of {', '.join(self._asked['figures'])}>"


def asked(
    figures: object,
    kind: str,
    x: str | None,
    y: str | None,
    by: object,
    facet: object,
    log: bool,
) -> dict[str, Any]:
    """The arguments of a picture."""
    return {
        "figures": [str(one) for one in several(figures)],
        "kind": kind,
        "x": x,
        "y": y,
        "curves": [] if by is None else [str(one) for one in several(by)],
        "facet": [] if facet is None else [str(one) for one in several(facet)],
        "log": log,
    }
