# %% [markdown]
# # Which drive for this database?
#
# A PostgreSQL server ran pgbench, and the requests that reached its block device were recorded. Which drive serves it:
# one with 7 % of spare flash or one with 28 %, and is power-loss protection worth its price?

# %%
import ssdlab as sl

trace = sl.Trace.open("traces/w21-ext4-postgres.csv.zst")
trace

# %% [markdown]
# ## What the workload is for flash

# %%
info = trace.info(page_size="4KiB")["info"]
flushes = info["flush_intervals"]["requests"]
print(f"{info['writes']:,} writes of {info['bytes_written'] / 1e6:.0f} MB, {info['bytes_unique'] / 1e6:.0f} MB of them different")
print(f"each page is written {info['rewrite_ratio']:.2f} times; {flushes['mean']:.1f} requests between two flushes")

# %% [markdown]
# A flush after every eight requests: a write buffer without protection is emptied before a page is written again. So the
# question of the buffer is the question of protection.
#
# ## The drives
#
# The preset `nvme-tlc` is a drive of 1 TB. `scale_to` makes a smaller one that behaves like it, so that this trace fills it;
# with `settled`, random pieces of the trace age each drive until it has settled. `replay="timed"` sends the requests at the
# times at which the database sent them, so that a latency is what the database waits.

# %%
drive = sl.Device(preset="nvme-tlc", scale_to="1280MiB", buffer_policy="lru", replay="timed")
comparison = sl.compare(
    trace,
    drive,
    buffer="lru",
    buffer_size=["1MiB", "4MiB"],
    over_provisioning=[0.07, 0.28],
    buffer_protected=[False, True],
    settled=True,
    by="waf",
    columns=["waf", "p99_commit", "life", "write_hit_ratio"],
    wrap=True,
    bounds=False,
    advice=False,
)
print(comparison)

# %% [markdown]
# ## The decision
#
# Both levers in one picture: write amplification over the size of the buffer, a curve for each drive.

# %%
comparison.plot("waf", by=["ftl.over_provisioning", "buffer.protected"])

# %%
waf = {(row["ftl_over_provisioning"], row["buffer_protected"], row["buffer_size"]): row["waf"] for row in comparison.rows}
spare = waf[0.07, False, 4 << 20] / waf[0.28, False, 4 << 20]
protection = waf[0.07, False, 4 << 20] / waf[0.07, True, 4 << 20]
print(f"28 % of spare flash lessens the writes to flash {spare:.2f} times, protection with 4 MiB of buffer {protection:.2f} times")

# %% [markdown]
# For the life of the flash, spare flash is worth more here than protection. For the database it is protection that counts: a commit
# is the slowest write before a flush and the flush itself (`p99 commit`), and a drive that need not program anything at a flush is
# done in microseconds, where the others take milliseconds. The size of the buffer hardly matters, so the smaller one will do.
#
# The same as a table for a paper:

# %%
print(comparison.to_latex(rows=["ftl.over_provisioning", "buffer.protected"], columns=["buffer.size"], best="column"))
