"""Writes streams of single-page writes, each as CSV for ssdlab and in libCacheSim's oracleGeneral format.

    python streams.py TRACES FOLDER

Two streams are the pages of 4 KiB that two traces write, in order. The third is 10 million draws from a Zipf distribution
(exponent 1) over a million pages, with ranks shuffled over the address space. The random numbers are seeded.
"""
import pathlib
import sys

import numpy
import zstandard

PAGE = 4096


def written(trace):
    pages = []
    for line in zstandard.open(trace, "rt"):
        _, op, offset, size = line.split(",")
        if op == "W":
            offset, size = int(offset), int(size)
            pages.extend(range(offset // PAGE, (offset + size - 1) // PAGE + 1))
    return numpy.array(pages)


def zipf(count=10_000_000, pages=1_000_000, seed=1):
    random = numpy.random.default_rng(seed)
    below = numpy.cumsum(1 / numpy.arange(1, pages + 1))
    ranks = numpy.searchsorted(below, random.random(count) * below[-1])
    return random.permutation(pages)[ranks]


def write(pages, folder, name):
    with open(folder / f"{name}.csv", "w") as csv:
        csv.write("time_ns,op,offset_bytes,size_bytes\n")
        csv.writelines(f"0,W,{offset},{PAGE}\n" for offset in (pages * PAGE).tolist())
    records = numpy.zeros(len(pages), [("time", "<u4"), ("id", "<u8"), ("size", "<u4"), ("next", "<i8")])
    records["id"], records["size"], records["next"] = pages, 1, -1
    records.tofile(folder / f"{name}.oracleGeneral.bin")


def main(traces, folder):
    for name in ("w9-ext3-postmark", "w4-ext4-random-4k"):
        write(written(traces / f"{name}.csv.zst"), folder, name)
    write(zipf(), folder, "zipf")


if __name__ == "__main__":
    main(*map(pathlib.Path, sys.argv[1:]))
