"""Sweeps on clusters: a real scheduler of Dask with worker processes on loopback, and submitit's local executor.

Planned bugs that these catch: a killed worker takes its shards away; a client that waits for ever for a scheduler that is
gone; rows that differ from those of threads.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import MagicMock

import pytest

import ssdlab as sl
from ssdlab import _command

pa = pytest.importorskip("pyarrow")
distributed = pytest.importorskip("distributed")
submitit = pytest.importorskip("submitit")


# of the plan below
RUNS = 12 * 4


def plan(seeds: int = 12) -> sl.Plan:
    """As many shards as seeds, of some tenths of a second each."""
    return sl.Plan(
        generate="zipf --theta 0.9 --requests 20000 --capacity 16MiB",
        seeds=range(seeds),
        device=sl.Device(ftl="page", flash_pages_per_block=64),
        grid={"buffer.policy": ["lru", "fab"], "ftl.over_provisioning": [0.05, 0.1]},
    )


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> object:
    return pa.table(plan().run(tmp_path_factory.mktemp("threads")))


class Cluster:
    """A scheduler and workers, each a process of its own."""

    def __init__(self, folder: Path, workers: int) -> None:
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        environment = {**os.environ, "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "5s"}
        file = folder / "scheduler.json"
        dask = [sys.executable, "-m", "distributed.cli.dask_scheduler"]
        self.scheduler = subprocess.Popen(
            [*dask, "--host=127.0.0.1", "--port=0", "--no-dashboard", f"--scheduler-file={file}"],
            env=environment, **quiet,  # type: ignore[call-overload]
        )
        deadline = time.monotonic() + 60
        while not file.exists():
            assert self.scheduler.poll() is None and time.monotonic() < deadline, "no scheduler"
            time.sleep(0.05)
        worker = [sys.executable, "-m", "distributed.cli.dask_worker", f"--scheduler-file={file}", "--no-dashboard"]
        worker += ["--nthreads=1", "--no-nanny", "--host=127.0.0.1", f"--local-directory={folder}"]
        self.workers = [
            subprocess.Popen(worker, env=environment, **quiet)  # type: ignore[call-overload]
            for _ in range(workers)
        ]
        self.client = distributed.Client(scheduler_file=str(file), timeout="20s", set_as_default=False)
        self.client.wait_for_workers(workers, timeout=60)

    @property
    def address(self) -> str:
        return str(self.client.scheduler.address)

    def close(self) -> None:
        self.client.close(timeout=1)
        for process in [*self.workers, self.scheduler]:
            process.kill()
            process.wait()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    started = Cluster(tmp_path, 3)
    yield started
    started.close()


def test_two_of_three_workers_are_killed(cluster: Cluster, expected: object, tmp_path: Path) -> None:
    killed: list[int] = []

    def kill(done: int, all_: int | None) -> None:
        # in the middle of the sweep; a slow machine tells of the planning, too
        if done >= 8 and all_ == RUNS and not killed:
            for worker in cluster.workers[:2]:
                worker.send_signal(signal.SIGKILL)
                killed.append(worker.pid)

    rows = plan().run(tmp_path / "out", cluster.client.get_executor(), progress=kill)
    assert len(killed) == 2
    assert pa.table(rows).equals(expected)


def test_a_scheduler_that_goes_ends_the_client(cluster: Cluster, expected: object, tmp_path: Path) -> None:
    def kill(done: int, all_: int | None) -> None:
        if done >= 8 and all_ == RUNS:
            cluster.scheduler.send_signal(signal.SIGKILL)

    begun = time.monotonic()
    with pytest.raises(sl.PlanError, match="the same call goes on"):
        plan().run(tmp_path / "out", cluster.client.get_executor(), progress=kill)
    assert time.monotonic() - begun < 60
    # the next start goes on with what is left
    told: list[tuple[int, int | None]] = []
    rows = plan().run(tmp_path / "out", progress=lambda done, all_: told.append((done, all_)))
    assert pa.table(rows).equals(expected)
    assert told[-1][1] is not None and told[-1][1] < RUNS


def test_the_command_line_speaks_to_dask(cluster: Cluster, expected: object, tmp_path: Path) -> None:
    file = plan().save(tmp_path / "plan.toml")
    words = ["sweep", "run", str(file), "--out", str(tmp_path / "out"), "--dask", cluster.address]
    ran = subprocess.run([sys.executable, "-m", "ssdlab", *words], capture_output=True, text=True, check=True)
    assert "12 of 12 parts" in ran.stdout
    rows = pa.table(sl.Plan.open(file).results(tmp_path / "out"))
    assert rows.drop_columns(["command"]).equals(expected.drop_columns(["command"]))  # type: ignore[attr-defined]
    wrong = [sys.executable, "-m", "ssdlab", "sweep", "run", str(file), "--dask", "tcp://127.0.0.1:1"]
    refused = subprocess.run(wrong, capture_output=True, text=True, env={**os.environ, "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "2s"})
    assert refused.returncode == 1 and "tcp://127.0.0.1:1" in refused.stderr
    assert "Traceback" not in refused.stderr


@pytest.mark.parametrize(("left", "code"), [(3, 1), (None, 2)])
def test_exit_codes_of_dask(left: int | None, code: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def fail(*arguments: object, **how: object) -> None:
        error = sl.PlanError("the executor failed, says the name of a file")
        error.shards_left = left
        raise error

    monkeypatch.setattr(distributed, "Client", MagicMock())
    monkeypatch.setattr(sl.Plan, "run", fail)
    # planted bug: words of a message say what has happened
    assert _command._dask([str(plan(1).save(tmp_path / "plan.toml")), "--dask", "tcp://scheduler"]) == code


def test_submitit_has_the_same_rows(expected: object, tmp_path: Path) -> None:
    executor = submitit.LocalExecutor(folder=tmp_path / "jobs")
    executor.update_parameters(timeout_min=5)
    rows = plan().run(tmp_path / "out", executor)
    assert pa.table(rows).equals(expected)
