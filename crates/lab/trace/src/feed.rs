//! The requests of a trace as they are stored: of bytes that arrive in pieces, or of the columns of a table.

use crate::decode::{Decode, Facts, Out};
use crate::error::{LINE, Place, TraceError};
use crate::format::Format;
use crate::head::Head;
use crate::identity::Identity;
use crate::options::ReadOptions;
use crate::skip;
use crate::source::{GAP, Piece, Source};
use crate::text::{BadLine, MAX_LINE, quoted};

/// Where requests come from.
pub(crate) trait Feed: Send {
    /// The trace as the user named it.
    fn name(&self) -> &str;

    /// Recognises the format. Returns it with the reason.
    ///
    /// # Errors
    /// An unknown format, or an option that it does not have.
    fn begin(&mut self, options: &ReadOptions) -> Result<(Format, String), TraceError>;

    /// Adds the next requests, up to about `room`, with the times of the file. Returns false at the end of the trace.
    ///
    /// # Errors
    /// The first error in the trace; `out` contains the requests before it.
    fn decode(&mut self, out: &mut Out, room: usize) -> Result<bool, TraceError>;

    /// The last valid place.
    fn at(&self) -> Place;

    /// The time in the file that becomes time 0; `None`: the time of the first request.
    fn origin(&self, format: Format) -> Option<u64> {
        format.entry().origin
    }

    /// The line that showed the format, if it is made of numbers alone.
    fn guess(&self) -> Option<String> {
        None
    }

    /// What is known of the trace at its end.
    fn facts(&self) -> Facts;

    /// Whether all stored bytes were read.
    fn whole(&self) -> bool;

    /// Whether the last line had no line end.
    fn unended(&self) -> bool;

    /// The identity of the bytes read so far, after this number of requests.
    fn identity(&self, requests: u64) -> Identity;

    /// The number of stored bytes read and their total, if known.
    fn passed(&self) -> Option<(u64, u64)>;
}

/// A trace of text or binary records.
pub(crate) struct Bytes {
    source: Source,
    decoder: Option<Box<dyn Decode>>,
    piece: Option<Piece>,
    /// The room of the piece before.
    spare: Box<[u8]>,
    /// `piece.bytes[start..piece.end]` is not yet decoded.
    start: usize,
    unended: bool,
    /// The last line or record, if it was left out because it is cut off.
    cut: Option<BadLine>,
    /// The line that showed the format, if it is made of numbers alone.
    guess: Option<String>,
}

impl Bytes {
    pub fn new(source: Source) -> Bytes {
        Bytes {
            source,
            decoder: None,
            piece: None,
            spare: Box::default(),
            start: 0,
            unended: false,
            cut: None,
            guess: None,
        }
    }

    /// The bytes that are not yet decoded.
    fn rest(&self) -> &[u8] {
        let piece = self.piece.as_ref();
        piece.map_or(&[], |piece| &piece.bytes[self.start..piece.end])
    }

    /// Reads as many bytes as the detection of the format needs.
    fn detect(&mut self) -> Result<Result<(Format, String), String>, TraceError> {
        loop {
            let rest = self.rest();
            let over = self.last();
            if over || rest.len() > MAX_LINE || rest.contains(&b'\n') {
                let found = Format::detect_by_line(Head::of(rest));
                if let Some(found) = found {
                    return Ok(Ok(found));
                }
            }
            if over || rest.len() >= Head::LENGTH {
                return Ok(Format::detect(Head::of(rest)));
            }
            self.refill();
            if let Some(piece) = self.piece.as_ref().filter(|piece| piece.last)
                && !self.rest().contains(&b'\n')
            {
                self.source.check(piece, Place::START)?;
            }
        }
    }

    fn last(&self) -> bool {
        self.piece.as_ref().is_some_and(|piece| piece.last)
    }

    /// Takes the next piece, and puts the bytes that are left before it.
    fn refill(&mut self) {
        let mut piece = self.source.next(std::mem::take(&mut self.spare));
        let rest = self.rest();
        assert!(
            rest.len() <= GAP,
            "what is left is a part of a line or a record"
        );
        let start = GAP - rest.len();
        piece.bytes[start..GAP].copy_from_slice(rest);
        self.start = start;
        self.spare = self
            .piece
            .replace(piece)
            .map_or_else(Box::default, |old| old.bytes);
    }

    /// Checks the end of the trace, and adds a missing line end.
    fn end(&mut self) -> Result<(), TraceError> {
        let at = self.at();
        let Some(piece) = &mut self.piece else {
            return Ok(());
        };
        self.source.check(piece, at)?;
        let text = self
            .decoder
            .as_ref()
            .is_some_and(|decoder| decoder.unit() == LINE);
        if text && !self.unended && self.start < piece.end {
            piece.bytes[piece.end] = b'\n';
            piece.end += 1;
            self.unended = true;
        }
        Ok(())
    }

