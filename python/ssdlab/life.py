"""How long a drive lives."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from os import PathLike, fsdecode
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal

from . import _native
from ._words import several, whole
from .errors import ConfigError
from .trace import Trace

__all__ = ["Life", "Range", "Warned", "life"]


@dataclass(frozen=True)
class Range:
    """What 10, 50 and 90 % of drives have at most; 8 of 10 lie between the outer two."""

    p10: float
    p50: float
    p90: float


@dataclass(frozen=True)
class Warned:
    """Something to know of the answer."""

    code: str
    """A word for programs, such as ``unit-from-statistics`` or ``spare-low``."""
    text: str
    """A sentence."""


class Life:
    """The answer of :func:`life`; its text is what ``ssdlab life`` prints."""

    def __init__(self, found: dict[str, Any], text: str) -> None:
        self._found, self._text = found, text

    @property
    def sentence(self) -> str:
        """The answer in a sentence."""
        return str(self._found["sentence"])

    @property
    def tb_to_100(self) -> Range | None:
        """10^12 bytes that the host can write in all until the drive says 100 %; ``None``: nobody knows."""
        return self._range("tb_to_100")

    @property
    def tb_left(self) -> Range | None:
        """10^12 bytes from now until then."""
        return self._range("tb_left")

    @property
    def years_left(self) -> Range | None:
        """Years until then at :attr:`bytes_per_day`, which may be of power-on time; ``None`` without a rate."""
        return self._range("years_left")

    @property
    def bytes_per_day(self) -> float | None:
        """What is written a day."""
        found: float | None = self._found["rate"]["bytes_per_day"]
        return found

    @property
    def because(self) -> list[str]:
        """The reasons."""
        return list(self._found["because"])

    @property
    def warnings(self) -> list[Warned]:
        """What to know."""
        return [Warned(**warning) for warning in self._found["warnings"]]

    @property
    def next(self) -> list[str]:
        """The cheapest measurements that say more."""
        return list(self._found["next"])

    def to_dict(self) -> dict[str, Any]:
        """All figures, as ``ssdlab life --json`` prints them: the drive, the reading with its counters, and the above."""
        return self._found

    def _range(self, name: str) -> Range | None:
        found = self._found[name]
        return None if found is None else Range(**found)

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<Life: {self.sentence}>"


def life(
    logs: str | PathLike[str] | bytes | Iterable[str | PathLike[str] | bytes] = (),
    *,
    drive: str | None = None,
    capacity: int | str | None = None,
    kind: Literal["nvme", "sata"] | None = None,
    written: int | str | None = None,
    used: int | None = None,
    rate: float | str | None = None,
    since: date | str | None = None,
    use: Literal["desk", "servers"] | None = None,
    here: bool | str = False,
    pid: int | None = None,
    seconds: int | None = None,
    trace: Trace | None = None,
    preset: str | None = None,
    drives: str | PathLike[str] | None = None,
) -> Life:
    """How much of a drive's life is used, how much can still be written, and how many years that is.

    >>> life(drive="CT1000MX500SSD1", written="12.3TB", used=19, rate="20GB/day").sentence[:61]
    'CT1000MX500SSD1: 19 % used after 12 TB; 49 TB left (32 to 74,'

    :param logs: files of one drive, or their bytes: JSON or text of ``smartctl -x`` or ``nvme smart-log``, text of CrystalDiskInfo, and
        what else ``ssdlab life`` reads.
    :param drive: its name, as it calls itself or in words: ``"860 EVO 1TB"``.
    :param capacity: bytes, or a size such as ``"1TB"``.
    :param kind: how it is attached, for drives that no table names.
    :param written: what the host has written, in bytes or as a size.
    :param used: percentage used, 0 to 255.
    :param rate: what is written: bytes a day, or a text such as ``"20GB/day"``, ``"3.1TiB/4d17h"``.
    :param since: the day from which the drive was used.
    :param use: only drives at desks, or only those in servers, stand for it.
    :param here: what Linux has written since it started, to the only drive or to the named one.
    :param pid: what a process has written.
    :param seconds: watch ``here`` or ``pid`` for so long instead, 1 to 86400.
    :param trace: with ``preset``: what such writes cost a simulated drive.
    :param drives: a CSV file with more named drives, with the columns of ``drives.csv``.
    :raises ConfigError: a log, name or argument that cannot be; no drive and no capacity.
    """
    if (trace is None) != (preset is None):
        raise ConfigError("give trace and preset together")
    if seconds is not None and not here and pid is None:
        raise ConfigError("seconds: needs here or pid, which it watches")
    text = None if drives is None else Path(drives)
    known = SimpleNamespace(
        logs=[_log(number, log) for number, log in enumerate(several(logs) if not isinstance(logs, (bytes, PathLike)) else [logs], 1)],
        drive=drive,
        capacity=None if capacity is None else str(capacity),
        kind=kind,
        written=None if written is None else str(written),
        used=None if used is None else whole(used, "used", 0, 255),
        rate=None if rate is None else rate if isinstance(rate, str) else f"{rate:.0f}B/day",
        since=None if since is None else str(since),
        used_at=use,
        here=None if here is False else "" if here is True else here,
        pid=None if pid is None else whole(pid, "pid", 1, (1 << 32) - 1),
        seconds=None if seconds is None else whole(seconds, "seconds", 1, 86_400),
        preset=preset,
        drives=None if text is None else (str(text), text.read_text("utf-8")),
    )
    found, shown = _native.life(known, None if trace is None else trace._native)
    return Life(json.loads(found), shown)


def _log(number: int, log: object) -> tuple[str, bytes]:
    """The name of a log, and its bytes."""
    if isinstance(log, bytes):
        return f"log {number}", log
    path = Path(fsdecode(log))  # type: ignore[arg-type]
    return str(path), path.read_bytes()
