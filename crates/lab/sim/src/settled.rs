//! Whether write amplification has settled: that of windows of host bytes, and the one rule that judges them.

use std::collections::VecDeque;

use serde::Serialize;
use ssdlab_device::Counters;
use ssdlab_host::{Op, Request};
use ssdlab_simulators::SimDevice;

/// The windows of one capacity.
pub const WINDOWS: u64 = 4;
/// The windows that are kept, the last ones: those of twenty capacities.
pub const KEPT: usize = 80;
/// The spans that must agree, and the windows of each of them at least.
const SPANS: usize = 3;
const SHORTEST: usize = WINDOWS as usize;
/// How far the means of the spans may be apart, as a share of the least.
const APART: f64 = 0.05;

/// The state of a device, as far as write amplification tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Write amplification moves no more: the figures are those of a drive in use.
    #[default]
    Settled,
    /// It still moves, or too little was written to see it.
    Unsettled,
    /// The device never had to clean.
    NotCleaning,
    /// Replays are alike because they are the same: each writes a small part of the capacity.
    Cycle,
}

impl State {
    /// Every state but the settled one.
    pub(crate) const DOUBTS: [Self; 3] = [Self::Unsettled, Self::NotCleaning, Self::Cycle];

    /// What the figures are those of.
    pub fn of(self) -> &'static str {
        match self {
            Self::Settled => "of a settled state",
            Self::Unsettled => "of a state that has not settled",
            Self::NotCleaning => "of a drive that never cleaned, not of one in use",
            Self::Cycle => "of a cycle, not of a settled state",
        }
    }
}

/// Whether a run has settled, and what shows it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Settled {
    /// The state at the end of the run.
    pub state: State,
    /// Bytes that the host writes in a window: a quarter of the capacity.
    pub window_bytes: u64,
    /// Write amplification of each whole window, in order; the last 80, all replays and an ageing by the workload included.
    pub waf: Vec<f64>,
}

/// Whether the write amplification of successive windows of a quarter of a capacity has settled: the means of the last three
/// spans of windows, each a sixth of all windows, but at least a capacity, are within 5 % of the least. What was before
/// does not count. So a fall or rise moves the means, and a swing does not, once a span holds all of it.
pub fn settles(waf: &[f64]) -> bool {
    let span = (waf.len() / (2 * SPANS)).max(SHORTEST);
    let Some(first) = waf.len().checked_sub(SPANS * span) else {
        return false;
    };
    let mean = |span: &[f64]| span.iter().sum::<f64>() / span.len() as f64;
    let means = waf[first..].chunks(span).map(mean);
    let (least, most) = means.fold((f64::INFINITY, 0.0_f64), |(least, most), mean| {
        (least.min(mean), most.max(mean))
    });
    most <= least * (1.0 + APART)
}

/// The bytes that a host must write, over the capacity, before anything can be judged.
pub(crate) const FEWEST: u64 = (SPANS * SHORTEST) as u64 / WINDOWS;

/// The windows of a device, as it serves requests.
#[derive(Clone, Debug)]
pub(crate) struct Windows {
    /// Bytes of a window.
    bytes: u64,
    /// Bytes that end the present one.
    left: u64,
    before: Counters,
    waf: VecDeque<f64>,
}

impl Windows {
    pub fn new(capacity: u64) -> Self {
        let bytes = (capacity / WINDOWS).max(1);
        Self {
            bytes,
            left: bytes,
            before: Counters::default(),
            waf: VecDeque::new(),
        }
    }

    /// The first of these requests: those that end the present window, or all, and whether they end it.
    pub fn next(&mut self, requests: &[Request]) -> (usize, bool) {
        let written = |request: &Request| match request.op() {
            Op::Write => request.size(),
            _ => 0,
        };
        let all: u64 = requests.iter().map(written).sum();
        if all < self.left {
            self.left -= all;
            return (requests.len(), false);
        }
        let mut sum = 0;
        let ends = |request: &Request| {
            sum += written(request);
            sum >= self.left
        };
        let last = requests.iter().position(ends);
        // a request may be larger than a window
        self.left = self.bytes;
        (last.map_or(requests.len(), |last| last + 1), true)
    }

