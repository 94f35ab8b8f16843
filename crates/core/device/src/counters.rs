//! The counters of a run.

use serde::{Deserialize, Serialize, Serializer};

macro_rules! counters {
    ($($(#[$meta:meta])* $name:ident,)*) => {
        /// Exact counts of one run.
        #[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
        #[serde(default)]
        pub struct Counters {
            $($(#[$meta])* pub $name: u64,)*
        }

        impl Counters {
            /// The name and the value of each counter, in the order of the reports.
            pub fn entries(&self) -> [(&'static str, u64); [$(stringify!($name)),*].len()] {
                [$((stringify!($name), self.$name)),*]
            }

            /// The counts since an earlier moment of the same device.
            pub fn since(&self, earlier: &Counters) -> Counters {
                // what is in the cache now has no earlier part
                let earlier = Counters {
                    valid_in_slc: 0,
                    room_pages: 0,
                    ..earlier.clone()
                };
                Counters { $($name: self.$name - earlier.$name),* }
            }
        }
    };
}

counters! {
    /// Read requests.
    host_reads,
    /// Write requests.
    host_writes,
    /// Flush requests, honoured or not.
    host_flushes,
    /// Discard requests.
    host_discards,
    /// Pages that read requests touched.
    host_read_pages,
    /// Pages that write requests touched.
    host_write_pages,
    /// Pages that are completely inside a discard.
    host_discard_pages,
    /// Bytes of read requests.
    host_read_bytes,
    /// Bytes of write requests.
    host_write_bytes,
    /// Written pages that the buffer held.
    buffer_write_hits,
    /// Written pages that entered the buffer.
    buffer_write_misses,
    /// Read pages that the buffer held.
    buffer_read_hits,
    /// Read pages that the buffer did not hold.
    buffer_read_misses,
    /// Choices of a victim.
    evictions,
    /// Dirty pages that were evicted.
    evicted_dirty_pages,
    /// Clean pages that were evicted.
    evicted_clean_pages,
    /// Pages read from flash to pad a victim.
    padding_reads,
    /// Dirty pages written because of their age.
    aged_pages,
    /// Page reads that transfer data to the controller.
    flash_reads,
    /// Page programs by writes to the FTL, with data from the host or the buffer.
    flash_programs,
    /// Page programs during merges or cleaning, with data from the buffer.
    merge_programs,
    /// Page reads of the FTL's tables in flash; part of `flash_reads`.
    table_reads,
    /// Page programs of the FTL's tables in flash.
    table_programs,
    /// Page copies of a map in flash, through the controller, beside `flash_copies`.
    table_copies,
    /// Erases of the blocks of a map in flash, beside `erases`.
    table_erases,
    /// Page copies through the controller.
    flash_copies,
    /// Page copies inside a plane.
    copy_backs,
    /// Block erases.
    erases,
    /// Merges in which the log block replaced the data block without copies.
    switch_merges,
    /// Merges that completed the log block with copies.
    partial_merges,
    /// Merges that copied into a free block.
    full_merges,
    /// Blocks that cleaning chose.
    gc_victims,
    /// Of these, blocks that eager cleaning chose (`ftl.eager`).
    eager_victims,
    /// Pages that came with a stream that is no reclaim unit handle, and went to handle 0 (`fdp`).
    invalid_streams,
    /// Merged log blocks, and cleaned blocks, that used the buffer and moved a page. This counter and the following ones,
    /// up to `random_log_programs`, are kept only where merges see the buffer.
    aware_merges,
    /// Merged log blocks, and cleaned blocks, that did not use the buffer, and moved a page.
    unaware_merges,
    /// The benefit that BAVBS predicted when it chose the merges that used the buffer, ns, each rounded down.
    predicted_benefit_ns,
    /// The benefit, by the same formula, of the pages that these merges cleaned and that were evicted unchanged, ns.
    realised_benefit_ns,
    /// Pages moved in flash although the buffer held newer versions.
    useless_migrations,
    /// Pages whose versions in flash merges dropped, because the buffer held newer ones.
    skipped_migrations,
    /// Dirty pages of the buffer that merges wrote, so that they became clean; part of `merge_programs`.
    cleaned_pages,
    /// Of these, pages that were then evicted without another update, and not written again.
    cleaned_then_evicted,
    /// Of these, pages that were updated before they left the buffer.
    cleaned_then_updated,
    /// Pages that writes programmed into random log blocks (`fast`); part of `flash_programs`.
    random_log_programs,
    /// With an SLC cache, programs into it; part of `flash_programs`. This counter and the following ones, up to
    /// `slc_reclaims`, are of devices with one.
    slc_programs,
    /// Of these, into fixed blocks.
    slc_fixed_programs,
    /// Programs past the cache; the rest of `flash_programs`.
    direct_programs,
    /// Page reads from the cache; part of `flash_reads`.
    slc_reads,
    /// Pages that were folded; part of `flash_copies` and `copy_backs`.
    fold_pages,
    /// Of these, copies inside a plane.
    fold_copy_backs,
    /// Erases of blocks in SLC mode; part of `erases`, the sum of `slc_dropped` and the four `folds_`.
    slc_erases,
    /// Of these, of fixed blocks.
    slc_fixed_erases,
    /// Blocks of the cache that had lost all valid pages.
    slc_dropped,
    /// Blocks of the cache that were folded in place of cleaning.
    folds_space,
    /// Blocks that were folded for room in the cache.
    folds_room,
    /// Blocks that were folded beside direct writes.
    folds_beside,
    /// Blocks that were folded in gaps between requests.
    folds_idle,
    /// Native blocks that were cleaned for the cache in gaps; part of `gc_victims`.
    slc_reclaims,
    /// With a map of pages in flash (`ftl.map`), look-ups for reads that found the entry in RAM. This counter and the
    /// following ones, up to `map_mispredictions`, are of devices with one.
    map_read_hits,
    /// Look-ups for reads that did not find it there.
    map_read_misses,
    /// Accesses of pages that are programmed or discarded that found the entry in RAM.
    map_write_hits,
    /// The same that did not find it there.
    map_write_misses,
    /// Reads of map pages for misses, from the host's memory too.
    map_loads,
    /// Entries that were prefetched.
    map_prefetched,
    /// Entries, or whole map pages, that left the cache.
    map_evictions,
    /// Of these, those that caused the program of a map page.
    map_dirty_evictions,
    /// Pages that cleaning moved, and whose entries were in RAM.
    map_clean_hits,
    /// The others that cleaning moved.
    map_clean_misses,
    /// Programs of map pages with the entries of moved pages.
    map_clean_programs,
    /// Programs of map pages for checkpoints.
    map_sync_programs,
    /// Map pages that came from the host's memory.
    map_host_reads,
    /// Pages that were read because what was learned of the map was wrong; part of `table_reads`.
    map_mispredictions,
    /// Pages whose newest version is in the cache now.
    valid_in_slc,
    /// Pages that could be written into the cache now without folding.
    room_pages,
    /// Host page reads of unmapped pages.
    unmapped_reads,
    /// Simulated time, nanoseconds.
    elapsed_ns,
}

/// The counters that few devices have, with tables in flash, with merges that see the buffer, and the like: reports leave them out
/// where they are 0.
pub const OF_FEW: [&str; 46] = [
    "eager_victims",
    "invalid_streams",
    "table_reads",
    "table_programs",
    "table_copies",
    "table_erases",
    "map_read_hits",
    "map_read_misses",
    "map_write_hits",
    "map_write_misses",
    "map_loads",
    "map_prefetched",
    "map_evictions",
    "map_dirty_evictions",
    "map_clean_hits",
    "map_clean_misses",
    "map_clean_programs",
    "map_sync_programs",
    "map_host_reads",
    "map_mispredictions",
    "aware_merges",
    "unaware_merges",
    "predicted_benefit_ns",
    "realised_benefit_ns",
    "useless_migrations",
    "skipped_migrations",
    "cleaned_pages",
    "cleaned_then_evicted",
    "cleaned_then_updated",
    "random_log_programs",
    "slc_programs",
    "slc_fixed_programs",
    "direct_programs",
    "slc_reads",
    "fold_pages",
    "fold_copy_backs",
    "slc_erases",
    "slc_fixed_erases",
    "slc_dropped",
    "folds_space",
    "folds_room",
    "folds_beside",
    "folds_idle",
    "slc_reclaims",
    "valid_in_slc",
    "room_pages",
];

/// The counters of devices with an SLC cache, which have all of them: the last of [`OF_FEW`].
const OF_SLC: &[&str] = OF_FEW.split_at(30).1;

/// The counters of devices with a map in flash, which have all of them: those of tables, and then its own.
const OF_MAPS: &[&str] = OF_FEW.split_at(20).0.split_at(2).1;

/// Those that no other device has.
const OF_MAPS_ALONE: &[&str] = OF_MAPS.split_at(4).1;

impl Counters {
    /// The counters that reports show, in their order.
    pub fn shown(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let entries = self.entries();
        let has = |names: &[&str]| {
            let mut counted = entries.iter().filter(|(_, count)| *count > 0);
            counted.any(|(name, _)| names.contains(name))
        };
        // an empty cache has room
        let of_slc = if has(OF_SLC) { OF_SLC } else { &[] };
        let of_maps = if has(OF_MAPS_ALONE) { OF_MAPS } else { &[] };
        let is_shown = move |(name, count): &(&'static str, u64)| {
            *count > 0 || !OF_FEW.contains(name) || of_slc.contains(name) || of_maps.contains(name)
        };
        entries.into_iter().filter(is_shown)
    }
}

impl Serialize for Counters {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.shown())
    }
}

impl Counters {
    /// The page programs of each kind, with its key and its name for readers.
    pub fn programs_by_kind(&self) -> [(&'static str, &'static str, u64); 5] {
        let tables = self.table_programs + self.table_copies;
        [
            ("written", "from host and buffer", self.flash_programs),
            ("merged", "from the buffer in merges", self.merge_programs),
            ("copied", "copied", self.flash_copies),
            ("copied_back", "copied back", self.copy_backs),
            ("tables", "tables of the FTL", tables),
        ]
    }

    /// Page programs of all kinds, the saturating sum.
    pub fn programs(&self) -> u64 {
        let kinds = self.programs_by_kind();
        kinds.iter().fold(0, |sum, kind| sum.saturating_add(kind.2))
    }

    /// Write amplification: bytes programmed, in pages of `page_bytes` bytes, for each byte that the host wrote. `None`
    /// if the host wrote nothing.
    pub fn waf(&self, page_bytes: u64) -> Option<f64> {
        let programmed = self.programs() as f64 * page_bytes as f64;
        (self.host_write_bytes > 0).then(|| programmed / self.host_write_bytes as f64)
    }

    /// Whether the device has an SLC cache that it used, or wrote past.
    fn has_slc(&self) -> bool {
        self.slc_programs + self.direct_programs > 0
    }

    /// Of a device with an SLC cache: pages programmed for each page that the host wrote, as if all pages in the cache were
    /// folded at the end.
    pub fn waf_settled(&self) -> Option<f64> {
        let settled = self.programs() as f64 + self.valid_in_slc as f64;
        (self.has_slc() && self.host_write_pages > 0)
            .then(|| settled / self.host_write_pages as f64)
    }

    /// Of a device with an SLC cache: the same without folded pages.
    pub fn waf_no_folds(&self) -> Option<f64> {
        let others = (self.programs() - self.fold_pages) as f64;
        (self.has_slc() && self.host_write_pages > 0).then(|| others / self.host_write_pages as f64)
    }

    /// Of a device with an SLC cache: the share of the programs of the host and the buffer that went there.
    pub fn slc_share(&self) -> Option<f64> {
        self.has_slc()
            .then(|| self.slc_programs as f64 / self.flash_programs as f64)
    }

    /// Of a device with a map in flash: the share of accesses that found their entry in RAM.
    pub fn map_hit_ratio(&self) -> Option<f64> {
        let hits = self.map_read_hits + self.map_write_hits;
        let all = hits + self.map_read_misses + self.map_write_misses;
        (all > 0).then(|| hits as f64 / all as f64)
    }

    /// Write amplification as papers count it: pages programmed for each page that a host write touched. `None` if the
    /// host wrote nothing.
    pub fn waf_pages(&self) -> Option<f64> {
        (self.host_write_pages > 0).then(|| self.programs() as f64 / self.host_write_pages as f64)
    }
}
