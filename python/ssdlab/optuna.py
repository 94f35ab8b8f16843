"""An adapter for Optuna: a study over the keys of a device.

>>> import optuna, ssdlab as sl
>>> from ssdlab.optuna import Objective
>>> optuna.logging.set_verbosity(optuna.logging.WARNING)
>>> trace = sl.generate("zipf", theta=0.9, capacity="16MiB", requests=2000)
>>> keys = {"buffer.policy": ["lru", "fab"], "buffer.size": (512 << 10, 2 << 20)}
>>> study = optuna.create_study(directions=["minimize", "minimize"], sampler=optuna.samplers.NSGAIISampler(seed=1))
>>> study.optimize(Objective(trace, sl.Device(ftl="page"), keys, ("waf", "device_ram")), n_trials=8)
>>> len(study.best_trials) >= 1
True
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, cast

from ._words import refused
from .device import Device, path_of
from .errors import ConfigError
from .run import run
from .trace import Trace

if TYPE_CHECKING:
    from optuna import Trial

__all__ = ["Objective"]

Range = tuple[int, int] | tuple[float, float] | list[str] | list[int] | list[float] | list[bool]
"""The values of a key: from one number to another, or one of a list."""


class Objective:
    """What a study optimises: figures of runs.

    :param traces: one trace, or several; a figure is then the mean over them, and each trace a step that a pruner sees.
    :param device: what all trials share; without a capacity, each trial has what the trace needs.
    :param keys: the keys that trials choose: a pair of numbers is a range (of sizes: by powers), a list are choices.
    :param figures: one figure, or several for a Pareto set; the study has as many directions.
    """

    def __init__(
        self,
        traces: Trace | Iterable[Trace],
        device: Device,
        keys: Mapping[str, Range],
        figures: str | tuple[str, ...] = "waf",
        *,
        wrap: bool = False,
    ) -> None:
        self._traces = [traces] if isinstance(traces, Trace) else list(traces)
        if not self._traces:
            raise refused("traces", traces, "a trace, or at least one")
        self._device, self._wrap = device, wrap
        self._keys = {path_of(name): of for name, of in keys.items()}
        self._figures = (figures,) if isinstance(figures, str) else figures

    def device(self, trial: Trial) -> Device:
        """The device of a trial; also of ``study.best_trial``, as a fixed trial."""
        chosen = {path: _chosen(trial, path, of) for path, of in self._keys.items()}
        own = {} if self._device._native.has_capacity() else {"flash.capacity": "auto"}
        return self._device.with_(set={**own, **chosen})

    def __call__(self, trial: Trial) -> float | tuple[float, ...]:
        """Runs a trial; a combination that the device refuses is pruned."""
        from optuna import TrialPruned

        try:
            device = self.device(trial)
        except ConfigError as error:
            raise TrialPruned(str(error)) from error
        sums = [0.0] * len(self._figures)
        for step, trace in enumerate(self._traces):
            outcome = run(device, trace, wrap=self._wrap)
            for number, figure in enumerate(self._figures):
                value = outcome[figure]
                if value is None:
                    raise TrialPruned(f"{figure} has no meaning on {trace.name}")
                sums[number] += value
            if len(self._figures) == 1 and len(self._traces) > 1:
                trial.report(sums[0] / (step + 1), step)
                if trial.should_prune():
                    raise TrialPruned
        means = tuple(value / len(self._traces) for value in sums)
        return means[0] if len(means) == 1 else means


def _chosen(trial: Trial, path: str, of: Range) -> object:
    if isinstance(of, list):
        return trial.suggest_categorical(path, cast("list[str]", of))
    low, high = of
    if isinstance(low, int) and isinstance(high, int):
        return trial.suggest_int(path, low, high, log=low > 0 and high >= 8 * low)
    return trial.suggest_float(path, low, high)
