//! Req-block: keeps the pages that one request wrote together, and evicts large and unused groups first.
//!
//! New groups are in the inserted list (IRL). A small group that is used again moves to the small list (SRL) as a
//! whole. From a large one only the used pages move, to a new group in the divided list (DRL). The victim is one of the
//! last groups of the three lists.
//!
//! Our readings: a group is the pages of one request in one logical block, since victims leave block by block; time is
//! the number of uses; the paper's threshold is `buffer.small_request`.

use alloc::vec;
use alloc::vec::Vec;

use ssdlab_flash::{Lbn, Lpn, Page};

use super::{Access, BufferKind, BufferPolicy, Nature, SIZE, Shape, Victim};
use crate::{About, BitSet, Count, Entry, Lists, Settings, Source, papers};

/// Numbers of the lists: inserted, divided, small, and the vacant groups.
const IRL: u32 = 0;
const DRL: u32 = 1;
const SRL: u32 = 2;
const VACANT: u32 = 3;

/// No group.
const NONE: u32 = u32::MAX;

/// `buffer.small_request`.
pub const SMALL_REQUEST: Count = Count::new(
    "buffer.small_request",
    [1, 65535],
    5,
    "maximum number of pages of a small request block",
);

/// The parameters of Req-block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReqBlockConfig {
    /// `buffer.small_request`: the most pages of a small group, at least 1.
    pub small_request: u32,
}

impl Default for ReqBlockConfig {
    fn default() -> Self {
        Self { small_request: 5 }
    }
}

/// A request block: pages of one logical block that one request wrote.
#[derive(Clone, Copy)]
struct Group {
    /// The uses before the one that made it. No two groups are born at the same time.
    born: u64,
    accesses: u64,
    /// For a divided group, when the group that it was taken from was born.
    origin_born: u64,
    /// For a divided group, the group that it was taken from.
    origin: u32,
    lbn: Lbn,
    list: u32,
    /// Pages held.
    pages: u32,
    /// All pages are in `first..end`.
    first: u32,
    end: u32,
}

/// Groups in three lists, each with the most recent first.
pub struct ReqBlock {
    lists: Lists,
    groups: Vec<Group>,
    /// For each LPN held, its group.
    group_of: Vec<u32>,
    /// The pages that stay if the last victim leaves: all held pages but its own.
    staying: BitSet,
    small: u32,
    /// The uses so far.
    uses: u64,
    /// The uses before the current request.
    began: u64,
}

impl ReqBlock {
    fn group(&mut self, group: u32) -> &mut Group {
        &mut self.groups[group as usize]
    }

    /// The first group of a list, if the current request made it for this block.
    fn open(&self, list: u32, lbn: Lbn) -> Option<u32> {
        let first = self.lists.front(list)?;
        let Group { born, lbn: of, .. } = self.groups[first as usize];
        (born >= self.began && of == lbn).then_some(first)
    }

    /// A new group without pages at the front of a list.
    fn create(&mut self, list: u32, page: Page, origin: u32) -> u32 {
        let group = self.lists.front(VACANT).expect("a group for each page");
        self.lists.remove(group);
        self.lists.push_front(list, group);
        let origin_born = match origin {
            NONE => 0,
            _ => self.group(origin).born,
        };
        *self.group(group) = Group {
            born: self.uses,
            accesses: 1,
            origin_born,
            origin,
            lbn: page.lbn,
            list,
            pages: 0,
            first: page.lpn.0,
            end: page.lpn.0,
        };
        group
    }

    /// Consecutive pages join a group of their block.
    fn join(&mut self, group: u32, first: u32, count: u32) {
        let end = first + count;
        self.group_of[first as usize..end as usize].fill(group);
        let joined = self.group(group);
        joined.pages += count;
        joined.first = joined.first.min(first);
        joined.end = joined.end.max(end);
    }

    /// A page leaves its group, which goes with its last page.
    fn part(&mut self, group: u32) {
        let parted = self.group(group);
        parted.pages -= 1;
        if parted.pages == 0 {
            self.lists.remove(group);
            self.lists.push_front(VACANT, group);
            self.group(group).list = VACANT;
        }
    }

    /// The group in IRL that a divided group was taken from, if it is still there.
    fn origin(&self, group: u32) -> Option<u32> {
        let Group {
            list,
            origin,
            origin_born,
            ..
        } = self.groups[group as usize];
        if list != DRL {
            return None;
        }
        let from = self.groups[origin as usize];
        (from.list == IRL && from.born == origin_born).then_some(origin)
    }

    /// Whether a group has fewer accesses for each page and each use of its age than another one.
    fn is_colder(&self, group: u32, other: u32) -> bool {
        let parts = |group: u32| {
            let group = self.groups[group as usize];
            let age = u128::from(self.uses - group.born);
            (u128::from(group.accesses), u128::from(group.pages) * age)
        };
        let ((accesses, space), (than, other)) = (parts(group), parts(other));
        accesses * other < than * space
    }

