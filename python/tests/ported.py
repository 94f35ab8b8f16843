"""Policies in Python that do what built-in ones do, and devices for them."""

from __future__ import annotations

import heapq
from collections import OrderedDict
from typing import ClassVar

import ssdlab as sl
from ssdlab.policies import BufferShape, CleaningShape, PlacementShape, Values


class Lru(sl.BufferPolicy):
    """Evicts the least recently used page."""

    name = "py-lru"

    def __init__(self, shape: BufferShape, keys: Values) -> None:
        self.order: OrderedDict[int, None] = OrderedDict()

    def hit(self, lpn: int, write: bool) -> None:
        self.order.move_to_end(lpn)

    def enter(self, lpn: int, write: bool) -> None:
        self.order[lpn] = None

    def left(self, lpn: int) -> None:
        del self.order[lpn]

    def victim(self) -> int:
        return next(iter(self.order))


class Fab(sl.BufferPolicy):
    """Evicts the block with the most pages held; among equals, the least recently used one."""

    name = "py-fab"
    evicts_blocks = True
    caches_reads = True

    def __init__(self, shape: BufferShape, keys: Values) -> None:
        self.pages_per_block = shape.pages_per_block
        self.held: OrderedDict[int, int] = OrderedDict()

    def hit(self, lpn: int, write: bool) -> None:
        self.held.move_to_end(lpn // self.pages_per_block)

    def enter(self, lpn: int, write: bool) -> None:
        lbn = lpn // self.pages_per_block
        self.held[lbn] = self.held.get(lbn, 0) + 1
        self.held.move_to_end(lbn)

    def left(self, lpn: int) -> None:
        lbn = lpn // self.pages_per_block
        self.held[lbn] -= 1
        if not self.held[lbn]:
            del self.held[lbn]

    def victim(self) -> int:
        return max(self.held, key=self.held.__getitem__)


class PaddingLru(Fab):
    """BPLRU: the least recently used block, padded; a block written from its first page to its last goes first."""

    name = "py-blocks"
    caches_reads = False
    pads_blanks = True
    keys: ClassVar = {"padding": True}

    def __init__(self, shape: BufferShape, keys: Values) -> None:
        super().__init__(shape, keys)
        self.padding = keys.padding
        self.size = shape.pages_per_block
        self.next: dict[int, int] = {}

    def _used(self, lpn: int) -> None:
        lbn, offset = divmod(lpn, self.size)
        self.next[lbn] = offset + 1 if offset in (0, self.next.get(lbn, 0)) else self.size + 1
        self.held.move_to_end(lbn, last=self.next[lbn] != self.size)

    def hit(self, lpn: int, write: bool) -> None:
        self._used(lpn)

    def enter(self, lpn: int, write: bool) -> None:
        lbn = lpn // self.size
        self.held[lbn] = self.held.get(lbn, 0) + 1
        self._used(lpn)

    def left(self, lpn: int) -> None:
        super().left(lpn)
        if lpn // self.size not in self.held:
            del self.next[lpn // self.size]

    def victim(self) -> int:
        return next(iter(self.held))

    def pads(self, lbn: int) -> bool:
        return bool(self.padding)


class Greedy(sl.CleaningPolicy):
    """Cleans the block with the fewest valid pages; among equals, the one filled first."""

    name = "py-greedy"

    def __init__(self, shape: CleaningShape, keys: Values) -> None:
        self.order: dict[int, tuple[int, int]] = {}
        self.heap: list[tuple[int, int, int]] = []
        self.count = 0

    def filled(self, block: int, valid: int, now: int) -> None:
        self.order[block] = (valid, self.count)
        heapq.heappush(self.heap, (valid, self.count, block))
        self.count += 1

    def invalidated(self, block: int, now: int) -> None:
        valid, count = self.order[block]
        self.order[block] = (valid - 1, count)
        heapq.heappush(self.heap, (valid - 1, count, block))

    def erased(self, block: int) -> None:
        del self.order[block]

    def pick(self, now: int) -> int:
        while True:
            valid, count, block = heapq.heappop(self.heap)
            if self.order.get(block) == (valid, count):
                return block


class Oldest(sl.CleaningPolicy):
    """FIFO: cleans the block that was filled first, even without an invalid page."""

    name = "py-fifo"

    def __init__(self, shape: CleaningShape, keys: Values) -> None:
        self.order: OrderedDict[int, None] = OrderedDict()

    def filled(self, block: int, valid: int, now: int) -> None:
        self.order[block] = None

    def erased(self, block: int) -> None:
        del self.order[block]

    def pick(self, now: int) -> int:
        return next(iter(self.order))


class Dac(sl.PlacementPolicy):
    """Clusters pages by the time between their updates."""

    name = "py-dac"
    keys: ClassVar = {"regions": sl.Key(3, low=1, high=8, doc="regions"), "end": sl.Key(1000, doc="pages")}

    def __init__(self, shape: PlacementShape, keys: Values) -> None:
        ends = [keys.end * (number + 1) for number in range(shape.regions)]
        self.low = [0, *ends[:-1]][::-1]
        self.high = ends[::-1]
        self.last = [0] * shape.logical_pages

    def of_write(self, lpn: int, region: int | None, now: int, stream: int) -> int:
        time = now - self.last[lpn]
        self.last[lpn] = now
        if region is None:
            return 0
        if region + 1 < len(self.low) and time < self.low[region]:
            return region + 1
        return region if time < self.high[region] else max(region - 1, 0)

    def of_copies(self, region: int) -> int:
        return max(region - 1, 0)


TRACE = "traces/w9-ext3-postmark.csv.zst"

BLOCKS = sl.Device(preset="bplru-2008", buffer_size="1MiB", set={"flash.capacity": "auto"})
PAGES = sl.Device(capacity="auto", ftl="page", over_provisioning=0.1, flash_pages_per_block=32, buffer="lru:256KiB")
