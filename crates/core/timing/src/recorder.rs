//! What the parts of a device did over time, for pictures, in memory that does not grow with the trace.

use std::collections::VecDeque;

use ssdlab_host::Op;

use crate::completion::Completion;
use crate::over_time::{OverTime, Series};

/// What a part of a device does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// The cells read a page for the host.
    HostRead,
    /// The cells read a page to pad a block, or to write a part of it.
    Read,
    /// The cells program a page from the host or a buffer.
    Program,
    /// The cells read a page that a merge or cleaning copies.
    CopyRead,
    /// The cells program a page in a merge or in cleaning, with or without a move.
    CopyProgram,
    /// The cells erase a block.
    Erase,
    /// A channel or the bus moves a page.
    Move,
}

impl Activity {
    /// All activities.
    pub const ALL: [Self; 7] = [
        Self::HostRead,
        Self::Read,
        Self::Program,
        Self::CopyRead,
        Self::CopyProgram,
        Self::Erase,
        Self::Move,
    ];

    /// Its key in data for other programs.
    pub const fn key(self) -> &'static str {
        match self {
            Self::HostRead => "host_read",
            Self::Read => "read",
            Self::Program => "program",
            Self::CopyRead => "copy_read",
            Self::CopyProgram => "copy_program",
            Self::Erase => "erase",
            Self::Move => "move",
        }
    }
}

/// A part of a device that does one thing at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    /// The chip with this number.
    Chip(u32),
    /// The channel with this number.
    Channel(u32),
    /// The bus.
    Bus,
}

/// One operation of one part, for checks. A chip waits for its channel between its cells' work and the move of a page;
/// that time is in neither interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// Who works.
    pub resource: Resource,
    /// What it does.
    pub activity: Activity,
    /// The start, ns.
    pub start_ns: u64,
    /// The end, ns; later than the start on channels and bus.
    pub end_ns: u64,
}

/// A time in which a part repeats one activity: operations that follow each other closely are one span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// What the part does.
    pub activity: Activity,
    /// The start of the first operation, ns.
    pub start_ns: u64,
    /// The end of the last one, ns.
    pub end_ns: u64,
    /// Their sum, ns.
    pub busy_ns: u64,
    /// Their number.
    pub operations: u64,
}

/// The spans of all parts of a device while it served one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slowest {
    /// The request.
    pub request: Completion,
    /// The time from which all spans are known: that of the issue, or later; ns.
    pub from_ns: u64,
    /// The spans of each chip.
    pub chips: Vec<Vec<Span>>,
    /// The spans of each channel.
    pub channels: Vec<Vec<Span>>,
    /// The spans of the bus.
    pub bus: Vec<Span>,
}

/// What was recorded.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// Rates and latencies over time.
    pub over_time: OverTime,
    /// The slowest write, or without writes the slowest read; another one may have taken up to a tenth longer. `None`
    /// if none took any time.
    pub slowest: Option<Slowest>,
}

/// The spans kept for each part, if the parts are few.
const KEPT: usize = 2048;
/// The spans kept for all parts.
const KEPT_IN_ALL: usize = 1 << 17;
/// The most spans of a [`Slowest`].
const SHOWN: usize = 3000;

fn kept(parts: usize) -> usize {
    (KEPT_IN_ALL / parts).clamp(16, KEPT)
}

/// An upper bound of the memory, in bytes, that recording a device with this many chips and channels takes.
pub fn recording_bytes(chips: u32, channels: u32) -> u64 {
    let parts = chips as usize + channels as usize + 1;
    let spans = parts * kept(parts).next_power_of_two() * size_of::<Span>();
    // a list is copied while it grows, and once more for the slowest request
    (3 * spans + Series::BYTES) as u64
}

/// The longest pause within a span, in lengths of an operation. A channel that serves one chip waits for its programs
/// between two moves.
const fn pause(activity: Activity) -> u64 {
    match activity {
        Activity::Move => 24,
        _ => 1,
    }
}

/// Records what a device does.
#[derive(Clone, Debug)]
pub(crate) struct Recorder {
    series: Series,
    channels: usize,
    /// The last spans of each channel, of the bus, and of each chip.
    parts: Vec<Recent>,
    kept: usize,
    slowest: Option<Slowest>,
    /// All intervals, in the order in which they were given, if they are kept.
    intervals: Option<Vec<Interval>>,
}

