//! Host memory for map pages (HMB of NVMe, HPB of UFS). It is never the only copy.

use ssdlab_policy::{BitSet, Lists};

/// The map pages that host memory holds: the most recently used ones.
pub(super) struct HostMemory {
    order: Lists,
    held: BitSet,
    /// The map pages that still fit.
    room: u64,
    exists: bool,
}

impl HostMemory {
    /// Empty memory for so many of these map pages.
    pub fn new(map_pages: u32, room: u64) -> Self {
        let listed = if room > 0 { map_pages } else { 0 };
        Self {
            order: Lists::new(listed, 1),
            held: BitSet::new(listed, false),
            room,
            exists: room > 0,
        }
    }

    /// A map page is read or programmed. Returns whether it was held before; it is now.
    #[inline]
    pub fn used(&mut self, page: u32) -> bool {
        if !self.exists {
            return false;
        }
        let held = self.held.contains(page);
        if held {
            self.order.move_to_front(0, page);
            return true;
        }
        if self.room == 0 {
            let last = self.order.back(0).expect("memory for a page holds one");
            self.order.remove(last);
            self.held.remove(last);
        } else {
            self.room -= 1;
        }
        self.order.push_front(0, page);
        self.held.insert(page);
        false
    }
}
