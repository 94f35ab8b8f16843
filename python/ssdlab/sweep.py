"""Sweeps: every combination of traces and configurations, on threads, processes and clusters.

A shard is one trace with some configurations. It is a pure function of the plan and its number, and writes one part into
the folder of the sweep; so any executor carries it, and what is left to do is the plan minus the parts.
"""

from __future__ import annotations

import json
import os
import time
import tomllib
from collections.abc import Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from functools import lru_cache
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Protocol, cast

from . import _native
from ._progress import Progress, ProgressCallback, bar
from ._words import literal, quoted, several, size, threads
from .device import Device, path_of
from .errors import Error, PlanError
from .policies import is_policy
from .results import Results
from .trace import local

__all__ = ["Plan"]

PATIENCE = 0.2
"""Seconds between looks at jobs that cannot be waited for."""


class Job(Protocol):
    """A shard on its way: a future, or a job of submitit."""

    def done(self) -> bool:
        """Whether it has ended."""

    def result(self) -> object:
        """Waits for its end; raises what it raised."""


class Executor(Protocol):
    """Whoever runs functions: of ``concurrent.futures``, ``client.get_executor()`` of Dask, or of submitit."""

    def submit(self, function: Any, /, *arguments: Any) -> Job:
        """Take a function to run."""


class Plan:
    """All runs of a sweep: traces, a device, and what varies.

    >>> plan = Plan(generate=["zipf --theta 0.9 --capacity 8MiB --requests 500"], grid={"buffer.policy": ["lru", "fab"]})
    >>> plan.explain()["runs"]
    2

    :param traces: files, or a pattern such as ``"volumes/*.parquet"``, or several of both; an address that fsspec opens, such
        as ``s3://bucket/hm_0.csv.gz``, is fetched into ``ssdlab-traces`` in the folder of the plan, unless it is there.
    :param generate: workloads in words, as ``ssdlab trace generate`` takes them.
    :param device: what all runs share.
    :param grid: keys by path with their values; every combination runs.
    :param systems: named sets of keys that compete: ``{"mine": {"buffer.policy": "lru"}}``.
    :param seeds: seeds of the generated workloads.
    :param repeat: how often each trace is replayed, such as ``20``; ``"steady"`` replays until two replays agree.
    :param folder: where relative paths begin, by default the working directory.
    :raises PlanError: what cannot be, with the line of the plan that says so.
    """

    def __init__(
        self,
        traces: object = (),
        device: Device | None = None,
        grid: Mapping[str, object] | None = None,
        *,
        generate: object = (),
        systems: Mapping[str, Mapping[str, object]] | None = None,
        seeds: Iterable[int] | None = None,
        repeat: int | str | None = None,
        folder: str | PathLike[str] | None = None,
    ) -> None:
        self._folder = Path.cwd() if folder is None else Path(fspath(folder)).absolute()
        self._name = "plan"
        files = [_fetched(fspath(cast("str | PathLike[str]", one)), self._folder) for one in several(traces)]
        axes = {path: several(values) for path, values in (grid or {}).items()}
        self._text = _toml(files, generate, device, axes, systems or {}, seeds, repeat)
        self._sweep: _native.Sweep | None = None

    @classmethod
    def open(cls, path: str | PathLike[str]) -> Plan:
        """Read a plan (TOML), as ``ssdlab sweep`` takes it.

        :raises PlanError: it cannot be read.
        """
        file = Path(fspath(path))
        plan = object.__new__(cls)
        try:
            plan._text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise _unreadable(file, error) from None
        plan._folder, plan._name, plan._sweep = file.absolute().parent, str(file), None
        return plan

    def to_toml(self) -> str:
        """The text of the plan as a file for ``ssdlab sweep``; its relative paths begin in the folder of that file."""
        return self._text

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the plan as a file for ``ssdlab sweep``.

        :raises PlanError: relative paths in the plan, and a file in another folder than the one where they begin.
        """
        file = Path(fspath(path))
        if file.absolute().parent.resolve() != self._folder.resolve():
            for relative in _relative(self._text):
                raise PlanError(
                    f"path = {str(path)!r}: must be in {self._folder}, where the relative paths of the plan begin; found "
                    f"{relative!r} in the plan"
                )
        _native.write_file(file, self._text.encode())
        return file

    def _planned(self, out: Path | None, progress: Progress) -> _native.Sweep:
        if self._sweep is None:
            with bar(progress, "reading traces") as told:
                self._sweep = _native.Sweep.plan(self._name, self._text, self._folder, out, _cores(), told)
        return self._sweep

    def explain(self, *, progress: Progress = None) -> dict[str, Any]:
        """Check every run, and say what the sweep takes: runs, shards, core seconds (estimated), bytes of memory.

        :raises PlanError: runs that cannot be, all of them before the first one starts.
        """
        return cast(dict[str, Any], json.loads(self._planned(None, progress).explain()))

    def status(self, out: str | PathLike[str]) -> dict[str, Any]:
        """How far the sweep is in a folder."""
        folder = Path(fspath(out))
        return cast(dict[str, Any], json.loads(self._planned(folder, None).status(folder)))

    def run(
        self,
        out: str | PathLike[str],
        executor: Executor | None = None,
        *,
        jobs: int | None = None,
        memory: int | str | None = None,
        progress: Progress = None,
    ) -> Results:
        """Run what is missing, and return all rows.

        :param out: the folder of the parts, which all workers must share.
        :param executor: who runs the shards: a process pool, ``client.get_executor()`` of Dask, an executor of submitit;
            by default threads of this process.
        :param jobs: threads, by default one for each core.
        :param memory: bytes that traces and devices may take at a time, with threads.
        :returns: the same rows, whoever ran them and in whatever order.
        :raises PlanError: a run that cannot be; or workers went away: the same call goes on with what is left.
        """
        folder = Path(fspath(out)).absolute()
        on = threads(jobs) or _cores()
        sweep = self._planned(folder, progress)
        sweep.explain()
        sweep.freeze(folder)
        with bar(progress, "runs") as told:
            if executor is None:
                most = None if memory is None else size(memory, "memory")
                sweep.work(folder, on, most, told)
            else:
                self._submit(sweep, folder, executor, told)
        return Results(sweep.merge(folder, False))

    def _submit(self, sweep: _native.Sweep, out: Path, executor: Executor, told: ProgressCallback) -> None:
        missing = sweep.missing(out)
        plan = (self._name, self._text, str(self._folder), str(out))
        pending: dict[Job, int] = {}
        done = 0
        try:
            for number, _ in missing:
                pending[executor.submit(run_shard, plan, number)] = number
            all_runs = sum(sweep.runs(number) for number, _ in missing)
            while pending:
                for job in _ended(list(pending)):
                    number = pending.pop(job)
                    job.result()
                    done += sweep.runs(number)
                    if told is not None:
                        told(done, all_runs)
        except Error:
            raise
        except (Exception, CancelledError) as error:
            left = len(sweep.missing(out))
            failed = PlanError(
                f"the executor failed with {left} of {len(sweep)} shards left: {type(error).__name__}: {error}; "
                "the same call goes on with them"
            )
            failed.shards_left = left
            raise failed from error
        finally:
            for job in pending:
                cancel = getattr(job, "cancel", None)
                if cancel is not None:
                    cancel()

    def results(self, out: str | PathLike[str], *, partial: bool = False) -> Results:
        """The rows of the parts in a folder, in the order of the plan.

        :param partial: take those that are there, even if others are missing.
        :raises PlanError: parts are missing.
        """
        folder = Path(fspath(out))
        return Results(self._planned(folder, None).merge(folder, partial))

    def __repr__(self) -> str:
        return f"<Plan {self._name}>"


def _ended(jobs: list[Job]) -> list[Job]:
    """The jobs that have ended, once there are some."""
    if all(isinstance(job, Future) for job in jobs):
        ended, _ = wait(cast("list[Future[object]]", jobs), return_when=FIRST_COMPLETED)
        return list(ended)
    while True:
        found = [job for job in jobs if job.done()]
        if found:
            return found
        time.sleep(PATIENCE)


@lru_cache(maxsize=4)
def _frozen(name: str, text: str, folder: str, out: str) -> _native.Sweep:
    return _native.Sweep.frozen(name, text, Path(folder), Path(out))


def run_shard(plan: tuple[str, str, str, str], number: int) -> None:
    """Run one shard of a plan (name, text, folder, folder of the parts), if its part is not there."""
    _frozen(*plan).write(number, Path(plan[3]))


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _unreadable(file: Path, why: OSError | UnicodeDecodeError) -> PlanError:
    what = why.strerror if isinstance(why, OSError) else f"byte {why.start} is not UTF-8"
    error = PlanError(f"{file}: cannot be read: {what}")
    error.file = str(file)
    return error


def _relative(text: str) -> list[str]:
    """The relative paths of a plan."""
    try:
        plan = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PlanError(f"the plan is no TOML: {error}") from None
    entries = [one.get("file") if isinstance(one, dict) else one for one in [*several(plan.get("traces", [])), plan.get("config")]]
    return [one for one in entries if isinstance(one, str) and not Path(one).is_absolute()]


def _value(value: object) -> str:
    """A value of TOML: numbers as they are, texts in quotes."""
    return quoted(value) if isinstance(value, str) else literal(value)


def _assigned(text: str) -> str:
    """A value in the syntax of an assignment, as a value of TOML."""
    try:
        tomllib.loads(f"value = {text}")
    except tomllib.TOMLDecodeError:
        return quoted(text)
    return text


def _refuse_policies(
    device: Device | None, grid: Mapping[str, list[object]], systems: Mapping[str, Mapping[str, object]]
) -> None:
    """A plan is a file, which cannot hold classes."""
    given = [one for values in grid.values() for one in values]
    given += [one for keys in systems.values() for one in keys.values()]
    found = [*([] if device is None else device.policies), *filter(is_policy, given)]
    if found:
        name = getattr(found[0], "__qualname__", found[0])
        raise PlanError(f"{name}: a plan is a file and names built-in policies only; run policies in Python with run or compare")


def _fetched(trace: str, folder: Path) -> str:
    """A trace as a plan names it; that of an address is a file beside the plan."""
    if "://" not in trace:
        return trace
    return str(local(trace, folder / "ssdlab-traces").relative_to(folder))


def _toml(
    traces: list[str],
    generate: object,
    device: Device | None,
    grid: Mapping[str, list[object]],
    systems: Mapping[str, Mapping[str, object]],
    seeds: Iterable[int] | None,
    repeat: int | str | None,
) -> str:
    files = ", ".join(quoted(one) for one in traces)
    seeded = "" if seeds is None else f", seeds = {literal(list(seeds))}"
    made = []
    for words in several(generate):
        made.append(f"{{ generate = {quoted(words)}{seeded} }}")
    lines = [f"traces = [{', '.join(filter(None, [files, *made]))}]"]
    _refuse_policies(device, grid, systems)
    if device is not None:
        if device._preset is not None:
            lines.append(f"preset = {quoted(device._preset)}")
        if device._scale_to is not None:
            lines.append(f"scale-to = {quoted(device._scale_to)}")
        if device._files:
            raise PlanError("device: a device with a file; give its keys, or write the plan as a file with config =")
    if repeat is not None:
        lines.append(f"repeat = {_value(repeat)}")
    if device is not None and device._settings:
        lines.append("\n[device]")
        lines += [f"{quoted(path)} = {_assigned(of)}" for path, of in device._settings.items()]
    if grid:
        lines.append("\n[axes]")
        lines += [f"{quoted(path_of(path))} = {_value(values)}" for path, values in grid.items()]
    for name, keys in systems.items():
        lines.append(f"\n[systems.{quoted(name)}]")
        lines += [f"{quoted(path_of(path))} = {_value(of)}" for path, of in keys.items()]
    return "\n".join(lines) + "\n"
