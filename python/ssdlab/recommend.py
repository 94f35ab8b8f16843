"""Recommendations: what serves some traces best, found by search."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from types import SimpleNamespace
from typing import Any, cast

from . import _native
from ._progress import Progress, bar
from ._words import size, threads, whole
from .device import Device, varied
from .policies import Policy
from .results import html_table
from .trace import Trace

__all__ = ["Answer", "recommend"]


class Answer:
    """What a search found: the best configuration, those behind it, and what the choice depends on."""

    def __init__(self, found: dict[str, Any], device: Device, policies: list[type[Policy]]) -> None:
        self._found, self._device, self._policies = found, device, policies

    @property
    def best(self) -> Device:
        """The best device."""
        settings: dict[str, object] = dict(setting.split("=", 1) for setting in self.finalists[0]["settings"])
        for policy in self._policies:
            settings |= {path: policy for path in policy._selectors if settings.get(path) == policy.name}
        return self._device.with_(set=settings)

    @property
    def finalists(self) -> list[dict[str, Any]]:
        """The configurations that ran on the whole traces, the best first: label, figure on each trace, how far behind."""
        return cast(list[dict[str, Any]], self._found["finalists"])

    @property
    def depends_on(self) -> list[dict[str, Any]]:
        """What another value of a key would cost, on the samples; the most important key first."""
        return cast(list[dict[str, Any]], self._found["depends_on"])

    @property
    def would_help(self) -> dict[str, Any]:
        """For each trace that filled an SLC cache, what its host may change, tried on the best device."""
        return dict(self._found.get("would_help", []))

    def to_dict(self) -> dict[str, Any]:
        """The answer as ``ssdlab recommend --json`` prints it."""
        return self._found

    def __str__(self) -> str:
        lines = [f"device: {self._found['device']}"]
        lines += [f"by {self._found['by']}, the best of {self._found['candidates']} configurations:"]
        for one in self.finalists:
            behind = "" if not one["behind"] else f"  {100 * one['behind']:.1f} % worse"
            lines.append(f"{one['label']}: {'-' if one['mean'] is None else format(one['mean'], '.4g')}{behind}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Answer: {self.finalists[0]['label']}>"

    def _repr_html_(self) -> str:
        rows = []
        for one in self.finalists:
            mean = "-" if one["mean"] is None else format(one["mean"], ".4g")
            behind = "best" if not one["behind"] else f"{100 * one['behind']:.1f} %"
            rows.append([one["label"], mean, behind])
        return html_table(["configuration", self._found["by"], "worse by"], rows, {0})


def recommend(
    traces: Trace | Iterable[Trace],
    ram: int | str,
    device: Device | None = None,
    *,
    by: str = "waf",
    buffer: object = (),
    ftl: object = (),
    vary: Mapping[str, object] | None = None,
    exhaustive: bool = False,
    seed: int = 1,
    wrap: bool = False,
    compact: bool = False,
    jobs: int | None = None,
    progress: Progress = None,
    **keys: object,
) -> Answer:
    """Find the write buffer, its size and what else varies that serve some traces best, within some RAM.

    All candidates run on small spatial samples, the better ones on larger ones, the finalists on the whole traces.

    :param ram: all RAM of the device, tables included, bytes.
    :param device: what all candidates share; if nothing names one, a drive of today, as in :func:`compare`.
    :param by: the figure that ranks: ``waf``, ``p99``, ``life``, ``throughput`` and others.
    :param buffer: policies to choose from, by default all.
    :param ftl: FTLs to choose from, by default that of the device.
    :param vary: further keys with their values; keywords do the same. By default every cleaning policy, if the FTL cleans.
    :param exhaustive: run everything on the whole traces.
    :param seed: another seed takes other samples.
    :param jobs: threads, by default one for each core.
    :param progress: as for :func:`compare`; what there is to do grows with each level of the search.
    :raises ConfigError: a name, key or value that does not exist; or nothing fits.
    """
    device = Device() if device is None else device
    own, axes, policies = varied(device, {"buffer": buffer, "ftl": ftl}, {**(vary or {}), **keys})
    asked = SimpleNamespace(
        ram=size(ram, "ram"),
        by=by,
        buffers=own["buffer.policy"],
        ftls=own["ftl.kind"],
        vary=list(axes.items()),
        exhaustive=exhaustive,
        seed=whole(seed, "seed"),
        wrap=wrap,
        compact=compact,
        jobs=threads(jobs),
    )
    natives = [trace._native for trace in ([traces] if isinstance(traces, Trace) else traces)]
    with bar(progress, "searching") as told:
        found, today = _native.recommend(device._made(policies), natives, asked, told)
    return Answer(json.loads(found), _taken(device, today), [*device.policies, *policies])


def _taken(device: Device, today: list[str]) -> Device:
    """The device that was searched: a drive of today in place of none, which these options of the command line name."""
    if not today:
        return device
    given = dict(zip(today[::2], today[1::2], strict=True))
    capacity = dict([given["--set"].split("=", 1)]) if "--set" in given else {}
    scale_to = given.get("--scale-to", device._scale_to)
    return Device(given["--preset"], scale_to=scale_to, policies=device.policies, set={**device._settings, **capacity})
