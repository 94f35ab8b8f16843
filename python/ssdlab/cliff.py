"""How fast a drive with an SLC cache takes a sequential fill, and where it falls."""

from __future__ import annotations

import json
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from . import _native
from ._words import size
from .device import Device
from .errors import ConfigError

__all__ = ["Cliff", "Level", "Phase", "Recovery", "cliff"]


@dataclass(frozen=True)
class Phase:
    """A part of a fill at one speed."""

    name: str
    """``cache``: into cells in SLC mode; ``direct``: past the full cache; ``beside``: the same while the cache is emptied; ``folding``:
    the cache is emptied to make room."""
    bytes: int
    """What the host writes in it."""
    mb_s: float
    """10^6 bytes a second."""


@dataclass(frozen=True)
class Recovery:
    """What a pause gives back of a full cache."""

    after_s: float
    """The pause in seconds."""
    bytes: int
    """The bytes of the cache that are free again."""
    whole_s: float | None
    """The seconds until all of it is; ``None``: the drive does not fold in pauses."""


@dataclass(frozen=True)
class Level:
    """The cache of a drive that is filled so far."""

    filled: float
    """The share of the drive that is full."""
    cache: int
    """What the cache holds then, in bytes."""
    behind_mb_s: float
    """The speed behind it, 10^6 bytes a second."""


class Cliff:
    """The answer of :func:`cliff`. A notebook shows its picture."""

    def __init__(self, native: _native.Cliff) -> None:
        self._native = native
        self._found: dict[str, Any] = json.loads(native.json())

    @property
    def sentence(self) -> str:
        """The fill in a sentence."""
        return self._native.sentence()

    @property
    def cache(self) -> int:
        """What the cache holds, in bytes."""
        return int(self._found["cache"])

    @property
    def phases(self) -> list[Phase]:
        """The phases in closed form."""
        return [Phase(**phase) for phase in self._found["phases"]]

    @property
    def measured(self) -> list[Phase] | None:
        """The same phases with the speeds of the run; ``None`` without one."""
        run = self._found.get("measured")
        return None if run is None else [Phase(**phase) for phase in run["phases"]]

    @property
    def seconds(self) -> float:
        """How long all phases take, in closed form."""
        return float(self._found["seconds"])

    @property
    def mean_mb_s(self) -> float:
        """The mean speed, 10^6 bytes a second."""
        return float(self._found["mean_mb_s"])

    @property
    def recovery(self) -> Recovery:
        """What the pause gives back."""
        return Recovery(**self._found["recovery"])

    @property
    def levels(self) -> list[Level]:
        """The cache over the fill level, in steps of a twentieth."""
        return [Level(**level) for level in self._found["levels"]]

    def to_dict(self) -> dict[str, Any]:
        """All figures, as ``ssdlab cliff --json`` has them in ``cliff``."""
        return self._found

    @property
    def svg(self) -> str:
        """The picture as SVG: speed over what is written, the cache over the fill level, what pauses give back."""
        return self._native.picture("svg", 160.0).decode()

    def save(self, path: str | PathLike[str], *, width: float = 160.0) -> Path:
        """Write the picture; the ending of the path is the format: svg, pdf, pgf (pgfplots) or csv (its numbers).

        :param width: in mm, 40 to 1000; texts keep their size.
        :raises ConfigError: another width.
        :raises ResultsError: another ending.
        """
        file = Path(fspath(path))
        if not 40 <= width <= 1000:
            raise ConfigError(f"width = {width}: must be a number of mm from 40 to 1000")
        _native.write_file(file, self._native.picture(file.suffix.removeprefix("."), width))
        return file

    def _repr_svg_(self) -> str:
        return self.svg

    def __str__(self) -> str:
        return self.sentence

    def __repr__(self) -> str:
        return f"<Cliff: {self.sentence}>"


def cliff(
    device: Device | str,
    *,
    filled: float = 0.0,
    after: float = 30.0,
    run: bool = True,
    run_on: int | str = "4GiB",
) -> Cliff:
    """How fast a drive with an SLC cache takes a sequential fill, phase by phase, and what a pause gives back.

    >>> print(cliff("consumer-tlc-1tb", run=False))
    114 GB at 5.0 GB/s, then 2.0 GB/s, from 840 GB on 1.2 GB/s; the whole drive 8 min 43 s

    :param device: a device, or the name of a preset.
    :param filled: the share of the drive that is full before, from 0 to below 1.
    :param after: a pause behind the full cache, in seconds.
    :param run: whether a drive runs beside the closed form.
    :param run_on: the size of the drive that runs in place of a larger one.
    :raises ConfigError: the drive has no SLC cache, or an argument cannot be.
    """
    if not 0 <= filled < 1:
        raise ConfigError(f"filled = {filled}: must be a share from 0 to below 1")
    if not 0 <= after <= 1e9:
        raise ConfigError(f"after = {after}: must be seconds from 0 to 1e9")
    taken = Device(device) if isinstance(device, str) else device
    return Cliff(_native.cliff(taken._native, filled, after, size(run_on, "run_on") if run else None))
