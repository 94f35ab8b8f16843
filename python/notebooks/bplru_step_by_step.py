# %% [markdown]
# # Course unit: block-level LRU, step by step
#
# Table 1 of the BPLRU paper (Kim and Ahn, FAST 2008) writes 14 scattered sectors through a write buffer of eight sectors,
# over an FTL with two log blocks. LRU needs 12 merges, block-level LRU seven. Here every step of it happens.
#
# ## The device
#
# Blocks of four pages, two log blocks, a buffer of eight pages.

# %%
import ssdlab as sl

PAGE = 4096
device = sl.Device(
    flash_page_size=PAGE,
    flash_pages_per_block=4,
    flash_capacity=32 * 4 * PAGE,
    ftl_kind="bast",
    ftl_log_blocks=2,
    ftl_partial_merge=False,
    buffer_size=8 * PAGE,
)
print(device.explain())

# %% [markdown]
# ## The writes
#
# No page is written twice, so an LRU buffer of pages cannot help: it is a queue.

# %%
pages = [0, 4, 8, 12, 16, 1, 5, 9, 13, 17, 2, 6, 10, 14]
trace = sl.Trace.from_columns(
    time=range(0, 1000 * len(pages), 1000),
    op=["W"] * len(pages),
    offset=[page * PAGE for page in pages],
    size=[PAGE] * len(pages),
    name="Table 1",
)

# %% [markdown]
# ## What each policy does
#
# `events` gives what the device did as a table. An eviction names the pages that leave; a merge the block.

# %%
import pyarrow as pa


def steps(policy: str) -> None:
    merges = 0
    for event in pa.table(sl.events(device.with_(buffer_policy=policy), trace)).to_pylist():
        at = "end" if event["request"] is None else f"write {pages[event['request'] - 1]}"
        if event["event"] == "evict":
            print(f"{at:>9}: evict {', '.join(map(str, event['dirty']))}")
        elif event["event"] == "merge":
            merges += 1
            print(f"{'':>9}  merge of block {event['lbn']} ({event['kind']})")
    print(f"{policy}: {merges} merges")


# %%
steps("lru")

# %%
steps("blru")

# %% [markdown]
# Block-level LRU evicts whole blocks. Pages 0 and 1 leave together and share a log block, which one merge cleans; under LRU
# they leave at different times and cost a merge each.
#
# ## Exercises
#
# 1. The paper's table evicts block 16 before block 12. Write page 16 before page 12: which victims change, and why?
# 2. With padding (`bplru`) every log block is written from its first page to its last. How many merges are left, and what
#    kind are they?

# %%
steps("bplru")
