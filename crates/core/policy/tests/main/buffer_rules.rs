//! The rules of the policies that keep several lists, step by step, on examples worked out by hand.
//!
//! Planted bugs that these tests catch: an update probability that ignores the region or its size; hot pages that are
//! evicted with their block; a block that one request writes in order, treated as updated; region sizes that a flush
//! changes, that fall below one block, or that one overflow changes for itself; an overflow that a run of pages finds only
//! once; a hand that clears no bits, or that stops too early; a candidate that keeps
//! its place when it loses a page; a victim among blocks in use; a request block that grows over two requests or two
//! blocks; a large one that moves as a whole; a tail that is judged without its age, its accesses or its pages; a
//! divided request block that leaves its origin behind, or takes another one along; next victims from the wrong end.

use std::collections::BTreeSet;

use ssdlab_flash::{Geometry, Lpn};
use ssdlab_policy::buffer::fifo::Fifo;
use ssdlab_policy::buffer::lb_clock::LbClock;
use ssdlab_policy::buffer::lru::Lru;
use ssdlab_policy::buffer::plru_br::PlruBr;
use ssdlab_policy::buffer::plru_br_2q::{self, PlruBr2q};
use ssdlab_policy::buffer::req_block::{self, ReqBlock};
use ssdlab_policy::buffer::three_region::{Granularity, ThreeRegion};
use ssdlab_policy::buffer::{Access, BufferKind, Shape, Victim};

const PAGES_PER_BLOCK: u32 = 4;

/// A policy, and the set of held pages, which the policy itself does not keep.
struct Buffer<B> {
    policy: B,
    geometry: Geometry,
    held: BTreeSet<u32>,
}

trait Driven {
    fn begin(&mut self);
    /// Writes a page in the current request.
    fn touch(&mut self, page: u32);
    fn discard(&mut self, page: u32);
    /// Evicts one victim, for room or for a flush, and returns its pages.
    fn evict(&mut self, for_room: bool) -> Vec<u32>;
    /// Writes consecutive pages of a block that are not held.
    fn enter_run(&mut self, first: u32, count: u32);
    fn probability(&self, page: u32) -> (u64, u64);
    /// The sizes of its regions.
    fn sizes(&self) -> [u64; 3];
    /// The pages that it names as its next victims.
    fn next_victims(&self, most: usize) -> Vec<u32>;
}

impl<B: BufferKind> Driven for Buffer<B> {
    fn begin(&mut self) {
        self.policy.begin_request();
    }

    fn touch(&mut self, page: u32) {
        let place = self.geometry.page(Lpn(page));
        if self.held.insert(page) {
            self.policy.enter(place, Access::Write);
        } else {
            self.policy.hit(place, Access::Write);
        }
    }

    fn discard(&mut self, page: u32) {
        assert!(self.held.remove(&page));
        self.policy.left(self.geometry.page(Lpn(page)));
    }

    fn evict(&mut self, for_room: bool) -> Vec<u32> {
        let victim = if for_room {
            self.policy.victim_for_room()
        } else {
            self.policy.victim()
        };
        let pages: Vec<u32> = match victim {
            Victim::Page(lpn) => vec![lpn.0],
            Victim::Block(lbn) => {
                let first = self.geometry.page_at(lbn, 0).lpn.0;
                let held = self.held.range(first..first + PAGES_PER_BLOCK);
                held.copied()
                    .filter(|&page| {
                        self.policy.first_staying(Lpn(page), Lpn(page + 1)) != Lpn(page)
                    })
                    .collect()
            }
        };
        pages.iter().for_each(|&page| self.discard(page));
        pages
    }

    fn enter_run(&mut self, first: u32, count: u32) {
        self.held.extend(first..first + count);
        let first = self.geometry.page(Lpn(first));
        self.policy.enter_run(first, count, Access::Write);
    }

    fn sizes(&self) -> [u64; 3] {
        self.policy.region_sizes().expect("regions")
    }

    fn probability(&self, page: u32) -> (u64, u64) {
        let page = self.geometry.page(Lpn(page));
        let estimate = self.policy.update_probability(page);
        (estimate, self.policy.update_denominator())
    }

