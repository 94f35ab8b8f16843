"""Sweeps by every executor.

Planned bugs that these catch: rows that depend on who ran them; a shard that is run twice or never; a plan from Python that
is not the one of a file.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

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


@pytest.mark.parametrize("repeat", [1, 20, "once", "steady"])
def test_traces_are_repeated(repeat: int | str, tmp_path: Path) -> None:
    one = sl.Plan(
        generate="uniform --requests 10 --capacity 1MiB", device=sl.Device(preset="bplru-2008"), grid={"buffer.policy": ["lru"]}, repeat=repeat
    )
    assert one.explain()["runs"] == 1
    assert f"repeat = {repeat!r}".replace("'", '"') in one.save(tmp_path / "plan.toml").read_text()


# planted bug: a file that is written in place
def test_files_are_outputs(tmp_path: Path) -> None:
    rows = plan().run(tmp_path / "out")
    compared = sl.compare(sl.generate("uniform", requests=100, capacity="1MiB"), sl.Device(preset="bplru-2008"))
    writes: dict[str, Callable[[Path], object]] = {
        "plan.toml": plan().save,
        "page.html": rows.report,
        "table.tex": lambda path: rows.to_latex(path=path),
        "picture.svg": rows.plot("throughput", x="buffer.size").save,
        "compared.html": compared.report,
        "compared.csv": compared.to_csv,
    }
    for name, write in writes.items():
        path = tmp_path / name
        path.write_text("old")
        with path.open() as before:
            write(path)
            assert (path.stat().st_size > 10, before.read()) == (True, "old"), name
        with pytest.raises(FileNotFoundError) as raised:
            write(tmp_path / "none" / name)
        assert "none" in str(raised.value)
        path.unlink()
        path.mkdir()
        with pytest.raises(OSError, match=name):
            write(path)
    assert not [name for name in os.listdir(tmp_path) if name.startswith(".")]


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
    (told,) = pa.table(fetched)["trace"].to_pylist()
    assert told.startswith("ssdlab-traces/") and told.endswith(f"-{name}")
    # what is there is not fetched again
    stored.rm("/traces", recursive=True)
    sl.Plan([address], device, {"buffer.policy": ["lru"]}, folder=tmp_path).explain()
    with pytest.raises(sl.TraceError, match="cannot be fetched") as raised:
        sl.Trace.open("memory://traces/none.csv")
    assert raised.value.file == "memory://traces/none.csv"


def test_addresses_that_end_alike(tmp_path: Path) -> None:
    fsspec = pytest.importorskip("fsspec")
    stored = fsspec.filesystem("memory")
    for folder, writes in (("a", 1), ("b", 2)):
        rows = "".join(f"{time},W,0,4096\n" for time in range(writes))
        stored.pipe(f"/{folder}/hm_0.csv", f"time_ns,op,offset_bytes,size_bytes\n{rows}".encode())
    # planted bug: a copy is known by the last part of its address
    for folder, writes in (("a", 1), ("b", 2)):
        plan = sl.Plan(f"memory://{folder}/hm_0.csv", sl.Device(ftl="page"), {"buffer.policy": ["lru"]}, folder=tmp_path)
        assert pa.table(plan.run(tmp_path / folder))["trace_requests"].to_pylist() == [writes]


def test_a_copy_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fsspec").filesystem("memory").pipe("/c/t.csv", b"x")

    def fail(source: Any, copy: Any, length: int) -> None:
        copy.write(b"half")
        raise OSError("the disk is full")

    monkeypatch.setattr("shutil.copyfileobj", fail)
    with pytest.raises(sl.TraceError, match="the disk is full"):
        sl.Plan("memory://c/t.csv", folder=tmp_path)
    # planted bug: half a copy stays
    assert list((tmp_path / "ssdlab-traces").iterdir()) == []


def test_every_part_of_a_device_reaches_a_plan(tmp_path: Path) -> None:
    given: dict[str, Any] = {"preset": "bplru-2008", "scale_to": "64MiB", "buffer_size": "512KiB", "set": {"ftl.log_blocks": 9}}
    device = sl.Device(**given)
    (row,) = pa.table(sl.Plan(generate="uniform --requests 500 --capacity 16MiB", device=device).run(tmp_path)).to_pylist()
    # planted bug: the scale is left out
    for path in device.keys():
        found = row.get(path.replace(".", "_"))
        assert found is None or found == device[path], path
    assert row["flash_capacity"] == device["flash.capacity"] < 1 << 28
    # what a plan cannot hold is refused; a new argument must do either
    told = {"_preset", "_scale_to", "_settings"}
    assert {name for name in vars(device) if name not in told} == {"_files", "_policies", "_chosen", "_native"}
    file = tmp_path / "device.toml"
    file.write_text(device.to_toml())
    with pytest.raises(sl.PlanError, match="a device with a file"):
        sl.Plan(generate="uniform", device=sl.Device(file=file))


def test_seeds_are_those_of_each_workload(tmp_path: Path) -> None:
    words = [f"{kind} --requests 100 --capacity 4MiB" for kind in ("uniform", "sequential")]
    plan = sl.Plan(generate=words, seeds=iter([1, 2]), device=sl.Device(ftl="page"), grid={"buffer.policy": iter(["lru", "fab"])})
    # planted bug: the first workload, or the first look, takes all values
    assert plan.explain()["runs"] == 8


def test_a_finished_sweep_needs_no_traces(tmp_path: Path) -> None:
    trace = tmp_path / "t.csv"
    trace.write_text("time_ns,op,offset_bytes,size_bytes\n0,W,0,4096\n")

    def planned() -> sl.Plan:
        return sl.Plan("t.csv", sl.Device(ftl="page"), {"buffer.policy": ["lru", "fab"]}, folder=tmp_path)

    rows = pa.table(planned().run(tmp_path / "out"))
    # what is known of it stays as long as its size and time do
    told = trace.stat()
    trace.write_bytes(b"x" * told.st_size)
    os.utime(trace, ns=(told.st_atime_ns, told.st_mtime_ns))
    # planted bug: the traces are read again
    assert planned().status(tmp_path / "out")["runs_done"] == 2
    assert pa.table(planned().results(tmp_path / "out")).equals(rows)


def test_a_plan_begins_in_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "t.csv").write_text("time_ns,op,offset_bytes,size_bytes\n0,W,0,4096\n")
    plan = sl.Plan("t.csv", sl.Device(ftl="page"), {"buffer.policy": ["lru"]}, folder=tmp_path)
    (tmp_path / "other").mkdir()
    # planted bug: the plan is written where its paths lead nowhere
    with pytest.raises(sl.PlanError, match=r"must be in .*; found 't\.csv' in the plan"):
        plan.save(tmp_path / "other" / "plan.toml")
    assert not any((tmp_path / "other").iterdir())
    plan.save(tmp_path / "plan.toml")
    monkeypatch.chdir(tmp_path)
    opened = sl.Plan.open("plan.toml")
    # planted bug: a worker looks for the traces in a working directory of its own
    with ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=os.chdir, initargs=("/",)) as executor:
        assert len(opened.run("out", executor)) == 1
    (tmp_path / "latin.toml").write_bytes('traces = ["\xe9.csv"]'.encode("latin-1"))
    with pytest.raises(sl.PlanError, match="byte 11 is not UTF-8") as raised:
        sl.Plan.open("latin.toml")
    assert raised.value.file == "latin.toml"
