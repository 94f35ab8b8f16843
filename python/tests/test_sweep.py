"""Sweeps by every executor.

Planned bugs that these catch: rows that depend on who ran them; a shard that is run twice or never; a plan from Python that
is not the one of a file.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

import ssdlab as sl

pa = pytest.importorskip("pyarrow")


def plan() -> sl.Plan:
    return sl.Plan(
        traces=[Path("traces/w9-ext3-postmark-1000.csv.zst").absolute()],
        generate="zipf --theta 0.9 --requests 3000 --capacity 16MiB",
        seeds=[1, 2],
        device=sl.Device(preset="bplru-2008", flash_pages_per_block=64),
        grid={"buffer.policy": ["lru", "fab"], "buffer_size": ["512KiB", "1MiB"]},
    )


def processes() -> Executor:
    return ProcessPoolExecutor(2, mp_context=get_context("spawn"))


@pytest.mark.parametrize("executor", [lambda: None, lambda: ThreadPoolExecutor(2), processes])
def test_rows_are_those_of_the_command_line(executor: Callable[[], Executor | None], tmp_path: Path) -> None:
    by = executor()
    rows = plan().run(tmp_path / "out", by)
    if by is not None:
        by.shutdown()
    file = plan().save(tmp_path / "plan.toml")
    command = [sys.executable, "-m", "ssdlab", "sweep"]
    subprocess.run([*command, "run", str(file), "--out", str(tmp_path / "cli")], check=True, capture_output=True)
    merged = tmp_path / "cli.parquet"
    subprocess.run([*command, "merge", str(file), "--out", str(tmp_path / "cli"), "-o", str(merged)], check=True, capture_output=True)
    theirs = sl.Results.read(merged)
    assert len(rows) == 12
    # the plan of Python has no file, which the command of a row would name
    assert pa.table(rows).drop_columns(["command"]).equals(pa.table(theirs).drop_columns(["command"]))


def test_what_is_done_is_not_run_again(tmp_path: Path) -> None:
    first = plan().run(tmp_path)
    parts = {path: path.stat().st_mtime_ns for path in tmp_path.glob("part-*")}
    victim = sorted(parts)[0]
    victim.unlink()
    told: list[tuple[int, int | None]] = []
    second = plan().run(tmp_path, progress=lambda done, all_: told.append((done, all_)))
    assert pa.table(first).equals(pa.table(second))
    again = {path: path.stat().st_mtime_ns for path in tmp_path.glob("part-*")}
    changed = [path for path in parts if parts[path] != again[path]]
    assert changed == [victim]
    assert told[-1][1] is not None and told[-1][1] < 12


def test_errors_of_a_plan_come_first(tmp_path: Path) -> None:
    with pytest.raises(sl.PlanError, match="unknown key"):
        sl.Plan(generate="uniform --requests 10", grid={"buffer.polisy": ["lru"]}).explain()
    file = tmp_path / "p.toml"
    file.write_text('traces = ["x.csv"]\n[axes]\n"buffer.policy" = 3\n')
    with pytest.raises(sl.PlanError) as raised:
        sl.Plan.open(file).explain()
    assert raised.value.file == str(file)
    with pytest.raises(sl.PlanError, match="missing"):
        plan().results(tmp_path)


def test_traces_have_addresses(tmp_path: Path) -> None:
    fsspec = pytest.importorskip("fsspec")
    name = "w9-ext3-postmark-1000.csv.zst"
    stored = fsspec.filesystem("memory")
    stored.pipe(f"/traces/{name}", Path("traces", name).read_bytes())
    device = sl.Device(preset="bplru-2008")
    address = f"memory://traces/{name}"
    fetched = sl.Plan([address], device, {"buffer.policy": ["lru"]}, folder=tmp_path).run(tmp_path / "a")
    here = sl.Plan([Path("traces", name).absolute()], device, {"buffer.policy": ["lru"]}).run(tmp_path / "b")
    apart = ["trace", "command", "run_id"]
    assert pa.table(fetched).drop_columns(apart).equals(pa.table(here).drop_columns(apart))
    assert pa.table(fetched)["trace"].to_pylist() == [f"ssdlab-traces/{name}"]
    # what is there is not fetched again
    stored.rm("/traces", recursive=True)
    sl.Plan([address], device, {"buffer.policy": ["lru"]}, folder=tmp_path).explain()
    with pytest.raises(sl.TraceError, match="cannot be fetched") as raised:
        sl.Trace.open("memory://traces/none.csv")
    assert raised.value.file == "memory://traces/none.csv"