    fn next_victims(&self, most: usize) -> Vec<u32> {
        let mut victims = vec![Lpn::NONE; most];
        let count = self.policy.next_victims(&mut victims);
        victims[..count].iter().map(|lpn| lpn.0).collect()
    }
}

/// A buffer of `pages` pages over 16 blocks of 4 pages.
fn buffer<B: BufferKind>(pages: u64, config: B::Config) -> Box<dyn Driven> {
    let geometry = Geometry::new(512, PAGES_PER_BLOCK, 16, 16, 1);
    let shape = Shape {
        geometry,
        pages,
        future: None,
    };
    Box::new(Buffer {
        policy: B::new(&shape, &config),
        geometry: shape.geometry,
        held: BTreeSet::new(),
    })
}

/// One request for each page.
fn write(buffer: &mut dyn Driven, pages: &[u32]) {
    for &page in pages {
        buffer.begin();
        buffer.touch(page);
    }
}

/// Writes each block with one request for all its pages.
fn write_blocks(buffer: &mut dyn Driven, blocks: &[u32]) {
    for block in blocks {
        buffer.begin();
        (0..PAGES_PER_BLOCK).for_each(|offset| buffer.touch(block * PAGES_PER_BLOCK + offset));
    }
}

#[test]
fn plru_br_evicts_the_block_of_the_least_recent_page() {
    let mut buffer = buffer::<PlruBr>(8, ());
    // 4 is the least recent page, though 5 of its block was written after 1
    write(&mut *buffer, &[0, 4, 1, 8, 5, 0]);
    assert_eq!(buffer.evict(true), [4, 5]);
    assert_eq!(buffer.evict(true), [0, 1]);
    assert_eq!(buffer.evict(true), [8]);
}

#[test]
fn plru_br_2q_keeps_the_hot_pages_of_a_victim() {
    let mut buffer = buffer::<PlruBr2q>(6, plru_br_2q::PlruBr2qConfig { hot: 0.5 });
    write(&mut *buffer, &[0, 1, 4, 2, 0, 5]);
    // hot: 5, 0, 2; cold: 4, 1
    assert_eq!(buffer.evict(true), [1]);
    assert_eq!(buffer.evict(true), [4]);
    // a cold page that is written becomes hot again: 2 cools, then 0, and 2 pushes 5 out
    write(&mut *buffer, &[9, 13, 2]);
    // hot: 2, 13, 9; cold: 5, 0
    assert_eq!(buffer.evict(true), [0]);
    assert_eq!(buffer.evict(true), [5]);
}

#[test]
fn plru_br_2q_evicts_a_hot_page_alone_if_none_is_cold() {
    let mut buffer = buffer::<PlruBr2q>(4, plru_br_2q::PlruBr2qConfig { hot: 0.5 });
    write(&mut *buffer, &[1, 0]);
    assert_eq!(buffer.evict(true), [1]);
    assert_eq!(buffer.evict(true), [0]);
    // a discard makes room in the hot list, but no page returns from the cold list
    write(&mut *buffer, &[0, 1, 2]);
    buffer.discard(2);
    assert_eq!(buffer.evict(false), [0]);
    assert_eq!(buffer.evict(false), [1]);
}

#[test]
fn plru_br_2q_has_a_hot_page_at_least() {
    let mut buffer = buffer::<PlruBr2q>(4, plru_br_2q::PlruBr2qConfig { hot: 0.0 });
    write(&mut *buffer, &[0, 1, 2, 3]);
    assert_eq!(buffer.evict(true), [0, 1, 2]);
    assert_eq!(buffer.evict(true), [3]);
}

/// 12 of 36 pages, the initial size of each region.
const THIRD: (u64, u64) = (12, 36);
const WILL_BE_UPDATED: (u64, u64) = (36, 36);
const WILL_BE_EVICTED: (u64, u64) = (0, 36);

