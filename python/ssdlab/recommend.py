"""Recommendations: what serves some traces best, found by search."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, cast

from . import _native
from ._progress import Progress, bar
from ._words import literal, several, size
from .device import Device, path_of
from .policies import Policy, classes_in
from .results import html_table
from .trace import Trace

__all__ = ["Answer", "recommend"]


class Answer:
    """What a search found: the best configuration, those behind it, and what the choice depends on."""

    def __init__(self, found: dict[str, Any], device: Device) -> None:
        self._found, self._device = found, device

    @property
    def best(self) -> Device:
        """The best device."""
        settings = self.finalists[0]["settings"]
        return self._device.with_(set=dict(setting.split("=", 1) for setting in settings))

    @property
    def finalists(self) -> list[dict[str, Any]]:
        """The configurations that ran on the whole traces, the best first: label, figure on each trace, how far behind."""
        return cast(list[dict[str, Any]], self._found["finalists"])

    @property
    def depends_on(self) -> list[dict[str, Any]]:
        """What another value of a key would cost, on the samples; the most important key first."""
        return cast(list[dict[str, Any]], self._found["depends_on"])

    def to_dict(self) -> dict[str, Any]:
        """The answer as ``ssdlab recommend --json`` prints it."""
        return self._found

    def __str__(self) -> str:
        lines = [f"by {self._found['by']}, the best of {self._found['candidates']} configurations:"]
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
    traces: Trace | list[Trace],
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
    :param device: what all candidates share.
    :param by: the figure that ranks: ``waf``, ``p99``, ``life``, ``throughput`` and others.
    :param buffer: policies to choose from, by default all.
    :param ftl: FTLs to choose from, by default that of the device.
    :param vary: further keys with their values; keywords do the same. By default every cleaning policy, if the FTL cleans.
    :param exhaustive: run everything on the whole traces.
    :param seed: another seed takes other samples.
    :param progress: a function of the level of the search and its runs.
    :raises ConfigError: a name, key or value that does not exist; or nothing fits.
    """
    device = Device() if device is None else device
    chosen = {"buffer.policy": several(buffer), "ftl.kind": several(ftl)}
    given = {name: several(values) for name, values in {**(vary or {}), **keys}.items()}
    policies: list[type[Policy]] = []
    for name, values in [*chosen.items(), *given.items()]:
        policies += classes_in(path_of(name), values)
    axes = {path_of(name, [*device.policies, *policies]): values for name, values in given.items()}
    buffers, ftls = chosen["buffer.policy"] or axes.pop("buffer.policy", []), chosen["ftl.kind"] or axes.pop("ftl.kind", [])
    asked = SimpleNamespace(
        ram=size(ram, "ram"),
        by=by,
        buffers=[literal(one) for one in buffers],
        ftls=[literal(one) for one in ftls],
        vary=[(path, [literal(one) for one in values]) for path, values in axes.items()],
        exhaustive=exhaustive,
        seed=seed,
        wrap=wrap,
        compact=compact,
        jobs=jobs or 0,
    )
    natives = [trace._native for trace in (traces if isinstance(traces, list) else [traces])]
    with bar(progress, "searching") as told:
        found = _native.recommend(device._made(policies), natives, asked, told)
    return Answer(json.loads(found), device)
