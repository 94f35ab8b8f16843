//! Marks at places in a row, and how many there are before a place.

/// Marks at places in a row: a bit for each place, and a Fenwick tree over the words of bits, so that counting and
/// clearing take time logarithmic in the number of places. 12 bytes for 64 places.
#[derive(Clone, Debug)]
pub(crate) struct Marks {
    words: Vec<u64>,
    /// At index i, the marks in the words from i - lowest bit of i to i - 1.
    sums: Vec<u32>,
}

impl Marks {
    /// So many places at least, below 2^32, each with a mark.
    pub fn all(places: usize) -> Self {
        let words = places.div_ceil(64);
        let lowest = |i: usize| i & i.wrapping_neg();
        Self {
            words: vec![u64::MAX; words],
            sums: (0..=words).map(|i| 64 * lowest(i) as u32).collect(),
        }
    }

    /// The number of places.
    pub fn places(&self) -> usize {
        64 * self.words.len()
    }

    /// Removes the mark of a place that has one.
    pub fn clear(&mut self, place: u32) {
        let word = place as usize / 64;
        self.words[word] &= !(1 << (place % 64));
        let mut i = word + 1;
        while let Some(sum) = self.sums.get_mut(i) {
            *sum -= 1;
            i += i & i.wrapping_neg();
        }
    }

    /// The marks before a place, which may be the end.
    pub fn before(&self, place: u32) -> u32 {
        let word = place as usize / 64;
        let bits = self.words.get(word).copied().unwrap_or(0);
        let mut sum = (bits & ((1 << (place % 64)) - 1)).count_ones();
        let mut i = word;
        while i > 0 {
            sum += self.sums[i];
            i &= i - 1;
        }
        sum
    }
}