#[test]
fn three_region_promotes_a_block_once_in_a_request() {
    let mut buffer = buffer::<ThreeRegion>(36, Granularity::Block);
    write_blocks(&mut *buffer, &[0]);
    assert_eq!(buffer.probability(0), THIRD);
    // a new page of a held block counts as an update
    write(&mut *buffer, &[4, 5]);
    assert_eq!(buffer.probability(4), WILL_BE_UPDATED);
    write(&mut *buffer, &[0]);
    assert_eq!(buffer.probability(3), WILL_BE_UPDATED);
}

#[test]
fn three_region_grows_what_a_fallen_block_should_have_stayed_in() {
    let mut buffer = buffer::<ThreeRegion>(36, Granularity::Block);
    write_blocks(&mut *buffer, &[0, 1, 2, 3]);
    assert_eq!(
        [0, 4].map(|page| buffer.probability(page)),
        [WILL_BE_EVICTED, THIRD]
    );
    // TBE0 to TBU0: w0 is 16 from now on
    write(&mut *buffer, &[0]);
    assert_eq!(buffer.probability(0), WILL_BE_UPDATED);
    write_blocks(&mut *buffer, &[4]);
    assert_eq!(buffer.probability(4), THIRD);
    write_blocks(&mut *buffer, &[5]);
    assert_eq!(
        [4, 8].map(|page| buffer.probability(page)),
        [WILL_BE_EVICTED, THIRD]
    );
}

/// One overflow compares with the sizes as it found them; what it changes holds for the next page access.
#[test]
fn three_region_moves_what_exceeds_the_sizes_as_they_stood() {
    let mut buffer = buffer::<ThreeRegion>(48, Granularity::Block);
    write_blocks(&mut *buffer, &[0, 1, 2, 3, 4, 1, 2, 3, 4]);
    write(&mut *buffer, &[20]);
    let states = |buffer: &dyn Driven| [0, 4, 8, 12, 16, 20].map(|page| buffer.probability(page).0);
    assert_eq!(states(&*buffer), [0, 48, 48, 48, 48, 16]);
    // 17 pages in TBU
    write(&mut *buffer, &[20]);
    assert_eq!(states(&*buffer), [0, 0, 48, 48, 48, 48]);
    assert_eq!(buffer.sizes(), [16, 12, 20]);
    // any access finds the next overflow, down to one block
    for (page, fallen, size) in [(24, 8, 8), (28, 12, 4), (32, 16, 4)] {
        assert_eq!(buffer.probability(fallen).0, 48);
        write(&mut *buffer, &[page]);
        assert_eq!(buffer.probability(fallen).0, 0);
        assert_eq!(buffer.sizes(), [16, size, 32 - size]);
    }
    assert_eq!(buffer.probability(20).0, 48);
    // TBE1 to TBU0 gives back what was taken
    write_blocks(&mut *buffer, &[1, 1, 2, 3, 4]);
    assert_eq!(buffer.sizes(), [16, 20, 12]);
    // block 5 falls at the first page; block 1, which was updated in TBU, at the second one, and no size changes
    write_blocks(&mut *buffer, &[9, 9]);
    assert_eq!(states(&*buffer), [0, 0, 48, 48, 48, 0]);
    assert_eq!(buffer.sizes(), [16, 19, 13]);
}

#[test]
fn three_region_looks_for_an_overflow_after_each_page() {
    let mut buffer = buffer::<ThreeRegion>(12, Granularity::Page);
    write(&mut *buffer, &[0, 1, 2, 3, 0, 1, 2, 3, 20, 20]);
    let states = |buffer: &dyn Driven| [0, 1, 2, 3, 20].map(|page| buffer.probability(page).0);
    assert_eq!(states(&*buffer), [0, 12, 12, 12, 12]);
    assert_eq!(buffer.sizes(), [4, 3, 5]);
    write(&mut *buffer, &[24]);
    assert_eq!(states(&*buffer), [0, 0, 12, 12, 12]);
    assert_eq!(buffer.sizes(), [4, 2, 6]);
    // a run of two pages is two accesses
    buffer.begin();
    buffer.enter_run(8, 2);
    assert_eq!(states(&*buffer), [0, 0, 0, 0, 12]);
    assert_eq!(buffer.sizes(), [4, 1, 7]);
}

