//! What is counted of the flash and of the FTL.

/// Why a page is read from flash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadCause {
    /// The host reads it.
    Host,
    /// It pads a victim.
    Padding,
    /// The host writes a part of it: the read of a read-modify-write.
    Modify,
    /// The host writes a part of it, under `partial_writes = "whole"`. Costs nothing; only devices with data do it.
    Rest,
    /// The FTL reads data of its own, such as a page of its map.
    Own,
}

/// Counts of flash operations and FTL operations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlashCounts {
    /// Page reads by cause, in the order of [`ReadCause`].
    pub reads: [u64; 5],
    /// Programs with data from the host or the buffer.
    pub programs: u64,
    /// Programs with data from the buffer during a merge or cleaning.
    pub merge_programs: u64,
    /// Programs of pages of the FTL's own.
    pub own_programs: u64,
    /// Erases of blocks of its map, which are none of its geometry.
    pub map_erases: u64,
    /// Copies through the controller.
    pub copies: u64,
    /// Copies inside a plane (copy-backs).
    pub copy_backs: u64,
    /// Block erases.
    pub erases: u64,
    /// Log blocks that became data blocks without copies.
    pub switch_merges: u64,
    /// Log blocks that became data blocks after copies completed them.
    pub partial_merges: u64,
    /// Merges that copied into a free block.
    pub full_merges: u64,
    /// Blocks that cleaning chose.
    pub gc_victims: u64,
    /// Of these, blocks that eager cleaning chose.
    pub eager_victims: u64,
    /// Pages that came with a stream that is no handle.
    pub invalid_streams: u64,
    /// Writes to a page in the RAM region.
    pub ram_hits: u64,
    /// Pages that entered the RAM region.
    pub ram_entries: u64,
    /// Pages written back from the RAM region; they are also counted in `programs`.
    pub write_backs: u64,
    /// Merged log blocks, and cleaned blocks, whose pages came from the buffer where it held them. These counts, and the
    /// following ones, are kept only where merges see the buffer.
    pub aware_merges: u64,
    /// The others that moved a page.
    pub unaware_merges: u64,
    /// The benefit that BAVBS predicted of the merges that it chose and that used the buffer, ns.
    pub predicted_benefit_ns: u64,
    /// Pages moved in flash although the buffer held a newer version.
    pub useless_migrations: u64,
    /// Pages whose versions in flash merges dropped, because the buffer held newer ones.
    pub skipped_migrations: u64,
    /// Dirty pages of the buffer that merges programmed, so that they became clean.
    pub cleaned_pages: u64,
    /// Pages that writes programmed into random log blocks (`fast`).
    pub random_log_programs: u64,
    /// With an SLC cache: page reads from it by cause, in the order of [`ReadCause`].
    pub slc_reads: [u64; 5],
    /// Programs into the cache; part of `programs`.
    pub slc_programs: u64,
    /// Of these, into fixed blocks.
    pub slc_fixed_programs: u64,
    /// With a cache, programs past it; the rest of `programs`.
    pub direct_programs: u64,
    /// Pages that were folded; part of `copies` and `copy_backs`.
    pub fold_pages: u64,
    /// Of these, copies inside a plane.
    pub fold_copy_backs: u64,
    /// Erases of blocks in SLC mode, by the five reasons that follow.
    pub slc_erases: u64,
    /// Of these, of fixed blocks.
    pub slc_fixed_erases: u64,
    /// Blocks of the cache that had lost all valid pages.
    pub slc_dropped: u64,
    /// Blocks of the cache that were folded in place of cleaning.
    pub folds_space: u64,
    /// Those folded for room in the cache.
    pub folds_room: u64,
    /// Those folded beside direct writes.
    pub folds_beside: u64,
    /// Those folded in gaps between requests.
    pub folds_idle: u64,
    /// Native blocks cleaned for the cache in gaps; part of `gc_victims`.
    pub slc_reclaims: u64,
    /// What a map in flash counts.
    pub map: MapCounts,
    /// The work of the merges of each kind, in the order of [`MergeKind`](crate::MergeKind).
    pub merge_work: [Work; 3],
}

