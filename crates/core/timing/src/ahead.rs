//! Times by page, kept while they lie ahead.

/// Until when something matters.
pub(crate) trait Until: Copy + Default {
    /// Whatever happens from here on does not depend on it.
    fn until(&self) -> u64;
}

impl Until for u64 {
    fn until(&self) -> u64 {
        *self
    }
}

/// Times of pages in a hash table. Nothing happens before now, the issue of the current request, so times up to now are
/// as good as none. They are dropped when the table is full; the table only grows with the pages whose times lie ahead.
#[derive(Clone, Debug)]
pub(crate) struct Ahead<T> {
    /// A power of two, at least [`LEAST`]; at most half are taken. A page is at the first place from its hash on that
    /// was vacant when it came.
    places: Vec<(u64, T)>,
    taken: usize,
    /// All times were past at this one.
    latest: u64,
    /// The entries that stay, used only during a sweep.
    staying: Vec<(u64, T)>,
}

/// No page.
const VACANT: u64 = u64::MAX;

/// The least number of places.
const LEAST: usize = 512;

impl<T: Until> Ahead<T> {
    pub fn new() -> Self {
        Self {
            places: vec![(VACANT, T::default()); LEAST],
            taken: 0,
            latest: 0,
            staying: Vec::new(),
        }
    }

    /// An upper bound of the memory of a table in which the times of at most `pages` pages lie ahead.
    pub fn bytes(pages: u64) -> u64 {
        let places = (8 * pages).max(LEAST as u64);
        // while it grows, the entries are also in `staying`, which grows by doubling
        (places + 4 * pages + 64) * size_of::<(u64, T)>() as u64
    }

    /// The pages whose times lay ahead when the table was last swept.
    pub fn ahead(&self) -> usize {
        self.staying.len()
    }

    /// Whether the times of all pages are past.
    #[inline]
    pub fn is_past(&self, now: u64) -> bool {
        self.latest <= now
    }

    /// The place of a page, or the vacant place for it.
    #[inline]
    fn place_of(&self, page: u64) -> usize {
        let mask = self.places.len() - 1;
        // the upper bits of a product with 2^64 / golden ratio differ for pages in sequence
        let hash = page.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let mut place = hash as usize & mask;
        while self.places[place].0 != page && self.places[place].0 != VACANT {
            place = (place + 1) & mask;
        }
        place
    }

    /// The times of a page; the default where all are past.
    #[inline]
    pub fn get(&self, page: u64, now: u64) -> T {
        if self.is_past(now) {
            return T::default();
        }
        let (found, times) = self.places[self.place_of(page)];
        if found == page { times } else { T::default() }
    }

    /// Like [`Ahead::get`]; then all times of the page are past.
    #[inline]
    pub fn take(&mut self, page: u64, now: u64) -> T {
        if self.is_past(now) {
            return T::default();
        }
        let place = self.place_of(page);
        let (found, times) = &mut self.places[place];
        if *found == page {
            std::mem::take(times)
        } else {
            T::default()
        }
    }

    /// Sets the times of a page.
    #[inline]
    pub fn set(&mut self, page: u64, times: T, now: u64) {
        self.latest = self.latest.max(times.until());
        let place = self.place_of(page);
        if self.places[place].0 == VACANT {
            if times.until() <= now {
                return;
            }
            self.taken += 1;
        }
        self.places[place] = (page, times);
        if 2 * self.taken > self.places.len() {
            self.sweep(now);
        }
    }

    /// Drops what is past.
    #[inline(never)]
    fn sweep(&mut self, now: u64) {
        let ahead = |&&(page, times): &&(u64, T)| page != VACANT && times.until() > now;
        self.staying.clear();
        self.staying.extend(self.places.iter().filter(ahead));
        self.taken = self.staying.len();
        self.places.fill((VACANT, T::default()));
        if 4 * self.taken > self.places.len() {
            let places = 2 * self.places.len();
            self.places = Vec::new(); // no longer needed when the next one is allocated
            self.places = vec![(VACANT, T::default()); places];
        }
        for at in 0..self.taken {
            let place = self.place_of(self.staying[at].0);
            self.places[place] = self.staying[at];
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    // planted bugs: a page that is lost by a sweep, or hidden behind one that was dropped; a table that grows with all
    // pages it ever held
    #[test]
    fn only_what_lies_ahead_is_kept() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut table = Ahead::new();
        let mut all = BTreeMap::new();
        let (mut now, mut most) = (0, 0);
        for step in 0..100_000 {
            // half of the time few pages lie ahead, then many
            let far = if step / 10_000 % 2 == 0 { 50 } else { 400 };
            now += random.u64(..3);
            let (page, until) = (random.u64(..5000), now + random.u64(..far));
            table.set(page, until, now);
            all.insert(page, until);
            let page = random.u64(..5000);
            let expected = all.get(&page).copied().unwrap_or(0);
            assert_eq!(
                table.get(page, now).max(now),
                expected.max(now),
                "page {page}"
            );
            all.retain(|_, until| *until > now);
            most = most.max(all.len());
        }
        assert!(most > 200, "{most} pages");
        let bytes = Ahead::<u64>::bytes(most as u64) as usize;
        assert!(16 * (table.places.len() + table.staying.capacity()) <= bytes);
    }
}
