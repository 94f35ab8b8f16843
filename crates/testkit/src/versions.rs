//! Pages that carry a version number, and what a host expects of them.

use std::collections::HashMap;

use ssdlab_device::HostData;
use ssdlab_flash::Lpn;

/// A host that writes a new version with every page and checks every page that it reads.
#[derive(Default)]
pub struct Versions {
    last: u64,
    /// Version of each page written; absent: nobody has written or discarded it yet.
    expected: HashMap<Lpn, Option<u64>>,
    wrong: Option<String>,
}

impl Versions {
    /// The host discards a page.
    pub fn discard(&mut self, lpn: Lpn) {
        self.expected.insert(lpn, None);
    }

    /// The first page that was read with a wrong version.
    pub fn wrong(&self) -> Option<&str> {
        self.wrong.as_deref()
    }
}

impl HostData<u64> for Versions {
    fn written(&mut self, lpn: Lpn) -> &u64 {
        self.last += 1;
        self.expected.insert(lpn, Some(self.last));
        &self.last
    }

    fn read(&mut self, lpn: Lpn, page: Option<&u64>) {
        let expected = self.expected.get(&lpn).copied();
        // a page that nobody touched is blank or unmapped, as the device was preconditioned
        let right = expected.map_or(page.is_none_or(|&v| v == 0), |version| {
            version == page.copied()
        });
        if !right && self.wrong.is_none() {
            self.wrong = Some(format!(
                "page {lpn:?} holds {page:?}, expected {expected:?}"
            ));
        }
    }
}
