"""What can go wrong, as a small tree of exceptions.

All of them are :class:`Error`. Where it is known, an error names the key, argument or column, the file and the line.
"""

from __future__ import annotations

__all__ = [
    "ConfigError",
    "DriveError",
    "Error",
    "PlanError",
    "PowerCut",
    "ResultsError",
    "SimulationError",
    "TraceError",
]


class Error(Exception):
    """An error of ssdlab; its text is the whole message, with what was found and what is allowed."""

    key: str | None = None
    """The key of a configuration, the argument, or the column of a table."""
    file: str | None = None
    """The file."""
    line: int | None = None
    """The line, record or row of the file, from 1."""


class ConfigError(Error, ValueError):
    """A device, or an argument, that cannot be."""


class TraceError(Error, ValueError):
    """A trace that cannot be read."""


class PlanError(Error, ValueError):
    """A plan of a sweep that cannot be, or that was not run to its end."""

    shards_left: int | None = None
    """The shards that are left because an executor failed."""


class ResultsError(Error, ValueError):
    """Results that cannot be read or drawn."""


class SimulationError(Error, RuntimeError):
    """A run that failed."""


class DriveError(Error, OSError):
    """A virtual SSD that failed."""


class PowerCut(DriveError):
    """The power of a virtual SSD has failed, as asked for; it works again when it is opened again."""
