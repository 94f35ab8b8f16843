//! How to read a trace.

use crate::{Format, Watch};

/// How to read a trace. The default takes all of it, in the format that its first line shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// The format; `None`: the one that the first line shows.
    pub format: Option<Format>,
    /// blkparse only: the action whose lines are the requests; `None`: [`Action::Dispatch`].
    pub action: Option<Action>,
    /// Formats with volumes only: the one to take, as `8,0` (blkparse) or `usr.0` (MSR). `None`: the trace must hold
    /// only one.
    pub volume: Option<String>,
    /// Stop after so many requests, counted after all that is left out.
    pub limit: Option<u64>,
    /// Leave out the flush requests; they are counted as skipped.
    pub drop_flushes: bool,
    /// Leave out the read requests; they are counted as skipped.
    pub drop_reads: bool,
    /// Who is told how far the reading is.
    pub watch: Watch,
}

/// A step in the life of a request that blkparse prints; a request passes all three.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Action {
    /// `Q`: queued, as the file system or the program asked.
    Queue,
    /// `D`: dispatched to the device's driver, after splitting and merging.
    #[default]
    Dispatch,
    /// `C`: completed, in that order.
    Complete,
}

impl Action {
    /// All actions that can be taken.
    pub const ALL: [Action; 3] = [Action::Queue, Action::Dispatch, Action::Complete];

    /// The letter that blkparse prints.
    pub const fn letter(self) -> &'static str {
        match self {
            Action::Queue => "Q",
            Action::Dispatch => "D",
            Action::Complete => "C",
        }
    }

    /// The action of that letter.
    pub fn named(letter: &str) -> Option<Action> {
        let mut all = Action::ALL.into_iter();
        all.find(|action| action.letter() == letter)
    }
}
