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
const MOST: usize = if cfg!(test) { 8 } else { 256 };

/// Operations in order, without overlap.
#[derive(Clone, Debug, Default)]
pub(super) struct Operations {
    /// None of them is empty.
    chunks: VecDeque<Chunk>,
    count: usize,
    /// The list of a chunk that was.
    spare: VecDeque<Operation>,
}

/// Consecutive operations.
#[derive(Clone, Debug)]
struct Chunk {
    /// At least one.
    operations: VecDeque<Operation>,
    /// All happen so much later than they say.
    later: u64,
    /// No time is known to lie between them.
    packed: bool,
    /// All are known to be senses.
    senses: bool,
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
    fn new(operations: VecDeque<Operation>) -> Self {
        let mut chunk = Self {
            operations,
            later: 0,
            packed: true,
            senses: true,
        };
        chunk.changed();
        chunk
    }

    #[inline]
    fn changed(&mut self) {
        (self.packed, self.senses) = (false, false);
        // a look at each of a few is as fast
        if self.operations.len() >= MOST / 8 {
            self.look();
        }
    }

    #[inline(never)]
    fn look(&mut self) {
        let mut end = self.operations.front().map_or(0, |first| first.start);
        (self.packed, self.senses) = (true, true);
        for operation in &self.operations {
            self.packed &= operation.start == end;
            self.senses &= operation.is_sense();
            end = operation.end;
        }
    }

    /// Its operations with the times at which they happen.
    fn settled(&mut self) -> &mut VecDeque<Operation> {
        if self.later > 0 {
            for operation in &mut self.operations {
                *operation = operation.later(self.later);
            }
            self.later = 0;
        }
        &mut self.operations
    }

    fn first_start(&self) -> u64 {
        self.operations[0].start.saturating_add(self.later)
    }

    fn last(&self) -> Operation {
        self.operations[self.operations.len() - 1].later(self.later)
    }

    /// Moves the operations from this one on that begin before `until`, and those that they meet. Returns the end of the
    /// last one if all moved.
    fn push(&mut self, from: usize, mut until: u64) -> Option<u64> {
        if from == 0 && self.packed {
            let later = until.checked_sub(self.first_start()).filter(|&ns| ns > 0)?;
            self.later = self.later.saturating_add(later);
            return Some(self.last().end);
        }
        let mut moved = from;
        for operation in self.settled().range_mut(from..) {
            if operation.start >= until {
                break;
            }
            *operation = operation.later(until - operation.start);
            until = operation.end;
            moved += 1;
        }
        if moved > from {
            self.changed();
        }
        (moved == self.operations.len()).then_some(until)
    }
}

impl Operations {
    pub fn len(&self) -> usize {
        self.count
    }

    #[inline]
    pub fn first(&self) -> Option<Operation> {
        let chunk = self.chunks.front()?;
        Some(chunk.operations.front()?.later(chunk.later))
    }

    #[inline]
    pub fn last(&self) -> Option<Operation> {
        self.chunks.back().map(Chunk::last)
    }

    pub fn get(&self, place: Place) -> Option<Operation> {
        let Place { chunk, index } = self.found(place);
        let chunk = self.chunks.get(chunk)?;
        Some(chunk.operations.get(index)?.later(chunk.later))
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
        chunk.operations.pop_front();
        self.count -= 1;
        if chunk.operations.is_empty()
            && let Some(chunk) = self.chunks.pop_front()
        {
            self.spare = chunk.operations;
        }
    }

    /// Adds an operation that begins when all others have ended, or later.
    #[inline]
    pub fn append(&mut self, operation: Operation) {
        self.count += 1;
        match self.chunks.back_mut() {
            Some(chunk) if chunk.operations.len() < MOST => {
                chunk.packed = chunk.packed && operation.start == chunk.last().end;
                chunk.senses = chunk.senses && operation.is_sense();
                chunk.operations.push_back(Operation {
                    start: operation.start - chunk.later,
                    end: operation.end - chunk.later,
                    ..operation
                });
            }
            _ => {
                let mut operations = std::mem::take(&mut self.spare);
                operations.push_back(operation);
                self.chunks.push_back(Chunk::new(operations));
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
        for (number, chunk) in self.chunks.iter().enumerate() {
            let meets = start.saturating_add(length);
            let senses = chunk.senses && chunk.packed && chunk.first_start() < meets;
            let last = chunk.last();
            if senses || last.start < start {
                start = start.max(last.end);
                continue;
            }
            for (index, operation) in chunk.operations.iter().enumerate() {
                let operation = operation.later(chunk.later);
                let meets = start.saturating_add(length);
                let waits =
                    operation.start < start || operation.is_sense() && operation.start < meets;
                if !waits {
                    return (
                        Place {
                            chunk: number,
                            index,
                        },
                        start,
                    );
                }
                start = start.max(operation.end);
            }
        }
        let chunk = self.chunks.len();
        (Place { chunk, index: 0 }, start)
    }

    /// Changes the end of an operation, and what of it is recorded.
    pub fn set(&mut self, place: Place, operation: Operation) {
        let Place { chunk, index } = self.found(place);
        let chunk = &mut self.chunks[chunk];
        chunk.settled()[index] = operation;
        chunk.changed();
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
        if self.chunks[chunk].operations.len() == MOST {
            let rest = self.chunks[chunk].settled().split_off(MOST / 2);
            self.chunks.insert(chunk + 1, Chunk::new(rest));
            if index > MOST / 2 {
                self.chunks[chunk].changed();
                (chunk, index) = (chunk + 1, index - MOST / 2);
            }
        }
        let chunk = &mut self.chunks[chunk];
        chunk.settled().insert(index, operation);
        chunk.changed();
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
