//! The counters that every run reports.

use serde::Serialize;

macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// Exact counts of one run.
        #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
        pub struct Counters {
            $($(#[$doc])* pub $name: u64,)*
        }

        impl Counters {
            /// Name and value of each counter, in the order of the reports.
            pub fn entries(&self) -> [(&'static str, u64); [$(stringify!($name)),*].len()] {
                [$((stringify!($name), self.$name)),*]
            }

            /// What was counted since an earlier moment of the same device.
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
    /// Pages of the read requests.
    host_read_pages,
    /// Pages of the write requests.
    host_write_pages,
    /// Pages that lie wholly inside a discard.
    host_discard_pages,
    /// Bytes asked for by reads.
    host_read_bytes,
    /// Bytes asked for by writes.
    host_write_bytes,
    /// Written pages that the buffer held.
    buffer_write_hits,
    /// Written pages that entered the buffer.
    buffer_write_misses,
    /// Read pages that the buffer held.
    buffer_read_hits,
    /// Read pages that the buffer did not hold.
    buffer_read_misses,
    /// Victim selections.
    evictions,
    /// Pages that left the buffer dirty, by eviction.
    evicted_dirty_pages,
    /// Pages that left the buffer clean, by eviction.
    evicted_clean_pages,
    /// Pages read from flash to pad a victim.
    padding_reads,
    /// Dirty pages written because of their age.
    aged_pages,
    /// Page reads that deliver data to the controller.
    flash_reads,
    /// Page programs with data from the host or the buffer, through a write to the FTL.
    flash_programs,
    /// Page programs during a merge or cleaning with data from the buffer.
    merge_programs,
    /// Page migrations through the controller.
    flash_copies,
    /// Page migrations inside a plane.
    copy_backs,
    /// Block erases.
    erases,
    /// Merges in which a log block took the place of the data block.
    switch_merges,
    /// Merges that completed a log block.
    partial_merges,
    /// Merges into a free block.
    full_merges,
    /// Blocks chosen by cleaning.
    gc_victims,
    /// Host page reads of unmapped pages.
    unmapped_reads,
    /// Simulated time, nanoseconds.
    elapsed_ns,
}

impl Counters {
    /// Page programs of any cause.
    pub fn programs(&self) -> u64 {
        self.flash_programs + self.merge_programs + self.flash_copies + self.copy_backs
    }

    /// Write amplification: bytes programmed, in pages of so many bytes, for each byte that the host wrote; none if it
    /// wrote nothing.
    pub fn waf(&self, page_bytes: u64) -> Option<f64> {
        let programmed = self.programs() as f64 * page_bytes as f64;
        (self.host_write_bytes > 0).then(|| programmed / self.host_write_bytes as f64)
    }

    /// Write amplification as papers count it: pages programmed for each page that a write of the host touched; none if it
    /// wrote nothing.
    pub fn waf_pages(&self) -> Option<f64> {
        (self.host_write_pages > 0).then(|| self.programs() as f64 / self.host_write_pages as f64)
    }
}
