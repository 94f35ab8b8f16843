//! How pages spread over chips that have an FTL each.

use crate::Lpn;

/// Consecutive pages in stripes of a page, or of a block, on one chip after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stripes {
    /// The number of chips, at least 1.
    pub chips: u32,
    /// The pages of a stripe, at least 1.
    pub pages: u32,
}

impl Stripes {
    /// The chip of a page of the host, and the number of the page on it.
    #[inline]
    pub fn on_chip(self, Lpn(lpn): Lpn) -> (u32, Lpn) {
        if self.pages == 1 {
            return (lpn % self.chips, Lpn(lpn / self.chips));
        }
        let (stripe, offset) = (lpn / self.pages, lpn % self.pages);
        let local = stripe / self.chips * self.pages + offset;
        (stripe % self.chips, Lpn(local))
    }

    /// The host's number of a page of a chip.
    #[inline]
    pub fn of_host(self, chip: u32, Lpn(local): Lpn) -> Lpn {
        if self.pages == 1 {
            return Lpn(local * self.chips + chip);
        }
        let (stripe, offset) = (local / self.pages, local % self.pages);
        Lpn((stripe * self.chips + chip) * self.pages + offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // planted bugs: a stripe that is left out; an offset that is lost
    #[test]
    fn each_page_of_the_host_is_one_of_a_chip() {
        let blocks = Stripes { chips: 3, pages: 4 };
        // the second block of the second chip
        assert_eq!(blocks.on_chip(Lpn(18)), (1, Lpn(6)));
        for stripes in [blocks, Stripes { chips: 3, pages: 1 }] {
            for lpn in (0..40).map(Lpn) {
                let (chip, local) = stripes.on_chip(lpn);
                assert_eq!(stripes.of_host(chip, local), lpn);
            }
        }
    }
}
