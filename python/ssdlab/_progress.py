"""Progress bars."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = bool | Callable[[int, int | None], object] | None
"""``True`` for a bar of tqdm, if it is there; or a function of what is done and what there is to do."""

ProgressCallback = Callable[[int, int | None], object] | None


@contextmanager
def bar(progress: Progress, what: str) -> Iterator[ProgressCallback]:
    """The function that is told of the progress; the bar ends with the block."""
    if progress is None or progress is False:
        yield None
        return
    if callable(progress):
        yield progress
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        yield None
        return
    with tqdm(desc=what, unit_scale=True) as shown:

        def told(done: int, all_: int | None) -> None:
            shown.total = all_
            shown.update(done - shown.n)

        yield told
