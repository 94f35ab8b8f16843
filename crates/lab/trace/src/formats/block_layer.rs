//! What the block layer of Linux says of a request, for the formats that record it.

use crate::decode::Out;
use crate::skip;
use crate::text::request;
use ssdlab_host::{Op, Request};

/// What a request does: the letters RWBS of blkparse.
pub(crate) struct Kind {
    /// Flushes before its data.
    pub preflush: bool,
    /// `None`: no data.
    pub op: Option<Op>,
    /// Flushes its data (FUA).
    pub fua: bool,
}

/// The bytes that a request covers.
pub(crate) enum Place {
    Nothing,
    /// In bytes.
    Range {
        offset: u64,
        size: u64,
    },
    /// A pass-through command: it has bytes of its own, not a place.
    Command,
}

/// Adds the requests that a request of the block layer becomes: a flush before it, itself, a flush after it.
///
/// # Errors
/// A range that no request can have, or data in a request without data.
pub(crate) fn emit(
    line: u64,
    time: u64,
    kind: Kind,
    place: Place,
    out: &mut Out,
) -> Result<(), String> {
    let names = ["sector in bytes", "number of sectors in bytes"];
    let data = match (kind.op, place) {
        (Some(op), Place::Range { offset, size }) => Some(request(names, time, op, offset, size)?),
        (None, Place::Range { size, .. }) => {
            return Err(format!(
                "RWBS says no data, found {size} bytes; a request with data is R, W or D"
            ));
        }
        (_, Place::Command) if !kind.preflush => {
            out.skip(skip::COMMANDS);
            return Ok(());
        }
        (_, Place::Nothing) if !kind.preflush => {
            out.skip(skip::NO_DATA);
            return Ok(());
        }
        (_, Place::Nothing | Place::Command) => None,
    };
    let flush = Request::new(time, Op::Flush, 0, 0);
    let after = flush.filter(|_| kind.fua && data.is_some_and(|data| data.op() == Op::Write));
    let before = flush.filter(|_| kind.preflush);
    for request in [before, data, after].into_iter().flatten() {
        out.push(line, request);
    }
    Ok(())
}
