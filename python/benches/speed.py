"""What the package adds to the engine; run it with a release build (``pip install .``) on an idle machine.

- a call of ``run``, beyond the run;
- a million requests from NumPy, beyond the run;
- Dask, beyond threads, with tasks of about a second.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np

import ssdlab as sl


def best(times: int, work: Callable[[], object]) -> float:
    """The least seconds of several runs."""
    taken = []
    for _ in range(times):
        begun = time.perf_counter()
        work()
        taken.append(time.perf_counter() - begun)
    return min(taken)


def call_of_run() -> None:
    """A run of one request is nearly all call."""
    device = sl.Device(flash_capacity="64MiB")
    trace = sl.Trace.from_columns(time=[0], op=["W"], offset=[0], size=[4096])
    print(f"a call of run with one request, with its device of 64 MiB: {1e3 * best(50, lambda: sl.run(device, trace)):.2f} ms")


def million_requests() -> None:
    """From arrays to a trace."""
    count = 1_000_000
    random = np.random.default_rng(1)
    columns = {
        "time": np.arange(count) * 1000,
        "op": np.full(count, b"W"),
        "offset": random.integers(0, 1 << 18, count) * 4096,
        "size": np.full(count, 4096),
    }
    taken = best(10, lambda: sl.Trace.from_columns(**columns))  # type: ignore[arg-type]
    print(f"a million requests from NumPy: {1e3 * taken:.1f} ms")


def dask() -> None:
    """The same sweep on two threads and on two worker processes of Dask."""
    with suppress(ImportError):
        from distributed import Client, LocalCluster

        plan = sl.Plan(
            generate="zipf --theta 0.9 --requests 5000000 --capacity 256MiB",
            seeds=range(8),
            device=sl.Device(ftl="page"),
            grid={"buffer.policy": ["lru", "fab"]},
        )
        plan.explain()
        with tempfile.TemporaryDirectory() as folder:
            threads = best(1, lambda: plan.run(Path(folder) / "threads", jobs=2))
            cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
            with cluster, Client(cluster) as client:
                client.wait_for_workers(2)
                workers = best(1, lambda: plan.run(Path(folder) / "dask", client.get_executor()))
        print(f"a sweep on two threads {threads:.2f} s, on two workers of Dask {workers:.2f} s: {100 * (workers / threads - 1):+.1f} %")


if __name__ == "__main__":
    call_of_run()
    million_requests()
    dask()
