//! Random numbers that are the same on every machine and in every version.

/// The generator SplitMix64 (Steele, Lea and Flood 2014). A seed gives the same numbers on every machine and in every
/// version.
#[derive(Clone, Debug)]
pub struct SplitMix64(pub u64);

impl SplitMix64 {
    /// The next number.
    #[expect(clippy::should_implement_trait, reason = "it never ends")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    /// A random number below n. For n up to 2^32, the probabilities differ by less than 2^-32.
    #[inline]
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::SplitMix64;

    /// Planted bug that this catches: a constant or a shift of the generator mistyped.
    #[test]
    fn the_numbers_are_those_of_the_authors_program() {
        let mut random = SplitMix64(1_234_567);
        let expected = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
        ];
        assert_eq!(expected.map(|_| random.next()), expected);
    }
}
