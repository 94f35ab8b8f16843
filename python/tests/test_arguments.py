"""Arguments: numbers of other packages, what is given twice, and what cannot be.

Planted bugs that these catch: a value that is dropped or replaced without a word; an error that does not name its argument.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from ported import PAGES, Lru

import ssdlab as sl
from ssdlab._words import literal
from ssdlab.drive import crash_states


@pytest.fixture(scope="module")
def small() -> sl.Trace:
    return sl.generate("zipf", theta=0.9, capacity="16MiB", requests=2000, seed=3)


def test_numbers_of_numpy() -> None:
    # planted bug: np.float64 is a float, whose repr is no number
    device = sl.Device(over_provisioning=np.float64(0.28), buffer_size=np.int64(1 << 20), ftl="page")  # type: ignore[arg-type]
    assert device == sl.Device(over_provisioning=0.28, buffer_size=1 << 20, ftl="page")
    assert [literal(value) for value in (np.float32(0.5), np.bool_(True), np.array(7), np.arange(3), Path("a/b"))] == [
        *["0.5", "true", "7", "[0, 1, 2]", "a/b"]
    ]
    assert literal(['a "b"']) == r'["a \"b\""]'


def test_a_key_is_given_once(small: sl.Trace) -> None:
    # planted bug: the last one wins
    for given in (
        {"capacity": "1GiB", "flash_capacity": "2GiB"},
        {"buffer": "lru:1MiB", "buffer_size": "2MiB"},
        {"buffer": Lru, "buffer_policy": "lru"},
        {"ftl": "page", "set": {"ftl.kind": "fast"}},
    ):
        with pytest.raises(sl.ConfigError, match="must be given once; found ") as raised:
            sl.Device(**given)
        assert raised.value.key in ("flash.capacity", "buffer.size", "buffer.policy", "ftl.kind")
    assert sl.Device(buffer="lru", buffer_size="2MiB")["buffer.size"] == 2 << 20
    for search in (lambda **keys: sl.compare(small, PAGES, **keys), lambda **keys: sl.recommend(small, "8MiB", PAGES, **keys)):
        with pytest.raises(sl.ConfigError, match=r"ftl\.kind: must be given once"):
            search(ftl="page", vary={"ftl.kind": ["page", "fast"]})
        with pytest.raises(sl.ConfigError, match=r"ftl\.kind: must be given once"):
            search(ftl="page", vary={"ftl": "fast"})
        with pytest.raises(sl.ConfigError, match=r"ftl\.over_provisioning: must be given once"):
            search(over_provisioning=[0.1], ftl_over_provisioning=[0.2])


HALVES = [(0.9, 0.5), (0.1, 0.5)]


def wrong_calls(trace: sl.Trace, folder: Path) -> list[tuple[Callable[[], object], str, str]]:
    device = PAGES

    def crash(cuts: object) -> object:
        return crash_states(sl.Device(capacity="1MiB", ftl="page"), lambda drive: None, lambda drive, kept: None, cuts=cuts)  # type: ignore[arg-type]

    def plan() -> sl.Plan:
        return sl.Plan(generate="uniform --requests 10 --capacity 1MiB")

    return [
        (lambda: crash(0), "cuts", "cuts = 0: must be a whole number from 1"),
        (lambda: crash(-5), "cuts", "cuts = -5"),
        (lambda: crash(1.5), "cuts", "cuts = 1.5"),
        (lambda: sl.compare(trace, device, loops=0), "loops", "loops = 0: must be a whole number from 1 to 100000"),
        (lambda: sl.run(device, trace, loops=0), "loops", "loops = 0: must be a whole number from 1 to 100000"),
        (lambda: sl.run(device, trace, steady=1), "steady", "steady = 1: must be a whole number from 2 to 100000"),
        (lambda: sl.compare(trace, device, steady=True, loops=3), "loops", "loops = 3: must be left out"),
        (lambda: sl.compare(trace, device, jobs=-1), "jobs", "jobs = -1: must be a whole number from 1 to 65535"),
        (lambda: sl.recommend(trace, "8MiB", device, jobs=0), "jobs", "jobs = 0"),
        (lambda: sl.recommend(trace, "8MiB", device, seed=-1), "seed", "seed = -1"),
        (lambda: plan().run(folder, jobs=-1), "jobs", "jobs = -1"),
        (lambda: sl.theory.pools([(0.9, 0.1), (0.2, 0.9)], 0.1), "pools", "pools: the shares of the writes sum to 1.1, must sum to 1"),
        (lambda: sl.theory.pools([(1, 0)], 0.1), "pools", "pools: pool 1 has 0 of the data, must be above 0 and at most 1"),
        (lambda: sl.theory.pools(HALVES, 0.1, split=[0.3, 0.7]), "split", "split: pool 1 has 0.3 of the flash, must have more"),
        (lambda: sl.theory.pools(HALVES, 0.1, split="best"), "split", "split = 'best': must be proportional, optimal"),  # type: ignore[arg-type]
        (lambda: sl.theory.pools(HALVES, 0.1, cleaning="d-choices"), "cleaning", "must be greedy or fifo"),
    ]


@pytest.mark.parametrize("number", range(16))
def test_wrong_numbers_are_named(number: int, small: sl.Trace, tmp_path: Path) -> None:
    call, key, says = wrong_calls(small, tmp_path)[number]
    with pytest.raises(sl.ConfigError) as raised:
        call()
    assert raised.value.key == key
    assert says in str(raised.value)
    assert not any(tmp_path.iterdir())


def test_pools_of_theory_have_their_splits() -> None:
    # planted bugs: the best split where a given one belongs; numbers of NumPy compared with a text
    even, best = (sl.theory.pools(HALVES, 0.2, split=how) for how in ("proportional", "optimal"))
    given = sl.theory.pools(HALVES, 0.2, split=np.array([pool.flash for pool in best.pools]))
    assert [pool.flash for pool in even.pools] == pytest.approx([0.5, 0.5])
    assert even.write_amplification == pytest.approx(sl.theory.fifo(0.2))
    assert given.write_amplification == pytest.approx(best.write_amplification)
    assert best.write_amplification < 0.9 * even.write_amplification
    greedy = sl.theory.pools(HALVES, 0.2, cleaning="greedy", pages_per_block=32)
    assert greedy.write_amplification == pytest.approx(sl.theory.greedy(0.2, pages_per_block=32))


def test_errors_name_arguments_of_python(small: sl.Trace) -> None:
    # planted bug: an error says what to type on a command line
    wrong: list[tuple[Callable[[], object], str]] = [
        (lambda: sl.compare(small, PAGES, buffer="lru", buffer_size="x"), 'buffer_size = "x"'),
        (lambda: sl.compare(small, PAGES, buffer="lru", baseline="fab", bounds=False), "baseline fab"),
        (lambda: sl.Device(buffer_size="x"), "buffer.size"),
        (lambda: sl.run(sl.Device(flash_capacity="1MiB", ftl="page"), small), "with compact, or wrap around with wrap"),
        (lambda: sl.run(PAGES, small).results().plot("waf", x="erases"), "x erases: is a figure"),
        (lambda: sl.run(PAGES, small).results().plot("waf", kind="heat"), "name them with x and y"),
        (lambda: sl.run(PAGES, small).results().plot("waf", by="erases"), "by erases: is a figure"),
        (lambda: sl.run(PAGES, small).results().to_latex(figures=[]), "figures"),
        (lambda: sl.generate("zipf", theta="x"), "for 'theta <THETA>'"),
        (lambda: sl.Trace.open("traces/w9-ext3-postmark-1000.csv.zst", volume="x"), "volume"),
    ]
    for call, says in wrong:
        with pytest.raises(sl.Error) as raised:
            call()
        assert says in str(raised.value) and "--" not in str(raised.value), raised.value


def test_traces_are_one_or_some(small: sl.Trace) -> None:
    # planted bug: only a list is several
    one = sl.recommend(small, "2MiB", PAGES, buffer=iter(["lru", "fab"]), exhaustive=True)
    both = sl.recommend((small, small), "2MiB", PAGES, buffer=["lru", "fab"], exhaustive=True)
    assert one.finalists[0]["label"] == both.finalists[0]["label"]
    assert len(both.finalists[0]["values"]) == 2


def test_progress_of_a_search_counts_runs(small: sl.Trace) -> None:
    # planted bug: the number of the level where the runs that are done should be
    told: list[tuple[int, int | None]] = []
    trace = sl.generate("zipf", theta=0.9, capacity="64MiB", requests=20000, seed=3)
    sl.recommend(trace, "8MiB", PAGES, seed=2, jobs=1, progress=lambda done, all_: told.append((done, all_)))
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    done, all_ = told[-1]
    assert done == all_ and done > len({of for _, of in told}) > 1


class Paged(Lru):
    name = "paged"
    keys: ClassVar = {"window": sl.Key(3, low=1, high=9)}


@pytest.mark.parametrize("device", [PAGES, PAGES.with_(buffer=Paged), PAGES.with_(cleaning="cost-benefit")])
def test_the_best_device_may_have_a_class(device: sl.Device, small: sl.Trace) -> None:
    # planted bug: the answer forgets the classes that its settings name
    answer = sl.recommend(small, "2MiB", device, buffer=[Paged], vary={"buffer.paged_window": [3, 5]})
    assert answer.best["buffer.policy"] == "paged" and answer.best.policies == [Paged]
    assert sl.run(answer.best.with_(capacity="auto"), small).waf == pytest.approx(answer.finalists[0]["mean"])


def test_a_class_that_changes(small: sl.Trace) -> None:
    # planted bug: what a class says is looked up once for ever
    class Changing(Lru):
        name = "first"

    assert sl.Device(buffer=Changing)["buffer.policy"] == "first"
    Changing.name = "second"
    assert sl.Device(buffer=Changing)["buffer.policy"] == "second"


def test_optuna_keeps_a_capacity(small: sl.Trace) -> None:
    optuna = pytest.importorskip("optuna")
    from ssdlab.optuna import Objective

    keys: Any = {"buffer.policy": ["lru"]}
    trial = optuna.trial.FixedTrial({"buffer.policy": "lru"})
    # planted bug: every device gets the capacity of the trace
    own = Objective(small, sl.Device(ftl="page", capacity="64MiB"), keys).device(trial)
    assert own["flash.capacity"] == 64 << 20
    assert Objective(small, sl.Device(ftl="page"), keys).device(trial)["flash.capacity"] == "auto"
    default = sl.Device()["flash.capacity"]
    assert Objective(small, sl.Device(capacity=default), keys).device(trial)["flash.capacity"] == default
    several = Objective((small, small), sl.Device(ftl="page"), keys)
    assert several(trial) == Objective(small, sl.Device(ftl="page"), keys)(trial)
    with pytest.raises(sl.ConfigError, match="at least one"):
        Objective([], sl.Device(ftl="page"), keys)
