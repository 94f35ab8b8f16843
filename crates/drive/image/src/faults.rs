//! The failures of real flash, drawn at random.

use fastrand::Rng;

/// How often the flash fails. Zeros: never.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Faults {
    /// The share of programs that fail, 0 to 1.
    pub programs: f64,
    /// The share of erases that fail, 0 to 1.
    pub erases: f64,
    /// The erases of a block after which the next one fails; 0: it never wears out.
    pub erase_limit: u32,
    /// Wrong bits in a KiB of a page, on average, as long as its block was not erased.
    pub bit_errors: f64,
    /// Wrong bits that each erase of the block adds, on average.
    pub bit_errors_per_erase: f64,
    /// Wrong bits in a KiB that the error-correcting code can correct.
    pub ecc_bits: u32,
    /// The seed of the random numbers.
    pub seed: u64,
}

/// What a read finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Correction {
    /// The data.
    Easy,
    /// The data, with so many wrong bits that they should move.
    Hard,
    /// More wrong bits than can be corrected.
    Failed,
}

/// Draws failures.
#[derive(Debug)]
pub struct Dice {
    faults: Faults,
    random: Rng,
}

impl Dice {
    /// The same `opening` of the same image draws the same.
    pub fn new(faults: Faults, opening: u64) -> Self {
        let random = Rng::with_seed(faults.seed ^ opening.rotate_left(32));
        Self { faults, random }
    }

    #[inline]
    pub fn program_fails(&mut self) -> bool {
        self.faults.programs > 0.0 && self.random.f64() < self.faults.programs
    }

    /// `erases` of the block before this one.
    #[inline]
    pub fn erase_fails(&mut self, erases: u32) -> bool {
        let Faults {
            erases: share,
            erase_limit,
            ..
        } = self.faults;
        erase_limit > 0 && erases >= erase_limit || share > 0.0 && self.random.f64() < share
    }

    /// The wrong bits of a page stay as long as its data: `page` is the number of the page in the image, and the block
    /// was erased `erases` times.
    pub fn correction(&self, page: u64, erases: u32, page_size: usize) -> Correction {
        let Faults {
            bit_errors,
            bit_errors_per_erase,
            ecc_bits,
            seed,
            ..
        } = self.faults;
        let mean = bit_errors + bit_errors_per_erase * f64::from(erases);
        if mean <= 0.0 {
            return Correction::Easy;
        }
        let number = seed ^ page.rotate_left(20) ^ u64::from(erases).rotate_left(52);
        let drawn = Rng::with_seed(number).f64();
        let pieces = page_size.div_ceil(1024) as f64;
        let worst_is_over = |bits: u32| 1.0 - at_most(bits, mean).powf(pieces);
        if drawn < worst_is_over(ecc_bits) {
            Correction::Failed
        } else if drawn < worst_is_over(ecc_bits - ecc_bits / 4) {
            Correction::Hard
        } else {
            Correction::Easy
        }
    }
}

/// The probability of at most this many events when there are `mean` on average (Poisson).
fn at_most(events: u32, mean: f64) -> f64 {
    let mut term = (-mean).exp();
    let mut sum = term;
    for event in 1..=events {
        term *= mean / f64::from(event);
        sum += term;
    }
    sum.min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Planted bugs that this catches: a page of several KiB counts as one; hard and failed swapped.
    #[test]
    fn the_shares_of_bit_errors() {
        let faults = Faults {
            bit_errors: 4.0,
            ecc_bits: 8,
            ..Faults::default()
        };
        let dice = Dice::new(faults, 0);
        let share = |size: usize, what: Correction| {
            let found = |page: &u64| dice.correction(*page, 3, size) == what;
            (0..20_000).filter(found).count() as f64 / 20_000.0
        };
        // Poisson, mean 4: more than 8 in 2.136 %, more than 6 in 11.067 %
        let close = |found: f64, expected: f64| (found - expected).abs() < 0.01;
        assert!(close(share(1024, Correction::Failed), 0.02136));
        assert!(close(share(1024, Correction::Hard), 0.11067 - 0.02136));
        let failed = 1.0 - (1.0f64 - 0.02136).powi(16);
        assert!(close(share(16384, Correction::Failed), failed));
    }

    /// Planted bug: wear does not add wrong bits.
    #[test]
    fn wear_adds_bit_errors() {
        let faults = Faults {
            bit_errors_per_erase: 0.01,
            ecc_bits: 8,
            ..Faults::default()
        };
        let dice = Dice::new(faults, 0);
        let failed = |erases| {
            let fails = |page: &u64| dice.correction(*page, erases, 1024) == Correction::Failed;
            (0..2000).filter(fails).count()
        };
        assert_eq!(failed(0), 0);
        assert!(failed(400) > 10 && failed(2000) > 1900);
    }
}
