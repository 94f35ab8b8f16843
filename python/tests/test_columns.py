"""Columns of requests: what the values of arrays, lists and tables mean.

Planted bugs that these catch: a time that is read with its bytes reversed, or in another time zone; a number that is rounded; an
error that names no row.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import ssdlab as sl

TIMES = ["2020-01-01T00:00:00", "2020-01-01T00:00:01", "2020-01-01T00:00:03"]


def trace(**changed: Any) -> sl.Trace:
    given = {"time": [0, 1, 2], "op": ["W", "R", "W"], "offset": [0, 4096, 0], "size": [4096] * 3, **changed}
    return sl.Trace.from_columns(**given)


def rows(of: sl.Trace) -> list[dict[str, Any]]:
    pa = pytest.importorskip("pyarrow")
    return list(pa.table(of).to_pylist())


def test_bytes_may_be_reversed() -> None:
    # planted bug: the bytes of big-endian times are taken as they are
    for kind in (">M8[us]", "<M8[us]", ">M8[ms]"):
        assert trace(time=np.array(TIMES, kind)).duration_ns == 3 * 10**9
    assert trace(time=np.array([0, 5, 7], ">m8[us]")).duration_ns == 7000
    assert rows(trace(op=np.array(["W", "R", "W"], ">U1"))) == rows(trace())


@pytest.mark.parametrize("kind", [">i2", ">u2", ">i4", ">u4", ">i8", ">u8", ">f4", ">f8", "<i4", "=u8"])
def test_numbers_may_be_reversed(kind: str) -> None:
    # planted bug: the bytes of big-endian numbers are taken as they are
    other = trace(offset=np.array([0, 4096, 0], kind), size=np.array([4096] * 3, kind), stream=np.array([1, 2, 3], kind))
    assert rows(other) == rows(trace(stream=[1, 2, 3]))


@pytest.mark.parametrize("role", ["time", "op", "offset", "size", "stream"])
def test_masked_values(role: str) -> None:
    values: dict[str, Any] = {"time": [0, 1, 2], "op": ["W", "R", "W"], "offset": [0, 4096, 0], "size": [4096] * 3, "stream": [0] * 3}
    whole = np.ma.masked_array(values[role], mask=[False, False, False])
    assert rows(trace(**{role: whole})) == rows(trace())
    # planted bug: the values under the mask are used
    with pytest.raises(sl.TraceError, match="row 1: no value") as raised:
        trace(**{role: np.ma.masked_array(values[role], mask=[False, True, False])})
    assert raised.value.key == role


def test_a_flush_needs_no_place() -> None:
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"time": [0, 1, 2], "op": ["W", "F", "W"], "offset": [0, None, 4096], "size": pa.array([512, None, 512], "u4")})
    flush = {"time": 1, "op": "F", "offset": 0, "size": 0, "stream": 0}
    assert rows(sl.Trace.from_arrow(table, time_unit="ns"))[1] == flush
    assert rows(trace(op=["W", "F", "W"], offset=np.array([0, np.nan, 0])))[1] == flush
    with pytest.raises(sl.TraceError, match="row 1: no value") as raised:
        sl.Trace.from_arrow(table.set_column(1, "op", pa.array(["F", "W", "W"])), time_unit="ns")
    assert raised.value.key == "offset"


def test_a_span_does_not_depend_on_the_first_time() -> None:
    # planted bug: the duration is the last time, 50 years from 1970
    assert trace(time=[1 << 60, (1 << 60) + 5, (1 << 60) + 9]).duration_ns == 9


def test_times_with_a_zone() -> None:
    pd = pytest.importorskip("pandas")
    # planted bug: a series with a time zone is a raw TypeError
    zoned = pd.Series(pd.to_datetime(TIMES)).dt.tz_localize("Europe/Berlin")
    assert rows(trace(time=zoned)) == rows(trace(time=np.array(TIMES, "M8[ns]")))
    # an hour is skipped on the way
    summer = pd.Series(pd.to_datetime(["2020-03-29T01:59:59", "2020-03-29T03:00:00", "2020-03-29T03:00:01"]))
    assert trace(time=summer.dt.tz_localize("Europe/Berlin")).duration_ns == 2 * 10**9


def test_a_time_that_is_missing() -> None:
    # planted bug: what is no time wraps around to one
    with pytest.raises(sl.TraceError, match="row 1: no time") as raised:
        trace(time=np.array([TIMES[0], "NaT", TIMES[2]], "M8[ns]"))
    assert raised.value.key == "time"


def test_lists_of_numbers() -> None:
    assert rows(trace(offset=[0, (1 << 63) + 4096, 0]))[1]["offset"] == (1 << 63) + 4096
    assert rows(trace(size=[np.float32(512), 512, 512])) == rows(trace(size=[512] * 3))
    assert rows(trace(time=[0, 0.5, 2], time_unit="s"))[1]["time"] == 5 * 10**8
    for wrong, row in (([4096, None, 1], 1), ([1, 2, "x"], 2), ([1, 1 << 2000, 1], 1), ([1, (1 << 53) + 1, 0.5], 1)):
        with pytest.raises(sl.TraceError, match=f"row {row}: ") as raised:
            trace(size=wrong)
        assert raised.value.key == "size"


def test_a_category_that_no_row_uses() -> None:
    pa = pytest.importorskip("pyarrow")

    def table(keys: list[int]) -> Any:
        op = pa.DictionaryArray.from_arrays(pa.array(keys, "int8"), ["unused", "W", "R"])
        return pa.table({"time": [0, 1, 2], "op": op, "offset": [0, 4096, 0], "size": [4096] * 3})

    # planted bug: every category must be an operation
    assert rows(sl.Trace.from_arrow(table([1, 2, 1]), sector=1)) == rows(trace())
    # planted bug: the number of the category instead of the row
    with pytest.raises(sl.TraceError, match="row 2: operation is unknown, found"):
        sl.Trace.from_arrow(table([1, 2, 0]), sector=1)


def test_units_are_told_by_names_or_asked_for() -> None:
    pa = pytest.importorskip("pyarrow")
    columns = {"time": [0, 1, 2], "op": ["W", "R", "W"], "offset": [0, 4096, 0], "size": [4096] * 3}
    named = {"time": "time_ns", "offset": "offset_bytes", "size": "size_bytes"}
    # planted bugs: the columns of `trace convert` are not found, or warned of; other units without a word
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = pa.table({named.get(name, name): values for name, values in columns.items()})
        assert rows(sl.Trace.from_arrow(table)) == rows(trace())
    with pytest.warns(UserWarning, match="give time_unit and sector"):
        assert rows(sl.Trace.from_arrow(pa.table(columns))) == rows(trace())