macro_rules! map_counts {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// Counts of a map of pages in flash, beside the programs and erases of [`FlashCounts`] and the reads for
        /// [`ReadCause::Own`].
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct MapCounts {
            $($(#[$doc])* pub $name: u64,)*
        }

        impl MapCounts {
            fn add(&mut self, other: &Self) {
                $(self.$name += other.$name;)*
            }
        }
    };
}

map_counts! {
    /// Copies of map pages.
    copies,
    /// Look-ups for reads that found the entry in RAM.
    read_hits,
    /// Look-ups for reads that did not.
    read_misses,
    /// Accesses of pages that are programmed or discarded that found the entry in RAM.
    write_hits,
    /// The same that did not.
    write_misses,
    /// Reads of map pages for misses, from host memory too.
    loads,
    /// Entries that were prefetched.
    prefetched,
    /// Entries, or map pages, that left the cache.
    evictions,
    /// Of these, those that caused a program.
    dirty_evictions,
    /// Pages that cleaning moved, and whose entries were in RAM.
    clean_hits,
    /// The others.
    clean_misses,
    /// Programs of map pages for the list of moved pages.
    clean_programs,
    /// Programs of map pages for checkpoints.
    sync_programs,
    /// Map pages that came from the host's memory.
    host_reads,
    /// Pages that were read because the map was wrong.
    mispredictions,
}

impl FlashCounts {
    /// Adds the counts of another chip.
    pub fn add(&mut self, other: &FlashCounts) {
        for (sum, reads) in self.reads.iter_mut().zip(other.reads) {
            *sum += reads;
        }
        self.programs += other.programs;
        self.merge_programs += other.merge_programs;
        self.own_programs += other.own_programs;
        self.map_erases += other.map_erases;
        self.copies += other.copies;
        self.copy_backs += other.copy_backs;
        self.erases += other.erases;
        self.switch_merges += other.switch_merges;
        self.partial_merges += other.partial_merges;
        self.full_merges += other.full_merges;
        self.gc_victims += other.gc_victims;
        self.eager_victims += other.eager_victims;
        self.invalid_streams += other.invalid_streams;
        self.ram_hits += other.ram_hits;
        self.ram_entries += other.ram_entries;
        self.write_backs += other.write_backs;
        self.aware_merges += other.aware_merges;
        self.unaware_merges += other.unaware_merges;
        self.predicted_benefit_ns += other.predicted_benefit_ns;
        self.useless_migrations += other.useless_migrations;
        self.skipped_migrations += other.skipped_migrations;
        self.cleaned_pages += other.cleaned_pages;
        self.random_log_programs += other.random_log_programs;
        for (sum, reads) in self.slc_reads.iter_mut().zip(other.slc_reads) {
            *sum += reads;
        }
        self.slc_programs += other.slc_programs;
        self.slc_fixed_programs += other.slc_fixed_programs;
        self.direct_programs += other.direct_programs;
        self.fold_pages += other.fold_pages;
        self.fold_copy_backs += other.fold_copy_backs;
        self.slc_erases += other.slc_erases;
        self.slc_fixed_erases += other.slc_fixed_erases;
        self.slc_dropped += other.slc_dropped;
        self.folds_space += other.folds_space;
        self.folds_room += other.folds_room;
        self.folds_beside += other.folds_beside;
        self.folds_idle += other.folds_idle;
        self.slc_reclaims += other.slc_reclaims;
        self.map.add(&other.map);
        for (sum, work) in self.merge_work.iter_mut().zip(&other.merge_work) {
            sum.add(work);
        }
    }

    /// Page reads of one cause.
    pub fn reads_of(&self, cause: ReadCause) -> u64 {
        self.reads[cause as usize]
    }

    /// Page reads of all causes that cost a read.
    pub fn flash_reads(&self) -> u64 {
        self.reads.iter().sum::<u64>() - self.reads_of(ReadCause::Rest)
    }

    /// Page reads from an SLC cache that cost a read.
    pub fn slc_flash_reads(&self) -> u64 {
        self.slc_reads.iter().sum::<u64>() - self.slc_reads[ReadCause::Rest as usize]
    }

    /// All work of merges and cleaning so far.
    pub(crate) fn work(&self) -> Work {
        Work {
            merge_programs: self.merge_programs,
            copies: self.copies,
            copy_backs: self.copy_backs,
            erases: self.erases,
            skipped: self.skipped_migrations,
        }
    }
}

/// Counts of operations that move pages and free blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Programs with data from the buffer.
    pub merge_programs: u64,
    /// Copies through the controller.
    pub copies: u64,
    /// Copies inside a plane (copy-backs).
    pub copy_backs: u64,
    /// Block erases.
    pub erases: u64,
    /// Pages whose versions in flash were dropped.
    pub skipped: u64,
}

impl Work {
    /// No work.
    pub(crate) const NONE: Self = Self {
        merge_programs: 0,
        copies: 0,
        copy_backs: 0,
        erases: 0,
        skipped: 0,
    };

    pub(crate) fn add(&mut self, other: &Work) {
        self.merge_programs += other.merge_programs;
        self.copies += other.copies;
        self.copy_backs += other.copy_backs;
        self.erases += other.erases;
        self.skipped += other.skipped;
    }

    pub(crate) fn since(&self, before: &Work) -> Work {
        Work {
            merge_programs: self.merge_programs - before.merge_programs,
            copies: self.copies - before.copies,
            copy_backs: self.copy_backs - before.copy_backs,
            erases: self.erases - before.erases,
            skipped: self.skipped - before.skipped,
        }
    }
}
