//! What a chip does in order. Behind a backlog, an operation that goes before others moves all of them: whole chunks of
//! them at once.

use std::collections::VecDeque;

use crate::recorder::Activity;

/// A program, an erase, or a sense that is not the host's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Operation {
    pub activity: Activity,
    pub start: u64,
    pub end: u64,
    /// What lies before it is recorded.
    pub recorded: u64,
}

impl Operation {
    pub fn is_sense(&self) -> bool {
        matches!(self.activity, Activity::CopyRead | Activity::Read)
    }

    fn later(self, ns: u64) -> Self {
        Self {
            start: self.start.saturating_add(ns),
            end: self.end.saturating_add(ns),
            ..self
        }
    }
}

/// The most operations of a chunk.
const MOST: usize = if cfg!(test) { 8 } else { 64 };

/// Operations in order, without overlap.
#[derive(Clone, Debug, Default)]
pub(super) struct Operations {
    /// None of them is empty.
    chunks: VecDeque<Chunk>,
    count: usize,
    /// The list of a chunk that was.
    spare: List,
}

/// Consecutive operations.
#[derive(Clone, Debug, Default)]
struct Chunk {
    /// At least one.
    operations: List,
    /// All happen so much later than they say.
    later: u64,
    /// The operations that do not begin when the one before them ends.
    gaps: usize,
    /// The programs and erases.
    works: usize,
}

/// A list that is a slice: its first operations leave, and room stays where they were.
#[derive(Clone, Debug, Default)]
struct List {
    all: Vec<Operation>,
    /// Those before this place have left.
    first: usize,
}

impl std::ops::Deref for List {
    type Target = [Operation];

    #[inline]
    fn deref(&self) -> &[Operation] {
        &self.all[self.first..]
    }
}

impl std::ops::DerefMut for List {
    #[inline]
    fn deref_mut(&mut self) -> &mut [Operation] {
        &mut self.all[self.first..]
    }
}

impl List {
    #[inline]
    fn push(&mut self, operation: Operation) {
        // so each operation moves once at most, on average
        if self.first > self.all.len() / 2 {
            self.all.drain(..std::mem::take(&mut self.first));
        }
        self.all.push(operation);
    }

    /// Adds an operation; fewer of the others move: those before it or those behind it.
    #[inline]
    fn insert(&mut self, index: usize, operation: Operation) {
        if self.first > 0 && index < self.len() / 2 {
            let place = self.first + index;
            self.all.copy_within(self.first..place, self.first - 1);
            self.first -= 1;
            self.all[place - 1] = operation;
        } else {
            self.all.insert(self.first + index, operation);
        }
    }

    #[inline]
    fn pop_first(&mut self) {
        self.first += 1;
        if self.first == self.all.len() {
            self.clear();
        }
    }

    fn clear(&mut self) {
        self.all.clear();
        self.first = 0;
    }
}

/// The place of an operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    chunk: usize,
    index: usize,
}

impl Place {
    pub fn next(self) -> Self {
        let index = self.index + 1;
        Self { index, ..self }
    }
}

impl Chunk {
    /// A chunk of operations that happen so much later than they say.
    fn new(operations: List, later: u64) -> Self {
        let works = operations.iter().filter(|one| !one.is_sense()).count();
        let gaps = (1..operations.len())
            .filter(|&index| has_gap(&operations, index))
            .count();
        Self {
            operations,
            later,
            gaps,
            works,
        }
    }

    /// Its operations with the times at which they happen.
    fn settled(&mut self) -> &mut [Operation] {
        if self.later > 0 {
            for operation in &mut *self.operations {
                *operation = operation.later(self.later);
            }
            self.later = 0;
        }
        &mut self.operations
    }

    #[inline]
    fn get(&self, index: usize) -> Option<Operation> {
        Some(self.operations.get(index)?.later(self.later))
    }

    #[inline]
    fn first_start(&self) -> u64 {
        self.operations[0].start.saturating_add(self.later)
    }

