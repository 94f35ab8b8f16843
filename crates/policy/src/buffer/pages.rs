//! Pages in the order of their use, for the page-level policies.

use ssdlab_flash::Lpn;

use super::Params;
use crate::Lists;

/// One list of pages. The links take room by the buffer's size, not by the device's, so that they stay in the cache.
#[derive(Clone, Debug)]
pub(super) struct PageList {
    /// Per LPN, its node; means something while the page is held.
    node_of: Vec<u32>,
    /// Per node, its page.
    lpn_of: Vec<Lpn>,
    free: Vec<u32>,
    lists: Lists,
}

impl PageList {
    pub(super) fn new(params: &Params) -> Self {
        let nodes = params.most_pages();
        Self {
            node_of: vec![0; params.geometry.logical_pages() as usize],
            lpn_of: vec![Lpn::NONE; nodes as usize],
            free: (0..nodes).rev().collect(),
            lists: Lists::new(nodes, 1),
        }
    }

    #[inline]
    pub(super) fn push_front(&mut self, lpn: Lpn) {
        let node = self
            .free
            .pop()
            .expect("the buffer evicts before a page enters");
        self.node_of[lpn.index()] = node;
        self.lpn_of[node as usize] = lpn;
        self.lists.push_front(0, node);
    }

    #[inline]
    pub(super) fn move_to_front(&mut self, lpn: Lpn) {
        self.lists.move_to_front(0, self.node_of[lpn.index()]);
    }

    #[inline]
    pub(super) fn remove(&mut self, lpn: Lpn) {
        let node = self.node_of[lpn.index()];
        self.lists.remove(node);
        self.free.push(node);
    }

    #[inline]
    pub(super) fn back(&self) -> Lpn {
        self.lpn_of[self.lists.back(0).expect("asked only while a page is held") as usize]
    }
}
