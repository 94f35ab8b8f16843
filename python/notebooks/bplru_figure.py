# %% [markdown]
# # A figure of a paper, from public traces
#
# Figure 15 of *BPLRU: A Buffer Management Scheme for Improving Random Writes in Flash Storage* (Kim and Ahn, FAST 2008)
# shows Postmark on three file systems: the throughput of LRU, FAB and BPLRU over the size of the write buffer. The traces of
# the paper were never published. These runs use traces of the same kind that come with ssdlab, on the device of the paper.

# %%
import ssdlab as sl

plan = sl.Plan(
    traces=["traces/w9-ntfs-postmark.csv.zst", "traces/w9-fat16-postmark.csv.zst", "traces/w9-ext3-postmark.csv.zst"],
    device=sl.Device(preset="bplru-2008"),
    grid={
        "buffer.policy": ["lru", "fab", "bplru"],
        "buffer.size": ["1MiB", "2MiB", "4MiB", "8MiB", "16MiB"],
    },
)
plan.explain()["runs"]

# %% [markdown]
# The sweep runs on all cores. A second call would find the parts and run nothing.

# %%
import tempfile

folder = tempfile.TemporaryDirectory()
results = plan.run(folder.name)
results

# %%
results.plot("throughput", by="buffer.policy")

# %% [markdown]
# Throughput wears nothing out; erases do:

# %%
results.plot("erases", by="buffer.policy")

# %% [markdown]
# Any tool that reads Arrow takes the rows as they are. How much faster than LRU is BPLRU?

# %%
import duckdb

duckdb.sql("""
    select trace, buffer_size / 1048576 as mib, round(max(throughput) filter (buffer_policy = 'bplru')
        / max(throughput) filter (buffer_policy = 'lru'), 2) as times_lru
    from results group by all order by all
""")

# %% [markdown]
# `ssdlab reproduce` does the same for every statement of the paper, with a verdict on each:
# [the pages of the papers](../../reproduce).
