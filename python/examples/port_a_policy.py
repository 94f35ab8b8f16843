"""Port a policy from a paper: CFLRU in Python, beside the built-in one in Rust.

CFLRU (clean-first LRU, Park et al. 2006) orders pages by their last use. When a page must leave, it looks at the share
``window`` of the buffer at the least recent end: the least recent clean page there leaves, since that costs no write. If all
pages of the window are dirty, the least recent page leaves.

Run it in the root of the repository: ``python python/examples/port_a_policy.py``. It replays a trace with both, in three
windows, and compares all counters.
"""

from __future__ import annotations

from collections import OrderedDict
from itertools import islice
from typing import ClassVar

import ssdlab as sl
from ssdlab.policies import BufferShape, Values

TRACE = "traces/w9-ntfs-postmark-1000.csv.zst"


class CleanFirst(sl.BufferPolicy):
    """Evicts the least recent clean page of the window, otherwise the least recent page."""

    name = "clean-first"
    caches_reads = True
    keys: ClassVar = {"window": sl.Key(0.25, low=0, high=1, doc="fraction of the buffer searched for clean pages")}

    def __init__(self, shape: BufferShape, keys: Values) -> None:
        self.window = int(keys.window * shape.pages)
        # the pages in the order of their last use, and whether they are clean
        self.clean: OrderedDict[int, bool] = OrderedDict()

    def hit(self, lpn: int, write: bool) -> None:
        self.clean[lpn] = self.clean[lpn] and not write
        self.clean.move_to_end(lpn)

    def enter(self, lpn: int, write: bool) -> None:
        self.clean[lpn] = not write

    def left(self, lpn: int) -> None:
        del self.clean[lpn]

    def cleaned(self, lpn: int) -> None:
        self.clean[lpn] = True

    def victim(self) -> int:
        for lpn, clean in islice(self.clean.items(), self.window):
            if clean:
                return lpn
        return next(iter(self.clean))


def main() -> None:
    """Replay the trace with both, and compare."""
    trace = sl.Trace.open(TRACE)
    device = sl.Device(preset="bplru-2008", buffer_size="1MiB", set={"flash.capacity": "auto"})
    print("window  evicted clean  evicted dirty  flash programs  erases  counters")
    for window in (0, 0.25, 1):
        mine = sl.run(device.with_(buffer=CleanFirst, set={"buffer.clean_first_window": window}), trace)
        built_in = sl.run(device.with_(buffer="cflru", buffer_window=window), trace)
        of = mine.counters
        same = "equal" if of == built_in.counters else "different"
        print(
            f"{window:6}  {of['evicted_clean_pages']:13,}  {of['evicted_dirty_pages']:13,}  "
            f"{of['flash_programs']:14,}  {of['erases']:6,}  {same}"
        )
    print()
    print(sl.compare(trace, device, buffer=["lru", "cflru", CleanFirst], bounds=False, advice=False, columns=["waf", "erases"]))


if __name__ == "__main__":
    main()
