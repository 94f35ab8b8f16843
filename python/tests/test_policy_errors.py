"""What policies written in Python do wrong.

Planned bugs that these catch: a value that is taken without a check; an exception that is lost, or another one in its place;
a run that goes on for ever; a class that cannot be taken.
"""

from __future__ import annotations

import traceback
from typing import Any, ClassVar, cast

import numpy as np
import pytest
from ported import PAGES, Dac, Fab, Greedy, Lru, Oldest, PaddingLru

import ssdlab as sl
from ssdlab.policies import BufferShape, Values


@pytest.fixture(scope="session")
def zipf() -> sl.Trace:
    return sl.generate("zipf", theta=0.9, capacity="16MiB", requests=20000, seed=3)


class Wrong(Lru):
    name = "wrong"
    answer: ClassVar[object] = None
    asked: ClassVar[int] = 0

    def victim(self) -> int:
        type(self).asked += 1
        return self.answer  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("answer", "shown"),
    [(None, "None"), ("x", "'x'"), (1.5, "1.5"), (True, "True"), (-1, "-1"), (1 << 40, str(1 << 40)), (8191, "8191"),
     (np.float64(3), "3.0"), (list(range(100)), "[0, 1, 2")],
)  # fmt: skip
def test_wrong_victims_are_named(answer: object, shown: str, zipf: sl.Trace) -> None:
    class Named(Wrong):
        pass

    Named.answer = answer
    with pytest.raises(sl.SimulationError) as raised:
        sl.run(PAGES.with_(buffer=Named), sl.generate("sequential", capacity="16MiB", requests=3000))
    assert Named.asked == 1
    said = str(raised.value)
    assert "Named.victim() returned" in said and shown in said
    assert "must be the number (lpn) of one of the 128 pages that are held" in said


class Broken(RuntimeError):
    pass


def failing(base: type[Any], method: str, after: int) -> type[Any]:
    """A policy whose method raises at a call."""

    def fail(self: Any, *arguments: object) -> object:
        made.calls += 1
        if made.calls > after:
            raise Broken(method)
        return getattr(base, method)(self, *arguments)

    made: Any = type("Failing", (base,), {"name": "failing", "calls": 0, method: fail})
    return cast(type[Any], made)


FAILURES = [
    ("buffer", Lru, "__init__", 0), ("buffer", Lru, "hit", 3), ("buffer", Lru, "enter", 9), ("buffer", Lru, "left", 5),
    ("buffer", Lru, "victim", 2), ("buffer", Lru, "begin_request", 100), ("buffer", PaddingLru, "pads", 1),
    ("cleaning", Greedy, "__init__", 0), ("cleaning", Greedy, "filled", 5), ("cleaning", Greedy, "invalidated", 9),
    ("cleaning", Greedy, "erased", 1), ("cleaning", Greedy, "pick", 2),
    ("placement", Dac, "__init__", 0), ("placement", Dac, "of_write", 77), ("placement", Dac, "of_copies", 1),
]  # fmt: skip


@pytest.mark.parametrize(("family", "base", "method", "after"), FAILURES)
@pytest.mark.parametrize("many", [False, True])
def test_exceptions_end_a_run(family: str, base: type[Any], method: str, after: int, many: bool, zipf: sl.Trace) -> None:
    policy = failing(base, method, after)
    one: dict[str, Any] = {family: policy}
    both: dict[str, Any] = {family: ["lru", policy] if family == "buffer" else policy}
    with pytest.raises(Broken) as raised:
        if many:
            sl.compare(zipf, PAGES, advice=False, bounds=False, **both)
        else:
            sl.run(PAGES.with_(**one), zipf)
    assert raised.value.args == (method,)
    assert any(frame.name == "fail" for frame in traceback.extract_tb(raised.value.__traceback__))
    # nothing is called once it has failed, but for other rows of a comparison, which notice a little later
    assert policy.calls - after == 1 or many


class Never(Greedy):
    """Never gains anything."""

    name = "never"

    def pick(self, now: int) -> int:
        return max(self.order, key=lambda block: self.order[block])


class Outside(Dac):
    name = "outside"
    region: ClassVar[object] = 3

    def of_write(self, lpn: int, region: int | None, now: int, stream: int) -> int:
        return self.region  # type: ignore[return-value]


class Emptied(Oldest):
    name = "emptied"

    def pick(self, now: int) -> int:
        return 1 << 31


class Padded(PaddingLru):
    name = "padded"

    def pads(self, lbn: int) -> bool:
        return "yes"  # type: ignore[return-value]


