"""Times libCacheSim's LRU on a trace in its oracleGeneral format, one object a page; prints JSON.

    python libcachesim_lru.py TRACE PAGES REPEAT

The loop over the requests is libCacheSim's own, in C: its reader maps the file and returns one record after another.
"reader" is the same loop with the cache that does nothing. The default hash table has 2^24 slots; tables of 2 to 16 slots
for each page are tried too.
"""
import json
import sys
import time

from libcachesim import LRU, TraceReader
from libcachesim.libcachesim_python import CommonCacheParams, TraceType, c_process_trace, nop_init


def main(trace, pages, repeat):
    reader = TraceReader(trace, TraceType.ORACLE_GENERAL_TRACE)
    requests = len(reader)
    fitting = pages.bit_length()
    sizes = ["reader", 24, *range(fitting, fitting + 4)]
    best, hits = {}, {}
    for _ in range(repeat):
        for size in sizes:
            bare = size == "reader"
            cache = nop_init(CommonCacheParams(cache_size=pages)) if bare else LRU(pages, hashpower=size)._cache
            started = time.thread_time_ns()
            missed, _ = c_process_trace(cache, reader._reader)
            ns = time.thread_time_ns() - started
            best[size] = min(ns, best.get(size, ns))
            if not bare:
                hits[size] = round((1 - missed) * requests)
    print(json.dumps({"requests": requests, "hits": hits, "ns": best}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
