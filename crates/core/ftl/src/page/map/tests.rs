//! The map area, place by place.

use alloc::vec::Vec;

use ssdlab_flash::{Array, Geometry, Lpn, Ppn, ProgramOrder};

use super::config::{MapConfig, MapKind, Prefetch};
use super::{Access, Io, Maps};
use crate::Env;

impl MapConfig {
    /// `leaftl` with pages and entries of so many bytes.
    pub fn of_leaftl(page_bytes: u64, entry: u64) -> Self {
        Self {
            kind: MapKind::Leaftl,
            cache: page_bytes,
            page_bytes,
            entry,
            blocks: None,
            protected: 0.8,
            batch: true,
            prefetch: Prefetch::Both,
            gamma: 0,
            list: None,
            sync: 0,
            host: 0,
        }
    }
}

// planted bugs: a victim that is erased before its pages are copied; the block that was filled last is cleaned; a program
// before the copies
#[test]
fn the_area_copies_the_emptiest_block_into_the_last_free_one() {
    let geometry = Geometry::new(512, 4, 8, 14, 1)
        .with_own_pages(4)
        .with_own_blocks(3);
    let config = MapConfig {
        kind: MapKind::Pages,
        ..MapConfig::of_leaftl(512, 64)
    };
    let map: Vec<Ppn> = (0..32).map(Ppn).collect();
    let holds: Vec<Lpn> = (0..32).map(Lpn).collect();
    let mut maps = Maps::new(&config, &geometry, &map, &holds, true);
    let mut array = Array::<u64>::new(geometry, ProgramOrder::Ascending);
    array.precondition().expect("a new array");
    array.precondition_own(8).expect("a new array");
    let mut env = Env::new(array, false);
    for page in [0, 8, 0, 8, 0, 16] {
        let io = &mut Io::new(&mut env, &map);
        maps.access(io, Lpn(page), Access::Write).expect("room");
        maps.written(io, Lpn(page), Ppn(page)).expect("room");
    }
    assert_eq!(maps.store.area().places(), [10, 7, 8, 9]);
    assert_eq!(env.counts().own_programs, 5);
    assert_eq!(env.counts().map.copies, 2);
    assert_eq!(env.counts().map_erases, 1);
    let check = maps.check(&mut env.media, &map, |_| 0);
    check.expect("what is counted and stored");
}