class Unheld(Fab):
    name = "unheld"

    def victim(self) -> int:
        return 1 << 20


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        ({"cleaning": Never}, "without an invalid page"),
        ({"cleaning": Emptied}, "Emptied.pick() returned 2147483648: must be the number of one of the"),
        ({"placement": Outside}, "Outside.of_write() returned 3: must be the number of a region, 0 to 2"),
        ({"buffer": Padded}, "Padded.pads() returned 'yes': must be True or False"),
        ({"buffer": Unheld}, "Unheld.victim() returned 1048576: must be the number (lbn) of one of the"),
    ],
)
def test_other_wrong_values_are_named(keys: dict[str, Any], says: str, zipf: sl.Trace) -> None:
    with pytest.raises(sl.SimulationError) as raised:
        sl.run(PAGES.with_(**keys), zipf, loops=3)
    assert says in str(raised.value)


def variant(base: type[Any] = Lru, **attributes: object) -> type[Any]:
    return type("Variant", (base,), {"name": "variant", **attributes})


@pytest.mark.parametrize(
    ("policy", "key", "says"),
    [
        (variant(name="lru"), "name", "built-in buffer policy"),
        (variant(name="none"), "name", "built-in buffer policy"),
        (variant(name=""), "name", "must be lower-case letters"),
        (variant(name="a,b"), "name", "must be lower-case letters"),
        (variant(name=3), "name", "must be lower-case letters"),
        (variant(sl.BufferPolicy), "name", "must define victim()"),
        (variant(evicts_blocks=1), "evicts_blocks", "must be True or False"),
        (variant(pads=lambda self, lbn: True), "pads", "evicts_blocks = True"),
        (variant(keys={"a": 2.0, "B": 1}), "B", "lower-case letters, digits"),
        (variant(keys={"a": sl.Key(2.0, high=1)}), "a", "2.0: must be 0.0 to 1.0"),
        (variant(keys={"a": sl.Key(2, high=2.5)}), "a", "a whole number"),
        (variant(keys={"a": sl.Key(2.0, high=float("inf"))}), "a", "finite"),
        (variant(keys={"a": float("nan")}), "a", "nan: must be"),
        (variant(keys={"a": "x"}), "a", "one of its choices"),
        (variant(keys={"a": []}), "a", "a number or a text"),
        (variant(name="small", keys={"request": 1}), "buffer.small_request", "a built-in system"),
    ],
)
def test_impossible_classes_are_named(policy: type[Any], key: str, says: str) -> None:
    with pytest.raises(sl.ConfigError) as raised:
        sl.Device(buffer=policy)
    assert raised.value.key == key
    assert says in str(raised.value)


def test_impossible_choices_are_named(zipf: sl.Trace) -> None:
    with pytest.raises(sl.ConfigError, match="two classes are named 'py-lru'"):
        sl.compare(zipf, PAGES, buffer=[Lru, variant(name="py-lru")])
    one, other = variant(name="a", keys={"b_c": 1}), variant(name="a-b", keys={"c": 1})
    with pytest.raises(sl.ConfigError, match="buffer.a_b_c is one of"):
        sl.compare(zipf, PAGES, buffer=[one, other])
    with pytest.raises(sl.ConfigError, match="a class for ftl.cleaning") as raised:
        sl.Device(buffer=Greedy)  # type: ignore[arg-type]
    assert raised.value.key == "buffer.policy"
    with pytest.raises(sl.ConfigError, match="a class for buffer.policy or read_buffer.policy"):
        sl.Device(set={"ftl.placement": Lru})
    with pytest.raises(TypeError, match="pass the class"):
        sl.Device(buffer=cast(Any, Lru(BufferShape(1, 2048, 64, 64, 1), Values())))
    with pytest.raises(sl.ConfigError, match="read_buffer.policy"):
        sl.Device(read_buffer_policy=Fab)
    for regions in (0, 256, "2", True):
        with pytest.raises(sl.ConfigError, match="1 to 255"):
            sl.Device(ftl="page", placement=variant(Dac, keys={}, regions=regions))
    with pytest.raises(sl.ConfigError, match="1 to 255"):
        sl.Device(ftl="page", placement=variant(Dac, keys={"regions": 3}))
    with pytest.raises(sl.PlanError, match="Lru: a plan is a file"):
        sl.Plan(generate="uniform --requests 10", grid={"buffer.policy": ["lru", Lru]})
    with pytest.raises(sl.PlanError, match="Lru: a plan is a file"):
        sl.Plan(generate="uniform --requests 10", device=PAGES.with_(buffer=Lru))
