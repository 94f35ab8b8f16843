//! Page-mapped devices with so few spare blocks as no configuration may ask for, and with just enough.
//!
//! Planted bugs that these tests catch: cleaning that goes round for ever because nothing can be won; an error although a
//! full block has an invalid page; a default or a check that leaves a block too few.

use ssdlab_flash::{Array, Geometry, Lpn, ProgramOrder};
use ssdlab_ftl::{Buffer, BufferAware, Clock, Costs, Env, FtlError, Params};
use ssdlab_policy::placement::GcFrontier;
use ssdlab_policy::{cleaning, placement};

const LOGICAL_BLOCKS: u32 = 3;
const PAGES_PER_BLOCK: u32 = 2;
/// One block that cleaning keeps free, two frontiers, one block to be cleaned.
const LEAST: u32 = 4;

fn params(cleaning: cleaning::Kind) -> Params {
    Params {
        log_blocks: 1,
        spare_blocks: 0,
        partial_merge: false,
        open_blocks: 1,
        blocks_per_superblock: 1,
        max_update_blocks: 1,
        cleaning,
        placement: placement::Kind::Single,
        regions: placement::Params {
            gc_frontier: GcFrontier::Separate,
        },
        gc_low: 1,
        clock: Clock::Writes,
        buffer_aware: BufferAware::Off,
        candidates: 0,
        costs: Costs::default(),
    }
}

/// Writes pages one by one to a full device, as long as it takes them; what it says in the end.
fn write(
    cleaning: cleaning::Kind,
    spare_blocks: u32,
    mut pages: impl Iterator<Item = u32>,
) -> Result<(), FtlError> {
    let blocks = LOGICAL_BLOCKS + spare_blocks;
    let geometry = Geometry::new(512, PAGES_PER_BLOCK, LOGICAL_BLOCKS, blocks, 1);
    let mut media = Array::<()>::new(geometry.clone(), ProgramOrder::Ascending);
    media.precondition()?;
    let mut ftl = ssdlab_ftl::fresh("page", &params(cleaning), &geometry, true);
    let mut env = Env::new(media, false, false);
    pages.try_for_each(|page| ftl.write(&mut env, &mut Buffer::none(), Lpn(page), &()))
}

fn any_pages(count: u32) -> impl Iterator<Item = u32> {
    let random = std::iter::successors(Some(1_u32), |x| {
        Some(x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223))
    });
    let pages = LOGICAL_BLOCKS * PAGES_PER_BLOCK;
    random.take(count as usize).map(move |x| (x >> 16) % pages)
}

const KINDS: [cleaning::Kind; 3] = [
    cleaning::Kind::Greedy,
    cleaning::Kind::Fifo,
    cleaning::Kind::Jffs2,
];

#[test]
fn an_over_filled_device_says_so() {
    for cleaning in KINDS {
        // cleaning must win a block before the first write, and no page is invalid
        assert_eq!(write(cleaning, 1, any_pages(1)), Err(FtlError::OverFilled));
        // whatever it says of these, it ends
        for spare in 0..LEAST {
            let _ = write(cleaning, spare, any_pages(500));
        }
    }
}

#[test]
fn the_least_that_is_allowed_is_enough() {
    let kind = ssdlab_ftl::kind("page");
    for cleaning in KINDS {
        for (spare_blocks, enough) in [(LEAST - 1, false), (LEAST, true)] {
            let params = Params {
                spare_blocks,
                ..params(cleaning)
            };
            assert_eq!((kind.check)(&params).is_ok(), enough, "{spare_blocks}");
        }
        assert_eq!(write(cleaning, LEAST, any_pages(5000)), Ok(()));
    }
}
