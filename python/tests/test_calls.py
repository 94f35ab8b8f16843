"""What calls do while they run: Ctrl-C, other threads, progress.

Planned bugs that these catch: a call that hears no signal until it ends; one that keeps the interpreter from other threads; a
pass that is counted and does not happen; a run that tells the watchers of another one; a bad argument that reaches the engine.
"""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar

import pytest

import ssdlab as sl

TRACE = "traces/w9-ext3-postmark.csv.zst"

INTERRUPTED = """
import os, signal, subprocess, sys, threading, time
# a shell in the background ignores it
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.path.insert(0, "python/tests")
import ssdlab as sl
from ported import Lru

{before}
turns, ended = [], threading.Event()
def other():
    while not ended.wait(0.01):
        turns.append(time.monotonic())
threading.Thread(target=other).start()
begun = time.monotonic()
subprocess.Popen(["sh", "-c", f"sleep 0.5; kill -INT {{os.getpid()}}"])
try:
    {call}
except KeyboardInterrupt:
    pass
else:
    print("it ended before Ctrl-C")
took = time.monotonic() - begun
ended.set()
longest = max(b - a for a, b in zip([begun, *turns], [*turns, begun + took]))
print(took - 0.5, longest)
sys.stdout.flush()
"""

AGED = (
    "device = sl.Device(flash_capacity='24GiB', ftl='page', buffer=Lru, precondition='random:9');"
    "trace = sl.generate('uniform', requests=1000, capacity='1GiB')"
)
PLAN = (
    "sizes = [f'{{n}}KiB' for n in range(4, {sizes}, 4)]; shares = [0.1 + n / 10_000 for n in range({shares})];"
    "made = dict(generate='uniform --requests 10 --capacity 16MiB', seeds=range({seeds}), device=sl.Device(ftl='page'),"
    " grid={{'buffer.size': sizes, 'ftl.over_provisioning': shares}})"
)


@pytest.mark.parametrize(
    ("before", "call"),
    [
        (PLAN.format(sizes=1600, shares=300, seeds=1), "sl.Plan(**made).explain()"),
        (PLAN.format(sizes=400, shares=1, seeds=6000) + "; plan = sl.Plan(**made); plan._planned(None, None)", "plan.explain()"),
        (AGED, "sl.run(device, trace)"),
        (AGED, "sl.compare(trace, device, buffer=[Lru], buffer_size='1MiB', bounds=False, advice=False)"),
    ],
    ids=["combinations", "explain", "ageing", "ageing in a comparison"],
)
def test_ctrl_c_ends_it_and_other_threads_go_on(before: str, call: str) -> None:
    program = INTERRUPTED.format(before=before, call=call)
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=240)
    assert "ended" not in ran.stdout, ran.stdout
    took, longest = (float(word) for word in ran.stdout.split())
    assert took < 1 + 5  # a second, and what a busy machine takes
    assert longest < 1 + 5


@pytest.mark.parametrize("options", [{}, {"wrap": True}, {"compact": True}, {"loops": 3}])
def test_progress_ends_with_all(options: dict[str, Any]) -> None:
    trace = sl.generate("zipf", requests=20_000, capacity="16MiB")
    told: list[tuple[int, int | None]] = []
    for buffer in ("lru", "clairvoyant"):
        device = sl.Device(capacity="auto", ftl="page", buffer=f"{buffer}:1MiB")
        sl.run(device, trace, progress=lambda done, all_: told.append((done, all_)), **options)
        done, all_ = told[-1]
        assert done == all_, (buffer, options)


def test_the_progress_of_a_streamed_trace_ends_with_all() -> None:
    trace = sl.Trace.open(TRACE, memory=0)
    told: list[tuple[int, int | None]] = []
    sl.run(sl.Device(preset="bplru-2008"), trace, wrap=True, loops=2, progress=lambda done, all_: told.append((done, all_)))
    assert told[-1] == (2 * trace.requests, 2 * trace.requests)


def test_runs_in_threads_tell_their_own_progress() -> None:
    trace = sl.generate("uniform", requests=400_000, capacity="16MiB")
    device = sl.Device(capacity="auto", ftl="page", buffer="lru:1MiB")

    def last(loops: int) -> tuple[int, int | None]:
        told: list[tuple[int, int | None]] = []
        sl.run(device, trace, loops=loops, progress=lambda done, all_: told.append((done, all_)))
        return told[-1]

    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(last, [1, 2, 3, 4]))
    assert found == [(loops * trace.requests,) * 2 for loops in (1, 2, 3, 4)]


@pytest.mark.parametrize(
    ("method", "arguments", "key", "allowed"),
    [
        ("info", {"page_size": 0}, "page_size", "512 bytes to 1MiB"),
        ("info", {"page_size": 3}, "page_size", "512 bytes to 1MiB"),
        ("info", {"page_size": "2MiB"}, "page_size", "512 bytes to 1MiB"),
        ("info", {"erase_block": 0}, "erase_block", "512 bytes to 1GiB"),
        ("sample", {"rate": "1/2", "group": 0}, "group", "a multiple of 512 bytes"),
        ("sample", {"rate": "1/2", "group": 1000}, "group", "a multiple of 512 bytes"),
    ],
)
def test_sizes_of_traces_are_checked(method: str, arguments: dict[str, Any], key: str, allowed: str) -> None:
    trace = sl.generate("uniform", requests=100, capacity="1MiB")
    with pytest.raises(sl.ConfigError, match=allowed) as raised:
        getattr(trace, method)(**arguments)
    assert raised.value.key == key
    assert str(raised.value).startswith(f"{key} = ")


@pytest.mark.parametrize("default", [5, 0.5])
@pytest.mark.parametrize("bounds", [{"low": False}, {"high": True}, {"low": "0"}, {"high": float("nan")}, {"high": 10**400}])
def test_bounds_of_keys_are_numbers(default: float, bounds: dict[str, Any]) -> None:
    class Bounded(sl.BufferPolicy):
        name = "bounded"
        keys: ClassVar = {"limit": sl.Key(default, **{"low": 0, "high": 10, **bounds})}

        def victim(self) -> int:
            return 0

    with pytest.raises(sl.ConfigError, match=r"keys\['limit'\]") as raised:
        sl.Device(buffer=Bounded)
    assert raised.value.key == "limit"
