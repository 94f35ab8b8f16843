"""Policies written in Python.

Planned bugs that these catch: a call that is lost or made twice (counters differ from the built-in policy); a key that does
not reach the policy, or stays without it; a lock that two runs wait for.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
import threading
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ported import BLOCKS, PAGES, TRACE, Dac, Fab, Greedy, Lru, Oldest, PaddingLru

import ssdlab as sl
from ssdlab.policies import BufferShape, Values


@pytest.fixture(scope="session")
def postmark() -> sl.Trace:
    return sl.Trace.open(TRACE)


@pytest.fixture(scope="session")
def zipf() -> sl.Trace:
    return sl.generate("zipf", theta=0.9, capacity="16MiB", requests=20000, seed=3)


@pytest.mark.parametrize(
    ("mine", "built_in"),
    [
        ({"buffer": Lru}, {"buffer": "lru"}),
        ({"buffer": Lru, "buffer_reads": "cache"}, {"buffer": "lru", "buffer_reads": "cache"}),
        ({"buffer": Fab}, {"buffer": "fab"}),
        ({"buffer": Fab, "buffer_count_headers": "all"}, {"buffer": "fab", "buffer_count_headers": "all"}),
        ({"buffer": PaddingLru, "buffer_count_headers": "all"}, {"buffer": "bplru"}),
        ({"buffer": PaddingLru, "buffer_count_headers": "all", "buffer_py_blocks_padding": False},
         {"buffer": "bplru", "buffer_padding": False}),
        ({"buffer": "fifo", "read_buffer_policy": Lru, "read_buffer_size": "64KiB"},
         {"buffer": "fifo", "read_buffer_policy": "lru", "read_buffer_size": "64KiB"}),
    ],
)  # fmt: skip
def test_a_buffer_is_the_built_in_one(mine: dict[str, Any], built_in: dict[str, Any], postmark: sl.Trace) -> None:
    expected = sl.run(BLOCKS.with_(**built_in), postmark).counters
    assert sl.run(BLOCKS.with_(**mine), postmark).counters == expected


@pytest.mark.parametrize(
    ("mine", "built_in"),
    [
        ({"cleaning": Greedy}, {"cleaning": "greedy"}),
        ({"cleaning": Oldest}, {"cleaning": "fifo"}),
        ({"placement": Dac}, {"placement": "dac", "ftl_regions": 3, "ftl_stable_s": [1000, 2000, 3000]}),
        (
            {"placement": Dac, "cleaning": Oldest, "buffer": Lru, "set": {"ftl.py_dac_regions": 2, "ftl.py_dac_end": 500}},
            {"placement": "dac", "cleaning": "fifo", "buffer": "lru", "ftl_regions": 2, "ftl_stable_s": [500, 1000]},
        ),
    ],
)
def test_cleaning_and_placement_are_the_built_in_ones(
    mine: dict[str, Any], built_in: dict[str, Any], zipf: sl.Trace
) -> None:
    expected = sl.run(PAGES.with_(**built_in), zipf, loops=2)
    assert expected.counters["erases"] > 100
    assert sl.run(PAGES.with_(**mine), zipf, loops=2).counters == expected.counters


request = st.tuples(st.sampled_from("WWWRDF"), st.integers(0, 255), st.integers(1, 12))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(request, min_size=1, max_size=300),
    st.sampled_from([(Lru, "lru"), (Fab, "fab"), (PaddingLru, "bplru")]),
    st.sampled_from(["page", "bast"]),
    st.integers(1, 40),
)
def test_any_trace_gives_the_same(
    requests: list[tuple[str, int, int]], policies: tuple[type[sl.BufferPolicy], str], ftl: str, pages: int
) -> None:
    ops, offsets, sizes = zip(*requests, strict=True)
    trace = sl.Trace.from_columns(
        time=range(len(ops)), op=list(ops), offset=[2048 * one for one in offsets], size=[2048 * one for one in sizes]
    )
    capacity = f"{2 << 10}KiB"
    common: dict[str, Any] = {"capacity": capacity, "ftl": ftl, "flash_pages_per_block": 8, "buffer_size": 2048 * pages}
    if ftl == "page":
        common |= {"cleaning": "greedy"}
    mine, built_in = policies
    cleaning = {"cleaning": Greedy} if ftl == "page" else {}
    expected = sl.run(sl.Device(buffer=built_in, **common), trace).counters
    assert sl.run(sl.Device(buffer=mine, **{**common, **cleaning}), trace).counters == expected


def test_a_comparison_has_both(zipf: sl.Trace) -> None:
    buffers = ["lru", Lru, "fab", Fab]
    progress: list[int] = []
    comparison = sl.compare(
        zipf, PAGES, buffer=buffers, buffer_size=["128KiB", "256KiB"], baseline=Lru, progress=lambda done, _: progress.append(done)
    )
    counters = sl.run(PAGES, zipf).counters
    rows = {(row["buffer_policy"], row["size"]): row for row in comparison.rows if row["kind"] == "policy"}
    for policy, mine in (("lru", "py-lru"), ("fab", "py-fab")):
        pairs = [(row, rows[mine, size]) for (name, size), row in rows.items() if name == policy]
        assert pairs
        assert all(one[name] == other[name] for one, other in pairs for name in counters)
    assert "py-lru" in str(comparison)
    assert progress
    table = comparison.results()
    assert "buffer.policy" in table.axes and "<svg" in table.plot("waf", x="buffer.size").svg


def test_keys_vary(zipf: sl.Trace) -> None:
    class Window(Lru):
        name = "win+dow"
        keys: ClassVar = {"share": sl.Key(0.5, low=0, high=1, doc="share"), "mode": sl.Key("a", choices=["a", "b"])}
        seen: ClassVar[list[tuple[float, str]]] = []

        def __init__(self, shape: BufferShape, keys: Values) -> None:
            super().__init__(shape, keys)
            self.seen.append((keys.share, keys.mode))

    path = "buffer.win_dow_share"
    vary = {path: [0.25, 1], "buffer_win_dow_mode": ["a", "b"]}
    comparison = sl.compare(zipf, PAGES, buffer=[Window, "lru"], vary=vary, bounds=False, advice=False)
    assert len(comparison.rows) == 5
    assert sorted(Window.seen) == [(0.25, "a"), (0.25, "b"), (1.0, "a"), (1.0, "b")]
    own: dict[str, Any] = {"buffer_win_dow_share": 0.75}
    device = PAGES.with_(buffer=Window, **own)
    assert device[path] == device["buffer_win_dow_share"] == 0.75
    assert "buffer.win_dow_mode" in device.keys()
    with pytest.raises(sl.ConfigError, match="0 to 1") as raised:
        device.with_(set={path: 2})
    assert raised.value.key == path
    with pytest.raises(sl.ConfigError, match="must be one of a, b"):
        device.with_(set={"buffer.win_dow_mode": "c"})
    # without the policy, its keys are gone
    assert device.with_(buffer="lru").keys() == PAGES.keys()
    with pytest.raises(sl.ConfigError, match="unknown key"):
        PAGES.with_(set={path: 1})


def test_devices_keep_their_classes() -> None:
    device = PAGES.with_(buffer=Lru, cleaning=Greedy, placement=Dac, set={"ftl.py_dac_end": 7})
    again = pickle.loads(pickle.dumps(device))
    assert again == device and set(again.policies) == {Lru, Greedy, Dac}
    assert again["ftl.py_dac_end"] == 7
    named = sl.Device(buffer="py-lru:1MiB", policies=[Lru])
    assert named.config["buffer"]["policy"] == "py-lru"
    assert named != sl.Device(buffer="lru:1MiB")
    assert device.with_(cleaning="greedy").policies == [Lru, Dac]


def test_numbers_of_numpy_are_numbers(zipf: sl.Trace) -> None:
    class Numpy(Lru):
        name = "np"

        def victim(self) -> int:
            return np.int64(super().victim())  # type: ignore[return-value]

    assert sl.run(PAGES.with_(buffer=Numpy), zipf).counters == sl.run(PAGES, zipf).counters


def test_runs_in_several_threads(zipf: sl.Trace) -> None:
    expected = sl.run(PAGES, zipf, loops=2).counters
    found: list[dict[str, int]] = []
    work = [
        lambda: sl.run(PAGES.with_(buffer=Lru, cleaning=Greedy), zipf, loops=2),
        lambda: sl.run(PAGES, zipf, loops=2),
    ] * 4  # fmt: skip
    threads = [threading.Thread(target=lambda one: found.append(one().counters), args=[one]) for one in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert found == [expected] * len(work)


def test_a_policy_may_run_others(zipf: sl.Trace) -> None:
    small = sl.generate("uniform", capacity="8MiB", requests=100)

    class Nested(Lru):
        name = "nested"

        def __init__(self, shape: BufferShape, keys: Values) -> None:
            super().__init__(shape, keys)
            assert sl.compare(small, PAGES, buffer=["lru", Lru], advice=False).best is not None
            sl.run(PAGES.with_(buffer=Lru), small)

    assert sl.run(PAGES.with_(buffer=Nested), zipf).counters == sl.run(PAGES, zipf).counters


# in a process of its own: a stack that overflows ends it
@pytest.mark.parametrize("call", ["sl.run(DEVICE, TRACE)", "sl.compare(TRACE, DEVICE, buffer=['lru', Mine], advice=False)"])
@pytest.mark.parametrize("method", ["victim", "__init__"])
def test_a_policy_that_runs_itself_ends(call: str, method: str) -> None:
    program = f"""
