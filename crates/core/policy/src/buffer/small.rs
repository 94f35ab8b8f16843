//! The small form of a policy: four methods, behind one pointer.

use alloc::boxed::Box;

use ssdlab_flash::Page;

use super::{Access, BufferPolicy, Victim};

/// What a page-level policy must do. [`Small`] makes a policy of it, with a call through a pointer for each page.
pub trait SmallPolicy: Send {
    /// See [`BufferPolicy::enter`].
    fn enter(&mut self, page: Page, access: Access);

    /// See [`BufferPolicy::hit`].
    fn hit(&mut self, page: Page, access: Access);

    /// See [`BufferPolicy::left`].
    fn left(&mut self, page: Page);

    /// See [`BufferPolicy::victim`].
    fn victim(&mut self) -> Victim;
}

/// A policy in its small form, of any type.
pub struct Small(pub Box<dyn SmallPolicy>);

impl BufferPolicy for Small {
    fn hit(&mut self, page: Page, access: Access) {
        self.0.hit(page, access);
    }

    fn enter(&mut self, page: Page, access: Access) {
        self.0.enter(page, access);
    }

    fn left(&mut self, page: Page) {
        self.0.left(page);
    }

    fn victim(&mut self) -> Victim {
        self.0.victim()
    }
}
