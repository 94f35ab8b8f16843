//! Page-mapped devices with fewer spare blocks than a configuration may ask for, and with just enough.
//!
//! Planted bugs that these tests catch: cleaning that loops forever because it can gain no page; an error although a
//! full block has an invalid page; a default or a check that leaves one block too few.

use ssdlab_flash::{Array, Geometry, Lpn, ProgramOrder};
use ssdlab_ftl::{Buffer, BufferAware, Clock, Costs, Env, FtlError, Params};
use ssdlab_policy::placement::GcFrontier;
use ssdlab_policy::{cleaning, placement};

const LOGICAL_BLOCKS: u32 = 3;
const PAGES_PER_BLOCK: u32 = 2;
/// The least number of spare blocks: one that cleaning keeps free, a frontier for each region, and one block to clean.
/// There are three regions, one of them in RAM under `dac+`, and two under `single`.
const PLACEMENTS: [(placement::Kind, u32); 4] = [
    (placement::Kind::Single, 4),
    (placement::Kind::Dac, 5),
    (placement::Kind::DacPlus, 4),
    (placement::Kind::Deb, 5),
];

fn params(cleaning: cleaning::Kind, placement: placement::Kind) -> Params {
    Params {
        log_blocks: 1,
        spare_blocks: 0,
        partial_merge: false,
        open_blocks: 1,
        blocks_per_superblock: 1,
        max_update_blocks: 1,
        cleaning,
        choices: cleaning::Params { d: 1, seed: 1 },
        placement,
        regions: placement::Params {
            gc_frontier: GcFrontier::Separate,
            regions: 3,
            stable: vec![4, 8, 12],
            ram_pages: 1,
        },
        gc_low: 1,
        clock: Clock::Writes,
        buffer_aware: BufferAware::Off,
        candidates: 0,
        costs: Costs::default(),
    }
}

/// Writes pages one by one to a full device until it fails. Returns the last result.
fn write(
    cleaning: cleaning::Kind,
    placement: placement::Kind,
    spare_blocks: u32,
    mut pages: impl Iterator<Item = u32>,
) -> Result<(), FtlError> {
    let blocks = LOGICAL_BLOCKS + spare_blocks;
    let geometry = Geometry::new(512, PAGES_PER_BLOCK, LOGICAL_BLOCKS, blocks, 1);
    let mut media = Array::<()>::new(geometry.clone(), ProgramOrder::Ascending);
    media.precondition()?;
    let mut ftl = ssdlab_ftl::fresh("page", &params(cleaning, placement), &geometry, true);
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

const KINDS: [cleaning::Kind; 6] = [
    cleaning::Kind::Greedy,
    cleaning::Kind::CostBenefit,
    cleaning::Kind::Cat,
    cleaning::Kind::Fifo,
    cleaning::Kind::Jffs2,
    cleaning::Kind::DChoices,
];

#[test]
fn an_over_filled_device_says_so() {
    for cleaning in KINDS {
        for (placement, least) in PLACEMENTS {
            // cleaning must gain a block before the first write, and no page is invalid
            let first = write(cleaning, placement, 1, any_pages(1));
            assert_eq!(first, Err(FtlError::OverFilled));
            // these must end, with or without an error
            for spare in 0..least {
                let _ = write(cleaning, placement, spare, any_pages(500));
            }
        }
    }
}

#[test]
fn the_least_that_is_allowed_is_enough() {
    let kind = ssdlab_ftl::kind("page");
    for cleaning in KINDS {
        for (placement, least) in PLACEMENTS {
            for (spare_blocks, enough) in [(least - 1, false), (least, true)] {
                let params = Params {
                    spare_blocks,
                    ..params(cleaning, placement)
                };
                let what = format!("{placement:?} {spare_blocks}");
                assert_eq!((kind.check)(&params).is_ok(), enough, "{what}");
            }
            let written = write(cleaning, placement, least, any_pages(5000));
            assert_eq!(written, Ok(()), "{placement:?}");
        }
    }
}
