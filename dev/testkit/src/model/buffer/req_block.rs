//! `req-block` (section 7): the coldest group of pages that one request wrote.

use std::collections::BTreeSet;

use super::super::number::{Lbn, Lpn};
use super::pages::Pages;
use super::policy::{Policy, Why};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum List {
    Inserted,
    Divided,
    Small,
}

use List::{Divided, Inserted, Small};

struct RequestBlock {
    list: List,
    lbn: Lbn,
    pages: BTreeSet<Lpn>,
    accesses: u64,
    /// The number of touches before the one that made it; no two have the same.
    birth: u64,
    /// The number of the request that made it.
    request: u64,
    /// The birth of the request block that the first page of a divided one was taken from.
    origin: Option<u64>,
}

pub(super) struct ReqBlock {
    /// The maximum number of pages of a small request block.
    small: u64,
    /// The request blocks in the order in which they came to the head of their list.
    blocks: Vec<RequestBlock>,
    touches: u64,
    requests: u64,
}

impl ReqBlock {
    pub(super) fn new(small: u64) -> Self {
        Self {
            small,
            blocks: Vec::new(),
            touches: 0,
            requests: 0,
        }
    }

    /// A page joins the head of a list if this request has made it for this logical block, else becomes the head.
    fn put(&mut self, list: List, lpn: Lpn, lbn: Lbn, origin: Option<u64>) {
        let requests = self.requests;
        let head = self.blocks.iter_mut().rev().find(|b| b.list == list);
        if let Some(head) = head.filter(|b| b.request == requests && b.lbn == lbn) {
            head.pages.insert(lpn);
            return;
        }
        self.blocks.push(RequestBlock {
            list,
            lbn,
            pages: BTreeSet::from([lpn]),
            accesses: 1,
            birth: self.touches,
            request: requests,
            origin,
        });
    }
}

impl Policy for ReqBlock {
    fn begin_request(&mut self) {
        self.requests += 1;
    }

    fn touch(&mut self, lpn: Lpn, pages: &Pages) {
        let lbn = pages.lbn(lpn);
        let place = self.blocks.iter().position(|b| b.pages.contains(&lpn));
        match place {
            None => self.put(Inserted, lpn, lbn, None),
            Some(place) if self.blocks[place].pages.len() as u64 <= self.small => {
                let mut used = self.blocks.remove(place);
                used.accesses += 1;
                used.list = Small;
                self.blocks.push(used);
            }
            Some(place) => {
                let origin = self.blocks[place].birth;
                self.blocks[place].pages.remove(&lpn);
                self.put(Divided, lpn, lbn, Some(origin));
            }
        }
        self.touches += 1;
    }

    /// The pages of the coldest tail, and of its origin, in ascending order.
    fn victim(&mut self, _: &Pages, _: Why) -> Vec<Lpn> {
        let tail = |list| self.blocks.iter().find(|b| b.list == list);
        let tails = [Inserted, Divided, Small].into_iter().filter_map(tail);
        let parts = |b: &RequestBlock| {
            let age = self.touches - b.birth;
            (
                u128::from(b.accesses),
                b.pages.len() as u128 * u128::from(age),
            )
        };
        // the first of equals
        let coldest = tails.min_by(|a, b| {
            let ((uses, space), (than, other)) = (parts(a), parts(b));
            (uses * other).cmp(&(than * space))
        });
        let coldest = coldest.expect("pages are held");
        let mut pages = coldest.pages.clone();
        if coldest.list == Divided {
            let from = |b: &&RequestBlock| b.list == Inserted && Some(b.birth) == coldest.origin;
            let origin = self.blocks.iter().find(from);
            pages.extend(origin.iter().flat_map(|b| &b.pages));
        }
        pages.into_iter().collect()
    }

    /// A request block goes with its last page.
    fn leave(&mut self, lpn: Lpn, _: &Pages) {
        for block in &mut self.blocks {
            block.pages.remove(&lpn);
        }
        self.blocks.retain(|b| !b.pages.is_empty());
    }
}
