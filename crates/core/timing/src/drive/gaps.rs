//! A channel whose moves differ in length: each takes the earliest gap that is long enough.

use std::collections::VecDeque;

/// The times at which a channel is busy.
#[derive(Clone, Debug, Default)]
pub(super) struct Gaps {
    /// Busy intervals [start, end) in order, with gaps between them.
    busy: VecDeque<(u64, u64)>,
    /// Time spent with moves.
    pub moved_ns: u64,
}

impl Gaps {
    /// Moves data for `length` at the earliest time from `ready` on. Returns the end. A move without length happens at once.
    /// Nothing is ready before `now`, which never falls.
    pub fn take(&mut self, ready: u64, length: u64, now: u64) -> u64 {
        if length == 0 {
            return ready;
        }
        self.moved_ns += length;
        self.forget_before(now);
        let mut start = ready;
        // most moves are behind all others
        let mut next = match self.busy.back() {
            Some(&(_, end)) if end > ready => self.busy.partition_point(|&(_, end)| end <= ready),
            _ => self.busy.len(),
        };
        while let Some(&(busy, until)) = self.busy.get(next)
            && busy < start.saturating_add(length)
        {
            start = start.max(until);
            next += 1;
        }
        let end = start.saturating_add(length);
        let joins_before = next > 0 && self.busy[next - 1].1 == start;
        let joins_behind = self.busy.get(next).is_some_and(|&(busy, _)| busy == end);
        match (joins_before, joins_behind) {
            (true, true) => {
                self.busy[next - 1].1 = self.busy[next].1;
                self.busy.remove(next);
            }
            (true, false) => self.busy[next - 1].1 = end,
            (false, true) => self.busy[next].0 = start,
            (false, false) => self.busy.insert(next, (start, end)),
        }
        end
    }

    /// Forgets what is past. Returns the number of intervals that lie ahead.
    pub fn forget_before(&mut self, now: u64) -> usize {
        while let Some(&(_, end)) = self.busy.front()
            && end <= now
        {
            self.busy.pop_front();
        }
        self.busy.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // planted bugs: a gap that is too short is taken; a gap is left; two moves overlap; neighbours are joined wrongly
    #[test]
    fn moves_take_the_earliest_gap_that_is_long_enough() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut channel = Gaps::default();
        let (mut moves, mut now) = (Vec::<(u64, u64)>::new(), 0);
        for _ in 0..3000 {
            now += random.u64(..6);
            let (ready, length) = (now + random.u64(..60), random.u64(..12));
            let free = |start: u64| {
                let apart = |&(busy, until): &(u64, u64)| until <= start || start + length <= busy;
                start >= ready && moves.iter().all(apart)
            };
            let starts = moves.iter().map(|&(_, until)| until).chain([ready]);
            let first = starts.filter(|&start| length == 0 || free(start)).min();
            let first = if length == 0 { Some(ready) } else { first };
            let end = first.expect("a start behind all moves") + length;
            assert_eq!(
                channel.take(ready, length, now),
                end,
                "{length} from {ready}"
            );
            if length > 0 {
                moves.push((end - length, end));
            }
        }
        let moved: u64 = moves.iter().map(|&(start, end)| end - start).sum();
        assert_eq!(channel.moved_ns, moved);
    }
}