#[test]
fn three_region_learns_from_evictions_for_room_alone() {
    for for_room in [true, false] {
        let mut buffer = buffer::<ThreeRegion>(36, Granularity::Block);
        write_blocks(&mut *buffer, &[0, 1, 2, 3]);
        assert_eq!(buffer.evict(for_room), [0, 1, 2, 3]);
        // Init holds 13 pages; w0 is 8, or still 12 after a flush
        write(&mut *buffer, &[16]);
        let second = if for_room { WILL_BE_EVICTED } else { THIRD };
        assert_eq!(
            [4, 8, 12].map(|page| buffer.probability(page)),
            [WILL_BE_EVICTED, second, THIRD]
        );
    }
}

#[test]
fn three_region_evicts_from_tbe_then_init_then_tbu() {
    let mut buffer = buffer::<ThreeRegion>(36, Granularity::Block);
    write(&mut *buffer, &[60, 60]);
    write_blocks(&mut *buffer, &[0, 1, 2, 3, 4]);
    let victims: Vec<u32> = (0..6).map(|_| buffer.evict(true)[0]).collect();
    assert_eq!(victims, [0, 4, 8, 12, 16, 60]);
}

/// Pages of one block are in different regions, leave alone, and resize regions by a page, down to one.
#[test]
fn three_region_by_pages() {
    let mut buffer = buffer::<ThreeRegion>(9, Granularity::Page);
    write(&mut *buffer, &[0, 1, 2, 3, 1]);
    let regions = |buffer: &dyn Driven| [0, 1, 2].map(|page| buffer.probability(page));
    assert_eq!(regions(&*buffer), [(0, 9), (9, 9), (3, 9)]);
    // TBE0 is evicted: w0 is 2
    assert_eq!(buffer.evict(true), [0]);
    write(&mut *buffer, &[4]);
    assert_eq!(buffer.probability(2), (0, 9));
    // the same for 2 and 3: w0 is 1, and stays there
    assert_eq!(buffer.evict(true), [2]);
    write(&mut *buffer, &[5]);
    assert_eq!(buffer.probability(4), (0, 9));
    assert_eq!([0; 2].map(|_| buffer.evict(true)), [[3], [4]]);
    assert_eq!(buffer.probability(5), (3, 9));
}

#[test]
fn three_region_takes_a_block_that_returns_for_a_new_one() {
    let mut buffer = buffer::<ThreeRegion>(36, Granularity::Block);
    write(&mut *buffer, &[0, 0]);
    buffer.begin();
    buffer.touch(0);
    assert_eq!(buffer.evict(true), [0]);
    buffer.touch(1);
    buffer.touch(2);
    assert_eq!(buffer.probability(1), THIRD);
}

#[test]
fn lb_clock_evicts_the_fullest_candidate() {
    let mut buffer = buffer::<LbClock>(12, ());
    write(&mut *buffer, &[0, 4, 5, 8, 9, 10, 12, 13]);
    // all bits are set: the hand clears them all and comes back to block 0; it stops behind it
    assert_eq!(buffer.evict(true), [8, 9, 10]);
    // 12 is used: the candidates are 0 and 1; the hand stops behind 1
    write(&mut *buffer, &[12]);
    assert_eq!(buffer.evict(true), [4, 5]);
    // the hand is at block 3: it clears its bit and stops behind block 0
    assert_eq!(buffer.evict(true), [12, 13]);
    assert_eq!(buffer.evict(true), [0]);
}

#[test]
fn lb_clock_prefers_unused_blocks_to_full_ones() {
    let mut buffer = buffer::<LbClock>(12, ());
    write(&mut *buffer, &[0, 4, 8, 9, 10, 12, 13]);
    assert_eq!(buffer.evict(true), [8, 9, 10]);
    // the hand is at block 1; 1 and 3 are used, and 4 comes right behind the hand
    write(&mut *buffer, &[5, 12, 16, 17, 18]);
    // the hand clears the bits of 1 and 3, stops behind 0, and has not seen the fullest block, 4
    assert_eq!(buffer.evict(true), [4, 5]);
    write(&mut *buffer, &[12]);
    // it clears the bits of 4 and 3, and stops behind 0 again
    assert_eq!(buffer.evict(true), [16, 17, 18]);
    assert_eq!(buffer.evict(true), [12, 13]);
    assert_eq!(buffer.evict(true), [0]);
}

