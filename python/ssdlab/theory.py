"""Write amplification in closed form: cleaning under random writes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from . import _native
from ._words import refused
from .errors import ConfigError

__all__ = ["Pool", "Pools", "d_choices", "fifo", "greedy", "pools", "spare"]


@dataclass(frozen=True)
class Pool:
    """Data with blocks of its own, and what it costs."""

    writes: float
    """Its share of the writes."""
    data: float
    """Its share of the data."""
    sequential: bool = False
    """Whether it is written in order, as a log is: cleaning it copies nothing, and it needs no spare."""
    flash: float | None = None
    """In a result, its share of the physical pages."""
    write_amplification: float | None = None
    """In a result, bytes programmed for each byte written to it."""


@dataclass(frozen=True)
class Pools:
    """What data cost that are apart on flash."""

    write_amplification: float
    """Bytes programmed for each byte written."""
    pools: tuple[Pool, ...]
    """Each pool with its result."""


def spare(over_provisioning: float) -> float:
    """The share of spare pages of an over-provisioning: 0.28 is 0.21875.

    :param over_provisioning: physical pages beyond the logical ones, as a fraction of the logical ones.
    :raises ConfigError: it is not above 0.
    """
    return _native.spare_of(over_provisioning)


def greedy(spare: float | None = None, *, over_provisioning: float | None = None, pages_per_block: int = 64) -> float:
    """Greedy cleaning under uniform writes (Desnoyers 2012): bytes programmed for each byte written.

    >>> round(greedy(over_provisioning=0.07, pages_per_block=256), 2)
    7.6

    :param spare: the share of the physical pages without data, or instead of it ``over_provisioning``.
    :param pages_per_block: pages that are erased together.
    :raises ConfigError: a number out of its range.
    """
    return _native.uniform("greedy", _share(spare, over_provisioning), pages_per_block, 1)


def d_choices(d: int, spare: float | None = None, *, over_provisioning: float | None = None, pages_per_block: int = 64) -> float:
    """The best of ``d`` random blocks under uniform writes (Van Houdt 2013).

    :raises ConfigError: a number out of its range.
    """
    return _native.uniform("d-choices", _share(spare, over_provisioning), pages_per_block, d)


def fifo(
    spare: float | None = None, *, over_provisioning: float | None = None, hot: tuple[float, float] | None = None
) -> float:
    """Cleaning in the order of writing, under uniform writes, or with hot data (Desnoyers 2012).

    :param hot: the share of the writes that goes to a share of the data: ``(0.9, 0.1)``.
    :raises ConfigError: a number out of its range.
    """
    share = _share(spare, over_provisioning)
    if hot is not None:
        return _native.hot_and_cold(share, *hot)
    return _native.uniform("fifo", share, 1, 1)


def pools(
    pools: Iterable[Pool | tuple[float, float]],
    spare: float | None = None,
    *,
    over_provisioning: float | None = None,
    cleaning: str = "fifo",
    pages_per_block: int = 64,
    split: Iterable[float] | Literal["proportional", "optimal"] = "proportional",
) -> Pools:
    """Data apart on flash: classes with blocks of their own, cleaned apart, uniform writes within each (Desnoyers 2012, 2014).

    >>> zones = [(0.9, 0.1), (0.1, 0.9)]
    >>> [round(pools(zones, 0.125, split=how).write_amplification, 2) for how in ("proportional", "optimal")]
    [4.18, 1.99]
    >>> pools([Pool(0.3, 0.04), Pool(0.7, 0.96, sequential=True)], 0.07).pools[1].write_amplification
    1.0

    :param pools: the share of the writes and of the data of each one; each sum is 1.
    :param spare: the share of the physical pages without data, or instead of it ``over_provisioning``.
    :param cleaning: ``fifo``, or ``greedy`` with ``pages_per_block``.
    :param split: the share of the physical pages of each pool; ``"proportional"``: the spare in proportion to the data;
        ``"optimal"``: the split that costs least.
    :raises ConfigError: shares that do not sum to 1, a pool without room for its data, a number out of its range.
    """
    share = _share(spare, over_provisioning)
    asked = [pool if isinstance(pool, Pool) else Pool(*pool) for pool in pools]
    given = None if isinstance(split, str) else list(split)
    if given is None and split not in ("proportional", "optimal"):
        raise refused("split", split, "proportional, optimal, or a share for each pool")
    shares, each, whole = _native.pools(
        cleaning,
        share,
        pages_per_block,
        [(pool.writes, pool.data, pool.sequential) for pool in asked],
        given,
        given is None and split == "optimal",
    )
    results = zip(asked, shares, each, strict=True)
    return Pools(whole, tuple(Pool(pool.writes, pool.data, pool.sequential, flash, own) for pool, flash, own in results))


def _share(share: float | None, over_provisioning: float | None) -> float:
    if (share is None) == (over_provisioning is None):
        raise ConfigError("give either spare or over_provisioning")
    return share if share is not None else spare(over_provisioning or 0.0)
