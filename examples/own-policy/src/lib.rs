//! Systems outside ssdlab: a buffer policy, a cleaning policy, a placement, two FTLs and a figure, each in a file of its own.
//!
//! [`Own`] adds them to any registry, so that they run in the simulator, in comparisons, under power cuts, and in served
//! drives.

mod absorbed;
mod copy_on_write;
mod dftl;
mod most_invalid;
mod second_chance;
mod streams;

use ssdlab_device::{Media, Plugins, Registry};
use ssdlab_policy::buffer::{Nature, Shape};
use ssdlab_policy::{cleaning, placement};

pub use absorbed::ABSORBED;
pub use copy_on_write::CopyOnWrite;
pub use dftl::{Dftl, MAP_PAGES_IN_RAM};
pub use most_invalid::MostInvalid;
pub use second_chance::{CHANCES, SecondChance};
pub use streams::Streams;

// this library is a plugin of nbdkit, which `own-policy serve` finds beside the program
ssdlab_nbdkit::plugin!(Own);

/// All systems of this crate.
pub struct Own;

impl Plugins for Own {
    fn add<M: Media>(&self, registry: &mut Registry<M>) {
        let nature = Nature::page_level([0, 64, 0]).serving_reads();
        registry.add_policy(second_chance::ENTRY, nature, |settings| {
            let chances = CHANCES.of(settings) as u8;
            move |shape: &Shape| SecondChance::new(shape, chances)
        });
        registry.add_cleaning(cleaning::Registered::of::<MostInvalid>());
        // the closure keeps the parameter of the placement
        let regions = 4;
        registry.add_placement(placement::Registered::new(streams::ENTRY, move |_| {
            placement::Chosen::new(streams::ENTRY, regions, 0, move |_| {
                Box::new(Streams { regions })
            })
        }));
        registry.add_ftl::<CopyOnWrite>();
        // its map is in flash
        registry.add_ftl::<Dftl<()>>();
        registry.add_figure(ABSORBED);
    }
}
