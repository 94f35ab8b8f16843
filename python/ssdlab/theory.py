"""Write amplification in closed form: cleaning under random writes."""

from __future__ import annotations

from . import _native
from .errors import ConfigError

__all__ = ["d_choices", "fifo", "greedy", "spare"]


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


def _share(share: float | None, over_provisioning: float | None) -> float:
    if (share is None) == (over_provisioning is None):
        raise ConfigError("give either spare or over_provisioning")
    return share if share is not None else spare(over_provisioning or 0.0)