/// The last spans of a part.
#[derive(Clone, Debug, Default)]
struct Recent {
    spans: VecDeque<Span>,
    /// The end of the last span that was dropped.
    dropped_until: u64,
}

impl Recent {
    fn add(&mut self, activity: Activity, start: u64, end: u64, kept: usize) {
        let length = end - start;
        if let Some(last) = self.spans.back_mut()
            && last.activity == activity
            && start >= last.end_ns
            && start - last.end_ns <= length * pause(activity)
        {
            last.end_ns = end;
            last.busy_ns += length;
            last.operations += 1;
            return;
        }
        if self.spans.len() == kept
            && let Some(dropped) = self.spans.pop_front()
        {
            self.dropped_until = self.dropped_until.max(dropped.end_ns);
        }
        self.spans.push_back(Span {
            activity,
            start_ns: start,
            end_ns: end,
            busy_ns: length,
            operations: 1,
        });
    }
}

impl Recorder {
    pub fn new(chips: usize, channels: usize) -> Self {
        let parts = channels + 1 + chips;
        Self {
            series: Series::new(0, chips, channels),
            channels,
            parts: vec![Recent::default(); parts],
            kept: kept(parts),
            slowest: None,
            intervals: None,
        }
    }

    /// Keeps every interval from now on.
    pub fn keep_intervals(&mut self) {
        self.intervals = Some(Vec::new());
    }

    /// The intervals since the last call, in the order in which they were given.
    pub fn take_intervals(&mut self) -> Vec<Interval> {
        let intervals = self.intervals.as_mut();
        intervals.map(std::mem::take).unwrap_or_default()
    }

    fn keep(&mut self, resource: Resource, activity: Activity, start_ns: u64, end_ns: u64) {
        if let Some(intervals) = &mut self.intervals {
            intervals.push(Interval {
                resource,
                activity,
                start_ns,
                end_ns,
            });
        }
    }

    fn keep_move(&mut self, resource: Resource, start_ns: u64, end_ns: u64) {
        if start_ns < end_ns {
            self.keep(resource, Activity::Move, start_ns, end_ns);
        }
    }

    /// The cells of a chip work.
    pub fn chip(&mut self, chip: usize, activity: Activity, start: u64, end: u64) {
        self.series.chip(start, end);
        self.keep(Resource::Chip(chip as u32), activity, start, end);
        self.span(self.channels + 1 + chip, activity, start, end);
    }

    /// A channel moves a page.
    pub fn channel(&mut self, channel: usize, start: u64, end: u64) {
        self.series.channel(start, end);
        self.keep_move(Resource::Channel(channel as u32), start, end);
        self.span(channel, Activity::Move, start, end);
    }

    /// The bus moves a page.
    pub fn bus(&mut self, start: u64, end: u64) {
        self.series.bus(start, end);
        self.keep_move(Resource::Bus, start, end);
        self.span(self.channels, Activity::Move, start, end);
    }

    fn span(&mut self, part: usize, activity: Activity, start: u64, end: u64) {
        if end > start {
            self.parts[part].add(activity, start, end, self.kept);
        }
    }

    /// A request of `bytes` is done.
    pub fn complete(&mut self, done: Completion, bytes: u64) {
        let latency = done.completed_ns - done.issued_ns;
        self.series.complete(done, bytes);
        let worth = match (done.op, &self.slowest) {
            (Op::Read | Op::Write, None) => latency > 0,
            (Op::Write, Some(slowest)) if slowest.request.op == Op::Read => latency > 0,
            (op @ (Op::Read | Op::Write), Some(slowest)) => {
                let longest = slowest.request.completed_ns - slowest.request.issued_ns;
                op == slowest.request.op && latency - latency / 11 > longest
            }
            _ => false,
        };
        if worth && let Some(slowest) = self.around(done) {
            self.slowest = Some(slowest);
        }
    }