#[test]
fn lb_clock_does_not_evict_a_block_whose_bit_is_set() {
    let mut buffer = buffer::<LbClock>(12, ());
    write(&mut *buffer, &[0, 4, 8]);
    assert_eq!(buffer.evict(true), [0]);
    // the hand is at block 1, whose bit is clear; 3 and 4 come right behind it
    write(&mut *buffer, &[12, 13, 14, 16, 17]);
    assert_eq!(buffer.evict(true), [4]);
    assert_eq!(buffer.evict(true), [8]);
    // the hand goes once around
    assert_eq!(buffer.evict(true), [12, 13, 14]);
}

#[test]
fn lb_clock_takes_the_candidate_that_has_had_its_pages_longest() {
    let mut buffer = buffer::<LbClock>(12, ());
    write(&mut *buffer, &[0, 1, 4, 5, 8, 9, 10, 12]);
    assert_eq!(buffer.evict(true), [8, 9, 10]);
    // the candidate 0 has one page now, but 3 has had one for longer
    buffer.discard(1);
    assert_eq!(buffer.evict(true), [4, 5]);
    assert_eq!(buffer.evict(true), [12]);
    assert_eq!(buffer.evict(true), [0]);
}

/// One request for consecutive pages.
fn request(buffer: &mut dyn Driven, pages: std::ops::Range<u32>) {
    buffer.begin();
    pages.for_each(|page| buffer.touch(page));
}

fn small(small_request: u32) -> req_block::ReqBlockConfig {
    req_block::ReqBlockConfig { small_request }
}

#[test]
fn req_block_evicts_what_a_request_wrote_in_a_block() {
    let mut buffer = buffer::<ReqBlock>(12, small(2));
    request(&mut *buffer, 2..6);
    request(&mut *buffer, 6..7);
    request(&mut *buffer, 0..2);
    // nothing is used again, so the least recent request block of the one list in use goes
    assert_eq!(buffer.evict(true), [2, 3]);
    assert_eq!(buffer.evict(true), [4, 5]);
    assert_eq!(buffer.evict(true), [6]);
    assert_eq!(buffer.evict(true), [0, 1]);
}

#[test]
fn req_block_weighs_accesses_pages_and_age() {
    // the tails of IRL and SRL: the pages 8..8 + pages, then one small request block with this many uses
    let victim = |pages: u32, uses: u32| {
        let mut buffer = buffer::<ReqBlock>(16, small(2));
        request(&mut *buffer, 8..8 + pages);
        (0..uses).for_each(|_| request(&mut *buffer, 0..1));
        buffer.evict(true)[0]
    };
    // 1 / (3 x 5) for the large one, 2 / (1 x 2) for the small one
    assert_eq!(victim(3, 2), 8);
    // the small one first: 2 accesses, 2 pages, 13 uses ago; then the other one: 1 access, 1 page, n uses ago
    let victim = |since: u32| {
        let mut buffer = buffer::<ReqBlock>(16, small(2));
        request(&mut *buffer, 0..2);
        request(&mut *buffer, 0..1);
        request(&mut *buffer, 8..9);
        (1..since).for_each(|i| request(&mut *buffer, 16 + 4 * i..17 + 4 * i));
        buffer.evict(true)[0]
    };
    // 2 / (2 x 4) against 1 / (1 x 1): the older one, though it was used twice
    assert_eq!(victim(1), 0);
    // three accesses, one page, 1 + 3 + n uses ago, against one access, one page, n uses ago
    let victim = |since: u32| {
        let mut buffer = buffer::<ReqBlock>(16, small(2));
        (0..3).for_each(|_| request(&mut *buffer, 0..1));
        request(&mut *buffer, 8..9);
        (1..since).for_each(|i| request(&mut *buffer, 16 + 4 * i..17 + 4 * i));
        buffer.evict(true)[0]
    };
    // 3 / 4 against 1 / 1
    assert_eq!(victim(1), 0);
    // 3 / 5 against 1 / 2
    assert_eq!(victim(2), 8);
}

