//! What the policies say about themselves, and the defaults of a policy.
//!
//! Planted bugs that these tests catch: a name registered twice; a policy whose nature contradicts the keys that it
//! reads; a default that misses a call.

use std::collections::{BTreeSet, VecDeque};

use ssdlab_flash::{Geometry, Lpn, Page};
use ssdlab_policy::buffer::{Access, BufferKind, BufferPolicy, EachKind, Level, Victim, each_kind};
use ssdlab_policy::{cleaning, placement};

#[derive(Default)]
struct Names(Vec<&'static str>);

impl EachKind for Names {
    fn kind<B: BufferKind>(&mut self) {
        let reads = |key: &str| B::ENTRY.reads(key);
        let name = B::ENTRY.name;
        assert_eq!(B::NATURE.bounded, reads("buffer.size"), "{name}");
        assert_eq!(B::NATURE.pads, reads("buffer.padding"), "{name}");
        let has_headers = B::NATURE.level == Level::Block;
        assert_eq!(has_headers, reads("buffer.count_headers"), "{name}");
        // a read buffer has no keys but its size
        let simple =
            B::NATURE.level == Level::Page && B::ENTRY.keys.len() == 1 && reads("buffer.size");
        assert!(simple || !B::NATURE.serves_reads, "{name}");
        self.0.push(name);
    }
}

#[test]
fn names_are_unique_and_natures_fit_the_keys() {
    let mut buffers = Names::default();
    each_kind(&mut buffers);
    let cleanings = cleaning::built_in();
    let cleanings = cleanings
        .iter()
        .map(|cleaning| cleaning.entry().name)
        .collect();
    let placements = placement::built_in();
    let placements = placements
        .iter()
        .map(|placement| placement.entry().name)
        .collect();
    for names in [buffers.0, cleanings, placements] {
        let different: BTreeSet<_> = names.iter().collect();
        assert!(
            names.len() > 1 && different.len() == names.len(),
            "{names:?}"
        );
    }
}

/// Least recently used, with the four methods that have no default.
#[derive(Default)]
struct Recent(VecDeque<Lpn>);

impl BufferPolicy for Recent {
    fn enter(&mut self, page: Page, _: Access) {
        self.0.push_back(page.lpn);
    }

    fn hit(&mut self, page: Page, access: Access) {
        self.left(page);
        self.enter(page, access);
    }

    fn left(&mut self, page: Page) {
        self.0.retain(|&lpn| lpn != page.lpn);
    }

    fn victim(&mut self) -> Victim {
        Victim::Page(self.0[0])
    }
}

#[test]
fn four_methods_are_enough() {
    let geometry = Geometry::new(512, 4, 4, 4, 1);
    let page = |lpn| geometry.page(Lpn(lpn));
    let mut policy = Recent::default();
    policy.enter_run(page(4), 3, Access::Write);
    policy.hit(page(4), Access::Write);
    assert_eq!(policy.victim_for_room(), Victim::Page(Lpn(5)));
    policy.left_together(page(5).lbn, 2, [page(5), page(6)].into_iter());
    assert_eq!(policy.victim(), Victim::Page(Lpn(4)));
}