    /// The spans while a request was served; `None` if they were dropped already.
    fn around(&self, request: Completion) -> Option<Slowest> {
        let dropped = self.parts.iter().map(|part| part.dropped_until).max();
        let mut from = request.issued_ns.max(dropped.unwrap_or(0));
        let within =
            |span: &&Span, from| span.end_ns > from && span.start_ns < request.completed_ns;
        let all = self.parts.iter().flat_map(|part| &part.spans);
        let mut ends: Vec<u64> = all
            .filter(|span| within(span, from))
            .map(|span| span.end_ns)
            .collect();
        if ends.len() > SHOWN {
            let first = ends.len() - SHOWN;
            from = *ends.select_nth_unstable(first).1;
        }
        if from >= request.completed_ns {
            return None;
        }
        let of = |part: &Recent| -> Vec<Span> {
            let spans = part.spans.iter();
            spans.filter(|span| within(span, from)).copied().collect()
        };
        let (channels, others) = self.parts.split_at(self.channels);
        Some(Slowest {
            request,
            from_ns: from,
            channels: channels.iter().map(of).collect(),
            bus: of(&others[0]),
            chips: others[1..].iter().map(of).collect(),
        })
    }

    /// What was recorded since the last call; `now` is the time at which everything is done.
    pub fn take(&mut self, now: u64) -> Recording {
        for part in &mut self.parts {
            part.spans.clear();
        }
        Recording {
            over_time: self.series.take(now),
            slowest: self.slowest.take(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::completion::done;

    // planted bugs: spans of two activities joined; a long gap closed; the operations not counted
    #[test]
    fn operations_that_follow_each_other_are_one_span() {
        let mut recorder = Recorder::new(2, 1);
        for start in [0, 10, 25, 60] {
            recorder.chip(1, Activity::Program, start, start + 10);
        }
        recorder.chip(1, Activity::Erase, 70, 80);
        recorder.channel(0, 5, 6);
        recorder.complete(done(Op::Write, 0, 80), 1);
        let slowest = recorder.take(80).slowest.expect("a write that took time");
        let span = |activity, start_ns, end_ns, busy_ns, operations| Span {
            activity,
            start_ns,
            end_ns,
            busy_ns,
            operations,
        };
        let expected = [
            span(Activity::Program, 0, 35, 30, 3),
            span(Activity::Program, 60, 70, 10, 1),
            span(Activity::Erase, 70, 80, 10, 1),
        ];
        assert_eq!(slowest.chips, [vec![], expected.to_vec()]);
        assert_eq!(slowest.channels, [[span(Activity::Move, 5, 6, 1, 1)]]);
        assert_eq!((slowest.bus.len(), slowest.from_ns), (0, 0));
    }

    // planted bugs: the last request instead of the slowest; a read hides a write; a flush counts; a span that lies
    // before the request
    #[test]
    fn the_slowest_write_is_kept() {
        let mut recorder = Recorder::new(1, 1);
        recorder.chip(0, Activity::HostRead, 0, 400);
        recorder.complete(done(Op::Read, 0, 400), 1);
        recorder.chip(0, Activity::Program, 400, 500);
        recorder.complete(done(Op::Write, 400, 500), 1);
        recorder.chip(0, Activity::CopyRead, 500, 600);
        recorder.chip(0, Activity::CopyProgram, 600, 700);
        recorder.complete(done(Op::Write, 500, 700), 1);
        recorder.complete(done(Op::Write, 690, 700), 1);
        recorder.complete(done(Op::Read, 0, 700), 1);
        recorder.complete(done(Op::Flush, 0, 700), 0);
        let slowest = recorder.take(700).slowest.expect("a write");
        assert_eq!(slowest.request, done(Op::Write, 500, 700));
        let activities: Vec<_> = slowest.chips[0].iter().map(|span| span.activity).collect();
        assert_eq!(activities, [Activity::CopyRead, Activity::CopyProgram]);
        assert_eq!(recorder.take(700).slowest, None);
    }

    // planted bugs: more spans than are kept; a window that begins before the first span that is known
    #[test]
    fn few_spans_are_kept_and_the_window_begins_where_all_are_known() {
        let mut recorder = Recorder::new(1, 1);
        let ends = (0..5000).map(|at| {
            recorder.chip(0, Activity::Program, 100 * at, 100 * at + 1);
            100 * at + 1
        });
        let end = ends.last().unwrap();
        assert_eq!(recorder.parts[2].spans.len(), KEPT);
        recorder.complete(done(Op::Write, 0, end), 1);
        let slowest = recorder.take(end).slowest.expect("a write");
        assert_eq!(slowest.chips[0].len(), KEPT);
        assert_eq!(slowest.from_ns, 100 * (4999 - KEPT as u64) + 1);
        assert!(slowest.chips[0][0].start_ns > slowest.from_ns);
    }
}
