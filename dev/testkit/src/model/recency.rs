//! An order by use.

/// Numbers of pages or blocks, the least recently used first.
#[derive(Default)]
pub(super) struct Recency(Vec<u64>);

impl FromIterator<u64> for Recency {
    fn from_iter<I: IntoIterator<Item = u64>>(order: I) -> Self {
        Self(order.into_iter().collect())
    }
}

impl Recency {
    /// Notes a use: a new number enters, any other one moves to the end.
    pub(super) fn touch(&mut self, number: u64) {
        self.remove(number);
        self.0.push(number);
    }

    /// Makes a number the least recently used one.
    pub(super) fn put_first(&mut self, number: u64) {
        self.remove(number);
        self.0.insert(0, number);
    }

    pub(super) fn remove(&mut self, number: u64) {
        self.0.retain(|&other| other != number);
    }

    pub(super) fn contains(&self, number: u64) -> bool {
        self.0.contains(&number)
    }

    pub(super) fn first(&self) -> Option<u64> {
        self.0.first().copied()
    }

    /// All numbers, the least recently used first.
    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = u64> {
        self.0.iter().copied()
    }

    /// The first number with the greatest weight.
    pub(super) fn heaviest(&self, weight: impl Fn(u64) -> usize) -> u64 {
        // of equals, the last one is the maximum
        let order = self.iter().rev();
        order
            .max_by_key(|&number| weight(number))
            .expect("not empty")
    }
}
