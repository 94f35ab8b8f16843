//! What is written, and what reads must find.

use std::collections::BTreeMap;

/// The bytes with a stamp of their own.
pub const UNIT: u64 = 512;

/// Bytes of a stamp: the number of the unit and the number of the write.
const STAMP: usize = 12;

/// Incompressible data for units, each with a stamp that tells what wrote it.
pub struct Data {
    noise: Vec<u8>,
}

/// The places in the noise at which a unit may begin.
const PLACES: u64 = 1 << 16;

impl Data {
    pub fn new() -> Self {
        // splitmix64
        let mut state = 0_u64;
        let mut word = || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = state;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            (z ^ (z >> 31)).to_le_bytes()
        };
        let words = (PLACES + UNIT) / 8;
        Self {
            noise: (0..words).flat_map(|_| word()).collect(),
        }
    }

    fn noise(&self, unit: u64, write: u32) -> &[u8] {
        let at = unit
            .wrapping_mul(509)
            .wrapping_add(u64::from(write).wrapping_mul(10_007))
            % PLACES;
        &self.noise[at as usize..][STAMP..UNIT as usize]
    }

    fn stamp(unit: u64, write: u32) -> [u8; STAMP] {
        let mut stamp = [0; STAMP];
        stamp[..8].copy_from_slice(&unit.to_le_bytes());
        stamp[8..].copy_from_slice(&write.to_le_bytes());
        stamp
    }

    /// The data that this write, counted from 1, stores from a byte on.
    pub fn fill(&self, offset: u64, bytes: &mut [u8], write: u32) {
        let mut at = offset;
        let mut rest = bytes;
        while !rest.is_empty() {
            let (unit, skip) = (at / UNIT, (at % UNIT) as usize);
            let (piece, others) = rest.split_at_mut(rest.len().min(UNIT as usize - skip));
            let (stamp, noise) = (Self::stamp(unit, write), self.noise(unit, write));
            let whole = stamp.iter().chain(noise);
            if skip == 0 && piece.len() == UNIT as usize {
                piece[..STAMP].copy_from_slice(&stamp);
                piece[STAMP..].copy_from_slice(noise);
            } else {
                piece
                    .iter_mut()
                    .zip(whole.skip(skip))
                    .for_each(|(to, from)| *to = *from);
            }
            at += piece.len() as u64;
            rest = others;
        }
    }

    /// What is wrong with a unit that this write stored; nothing if it is whole.
    pub fn fault(&self, unit: u64, bytes: &[u8], write: u32) -> Option<String> {
        let (stamp, rest) = bytes.split_at(STAMP);
        let expected = Self::stamp(unit, write);
        if stamp == expected && rest == self.noise(unit, write) {
            return None;
        }
        let found_unit = stamp[..8].try_into().map_or(0, u64::from_le_bytes);
        let found_write = stamp[8..].try_into().map_or(0, u32::from_le_bytes);
        let found = if stamp == expected {
            "half of them".to_owned()
        } else if found_write > 0 && rest == self.noise(found_unit, found_write) {
            format!(
                "those of write {found_write} to byte {}",
                found_unit.wrapping_mul(UNIT)
            )
        } else if bytes.iter().all(|&byte| byte == 0) {
            "zeros".to_owned()
        } else {
            "others".to_owned()
        };
        Some(format!(
            "the bytes from {} on are not those of write {write}, but {found}",
            unit * UNIT
        ))
    }
}

/// For each unit, the last write that stored it as a whole; 0: unknown.
#[derive(Default)]
pub struct Written {
    chunks: BTreeMap<u64, Box<[u32; CHUNK]>>,
}

/// The units of a chunk.
const CHUNK: usize = 1 << 12;

impl Written {
    /// A write, counted from 1, stored these bytes; with 0, they are not known any more. Units that it stored in part are not
    /// known either.
    pub fn set(&mut self, offset: u64, length: u64, write: u32) {
        let end = offset + length;
        for unit in offset / UNIT..end.div_ceil(UNIT) {
            let whole = unit * UNIT >= offset && (unit + 1) * UNIT <= end;
            let write = if whole { write } else { 0 };
            let (chunk, at) = (unit / CHUNK as u64, unit as usize % CHUNK);
            if write > 0 || self.chunks.contains_key(&chunk) {
                let chunk = self
                    .chunks
                    .entry(chunk)
                    .or_insert_with(|| Box::new([0; CHUNK]));
                chunk[at] = write;
            }
        }
    }

    /// The units inside these bytes that are known, with the write that stored each.
    pub fn known(&self, offset: u64, length: u64) -> Vec<(u64, u32)> {
        let units = offset.div_ceil(UNIT)..(offset + length) / UNIT;
        let write = |unit: u64| {
            self.chunks
                .get(&(unit / CHUNK as u64))
                .map_or(0, |chunk| chunk[unit as usize % CHUNK])
        };
        units
            .map(|unit| (unit, write(unit)))
            .filter(|&(_, write)| write > 0)
            .collect()
    }

    /// The known units in ascending order, in runs: the first byte of each run and its length, at most `most`.
    pub fn runs(&self, most: u64) -> impl Iterator<Item = (u64, u64)> {
        let chunks = self.chunks.iter();
        let units = chunks.flat_map(|(&chunk, writes)| {
            let known = (0..).zip(writes.iter()).filter(|&(_, &write)| write > 0);
            known.map(move |(at, _)| chunk * CHUNK as u64 + at)
        });
        let mut units = units.peekable();
        std::iter::from_fn(move || {
            let first = units.next()?;
            let mut end = first + 1;
            while (end - first) * UNIT < most && units.next_if_eq(&end).is_some() {
                end += 1;
            }
            Some((first * UNIT, (end - first) * UNIT))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // planted bugs: a unit that keeps the write before a partial one; a discard that is forgotten; data that do not depend on
    // the place, or on the write; a run over a gap
    #[test]
    fn each_known_unit_is_what_its_last_write_stored() {
        let mut random = fastrand::Rng::with_seed(1);
        let data = Data::new();
        const SIZE: usize = 40_000;
        let (mut store, mut written) = (vec![0_u8; SIZE], Written::default());
        for write in 1..3000 {
            let offset = random.usize(..SIZE);
            let end = random.usize(offset..=SIZE.min(offset + 5000));
            let length = (end - offset) as u64;
            match random.u32(..4) {
                0 => {
                    written.set(offset as u64, length, 0);
                    store[offset..end].fill(7);
                }
                _ => {
                    data.fill(offset as u64, &mut store[offset..end], write);
                    written.set(offset as u64, length, write);
                }
            }
            let (offset, length) = (random.u64(..30_000), random.u64(..10_000));
            let known = written.known(offset, length);
            for &(unit, write) in &known {
                let bytes = &store[(unit * UNIT) as usize..][..UNIT as usize];
                assert_eq!(data.fault(unit, bytes, write), None);
                assert!(data.fault(unit, bytes, write + 1).is_some());
                assert!(data.fault(unit + 1, bytes, write).is_some());
            }
            let runs = written.runs(2048);
            let units = runs.flat_map(|(at, length)| at / UNIT..(at + length) / UNIT);
            let all: Vec<u64> = written
                .known(0, SIZE as u64)
                .iter()
                .map(|&(unit, _)| unit)
                .collect();
            assert_eq!(units.collect::<Vec<_>>(), all);
            assert!(all.len() > 2);
        }
    }
}
