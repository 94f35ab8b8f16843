//! The counters of a run.

use serde::{Deserialize, Serialize};

macro_rules! counters {
    ($($(#[$meta:meta])* $name:ident,)*) => {
        /// Exact counts of one run.
        #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
    #[serde(skip_serializing_if = "is_zero")]
    table_reads,
    /// Page programs of the FTL's tables in flash.
    #[serde(skip_serializing_if = "is_zero")]
    table_programs,
    /// Erases of the blocks of a map in flash (`ftl.map_updates`), beside `erases`.
    #[serde(skip_serializing_if = "is_zero")]
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
    #[serde(skip_serializing_if = "is_zero")]
    eager_victims,
    /// Pages that came with a stream that is no reclaim unit handle, and went to handle 0 (`fdp`).
    #[serde(skip_serializing_if = "is_zero")]
    invalid_streams,
    /// Merged log blocks, and cleaned blocks, that used the buffer and moved a page. This counter and the following ones,
    /// up to `random_log_programs`, are kept only where merges see the buffer.
    #[serde(skip_serializing_if = "is_zero")]
    aware_merges,
    /// Merged log blocks, and cleaned blocks, that did not use the buffer, and moved a page.
    #[serde(skip_serializing_if = "is_zero")]
    unaware_merges,
    /// The benefit that BAVBS predicted when it chose the merges that used the buffer, ns, each rounded down.
    #[serde(skip_serializing_if = "is_zero")]
    predicted_benefit_ns,
    /// The benefit, by the same formula, of the pages that these merges cleaned and that were evicted unchanged, ns.
    #[serde(skip_serializing_if = "is_zero")]
    realised_benefit_ns,
    /// Pages moved in flash although the buffer held newer versions.
    #[serde(skip_serializing_if = "is_zero")]
    useless_migrations,
    /// Pages whose versions in flash merges dropped, because the buffer held newer ones.
    #[serde(skip_serializing_if = "is_zero")]
    skipped_migrations,
    /// Dirty pages of the buffer that merges wrote, so that they became clean; part of `merge_programs`.
    #[serde(skip_serializing_if = "is_zero")]
    cleaned_pages,
    /// Of these, pages that were then evicted without another update, and not written again.
    #[serde(skip_serializing_if = "is_zero")]
    cleaned_then_evicted,
    /// Of these, pages that were updated before they left the buffer.
    #[serde(skip_serializing_if = "is_zero")]
    cleaned_then_updated,
    /// Pages that writes programmed into random log blocks (`fast`); part of `flash_programs`.
    #[serde(skip_serializing_if = "is_zero")]
    random_log_programs,
    /// Host page reads of unmapped pages.
    unmapped_reads,
    /// Simulated time, nanoseconds.
    elapsed_ns,
}

/// The counters that few devices have, with tables in flash, with merges that see the buffer, and the like: reports leave them out
/// where they are 0.
pub const OF_FEW: [&str; 15] = [
    "eager_victims",
    "invalid_streams",
    "table_reads",
    "table_programs",
    "table_erases",
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
];

/// Whether a counter of [`OF_FEW`] is left out.
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Counters {
    /// The page programs of each kind, with its key and its name for readers.
    pub fn programs_by_kind(&self) -> [(&'static str, &'static str, u64); 5] {
        [
            ("written", "from host and buffer", self.flash_programs),
            ("merged", "from the buffer in merges", self.merge_programs),
            ("copied", "copied", self.flash_copies),
            ("copied_back", "copied back", self.copy_backs),
            ("tables", "tables of the FTL", self.table_programs),
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

    /// Write amplification as papers count it: pages programmed for each page that a host write touched. `None` if the
    /// host wrote nothing.
    pub fn waf_pages(&self) -> Option<f64> {
        (self.host_write_pages > 0).then(|| self.programs() as f64 / self.host_write_pages as f64)
    }
}
