//! `zone` (section 7): the first page from the head of the log on, around the device.

use super::super::number::Lpn;
use super::pages::Pages;
use super::policy::{Policy, Why};

#[derive(Default)]
pub(super) struct Zone {
    /// All pages that the host wrote, the last one first.
    written: Vec<Lpn>,
}

impl Zone {
    /// The page behind the last page that was written directly after the page before it; 0 before that.
    fn head(&self) -> Lpn {
        let mut pairs = self.written.windows(2);
        let last = pairs.find(|pair| pair[0] == pair[1] + 1);
        last.map_or(0, |pair| pair[0] + 1)
    }
}

impl Policy for Zone {
    fn touch(&mut self, _: Lpn, _: &Pages) {}

    fn write(&mut self, lpn: Lpn, _: &Pages) {
        self.written.insert(0, lpn);
    }

    fn victim(&mut self, pages: &Pages, _: Why) -> Vec<Lpn> {
        let head = self.head();
        let ahead = pages.all().find(|&lpn| lpn >= head);
        ahead.or(pages.all().next()).into_iter().collect()
    }

    fn leave(&mut self, _: Lpn, _: &Pages) {}
}
