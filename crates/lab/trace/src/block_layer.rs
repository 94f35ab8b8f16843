//! What the block layer of Linux says of a request, for the formats that record it.

use crate::decode::Out;
use crate::skip;
use crate::text::request;
use ssdlab_host::{Op, Request};

/// What a request does: the letters RWBS of blkparse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kind {
    /// Flushes before its data.
    pub preflush: bool,
    /// `None`: no data.
    pub op: Option<Op>,
    /// Flushes its data (FUA).
    pub fua: bool,
}

impl From<Op> for Kind {
    fn from(op: Op) -> Self {
        Kind {
            preflush: op == Op::Flush,
            op: (op != Op::Flush).then_some(op),
            fua: false,
        }
    }
}

/// The requests that one becomes.
pub(crate) type Requests = std::iter::Flatten<std::array::IntoIter<Option<Request>, 3>>;

/// The letters behind that of the operation: ahead, sync, metadata, atomic.
const SILENT: &[u8] = b"ASMU";

impl Kind {
    /// What letters as `FWFSM` mean, and whether all of them are known; or the reason why such a request is left out.
    ///
    /// # Errors
    /// No letters.
    pub fn of_letters(letters: &[u8]) -> Result<Result<(Kind, bool), &'static str>, ()> {
        if letters.is_empty() || !letters.iter().all(u8::is_ascii_uppercase) {
            return Err(());
        }
        let (preflush, body) = match letters {
            [b'F', body @ ..] => (true, body),
            body => (false, body),
        };
        let (op, flags) = match body {
            [b'R', flags @ ..] => (Some(Op::Read), flags),
            [b'W', flags @ ..] => (Some(Op::Write), flags),
            // with E: secure erase
            [b'D', b'E', flags @ ..] | [b'D', flags @ ..] => (Some(Op::Discard), flags),
            [b'N', flags @ ..] => (None, flags),
            [b'Z', ..] => return Ok(Err(skip::ZONES)),
            flags if preflush => (None, flags),
            _ => return Ok(Err(skip::OPERATIONS)),
        };
        // a barrier of kernels before 2.6.37: what is before it must be durable first
        let (barrier, fua) = (flags.contains(&b'B'), flags.contains(&b'F'));
        let known = |flag| b"BF".contains(flag) || SILENT.contains(flag);
        let kind = Kind {
            preflush: preflush || barrier,
            op,
            fua,
        };
        Ok(Ok((kind, flags.iter().all(known))))
    }

    /// The requests that a request of the block layer becomes: a flush before it, itself, a flush after it.
    pub fn requests(self, time: u64, data: Option<Request>) -> Requests {
        let flush = Request::new(time, Op::Flush, 0, 0);
        let after = flush.filter(|_| self.fua && data.is_some_and(|data| data.op() == Op::Write));
        let before = flush.filter(|_| self.preflush);
        [before, data, after].into_iter().flatten()
    }
}

/// The bytes that a request covers.
#[derive(Clone, Copy)]
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

/// The data of a request, or the reason why it is left out.
///
/// # Errors
/// A range that no request can have, or data in a request without data.
fn data(
    time: u64,
    kind: Kind,
    place: Place,
) -> Result<Result<Option<Request>, &'static str>, String> {
    let names = ["sector in bytes", "number of sectors in bytes"];
    Ok(match (kind.op, place) {
        (Some(op), Place::Range { offset, size }) => {
            Ok(Some(request(names, time, op, offset, size)?))
        }
        (None, Place::Range { size, .. }) => {
            return Err(format!(
                "RWBS says no data, found {size} bytes; a request with data is R, W or D"
            ));
        }
        (_, Place::Command) if !kind.preflush => Err(skip::COMMANDS),
        (_, Place::Nothing) if !kind.preflush => Err(skip::NO_DATA),
        (_, Place::Nothing | Place::Command) => Ok(None),
    })
}

/// Adds the requests that a request of the block layer becomes.
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
    match data(time, kind, place)? {
        Ok(data) => kind
            .requests(time, data)
            .for_each(|request| out.push(line, request)),
        Err(reason) => out.skip(reason),
    }
    Ok(())
}

/// The most requests that wait for their next dispatch.
const OWED: usize = 1 << 10;

/// The requests that the driver gave back after their dispatch, so that they are dispatched again. One that is still in the
/// batch is taken out of it; of the others, the next dispatch is left out.
#[derive(Default)]
pub(crate) struct Requeued(Vec<(Vec<u8>, Vec<Request>)>);

impl Requeued {
    /// A request was given back.
    ///
    /// # Errors
    /// As [`emit`].
    pub fn give_back(
        &mut self,
        device: &[u8],
        kind: Kind,
        place: Place,
        out: &mut Out,
    ) -> Result<(), String> {
        // of the time 0, which says nothing
        if let Ok(data) = data(0, kind, place)? {
            let requests: Vec<_> = kind.requests(0, data).collect();
            out.skip(skip::REQUEUED);
            if !out.take_back(&requests) {
                if self.0.len() == OWED {
                    self.0.remove(0);
                }
                self.0.push((device.to_owned(), requests));
            }
        }
        Ok(())
    }

    /// Whether this dispatch is to be left out. It then counts as it did before.
    pub fn owes(&mut self, device: &[u8], kind: Kind, place: Place) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let Ok(Ok(data)) = data(0, kind, place) else {
            return false;
        };
        let again: Vec<_> = kind.requests(0, data).collect();
        let mut known = self.0.iter();
        let known = known.position(|(of, requests)| of == device && *requests == again);
        known.map(|at| self.0.remove(at)).is_some()
    }
}