    #[inline]
    fn last(&self) -> Operation {
        self.operations[self.operations.len() - 1].later(self.later)
    }

    /// Moves the operations from this one on that begin before `until`, and those that they meet. Returns the end of the
    /// last one if all moved.
    fn push(&mut self, from: usize, until: u64) -> Option<u64> {
        if from == 0 && self.gaps == 0 {
            let later = until.checked_sub(self.first_start()).filter(|&ns| ns > 0)?;
            self.later = self.later.saturating_add(later);
            return Some(self.last().end);
        }
        // none begins before `later`
        let mut until = until.checked_sub(self.later)?;
        let operations = &mut *self.operations;
        let before = from.checked_sub(1).map(|index| operations[index].end);
        let (mut moved, mut ended) = (from, before);
        for operation in &mut operations[from..] {
            if operation.start >= until {
                break;
            }
            self.gaps -= usize::from(ended.is_some_and(|end| operation.start != end));
            ended = Some(operation.end);
            *operation = operation.later(until - operation.start);
            until = operation.end;
            moved += 1;
        }
        if moved > from {
            let start = operations[from].start;
            self.gaps += usize::from(before.is_some_and(|end| start != end));
            if let Some(next) = operations.get(moved) {
                self.gaps -= usize::from(ended != Some(next.start));
                self.gaps += usize::from(until != next.start);
            }
        }
        (moved == operations.len()).then(|| until.saturating_add(self.later))
    }

    /// Adds an operation that overlaps no other.
    fn insert(&mut self, index: usize, operation: Operation) {
        if operation.start < self.later {
            self.settled();
        }
        let start = operation.start - self.later;
        let end = operation.end - self.later;
        let operations = &mut self.operations;
        self.works += usize::from(!operation.is_sense());
        if index > 0 {
            if index < operations.len() {
                self.gaps -= usize::from(has_gap(operations, index));
            }
            self.gaps += usize::from(operations[index - 1].end != start);
        }
        if let Some(next) = operations.get(index) {
            self.gaps += usize::from(next.start != end);
        }
        operations.insert(
            index,
            Operation {
                start,
                end,
                ..operation
            },
        );
    }

    /// Takes the operations from this one on.
    #[cold]
    fn split_off(&mut self, index: usize) -> Self {
        let all = self.operations[index..].to_vec();
        self.operations.all.truncate(self.operations.first + index);
        let rest = Self::new(List { all, first: 0 }, self.later);
        *self = Self::new(std::mem::take(&mut self.operations), self.later);
        rest
    }
}

/// Whether time lies before this operation, which is not the first one.
#[inline]
fn has_gap(operations: &[Operation], index: usize) -> bool {
    operations[index].start != operations[index - 1].end
}

impl Operations {
    pub fn len(&self) -> usize {
        self.count
    }

    #[inline]
    pub fn first(&self) -> Option<Operation> {
        self.chunks.front()?.get(0)
    }

    #[inline]
    pub fn last(&self) -> Option<Operation> {
        self.chunks.back().map(Chunk::last)
    }

    pub fn get(&self, place: Place) -> Option<Operation> {
        let Place { chunk, index } = self.found(place);
        self.chunks.get(chunk)?.get(index)
    }

    /// Where one chunk ends the next one begins.
    fn found(&self, place: Place) -> Place {
        match self.chunks.get(place.chunk) {
            Some(chunk) if place.index == chunk.operations.len() => Place {
                chunk: place.chunk + 1,
                index: 0,
            },
            _ => place,
        }
    }

    #[inline]
    pub fn pop_first(&mut self) {
        let Some(chunk) = self.chunks.front_mut() else {
            return;
        };
        self.count -= 1;
        if let [first, next, ..] = *chunk.operations {
            chunk.works -= usize::from(!first.is_sense());
            chunk.gaps -= usize::from(next.start != first.end);
            chunk.operations.pop_first();
        } else if let Some(mut chunk) = self.chunks.pop_front() {
            chunk.operations.clear();
            self.spare = chunk.operations;
        }
    }

