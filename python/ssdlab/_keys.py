"""The keys of a configuration as keywords. Made by ``python/generate.py``."""

from __future__ import annotations

from typing import TypedDict

from .policies import BufferPolicy, CleaningPolicy, PlacementPolicy


class Keys(TypedDict, total=False):
    """Every key of a configuration, and the short names of some."""

    buffer: str | type[BufferPolicy]
    """The policy of the write buffer, and perhaps its size: ``lru:4MiB``."""
    capacity: int | str
    """``flash.capacity``; ``"auto"``: what the trace needs."""
    cleaning: str | type[CleaningPolicy]
    """``ftl.cleaning``."""
    ftl: str
    """``ftl.kind``."""
    over_provisioning: float
    """``ftl.over_provisioning``."""
    placement: str | type[PlacementPolicy]
    """``ftl.placement``."""
    partial_writes: str
    """``partial_writes``: writes of part of a page: like the whole page, or read-modify-write; whole | rmw. Default: \"whole\"."""
    precondition: str
    """``precondition``: before the trace: all pages written once, none, a part of them; then overwritten at random, or by the trace, resampled; full, empty, a filled share such as 0.6, random:2 (overwrites / capacity), workload, or 0.6,random:2 and 0.6,workload. Default: \"full\"."""
    precondition_size: int | str
    """``precondition_size``: bytes of each random overwrite of precondition, rounded up to pages; 0: one page; 0B to 4096TiB. Default: \"0B\"."""
    precondition_segment: int
    """``precondition_segment``: mean requests of a piece of the trace that ages the drive; 0: a sixteenth of the trace; 0 to 4294967295. Default: 0."""
    precondition_limit: float
    """``precondition_limit``: most bytes that age the drive by the trace / capacity, if write amplification does not settle before; 3 to 1000. Default: 20.0."""
    precondition_seed: int
    """``precondition_seed``: seed of the pieces of the trace that age the drive; 0 to 9223372036854775807. Default: 1."""
    precondition_unseen: float
    """``precondition_unseen``: share of the pages that age the drive by the trace and that the trace never wrote; default: as many as a longer trace would bring, by those that it wrote once; 0 to 1."""
    drain: bool
    """``drain``: write the buffer back at the end of the trace; true | false. Default: true."""
    replay: str
    """``replay``: issue a request when an earlier one completes, or at its time stamp; closed | timed. Default: \"closed\"."""
    queue_depth: int
    """``queue_depth``: closed replay: requests in flight; 1 to 65536. Default: 1."""
    speedup: float
    """``speedup``: timed replay: the times of the trace are divided by this; 0.000001 to 1000000. Default: 1.0."""
    clock: str
    """``clock``: unit of ages and stable times: pages written, or trace time; writes | trace. Default: \"writes\"."""
    flash_capacity: int | str
    """``flash.capacity``: bytes of the drive as sold, in whole blocks; \"auto\": up to the end of the trace; 512B to 4096TiB. Default: \"1GiB\"."""
    flash_page_size: int | str
    """``flash.page_size``: bytes of a page on one chip; 512B to 1MiB in steps of 512. Default: \"2KiB\"."""
    flash_pages_per_block: int
    """``flash.pages_per_block``: pages of an erase block; 1 to 65536. Default: 128."""
    flash_planes: int
    """``flash.planes``: planes; block b is in plane b mod planes; 1 to 65535. Default: 1."""
    flash_copy_back: bool
    """``flash.copy_back``: copies inside a plane avoid the flash bus; true | false. Default: false."""
    flash_channels: int
    """``flash.channels``: channels; 1 to 65535. Default: 1."""
    flash_chips_per_channel: int
    """``flash.chips_per_channel``: chips on each channel; 1 to 65535. Default: 1."""
    flash_interleave: str
    """``flash.interleave``: several chips: pages across all (shared control), whole pages (shared bus) or whole blocks in turn, or blocks across all; superpage | page | block | line. Default: \"superpage\"."""
    flash_pe_cycles: int
    """``flash.pe_cycles``: program/erase cycles that a block endures; 1 to 10000000. Default: 3000."""
    flash_cell_bits: int
    """``flash.cell_bits``: bits of a cell in native mode; at most flash.pages_per_block; 2 to 5. Default: 3."""
    flash_slc_pe_cycles: int
    """``flash.slc_pe_cycles``: program/erase cycles that a fixed block of an SLC cache endures; 1 to 10000000. Default: 30000."""
    flash_slc_wear: float
    """``flash.slc_wear``: share of a native cycle that use in SLC mode costs a block of the native pool; 0 to 1. Default: 1.0."""
    flash_rated_tbw: float
    """``flash.rated_tbw``: terabytes (10^12 bytes) that the host may write, as rated by the maker; default none; 0.000001 to 1000000000."""
    timing_model: str
    """``timing.model``: time: the sum of all operations, separate clocks for chips and buses, or those of drives of today; serial | parallel | drive. Default: \"serial\"."""
    timing_read_us: float
    """``timing.read_us``: µs to read a page into the register; 0 to 1000000. Default: 50.0."""
    timing_program_us: float
    """``timing.program_us``: µs to program timing.program_pages pages at once; 0 to 1000000. Default: 800.0."""
    timing_erase_us: float
    """``timing.erase_us``: µs to erase a block; 0 to 1000000. Default: 1500.0."""
    timing_spread: float
    """``timing.spread``: reads, programs and erases of each block take 1 - spread to 1 + spread of their times, evenly drawn; 0: all the same; 0 to 0.99. Default: 0.0."""
    timing_spread_seed: int
    """``timing.spread_seed``: seed of the times that timing.spread draws; 0 to 9223372036854775807. Default: 1."""
    timing_slc_read_us: float
    """``timing.slc_read_us``: µs to read a page of an SLC cache into the register; default read_us; 0 to 1000000."""
    timing_slc_program_us: float
    """``timing.slc_program_us``: µs to program a page of an SLC cache; default program_us; 0 to 1000000."""
    timing_fold_program_us: float
    """``timing.fold_program_us``: µs to program a page that leaves an SLC cache; default program_us; 0 to 1000000."""
    timing_transfer_us: float
    """``timing.transfer_us``: µs to transfer a page over the flash bus; parallel: in estimates only; 0 to 1000000. Default: 50.0."""
    timing_buffer_us: float
    """``timing.buffer_us``: µs for each host page that hits or enters a buffer; 0 to 1000000. Default: 0.0."""
    timing_map_host_us: float
    """``timing.map_host_us``: µs for a map page, or the entries of it that are wanted, from the host's memory; 0 to 1000000. Default: 1.0."""
    timing_bus_mb_s: float
    """``timing.bus_mb_s``: MB/s on the bus to the host; 0: infinitely fast; 0 to 1000000. Default: 166.0."""
    timing_channel_mb_s: float
    """``timing.channel_mb_s``: MB/s on each channel; 0: infinitely fast; 0 to 1000000. Default: 40.0."""
    timing_read_suspends: bool
    """``timing.read_suspends``: host reads suspend programs and erases; true | false. Default: false."""
    timing_spare_slots: int
    """``timing.spare_slots``: pages of memory beside the write buffer, through which pages leave; default 0, drive: three units a chip; 0 to 4294967294."""
    timing_program_pages: int
    """``timing.program_pages``: pages that a chip programs at once, for timing.program_us together; 1 to 65536. Default: 1."""
    timing_sense_pages: int
    """``timing.sense_pages``: drive: neighbouring pages that one read of a chip delivers; 1 to 65536. Default: 1."""
    timing_reads_at_once: int
    """``timing.reads_at_once``: drive: host reads that a chip serves at the same time; 1 to 65536. Default: 1."""
    timing_suspend_us: float
    """``timing.suspend_us``: drive: µs until a program or erase has let the chip go for a host read; 0 to 1000000. Default: 50.0."""
    timing_suspend_window_us: float
    """``timing.suspend_window_us``: drive: a program or erase with no more µs left is waited for; 0 to 1000000. Default: 400.0."""
    timing_command_us: float
    """``timing.command_us``: drive: µs of the command processor for each request; 0 to 1000000. Default: 0.0."""
    timing_dispatch_us: float
    """``timing.dispatch_us``: drive: µs of the command processor for each program; 0 to 1000000. Default: 0.0."""
    timing_read_host_us: float
    """``timing.read_host_us``: drive: µs of firmware, interface and host for each read; 0 to 1000000. Default: 0.0."""
    timing_write_host_us: float
    """``timing.write_host_us``: drive: the same for each write, flush and discard; 0 to 1000000. Default: 0.0."""
    energy_read_uj: float
    """``energy.read_uj``: µJ to read a page of one chip; default none: energy is not known; 0 to 1000000."""
    energy_program_uj: float
    """``energy.program_uj``: µJ to program a page of one chip; default none; 0 to 1000000."""
    energy_erase_uj: float
    """``energy.erase_uj``: µJ to erase a block of one chip; default none; 0 to 1000000."""
    ftl_kind: str
    """``ftl.kind``: the flash translation layer; ideal | block | replacement | bast | fast | superblock | page. Default: \"bast\"."""
    ftl_reserve: float
    """``ftl.reserve``: share of the capacity that the owner leaves unused, rounded up to blocks; 0 to 1, or above 1 to 100 in per cent. Default: 0.0."""
    ftl_open_blocks: int
    """``ftl.open_blocks``: replacement blocks open at the same time; 1 to 65535. Default: 1."""
    ftl_spare_blocks: int
    """``ftl.spare_blocks``: blocks beyond logical and log blocks; default 2, with page 0.07 of the logical blocks; 0 to 4294967294."""
    ftl_over_provisioning: float
    """``ftl.over_provisioning``: flash beyond the capacity, as a share of it, rounded up to blocks; replaces spare_blocks; 0 to 1, or above 1 to 100 in per cent."""
    ftl_map_updates: str
    """``ftl.map_updates``: changes of the block map: cost nothing, or are written to flash as map pages; ignored | written. Default: \"ignored\"."""
    ftl_log_blocks: int
    """``ftl.log_blocks``: log blocks, or blocks in the pool of replacement or update blocks; 1 to 65535. Default: 7."""
    ftl_free_lists: str
    """``ftl.free_lists``: keep free blocks in one queue, or in one for each plane; one | plane. Default: \"one\"."""
    ftl_partial_merge: bool
    """``ftl.partial_merge``: complete a log block in place if it is a prefix of its logical block; true | false. Default: true."""
    ftl_buffer_aware: str
    """``ftl.buffer_aware``: use buffered pages in merges, and to choose victims; off | watch | merge | merge+victim | skip. Default: \"off\"."""
    ftl_candidates: int
    """``ftl.candidates``: merge+victim: blocks weighed for each victim; 0: all; 0 to 4294967294. Default: 0."""
    ftl_weigh_copy_backs: bool
    """``ftl.weigh_copy_backs``: merge+victim: estimates consider which pages a copy-back can move; true | false. Default: true."""
    ftl_update_probability: float
    """``ftl.update_probability``: merge+victim: the probability that a buffered page is written again; by default the buffer policy estimates it; 0 to 1, or above 1 to 100 in per cent."""
    ftl_averaged_merges: int
    """``ftl.averaged_merges``: merge+victim: the last merges of which the mean cost is taken; 1 to 65535. Default: 16."""
    ftl_blocks_per_superblock: int
    """``ftl.blocks_per_superblock``: adjacent logical blocks in a superblock; 1 to 65535. Default: 8."""
    ftl_max_update_blocks: int
    """``ftl.max_update_blocks``: maximum number of update blocks of one superblock; 1 to 65535. Default: 8."""
    ftl_cleaning: str | type[CleaningPolicy]
    """``ftl.cleaning``: policy that chooses the block to clean; greedy | cost-benefit | cat | fifo | jffs2 | d-choices. Default: \"greedy\"."""
    ftl_placement: str | type[PlacementPolicy]
    """``ftl.placement``: policy that chooses the region of each page; single | dac | dac+ | deb | fdp | dac-updates | sepbit | tt | 2a | future. Default: \"single\"."""
    ftl_gc_low: int
    """``ftl.gc_low``: clean when this many blocks or fewer are free; default frontiers + 1, with gc_frontier in-place 0; 0 to 65535."""
    ftl_unit_blocks: int
    """``ftl.unit_blocks``: consecutive erase blocks that are one reclaim unit: spare_blocks, gc_low and erases count units then; 1 to 4096. Default: 1."""
    ftl_copy_stripes: int
    """``ftl.copy_stripes``: cleaning copies every n-th page of a victim, then those behind them, and so on, as dies copied one by one; 1 to 268435456. Default: 1."""
    ftl_eager: float
    """``ftl.eager``: clean blocks with at most this share of valid pages behind writes, before free blocks are short; 0: off; 0 to 0.9999999999999999. Default: 0.0."""
    ftl_eager_free: int
    """``ftl.eager_free``: free blocks at which eager cleaning ends; more than gc_low; 0 to 4294967296. Default: 0."""
    ftl_pace: str
    """``ftl.pace``: clean a victim as a whole before a write, or in portions behind the writes, as drives do; whole | paced. Default: \"whole\"."""
    ftl_idle_cleaning_us: float
    """``ftl.idle_cleaning_us``: clean in gaps between requests, this long after the last work, in µs; 0: never; 0 to 1000000000000. Default: 0.0."""
    ftl_gc_high: int
    """``ftl.gc_high``: free blocks at which cleaning in gaps ends; default gc_low + 2, at most spare blocks - frontiers; 2 to 4294967296."""
    ftl_map: str
    """``ftl.map``: the map of pages: in RAM, or in flash with a cache of entries, of whole map pages, or of what was learned of them; ram | dftl | tpftl | pages | leaftl. Default: \"ram\"."""
    ftl_map_cache: int | str
    """``ftl.map_cache``: bytes of RAM for what is cached of a map in flash; 0B to 4096TiB. Default: \"1MiB\"."""
    ftl_map_entry: int
    """``ftl.map_entry``: bytes of an entry in a map page; 4 to 64. Default: 4."""
    ftl_map_blocks: int
    """``ftl.map_blocks``: blocks for a map in flash; default as many as hold it twice, and one; 3 to 4294967296."""
    ftl_map_protected: float
    """``ftl.map_protected``: dftl: share of the cache for entries that were used again; 0: plain LRU; 0 to 1, or above 1 to 100 in per cent. Default: 0.8."""
    ftl_map_batch: bool
    """``ftl.map_batch``: dftl: each program of a map page writes all its changed entries, not only those that cause it; true | false. Default: true."""
    ftl_map_prefetch: str
    """``ftl.map_prefetch``: tpftl: entries that enter with that of a miss: of its request, and behind runs of cached ones; both | request | none. Default: \"both\"."""
    ftl_map_gamma: int
    """``ftl.map_gamma``: leaftl: the most pages by which what was learned may be wrong; 0 to 255. Default: 0."""
    ftl_map_list: int
    """``ftl.map_list``: entries of pages that cleaning moved, held in RAM until they are written; default and least: the pages of a block; 1 to 4294967296."""
    ftl_map_sync: int
    """``ftl.map_sync``: write all changed map pages after so many pages programmed; 0: never; 0 to 281474976710656. Default: 0."""
    ftl_map_host: int | str
    """``ftl.map_host``: bytes of the host's memory for map pages; 0: none; 0B to 4096TiB. Default: \"0B\"."""
    ftl_slc: str
    """``ftl.slc``: cache of blocks with one bit a cell: none, fixed blocks, free blocks, or both; off | static | dynamic | hybrid. Default: \"off\"."""
    ftl_slc_static: int | str
    """``ftl.slc_static``: bytes of data that the fixed blocks of the cache hold; 0B to 4096TiB."""
    ftl_slc_dynamic: int | str
    """``ftl.slc_dynamic``: bytes of data that free blocks may hold in SLC mode; 0B to 4096TiB."""
    ftl_slc_gone_at: float
    """``ftl.slc_gone_at``: share of mapped pages in native blocks at which slc_dynamic has shrunk to nothing; 0: it stays; 0 to 1, or above 1 to 100 in per cent. Default: 0.0."""
    ftl_slc_keep: int
    """``ftl.slc_keep``: free blocks that the cache leaves; default, and at least, gc_low + 1; 3 to 4294967296."""
    ftl_slc_full: str
    """``ftl.slc_full``: when the cache is full: write past it, fold beside that, or fold first; direct | beside | fold. Default: \"direct\"."""
    ftl_slc_beside: float
    """``ftl.slc_beside``: beside: pages folded for each direct page, rounded to thousandths; default 1; 0.001 to 65535."""
    ftl_slc_victim: str
    """``ftl.slc_victim``: the block of the cache to fold: filled first, or with the fewest valid pages; fifo | greedy. Default: \"fifo\"."""
    ftl_slc_idle_us: float
    """``ftl.slc_idle_us``: fold in gaps between requests, this long after the last work, in µs; 0: never; 0 to 1000000000000. Default: 0.0."""
    ftl_slc_rest: int | str
    """``ftl.slc_rest``: bytes of data that folding in gaps and beside leaves in the cache; 0B to 4096TiB. Default: \"0B\"."""
    ftl_slc_reclaim: float
    """``ftl.slc_reclaim``: in gaps, clean blocks with at most this share of valid pages for the cache; 0: none; 0 to 1, or above 1 to 100 in per cent. Default: 0.0."""
    ftl_gc_frontier: str
    """``ftl.gc_frontier``: frontier of cleaning copies: their own, that of host writes, or the victim itself; separate | shared | in-place. Default: \"separate\"."""
    ftl_regions: int
    """``ftl.regions``: regions in flash; with dac+, the hottest one is in RAM; default 4, with dac-updates and future 6; 1 to 255."""
    ftl_stable_s: list[int] | list[str] | str
    """``ftl.stable_s``: ends of the regions' stable times in s, or pages (see clock), hottest first; ascending, each 0 to 1000000000. Default: [100.0, 200.0, 300.0, 400.0]."""
    ftl_ram: int | str
    """``ftl.ram``: bytes of the RAM region, rounded down to whole pages; 0B to 4096TiB. Default: \"4MiB\"."""
    ftl_ram_threshold: int | str
    """``ftl.ram_threshold``: bytes in RAM above which the oldest pages leave until half of this is left; default: ftl.ram; 0B to 4096TiB."""
    ftl_handles: int
    """``ftl.handles``: reclaim unit handles; the stream of a request is its handle; 1 to 128. Default: 8."""
    ftl_handle_types: str
    """``ftl.handle_types``: whether copies of a handle share a frontier with those of others (ii), or have their own (pi); \"ii\" (initially isolated) or \"pi\" (persistently isolated) for all handles, or a list with one for each. Default: \"ii\"."""
    ftl_heads: int
    """``ftl.heads``: ranges of update intervals, each with a frontier for host writes and one for copies; 2 to 32. Default: 8."""
    ftl_d: int
    """``ftl.d``: blocks drawn for each victim; 1 to 65535. Default: 10."""
    ftl_seed: int
    """``ftl.seed``: seed of the random draws; 0 to 9223372036854775807. Default: 1."""
    buffer_policy: str | type[BufferPolicy]
    """``buffer.policy``: policy that chooses the pages to evict; none | fifo | lru | cflru | sof | zone | fab | blru | bplru | plru-br | plru-br-2q | three-region | lb-clock | req-block | cbb | clairvoyant | unbounded. Default: \"bplru\"."""
    buffer_reads: str
    """``buffer.reads``: whether host reads enter and count as uses; default cache for cflru and fab, otherwise bypass; bypass | cache."""
    buffer_protected: bool
    """``buffer.protected``: memory with battery or capacitor: flushes do nothing; true | false. Default: false."""
    buffer_flush_age_s: float
    """``buffer.flush_age_s``: s after which dirty pages are written; 0: off; 0 to 1000000000. Default: 0.0."""
    buffer_size: int | str
    """``buffer.size``: bytes, rounded down to whole pages; 0B to 4096TiB. Default: \"16MiB\"."""
    buffer_window: float
    """``buffer.window``: fraction of the buffer searched for clean pages; 0 to 1. Default: 0.25."""
    buffer_count_headers: str | bool
    """``buffer.count_headers``: policies whose block headers take the space of one page each; bplru | all | off. Default: \"off\"."""
    buffer_padding: str | bool
    """``buffer.padding``: gaps of a victim that are filled before it is written: all, or pages in flash only; block | mapped | off. Default: \"block\"."""
    buffer_compensation: bool
    """``buffer.compensation``: evict sequentially written blocks first; true | false. Default: true."""
    buffer_hot: float
    """``buffer.hot``: fraction of the buffer that is hot; 0 to 1. Default: 0.1."""
    buffer_granularity: str
    """``buffer.granularity``: what moves between the regions, and is evicted; block | page. Default: \"block\"."""
    buffer_small_request: int
    """``buffer.small_request``: maximum number of pages of a small request block; 1 to 65535. Default: 5."""
    buffer_age: str
    """``buffer.age``: how the age of a block weighs against its pages; three-quarters | root | linear | none. Default: \"three-quarters\"."""
    buffer_complete: str
    """``buffer.complete``: how blocks with all pages held weigh against others; learned | equal | first. Default: \"learned\"."""
    buffer_feedback: bool
    """``buffer.feedback``: pad only where merges have proved to cost more; false: always; true | false. Default: true."""
    read_buffer_policy: str | type[BufferPolicy]
    """``read_buffer.policy``: policy that chooses the pages to evict; none | fifo | lru | sof | zone. Default: \"none\"."""
    read_buffer_size: int | str
    """``read_buffer.size``: bytes, rounded down to whole pages; 0B to 4096TiB. Default: \"8MiB\"."""
    read_buffer_writes: str
    """``read_buffer.writes``: whether pages that are written to the FTL enter; bypass | cache. Default: \"bypass\"."""
    drive_hold_ms: int
    """``drive.hold_ms``: ms for which power lasts to write protected RAM to flash; 0 to 86400000. Default: 1000."""
    drive_spare_blocks: int
    """``drive.spare_blocks``: erase blocks of each chip that replace bad ones; 0 to 16777216. Default: 0."""
    drive_bad_blocks: int
    """``drive.bad_blocks``: erase blocks of each chip that are bad from the beginning; 0 to 16777216. Default: 0."""
    drive_program_failures: float
    """``drive.program_failures``: share of programs that fail; 0 to 1. Default: 0.0."""
    drive_erase_failures: float
    """``drive.erase_failures``: share of erases that fail; 0 to 1. Default: 0.0."""
    drive_erase_limit: int
    """``drive.erase_limit``: erases after which a block is worn out; 0: never; 0 to 4294967295. Default: 0."""
    drive_bit_errors: float
    """``drive.bit_errors``: wrong bits in a KiB of a new block, on average; 0 to 500. Default: 0.0."""
    drive_bit_errors_per_erase: float
    """``drive.bit_errors_per_erase``: wrong bits that each erase of the block adds, on average; 0 to 500. Default: 0.0."""
    drive_ecc_bits: int
    """``drive.ecc_bits``: wrong bits in a KiB that can be corrected; 0 to 1000. Default: 40."""
    drive_fault_seed: int
    """``drive.fault_seed``: seed of the random numbers for faults; 0 to 9223372036854775807. Default: 1."""
