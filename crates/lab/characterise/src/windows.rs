//! Different units in windows of time.

use serde::Serialize;

/// The most windows.
const MOST: u64 = 200;
/// The place in a row of units that were never seen before: they are new in windows of any width.
const NEVER: usize = 65;

/// The working set over time: the different pages written in each window.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WindowReport {
    /// The width of a window: a power of two, such that there are at most 200 windows.
    pub window_ns: u64,
    /// Different pages written in each window; the first window starts with the first request.
    pub pages: Vec<u64>,
}

/// Counts different units in windows of time, which become wider as time goes on. Memory is constant.
///
/// A unit is new in a window if it was last seen in an earlier one. Whether that is so in windows of twice, four times, ...
/// the width is known at once: by the highest bit in which the numbers of the two windows differ. So each window keeps
/// its new units by this bit, and when two become one, the units of the lowest bit are no longer new.
#[derive(Debug)]
pub(crate) struct Windows {
    /// A window has 2 to this power ns.
    shift: u32,
    rows: Vec<[u64; NEVER + 1]>,
}

impl Windows {
    pub fn new() -> Self {
        Self {
            shift: 0,
            rows: Vec::new(),
        }
    }

    /// The time has come to `ns` after the start. Times do not descend.
    pub fn advance(&mut self, ns: u64) {
        while ns >> self.shift >= MOST {
            self.shift += 1;
            let wider = self.rows.chunks(2).map(|pair| {
                let mut row = [0; NEVER + 1];
                for narrow in pair {
                    row[NEVER] += narrow[NEVER];
                    for bits in 2..NEVER {
                        row[bits - 1] += narrow[bits];
                    }
                }
                row
            });
            self.rows = wider.collect();
        }
        let window = (ns >> self.shift) as usize;
        if window >= self.rows.len() {
            self.rows.resize(window + 1, [0; NEVER + 1]);
        }
    }

    /// A unit is used at the time `ns`, to which it has come, after it was last used at `last`, or never.
    pub fn add(&mut self, ns: u64, last: Option<u64>) {
        let bits = last.map_or(NEVER, |last| {
            let differ = (ns >> self.shift) ^ (last >> self.shift);
            (u64::BITS - differ.leading_zeros()) as usize
        });
        self.rows[(ns >> self.shift) as usize][bits] += 1;
    }

    pub fn report(&self) -> WindowReport {
        let new = |row: &[u64; NEVER + 1]| row[1..].iter().sum();
        WindowReport {
            window_ns: 1 << self.shift,
            pages: self.rows.iter().map(new).collect(),
        }
    }
}