    /// Adds an operation that begins when all others have ended, or later.
    #[inline]
    pub fn append(&mut self, operation: Operation) {
        self.count += 1;
        match self.chunks.back_mut() {
            Some(chunk) if chunk.operations.len() < MOST => {
                let (start, end) = (operation.start - chunk.later, operation.end - chunk.later);
                let last = chunk.operations[chunk.operations.len() - 1].end;
                chunk.gaps += usize::from(start != last);
                chunk.works += usize::from(!operation.is_sense());
                chunk.operations.push(Operation {
                    start,
                    end,
                    ..operation
                });
            }
            _ => {
                let mut operations = std::mem::take(&mut self.spare);
                operations.push(operation);
                self.chunks.push_back(Chunk::new(operations, 0));
            }
        }
    }

    pub fn first_ending_after(&self, time: u64) -> Place {
        let mut chunks = self.chunks.iter();
        let chunk = chunks.position(|chunk| chunk.last().end > time);
        let chunk = chunk.unwrap_or(self.chunks.len());
        let index = self.chunks.get(chunk).map_or(0, |chunk| {
            let later = chunk.later;
            let mut operations = chunk.operations.iter();
            let index = operations.position(|operation| operation.later(later).end > time);
            index.unwrap_or(0)
        });
        Place { chunk, index }
    }

    /// The place and the start of a sense that waits for what has begun at `start`, and for senses that it meets.
    pub fn place_of_sense(&self, mut start: u64, length: u64) -> (Place, u64) {
        let (mut chunk, mut index) = (self.chunks.len(), 0);
        // what is asked for later mostly happens later
        while let Some(before) = chunk.checked_sub(1) {
            chunk = before;
            let Chunk {
                operations, later, ..
            } = &self.chunks[chunk];
            let since = start.saturating_sub(*later);
            if operations[0].start < since {
                index = operations.partition_point(|operation| operation.start < since);
                start = start.max(operations[index - 1].end.saturating_add(*later));
                break;
            }
        }
        while let Some(here) = self.chunks.get(chunk) {
            let meets = start.saturating_add(length);
            if index == 0 && here.works == 0 && here.gaps == 0 && here.first_start() < meets {
                start = start.max(here.last().end);
                chunk += 1;
                continue;
            }
            match here.get(index) {
                Some(sense) if sense.is_sense() && sense.start < meets => {
                    start = start.max(sense.end);
                    index += 1;
                }
                Some(_) => break,
                None => (chunk, index) = (chunk + 1, 0),
            }
        }
        (Place { chunk, index }, start)
    }

    /// Changes the end of an operation, and what of it is recorded.
    pub fn set(&mut self, place: Place, operation: Operation) {
        let Place { chunk, index } = self.found(place);
        let chunk = &mut self.chunks[chunk];
        let end = operation.end - chunk.later;
        let operations = &mut *chunk.operations;
        if let Some(next) = operations.get(index + 1).map(|next| next.start) {
            chunk.gaps -= usize::from(next != operations[index].end);
            chunk.gaps += usize::from(next != end);
        }
        (operations[index].end, operations[index].recorded) = (end, operation.recorded);
    }

    /// Adds an operation before the one at this place, and moves those that it meets.
    pub fn insert(&mut self, place: Place, operation: Operation) {
        let Place {
            mut chunk,
            mut index,
        } = place;
        if chunk == self.chunks.len() {
            return self.append(operation);
        }
        self.push(place, operation.end);
        self.count += 1;
        if index == 0 && chunk > 0 && self.chunks[chunk - 1].operations.len() < MOST {
            chunk -= 1;
            index = self.chunks[chunk].operations.len();
        } else if self.chunks[chunk].operations.len() == MOST {
            let rest = self.chunks[chunk].split_off(MOST / 2);
            self.chunks.insert(chunk + 1, rest);
            if index > MOST / 2 {
                (chunk, index) = (chunk + 1, index - MOST / 2);
            }
        }
        self.chunks[chunk].insert(index, operation);
    }

