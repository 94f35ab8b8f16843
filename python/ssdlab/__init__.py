"""The laboratory for the write path of flash storage.

Which write buffer, which flash translation layer and which cleaning policy serve a workload best, and why? The same engine
as the program ``ssdlab``, which comes with this package.

>>> import ssdlab as sl
>>> trace = sl.generate("zipf", theta=0.9, capacity="16MiB", requests=2000)
>>> sl.run(sl.Device(capacity="auto", buffer="lru:1MiB"), trace).counters["host_write_pages"]
4000
"""

from __future__ import annotations

import os as _os

from . import _native, theory
from .cliff import Cliff, cliff
from .compare import Comparison, compare
from .device import Device, presets
from .drive import Drive
from .errors import (
    ConfigError,
    DriveError,
    Error,
    PlanError,
    PowerCut,
    ResultsError,
    SimulationError,
    TraceError,
)
from .events import events
from .lfss import Lfss
from .life import Life, life
from .plots import Plot
from .policies import BufferPolicy, CleaningPolicy, Key, PlacementPolicy
from .recommend import Answer, recommend
from .results import Results
from .run import Outcome, figures, run
from .serve import Server, serve
from .sweep import Plan
from .trace import Sample, Trace, generate

__all__ = [
    "Answer",
    "BufferPolicy",
    "CleaningPolicy",
    "Cliff",
    "Comparison",
    "ConfigError",
    "Device",
    "Drive",
    "DriveError",
    "Error",
    "Key",
    "Lfss",
    "Life",
    "Outcome",
    "PlacementPolicy",
    "Plan",
    "PlanError",
    "Plot",
    "PowerCut",
    "Results",
    "ResultsError",
    "Sample",
    "Server",
    "SimulationError",
    "Trace",
    "TraceError",
    "cliff",
    "compare",
    "events",
    "figures",
    "generate",
    "life",
    "presets",
    "recommend",
    "run",
    "serve",
    "systems",
    "theory",
]

__version__ = _native.version()

if hasattr(_os, "register_at_fork"):
    _os.register_at_fork(
        before=_native.before_fork,
        after_in_parent=lambda: _native.after_fork(False),
        after_in_child=lambda: _native.after_fork(True),
    )


def systems(family: str) -> dict[str, str]:
    """The systems of a family (``buffer``, ``ftl``, ``cleaning``, ``placement``): their names, and what each one does.

    :raises KeyError: there is no such family.
    """
    found = _native.systems(family)
    if found is None:
        raise KeyError(family)
    return {name: rule for name, rule, _ in found}
