"""The write cliff, from Python."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import ssdlab as sl


def test_it_is_what_the_command_says() -> None:
    options = ["cliff", "--preset", "consumer-tlc-1tb", "--no-run", "--filled", "0.8", "--after", "1s", "--json"]
    said = subprocess.run([sys.executable, "-m", "ssdlab", *options], capture_output=True, check=True, text=True)
    found = sl.cliff("consumer-tlc-1tb", run=False, filled=0.8, after=1)
    assert found.to_dict() == json.loads(said.stdout)["cliff"]
    assert [phase.name for phase in found.phases][0] == "cache"
    assert found.phases[0].bytes == found.cache and found.phases[0].mb_s > 2 * found.phases[1].mb_s
    assert found.recovery.after_s == 1 and 0 < found.recovery.bytes < found.cache
    assert found.levels[16].filled == 0.8 and found.levels[16].cache == found.cache < found.levels[0].cache
    assert found.measured is None and str(found) == found.sentence


def test_a_run_stands_beside_it(tmp_path: Path) -> None:
    device = sl.Device("consumer-qlc-2tb")
    found = sl.cliff(device, run_on="256MiB")
    assert found.measured is not None
    for form, run in zip(found.phases, found.measured, strict=True):
        assert run.name == form.name and run.mb_s == pytest.approx(form.mb_s, rel=0.25)
    assert "GB written" in found.svg
    assert found.save(tmp_path / "cliff.pdf").read_bytes().startswith(b"%PDF")


def test_an_answer_says_what_a_host_may_change() -> None:
    flash = {"flash.capacity": "240MiB", "flash.page_size": 4096, "flash.pages_per_block": 24, "flash.cell_bits": 3}
    drive = {"ftl.kind": "page", "ftl.spare_blocks": 20, "ftl.slc": "dynamic", "ftl.slc_dynamic": "8MiB"}
    rest = {"timing.slc_program_us": 200, "timing.slc_read_us": 20, "precondition": "empty"}
    device = sl.Device(set={**flash, **drive, **rest})
    trace = sl.generate("sequential", capacity="24MiB", unit="1MiB", requests=48)
    answer = sl.recommend(trace, "64MiB", device, buffer=["none"], by="throughput")
    [advice] = answer.would_help.values()
    assert advice["tried"][0]["by_host"] and advice["tried"][0]["change"].startswith("TRIM")


def test_what_cannot_be_is_refused(tmp_path: Path) -> None:
    calls: list[tuple[Callable[[], object], str]] = [
        (lambda: sl.cliff("nvme-tlc"), "no SLC cache"),
        (lambda: sl.cliff("consumer-tlc-1tb", filled=1), "filled = 1"),
        (lambda: sl.cliff("consumer-tlc-1tb", after=-1), "after = -1"),
        (lambda: sl.cliff("consumer-tlc-1tb", run_on="none"), "run_on"),
        (lambda: sl.cliff("consumer-tlc-1tb", run=False).save(tmp_path / "x.svg", width=1), "width = 1"),
    ]
    for call, why in calls:
        with pytest.raises(sl.ConfigError, match=why):
            call()
    with pytest.raises(sl.ResultsError, match="svg, pdf, pgf or csv"):
        sl.cliff("consumer-tlc-1tb", run=False).save(tmp_path / "x.png")