    /// The pages of a group stay no longer.
    fn release(&mut self, group: u32) {
        let Group { first, end, .. } = self.groups[group as usize];
        for lpn in first..end {
            if self.group_of[lpn as usize] == group {
                self.staying.remove(lpn);
            }
        }
    }
}

impl BufferKind for ReqBlock {
    const ENTRY: Entry = Entry {
        name: "req-block",
        rule: "evicts the pages that one request wrote together and that have the fewest uses per page and age",
        source: Source::of("{}", &[&papers::REQ_BLOCK]),
        keys: &[SIZE.key, SMALL_REQUEST.key],
        about: About {
            file: file!(),
            lines: [
                "The pages that a request brings into a block are a group, first in the inserted list. A small group, \
                 of at most `buffer.small_request` pages, that is used again moves to the small list. Of a larger \
                 group only the used pages move, as a new group in the divided list.",
                "When room is needed, the last groups of the three lists compete: the one with the fewest accesses \
                 per page and age is evicted.",
                "A divided group is evicted with the group that it was taken from, if that is still in the inserted \
                 list.",
            ],
            cost: "O(1) for each page, plus a scan of the marks of one block for each eviction; 60 bytes for each page held, 5 \
                   for each logical page.",
            wins: "No clear case on the traces of this repository. The gain of its paper is in hits, and file systems \
                   behind a page cache leave few. With page mapping it is within 1 % of LRU, except under Postmark on \
                   FAT16, where the lead with 16 MiB says little: a small change of size or threshold moves both of \
                   them between 1.2 and 2.0 MB/s.",
            loses: "Log blocks, as with LRU: what a request wrote is scattered over many blocks, so most evictions end \
                    in a full merge. Under Postmark on NTFS with 16 MiB it is even 2 % slower than LRU.",
        },
    };

    const NATURE: Nature = Nature::page_level([5, 60, 0]).evicting_blocks();

    type Config = ReqBlockConfig;

    fn configure(settings: &dyn Settings) -> ReqBlockConfig {
        ReqBlockConfig {
            small_request: SMALL_REQUEST.of(settings) as u32,
        }
    }

    fn new(shape: &Shape, config: &Self::Config) -> Self {
        let most = shape.most_pages();
        let pages = shape.geometry.logical_pages();
        let vacant = Group {
            born: 0,
            accesses: 0,
            origin_born: 0,
            origin: NONE,
            lbn: Lbn::NONE,
            list: VACANT,
            pages: 0,
            first: 0,
            end: 0,
        };
        let mut lists = Lists::new(most, 4);
        (0..most).for_each(|group| lists.push_back(VACANT, group));
        Self {
            lists,
            groups: vec![vacant; most as usize],
            group_of: vec![NONE; pages as usize],
            staying: BitSet::new(pages, false),
            small: config.small_request,
            uses: 0,
            began: 0,
        }
    }
}

impl BufferPolicy for ReqBlock {
    fn begin_request(&mut self) {
        self.began = self.uses;
    }

    fn hit(&mut self, page: Page, _: Access) {
        let lpn = page.lpn.0;
        let group = self.group_of[lpn as usize];
        if self.group(group).pages <= self.small {
            self.lists.remove(group);
            self.lists.push_front(SRL, group);
            let used = self.group(group);
            used.list = SRL;
            used.accesses += 1;
        } else {
            let divided = self
                .open(DRL, page.lbn)
                .unwrap_or_else(|| self.create(DRL, page, group));
            self.part(group);
            self.join(divided, lpn, 1);
        }
        self.uses += 1;
    }

    fn enter(&mut self, page: Page, access: Access) {
        self.enter_run(page, 1, access);
    }

    fn left(&mut self, page: Page) {
        let group = self.group_of[page.lpn.index()];
        self.group_of[page.lpn.index()] = NONE;
        self.staying.remove(page.lpn.0);
        self.part(group);
    }

    fn victim(&mut self) -> Victim {
        let lasts = [IRL, DRL, SRL].map(|list| self.lists.back(list));
        let coldest = lasts
            .into_iter()
            .flatten()
            .reduce(|coldest, last| {
                if self.is_colder(last, coldest) {
                    last
                } else {
                    coldest
                }
            })
            .expect("called only while a page is held");
        self.release(coldest);
        if let Some(origin) = self.origin(coldest) {
            self.release(origin);
        }
        Victim::Block(self.group(coldest).lbn)
    }

    fn enter_run(&mut self, first: Page, count: u32, _: Access) {
        let group = self
            .open(IRL, first.lbn)
            .unwrap_or_else(|| self.create(IRL, first, NONE));
        self.join(group, first.lpn.0, count);
        self.staying.insert_range(first.lpn.0, first.lpn.0 + count);
        self.uses += u64::from(count);
    }

    fn first_staying(&self, first: Lpn, end: Lpn) -> Lpn {
        Lpn(self.staying.member_in(first.0, end.0))
    }
}
