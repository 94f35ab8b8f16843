//! Page-mapped devices with fewer spare blocks than a configuration may ask for, and with just enough.
//!
//! Planted bugs that these tests catch: cleaning that loops forever because it can gain no page; an error although a
//! full block has an invalid page; a default or a check that leaves one block too few.

use ssdlab_flash::{Array, Geometry, Lpn, ProgramOrder};
use ssdlab_ftl::page::{PageConfig, PageMapping};
use ssdlab_ftl::{Buffer, Capacity, Env, FtlError, FtlKind};
use ssdlab_policy::cleaning::{self, d_choices};
use ssdlab_policy::placement::{self, Chosen, single};

const LOGICAL_BLOCKS: u32 = 3;
const PAGES_PER_BLOCK: u32 = 2;

/// The placements with the least number of spare blocks: one that cleaning keeps free, a frontier for each region, and
/// one block to clean. There are three regions, one of them in RAM under `dac+`, and two under `single`.
fn placements() -> [(Chosen, u32); 4] {
    let (regions, stable, ram_pages) = (3, vec![4, 8, 12], 1);
    let dac = placement::dac::DacConfig {
        regions,
        stable: stable.clone(),
    };
    let dac_plus = placement::dac_plus::DacPlusConfig {
        regions,
        stable: stable.clone(),
        ram_pages,
    };
    let deb = placement::deb::DebConfig {
        regions,
        stable,
        ram_pages,
        threshold_pages: ram_pages,
    };
    [
        (
            Chosen::of::<single::Single>(single::SingleConfig::default()),
            4,
        ),
        (Chosen::of::<placement::dac::Dac>(dac), 5),
        (Chosen::of::<placement::dac_plus::DacPlus>(dac_plus), 4),
        (Chosen::of::<placement::deb::Deb>(deb), 5),
    ]
}

fn cleanings() -> [cleaning::Chosen; 6] {
    [
        cleaning::Chosen::of::<cleaning::greedy::Greedy>(()),
        cleaning::Chosen::of::<cleaning::cost_benefit::CostBenefit>(()),
        cleaning::Chosen::of::<cleaning::cat::Cat>(()),
        cleaning::Chosen::of::<cleaning::fifo::Fifo>(()),
        cleaning::Chosen::of::<cleaning::jffs2::Jffs2>(()),
        cleaning::Chosen::of::<d_choices::DChoices>(d_choices::DChoicesConfig { d: 1, seed: 1 }),
    ]
}

fn config(cleaning: &cleaning::Chosen, placement: &Chosen, spare_blocks: u32) -> PageConfig {
    PageConfig::plain(spare_blocks, 1, cleaning.clone(), placement.clone())
}

/// Writes pages one by one to a full device until it fails. Returns the last result.
fn write(config: &PageConfig, mut pages: impl Iterator<Item = u32>) -> Result<(), FtlError> {
    let blocks = LOGICAL_BLOCKS + config.spare_blocks;
    let geometry = Geometry::new(512, PAGES_PER_BLOCK, LOGICAL_BLOCKS, blocks, 1);
    let mut media = Array::<()>::new(geometry.clone(), ProgramOrder::Ascending);
    media.precondition()?;
    let mut ftl = <PageMapping as FtlKind>::fresh(config, &geometry, true);
    let mut env = Env::new(media, false);
    pages.try_for_each(|page| ftl.write(&mut env, &mut Buffer::none(), Lpn(page), &()))
}

fn any_pages(count: u32) -> impl Iterator<Item = u32> {
    let random = std::iter::successors(Some(1_u32), |x| {
        Some(x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223))
    });
    let pages = LOGICAL_BLOCKS * PAGES_PER_BLOCK;
    random.take(count as usize).map(move |x| (x >> 16) % pages)
}

#[test]
fn an_over_filled_device_says_so() {
    for cleaning in cleanings() {
        for (placement, least) in placements() {
            let config = |spare| config(&cleaning, &placement, spare);
            // cleaning must gain a block before the first write, and no page is invalid
            let first = write(&config(1), any_pages(1));
            assert_eq!(first, Err(FtlError::OverFilled));
            // these must end, with or without an error
            for spare in 0..least {
                let _ = write(&config(spare), any_pages(500));
            }
        }
    }
}

#[test]
fn the_least_that_is_allowed_is_enough() {
    for cleaning in cleanings() {
        for (placement, least) in placements() {
            let config = |spare| config(&cleaning, &placement, spare);
            for (spare, enough) in [(least - 1, false), (least, true)] {
                let capacity = Capacity {
                    logical_blocks: LOGICAL_BLOCKS.into(),
                    pages_per_block: PAGES_PER_BLOCK.into(),
                    page_size: 512,
                };
                let needs = <PageMapping as FtlKind>::needs(&config(spare), &capacity);
                assert_eq!(needs.is_ok(), enough, "{placement:?} {spare}");
            }
            let written = write(&config(least), any_pages(5000));
            assert_eq!(written, Ok(()), "{placement:?}");
        }
    }
}
