//! Pages that carry a version number, and the versions that a host expects in them.

use std::collections::HashMap;

use ssdlab_device::{HostData, Part};
use ssdlab_flash::Lpn;

/// A host that writes a new version with every page and checks every page that it reads.
#[derive(Default)]
pub struct Versions {
    last: u64,
    /// Whether the device was preconditioned, if that is known.
    full: Option<bool>,
    /// Version of each page written; absent: the host has neither written nor discarded it yet.
    expected: HashMap<Lpn, Option<u64>>,
    touched: Vec<Lpn>,
    wrong: Option<String>,
}

impl Versions {
    /// The host of a new device; `full`: every page was written once.
    pub fn new(full: bool) -> Self {
        Self {
            full: Some(full),
            ..Self::default()
        }
    }

    /// The host discards a page.
    pub fn discard(&mut self, lpn: Lpn) {
        self.expected.insert(lpn, None);
    }

    /// The first page whose read returned a wrong version.
    pub fn wrong(&self) -> Option<&str> {
        self.wrong.as_deref()
    }

    /// The pages that the device requested or returned since the last call, in that order.
    pub fn take_touched(&mut self) -> Vec<Lpn> {
        std::mem::take(&mut self.touched)
    }

    /// Whether a page may have this version, or none. A page without data may read as blank, because a buffer that
    /// holds it, or a padded block, need not know that it is unmapped.
    pub fn allows(&self, lpn: Lpn, found: Option<u64>) -> bool {
        let blank = found.is_none_or(|version| version == 0);
        match (self.expected.get(&lpn), self.full) {
            (Some(Some(version)), _) => found == Some(*version),
            (None, Some(true)) => found == Some(0),
            (Some(None), _) | (None, _) => blank,
        }
    }
}

impl HostData<u64> for Versions {
    fn write(&mut self, &Part { lpn, .. }: &Part, page: &mut u64) {
        self.last += 1;
        self.expected.insert(lpn, Some(self.last));
        self.touched.push(lpn);
        *page = self.last;
    }

    fn read(&mut self, &Part { lpn, .. }: &Part, page: Option<&u64>) {
        self.touched.push(lpn);
        if !self.allows(lpn, page.copied()) && self.wrong.is_none() {
            let expected = self.expected.get(&lpn);
            self.wrong = Some(format!(
                "page {lpn:?} holds {page:?}, expected {expected:?}"
            ));
        }
    }
}
