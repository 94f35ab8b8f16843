"""What a device does, event by event."""

from __future__ import annotations

from . import _native
from .device import Device
from .trace import ArrowStream, Trace

__all__ = ["events"]


def events(
    device: Device, trace: Trace, *, wrap: bool = False, compact: bool = False, most: int = 1_000_000
) -> ArrowStream:
    """What a device does on a trace, as a table: evictions, merges, cleaning and erases, with their requests and causes.

    >>> from ssdlab import generate
    >>> table = events(Device(capacity="auto"), generate("sequential", capacity="1MiB", requests=10))
    >>> len(table)
    14

    ``docs/events.md`` explains the columns; those that no event has are left out.

    :param most: events that are kept; the first ones.
    :returns: a table of Arrow, which pandas, Polars, DuckDB and pyarrow read as it is.
    :raises ConfigError: the trace does not fit the device.
    """
    return _native.events(device._native, trace._native, wrap, compact, most)