    /// Leaves out the last line or record, if it is cut off: a program or a disk may have stopped in it.
    fn cut(&mut self, bad: BadLine, out: &mut Out) -> Result<bool, TraceError> {
        let is_only = self
            .decoder
            .as_ref()
            .is_none_or(|decoder| decoder.line() == 0);
        if out.unselected || is_only {
            return Err(self.malformed(bad));
        }
        out.skip(skip::CUT);
        self.cut = Some(bad);
        self.unended = false;
        self.start = self.piece.as_ref().map_or(0, |piece| piece.end);
        Ok(false)
    }

    fn malformed(&self, bad: BadLine) -> TraceError {
        bad.in_trace(self.source.name(), self.at())
    }
}

impl Feed for Bytes {
    fn name(&self) -> &str {
        self.source.name()
    }

    fn begin(&mut self, options: &ReadOptions) -> Result<(Format, String), TraceError> {
        const { assert!(Head::LENGTH <= GAP && MAX_LINE < GAP) };
        let name = self.source.name().to_owned();
        let detected = match options.format {
            Some(format) => Ok((format, format!("--format {}", format.name()))),
            None if !options.table.fields.is_empty() => Ok((Format::CSV, "--fields".to_owned())),
            None => {
                let detected = self.detect()?;
                if let Ok((_, reason)) = &detected {
                    self.guess = Head::of(self.rest()).numbers(reason).map(quoted);
                }
                detected
            }
        };
        let (format, reason) =
            detected.map_err(|what| self.malformed(BadLine { line: 1, what }))?;
        let decoder = format
            .decoder(options, &reason)
            .map_err(|what| TraceError::Selection { name, what })?;
        let binary = decoder.unit() != LINE;
        self.decoder = Some(decoder);
        while binary && self.rest().len() < Head::LENGTH && !self.last() {
            self.refill();
        }
        Ok((format, reason))
    }

    fn decode(&mut self, out: &mut Out, room: usize) -> Result<bool, TraceError> {
        while out.requests.len() < room {
            let bytes = match &self.piece {
                Some(piece) => &piece.bytes[self.start..piece.end],
                None => &[],
            };
            let decoder = self.decoder.as_mut().expect("the format is known");
            match decoder.decode(bytes, out, room) {
                Ok(used) => self.start += used,
                Err(bad) if self.unended => return self.cut(bad, out),
                Err(bad) => return Err(self.malformed(bad)),
            }
            if out.requests.len() >= room {
                break;
            }
            if !self.last() {
                // What is left is a part of a line or a record, or the decoder says what is wrong with it.
                if self.rest().len() > MAX_LINE + 1 {
                    let rest = &self
                        .piece
                        .as_ref()
                        .map_or(&[][..], |piece| &piece.bytes[self.start..piece.end]);
                    let decoder = self.decoder.as_mut().expect("the format is known");
                    let used = decoder.decode(rest, out, room);
                    self.start += used.map_err(|bad| self.malformed(bad))?;
                }
                self.refill();
                continue;
            }
            let ended = self.unended;
            self.end()?;
            if ended == self.unended {
                let decoder = self.decoder.as_ref().expect("the format is known");
                return match decoder.end(self.rest()) {
                    Ok(()) => Ok(false),
                    Err(bad) => self.cut(bad, out),
                };
            }
        }
        Ok(true)
    }

    fn at(&self) -> Place {
        self.decoder.as_ref().map_or(Place::START, |decoder| Place {
            unit: decoder.unit(),
            number: decoder.line(),
        })
    }

    fn guess(&self) -> Option<String> {
        self.guess.clone()
    }

    fn whole(&self) -> bool {
        self.last() && self.rest().is_empty()
    }

    fn unended(&self) -> bool {
        self.unended
    }

    fn identity(&self, requests: u64) -> Identity {
        self.source.identity(requests)
    }

    fn passed(&self) -> Option<(u64, u64)> {
        self.source.passed()
    }

    fn facts(&self) -> Facts {
        let decoder = self.decoder.as_ref();
        let mut facts = decoder.map_or_else(Facts::default, |decoder| decoder.facts());
        facts.remarks.extend(self.source.remarks());
        if let Some(BadLine { line, what }) = &self.cut {
            let unit = self.at().unit;
            facts.remarks.push(format!(
                "the last {unit}, {line}, is cut off and left out, so that others may be missing: {what}"
            ));
        }
        facts
    }
}