    /// Ends the present window.
    pub fn end(&mut self, device: &SimDevice) {
        let now = device.counters();
        let waf = now.since(&self.before).waf(device.page_size());
        self.before = now;
        if self.waf.len() == KEPT {
            self.waf.pop_front();
        }
        self.waf.extend(waf);
    }

    /// Whether it has settled so far.
    pub fn settle(&mut self) -> bool {
        settles(self.waf.make_contiguous())
    }

    /// What they say, whether or not the device must clean.
    pub fn judged(&self) -> Settled {
        let waf: Vec<f64> = self.waf.iter().copied().collect();
        Settled {
            state: match settles(&waf) {
                true => State::Settled,
                false => State::Unsettled,
            },
            window_bytes: self.bytes,
            waf,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(windows: usize, waf: impl Fn(f64) -> f64) -> Vec<f64> {
        (0..windows).map(|at| waf(at as f64)).collect()
    }

    /// The windows after which a curve counts as settled.
    fn after(waf: &[f64]) -> Option<usize> {
        (0..=waf.len()).find(|&windows| settles(&waf[..windows]))
    }

    // Planted bugs: fewer windows than three capacities; the last two windows alone; a bound above or below 5 %; the first
    // windows counted.
    #[test]
    fn what_is_level_settles_and_what_falls_or_rises_does_not() {
        assert_eq!(after(&curve(80, |_| 3.0)), Some(12));
        assert!(!settles(&[]));
        // both ends are within 5 % of where the curve goes
        let falls = curve(80, |at| 2.0 + 6.0 * (-at / 8.0).exp());
        let settled = after(&falls).expect("it ends");
        assert!(settled > 20 && falls[settled] < 2.1, "{settled}");
        let rises = curve(80, |at| 5.0 - 3.9 * (-at / 8.0).exp());
        let settled = after(&rises).expect("it ends");
        assert!(settled > 20 && rises[settled] > 4.75, "{settled}");
        // a line never does while it moves by a fifth of itself in a span
        assert_eq!(after(&curve(80, |at| 10.0 - at / 10.0)), None);
        assert_eq!(after(&curve(80, |at| 1.0 + at / 20.0)), None);
        for (end, expected) in [(1.049, true), (1.051, false)] {
            let step = [[1.0; 4], [1.0; 4], [end; 4]].concat();
            assert_eq!(settles(&step), expected, "{end}");
        }
        let old = [[9.0; 4], [1.0; 4], [1.0; 4], [1.0; 4]].concat();
        assert!(settles(&old));
    }

    // Planted bugs: single windows compared; a swing that no span holds taken for settled at its turn.
    #[test]
    fn a_swing_settles_once_a_span_holds_it() {
        let swing = |period: f64| move |at: f64| 3.0 + (std::f64::consts::TAU * at / period).sin();
        assert_eq!(after(&curve(80, swing(4.0))), Some(12));
        let slow = after(&curve(80, swing(10.0))).expect("it settles");
        assert!((12..=60).contains(&slow), "{slow}");
        assert_eq!(after(&curve(32, swing(160.0))), None);
    }

    // Planted bugs: a window that ends behind a batch; one that begins with the surplus of the last; reads counted.
    #[test]
    fn windows_end_behind_the_request_that_fills_them() {
        let request = |op, size| Request::new(0, op, 0, size).expect("small");
        let mut windows = Windows::new(400);
        let some = [
            request(Op::Write, 60),
            request(Op::Read, 1000),
            request(Op::Write, 60),
            request(Op::Write, 60),
        ];
        assert_eq!(windows.next(&some), (3, true));
        assert_eq!(windows.next(&some[3..]), (1, false));
        assert_eq!(windows.next(&[]), (0, false));
        assert_eq!(windows.next(&[request(Op::Write, 900)]), (1, true));
        assert_eq!(windows.next(&[request(Op::Write, 99)]), (1, false));
        assert_eq!(windows.next(&[request(Op::Write, 1)]), (1, true));
    }
}
