"""How long drives live, from Python."""

from collections.abc import Callable
from pathlib import Path

import pytest
import ssdlab as sl

TEXT = """\
Device Model:     CT1000MX500SSD1
User Capacity:    1,000,204,886,016 bytes [1.00 TB]
202 Percent_Lifetime_Remain 0x0030   081   081   001    Old_age   Offline      -       19
246 Total_LBAs_Written      0x0032   100   100   000    Old_age   Always       -       23996625190
"""


def test_a_log_and_a_rate_are_years(tmp_path: Path) -> None:
    path = tmp_path / "smart.txt"
    path.write_text(TEXT)
    for log in (path, str(path), [path], TEXT.encode()):
        found = sl.life(log, rate="20GB/day")
        assert found.sentence.startswith("CT1000MX500SSD1: 19 % used after 12 TB; 49 TB left"), found
        assert found.tb_left is not None and found.tb_left.p50 == pytest.approx(49.07, rel=0.02)
        assert found.years_left is not None and found.years_left.p10 < 6.7 < found.years_left.p90
    assert str(found).startswith(found.sentence)
    assert found.to_dict()["reading"]["percentage_used"] == 19
    assert sl.life(drive="MX500 1TB", rate=20e9).bytes_per_day == pytest.approx(20e9)
    assert sl.life(drive="MX500 1TB").years_left is None


def test_what_cannot_be_is_refused() -> None:
    calls: list[tuple[Callable[[], object], str]] = [
        (lambda: sl.life(), "drive"),
        (lambda: sl.life(drive="860 EVO"), "250GB"),
        (lambda: sl.life(b"nothing of a drive"), "log 1: is nothing that ssdlab knows"),
        (lambda: sl.life(drive="MX500 1TB", rate="20GB"), "rate = "),
        (lambda: sl.life(drive="MX500 1TB", used=256), "used = 256"),
        (lambda: sl.life(drive="MX500 1TB", preset="sata-tlc"), "together"),
    ]
    for call, why in calls:
        with pytest.raises(sl.ConfigError, match=why):
            call()


def test_a_trace_costs_more_on_a_full_drive() -> None:
    trace = sl.generate("uniform", capacity="16MiB", requests=20000)
    found = sl.life(drive="MX500 1TB", trace=trace, preset="sata-tlc")
    assert found.to_dict()["write_amplification"]["simulated"] > 2
