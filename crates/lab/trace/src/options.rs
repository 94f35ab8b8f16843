//! The options of reading a trace.

use crate::format::Format;
use crate::streams::StreamBy;
use crate::table::TableOptions;
use crate::time_unit::TimeUnit;
use crate::watch::Watch;

/// The options of reading a trace. By default all requests are read, in the format that the first line shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// The format; `None`: the one that the first line shows.
    pub format: Option<Format>,
    /// blkparse only: the action whose lines become requests; `None`: [`Action::Dispatch`].
    pub action: Option<Action>,
    /// Formats with volumes only: the volume to read, such as `8,0` (blkparse) or `usr.0` (MSR). `None`: the trace must
    /// have only one volume.
    pub volume: Option<String>,
    /// Read all volumes, and tell the volume of each request ([`TraceReader::volume_of`](crate::TraceReader::volume_of)).
    /// `volume` must then be `None`.
    pub all_volumes: bool,
    /// The most malformed lines that are left out; they are counted as skipped. One more is an error.
    pub skip_malformed: u64,
    /// Bytes in a unit of offsets, and of sizes unless `size_unit` says otherwise; `None`: as the format says.
    pub sector: Option<u64>,
    /// Bytes in a unit of sizes; `None`: `sector`, or as the format says.
    pub size_unit: Option<u64>,
    /// The unit of times; `None`: as the format says.
    pub time_unit: Option<TimeUnit>,
    /// Formats of files or blocks without addresses only: bytes of the device for each of them, above 0; `None`: as the format
    /// says.
    pub slot: Option<u64>,
    /// Tables only: their columns.
    pub table: TableOptions,
    /// Put requests in the order of their times: each one waits until the trace is ahead of it by this time, in ns.
    /// 0: leave them in their order; `None`: as the format needs it.
    pub sort_ns: Option<u64>,
    /// Time 0 is the time of the first request, whatever the format says.
    pub from_zero: bool,
    /// Stop after this number of requests; requests that are left out do not count.
    pub limit: Option<u64>,
    /// Leave out the flush requests; they are counted as skipped.
    pub drop_flushes: bool,
    /// Leave out the read requests; they are counted as skipped.
    pub drop_reads: bool,
    /// Leave out the discards; they are counted as skipped.
    pub drop_discards: bool,
    /// What the stream of a request follows from; `None`: the column `stream` of a plain trace, or nothing.
    pub stream_by: Option<StreamBy>,
    /// Receives the progress of the reading.
    pub watch: Watch,
}

/// A step in the life of a request that blkparse prints; a request passes all three.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Action {
    /// `Q`: queued by the file system or the program.
    Queue,
    /// `D`: dispatched to the device's driver, after splitting and merging.
    #[default]
    Dispatch,
    /// `C`: completed, in the order of completion.
    Complete,
}

impl Action {
    /// All actions that a user can choose.
    pub const ALL: [Action; 3] = [Action::Queue, Action::Dispatch, Action::Complete];

    /// The letter that blkparse prints.
    pub const fn letter(self) -> &'static str {
        match self {
            Action::Queue => "Q",
            Action::Dispatch => "D",
            Action::Complete => "C",
        }
    }

    /// If a trace has none of this action: a message with those that it has. `seen` counts those of [`Action::ALL`], and
    /// `parts` is what they are.
    pub(crate) fn missing(self, seen: [u64; 3], parts: &str) -> Option<String> {
        let each = Action::ALL.iter().zip(seen);
        let found: Vec<_> = each
            .filter(|&(_, count)| count > 0)
            .map(|(action, count)| format!("{count} of {}", action.letter()))
            .collect();
        if found.is_empty() {
            return Some(format!(
                "no {parts} of action Q, D or C, so there are no requests; record them with option -a of blktrace"
            ));
        }
        (seen[self as usize] == 0).then(|| {
            format!(
                "no {parts} of action {}, but {}; choose one with --action",
                self.letter(),
                found.join(" and ")
            )
        })
    }

    /// The action with this letter.
    pub fn named(letter: &str) -> Option<Action> {
        let mut all = Action::ALL.into_iter();
        all.find(|action| action.letter() == letter)
    }
}
