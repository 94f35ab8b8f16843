//! Flash that no FTL has written: a block holds pages of two logical blocks.
//!
//! Planted bugs that these tests catch: a mount that takes such a block for that of its first page, and loses the other
//! page with the next merge.

use ssdlab_flash::{Array, Geometry, Lpn, Media, Pbn, ProgramOrder, Role, Spare};
use ssdlab_ftl::{Aware, FreeLists, FtlError, FtlKind, bast, block, fast, replacement};

/// What mounting says of four logical blocks of four pages, of which the first block holds these logical pages.
fn mounted<K: FtlKind>(config: &K::Config, pages: &[u32]) -> Result<(), FtlError> {
    let geometry = Geometry::new(512, 4, 4, 12, 1);
    let mut media = Array::<u64>::new(geometry.clone(), ProgramOrder::Ascending);
    for (position, &lpn) in (0..).zip(pages) {
        let spare = Spare {
            lpn: Lpn(lpn),
            role: Role::DATA,
        };
        media.program(geometry.ppn(Pbn(0), position), spare, &7)?;
    }
    K::mount(config, &mut media).map(drop)
}

fn refuses_others<K: FtlKind>(config: &K::Config) {
    let name = K::ENTRY.name;
    assert_eq!(mounted::<K>(config, &[0, 1, 2]), Ok(()), "{name}");
    for pages in [[0, 5, 2], [4, 5, 14]] {
        let refused = mounted::<K>(config, &pages);
        let contradicts = matches!(refused, Err(FtlError::Inconsistent { .. }));
        assert!(contradicts, "{name}: {pages:?}: {refused:?}");
    }
}

#[test]
fn a_block_with_pages_of_two_logical_blocks() {
    let (log_blocks, spare_blocks, aware) = (2, 2, Aware::default());
    refuses_others::<block::Block>(&block::BlockConfig {
        open_blocks: 2,
        spare_blocks,
        map_updates: false,
    });
    refuses_others::<replacement::Replacement>(&replacement::ReplacementConfig {
        log_blocks,
        spare_blocks,
        map_updates: false,
    });
    refuses_others::<bast::Bast>(&bast::BastConfig {
        log_blocks,
        spare_blocks,
        map_updates: false,
        partial_merge: true,
        aware,
        free_lists: FreeLists::One,
    });
    refuses_others::<fast::Fast>(&fast::FastConfig {
        log_blocks,
        spare_blocks,
        map_updates: false,
        aware,
        free_lists: FreeLists::One,
    });
}