import sys; sys.path.insert(0, 'python/tests')
import ssdlab as sl
from ported import Lru
TRACE = sl.generate('uniform', requests=5000, capacity='16MiB')
class Mine(Lru):
    name = 'mine'
    def {method}(self, *arguments):
        {call}
        return super().{method}(*arguments)
DEVICE = sl.Device(preset='bplru-2008', buffer=Mine, buffer_size='1MiB')
try:
    {call}
except RecursionError as error:
    print('RecursionError', error)
sl.run(DEVICE.with_(buffer=Lru), TRACE)
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=240)
    assert ran.stdout.startswith("RecursionError ssdlab runs inside itself"), ran.stdout


@pytest.mark.parametrize("call", ["sl.run(device.with_(buffer=Lru), trace, loops=1000)",
                                  "sl.compare(trace, device, buffer=['lru', Lru], loops=1000)"])  # fmt: skip
def test_ctrl_c_ends_it(call: str) -> None:
    program = (
        "import sys; sys.path.insert(0, 'python/tests')\n"
        "import os, signal, subprocess, time\n"
        "import ssdlab as sl\n"
        "from ported import Lru\n"
        "trace = sl.generate('uniform', requests=300_000, capacity='64MiB')\n"
        "device = sl.Device(capacity='auto', ftl='page', buffer_size='1MiB')\n"
        # a shell in the background ignores it
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "begun = time.monotonic()\n"
        "subprocess.Popen(['sh', '-c', f'sleep 1; kill -INT {os.getpid()}'])\n"
        "try:\n"
        f"    {call}\n"
        "except KeyboardInterrupt:\n"
        "    print(time.monotonic() - begun)\n"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=240)
    assert float(ran.stdout) < 1 + 5  # a second, and what a busy machine takes


def test_the_example_says_what_it_says() -> None:
    ran = subprocess.run([sys.executable, "python/examples/port_a_policy.py"], capture_output=True, text=True, check=True)
    assert ran.stdout == EXAMPLE


EXAMPLE = """\
window  evicted clean  evicted dirty  flash programs  erases  counters
     0         56,482        165,420         165,420   5,887  equal
  0.25         56,480        165,291         165,291   5,875  equal
     1         56,480        165,288         165,288   5,873  equal

device: bplru-2008 (1 GiB MLC (2 KiB x 128), bast with 7 log blocks, 16 MiB bplru buffer), with 1,047,808 KiB, FTL bast
policy       buffer  write amp.  erases
lru           1 MiB        3.01    5869  best, baseline
cflru         1 MiB      3.01 =  5875 =           level
clean-first   1 MiB      3.01 =  5875 =           level

steady state: host wrote 0.32 x capacity; cleaning started in all runs
On w9-ntfs-postmark-1000.csv.zst, lru serves best, level with cflru and clean-first: 0.965 MB/s.
"""