#[test]
fn req_block_takes_the_inserted_one_of_equals() {
    let mut buffer = buffer::<ReqBlock>(16, small(2));
    // 2 accesses, one page, 4 uses ago: 1/2; 1 access, one page, 2 uses ago: 1/2
    write(&mut *buffer, &[0, 0, 8, 12]);
    assert_eq!(buffer.evict(true), [8]);
}

#[test]
fn req_block_divides_large_request_blocks() {
    let mut buffer = buffer::<ReqBlock>(16, small(2));
    request(&mut *buffer, 0..4);
    // one request takes 1 out, the next one 2; two pages are left, which are small
    request(&mut *buffer, 1..2);
    request(&mut *buffer, 2..3);
    request(&mut *buffer, 0..1);
    // IRL is empty; DRL: {2}, {1}; SRL: {0, 3}: 2 / (2 x 7) is less than 1 / (1 x 3)
    assert_eq!(buffer.evict(true), [0, 3]);
    // 1 was born before 2
    assert_eq!(buffer.evict(true), [1]);
    assert_eq!(buffer.evict(true), [2]);
}

#[test]
fn req_block_evicts_a_divided_one_with_its_origin() {
    let mut buffer = buffer::<ReqBlock>(16, small(1));
    request(&mut *buffer, 8..9);
    request(&mut *buffer, 0..4);
    // DRL: {1, 2} from {0, 3}; one access, two pages, the uses 5 and 6 of 8
    request(&mut *buffer, 1..3);
    // the tail of IRL, 8, is used, so that the tail is {0, 3}: 1 / (2 x 7); {1, 2}: 1 / (2 x 3)
    request(&mut *buffer, 8..9);
    assert_eq!(buffer.evict(true), [0, 3]);
    assert_eq!(buffer.evict(true), [1, 2]);
    assert_eq!(buffer.evict(true), [8]);

    request(&mut *buffer, 12..13);
    request(&mut *buffer, 0..4);
    request(&mut *buffer, 1..4);
    // the tail of IRL is 12: 1 / (1 x 8); {1, 2, 3}: 1 / (3 x 3), with {0} of IRL
    assert_eq!(buffer.evict(true), [0, 1, 2, 3]);
    assert_eq!(buffer.evict(true), [12]);
}

#[test]
fn req_block_forgets_an_origin_that_has_left_the_inserted_list() {
    let mut buffer = buffer::<ReqBlock>(16, small(1));
    request(&mut *buffer, 12..13);
    request(&mut *buffer, 0..4);
    request(&mut *buffer, 1..4);
    // {0} is small and used: it moves to SRL
    request(&mut *buffer, 0..1);
    // 1 / (1 x 9) for 12, 1 / (3 x 4) for {1, 2, 3}
    assert_eq!(buffer.evict(true), [1, 2, 3]);

    request(&mut *buffer, 4..8);
    request(&mut *buffer, 5..8);
    // the origin {4} is discarded, and another request block has its place
    buffer.discard(4);
    request(&mut *buffer, 4..5);
    buffer.discard(12);
    buffer.discard(0);
    // 1 / (1 x 1) for {4}, 1 / (3 x 4) for {5, 6, 7}
    assert_eq!(buffer.evict(true), [5, 6, 7]);
    assert_eq!(buffer.evict(true), [4]);
}

#[test]
fn other_policies_expect_updates_as_often_as_not() {
    let mut buffer = buffer::<Lru>(8, ());
    write(&mut *buffer, &[0, 0]);
    assert_eq!(buffer.probability(0), (1, 2));
}

#[test]
fn next_victims_are_those_that_leave_next() {
    for mut buffer in [buffer::<Lru>(8, ()), buffer::<Fifo>(8, ())] {
        [9, 4, 7, 1, 4, 9, 3]
            .into_iter()
            .for_each(|page| buffer.touch(page));
        buffer.discard(1);
        let foreseen = buffer.next_victims(3);
        assert_eq!(buffer.next_victims(9).len(), 4);
        let left: Vec<u32> = (0..3).flat_map(|_| buffer.evict(true)).collect();
        assert_eq!(foreseen, left);
    }
}