    /// Moves the operations from this one on that begin before `until`, and those that they meet.
    pub fn push(&mut self, from: Place, mut until: u64) {
        let Place { chunk, mut index } = self.found(from);
        for chunk in self.chunks.range_mut(chunk.min(self.chunks.len())..) {
            match chunk.push(index, until) {
                Some(end) => until = end,
                None => break,
            }
            index = 0;
        }
    }

    /// All of them, to be changed but not moved.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Operation> {
        self.chunks.iter_mut().flat_map(Chunk::settled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the chunks do, by a look at each operation.
    #[derive(Default)]
    struct Plain(Vec<Operation>);

    impl Plain {
        fn place_of_sense(&self, mut start: u64, length: u64) -> (usize, u64) {
            for (place, operation) in self.0.iter().enumerate() {
                let meets = operation.is_sense() && operation.start < start + length;
                if operation.start >= start && !meets {
                    return (place, start);
                }
                start = start.max(operation.end);
            }
            (self.0.len(), start)
        }

        fn push(&mut self, from: usize, mut until: u64) {
            for operation in &mut self.0[from..] {
                let later = until.saturating_sub(operation.start);
                *operation = operation.later(later);
                until = operation.end.max(until);
            }
        }
    }

    // planted bugs: a chunk with gaps that moves as a whole; a chunk that does not move; a sense before the senses that it
    // meets; operations that change their order where a chunk is full
    #[test]
    fn chunks_do_what_each_operation_does() {
        let mut random = fastrand::Rng::with_seed(1);
        for gaps in [1, 4, 60] {
            let (mut chunks, mut plain) = (Operations::default(), Plain::default());
            for turn in 0..4000 {
                let length = random.u64(1..20);
                let end = plain.0.last().map_or(0, |last| last.end);
                let first = plain.0.first().map_or(0, |first| first.start);
                let at = first + random.u64(..=end - first);
                match random.u32(..8) {
                    0..=2 => {
                        let start = end + random.u64(..gaps);
                        let activity = [Activity::Program, Activity::Read][random.usize(..2)];
                        let operation = Operation {
                            activity,
                            start,
                            end: start + length,
                            recorded: 0,
                        };
                        chunks.append(operation);
                        plain.0.push(operation);
                    }
                    3 | 4 => {
                        let (place, start) = chunks.place_of_sense(at, length);
                        let (index, same) = plain.place_of_sense(at, length);
                        assert_eq!(start, same, "turn {turn}");
                        let end = start + length;
                        let sense = Operation {
                            activity: Activity::CopyRead,
                            start,
                            end,
                            recorded: 0,
                        };
                        chunks.insert(place, sense);
                        plain.0.insert(index, sense);
                        plain.push(index + 1, end);
                    }
                    5 => {
                        let place = chunks.first_ending_after(at);
                        let index = plain.0.iter().position(|operation| operation.end > at);
                        let index = index.unwrap_or(plain.0.len());
                        assert_eq!(
                            chunks.get(place),
                            plain.0.get(index).copied(),
                            "turn {turn}"
                        );
                        if let Some(mut longer) = chunks.get(place) {
                            longer.end += length;
                            chunks.set(place, longer);
                            chunks.push(place.next(), longer.end);
                            plain.0[index] = longer;
                            plain.push(index + 1, longer.end);
                        }
                    }
                    _ if plain.0.len() > random.usize(..60) => {
                        assert_eq!(chunks.first(), Some(plain.0.remove(0)), "turn {turn}");
                        chunks.pop_first();
                    }
                    _ => {}
                }
                assert_eq!(chunks.len(), plain.0.len());
                assert_eq!(chunks.last(), plain.0.last().copied(), "turn {turn}");
            }
            assert!(chunks.iter_mut().eq(plain.0.iter_mut()), "gaps {gaps}");
        }
    }
}
