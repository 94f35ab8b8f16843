//! The I/O logs of fio: `fio version 2 iolog` or `fio version 3 iolog`, then `file action offset length`, or `file action` for
//! add, open and close. In version 3, a time stands before each line.
//!
//! Offsets and lengths are bytes, times are microseconds. Version 2 has no times: `wait` lets its offset pass, in microseconds.
//! sync and datasync become flushes. The file is the volume.

use crate::decode::{ByLine, Decode, Facts, LineFormat, Out};
use crate::entry::{Entry, Reads};
use crate::head::Head;
use crate::options::ReadOptions;
use crate::skip;
use crate::text::{quoted, request_with_data, whole_number, words, wrong_words};
use crate::time_unit::TimeUnit;
use crate::volumes::VolumeNames;
use ssdlab_host::{Op, Request};

pub(crate) const ENTRY: Entry = Entry {
    about: "I/O log of fio, version 2 (file action offset length) or 3 (a time in us before it); offset and length in bytes",
    source: "fio --write_iolog",
    example: "fio version 3 iolog",
    volumes: Some(VolumeNames::AS_WRITTEN),
    ..Entry::new("fio", Reads::Code { detect, decoder })
};

const LAYOUT_2: &str = "file action offset length";
const LAYOUT_3: &str = "time file action offset length";

#[derive(Default)]
struct Fio {
    /// The version that the header gives; 0 before it.
    version: u8,
    /// Nanoseconds that were waited for.
    waited: u64,
    waits: bool,
}

/// The version in a header.
fn version(line: &[u8]) -> Option<u8> {
    match line {
        b"fio version 2 iolog" => Some(2),
        b"fio version 3 iolog" => Some(3),
        _ => None,
    }
}

fn detect(head: Head) -> Option<String> {
    version(head.line())?;
    Some(format!("line 1 is {}", quoted(head.line())))
}

fn decoder(_: &ReadOptions) -> Result<Box<dyn Decode>, String> {
    Ok(Box::new(ByLine::new(Fio::default())))
}

impl LineFormat for Fio {
    fn layout(&self) -> &str {
        LAYOUT_3
    }

    fn line(&mut self, number: u64, line: &[u8], out: &mut Out) -> Result<(), String> {
        if self.version == 0 {
            self.version = version(line).ok_or_else(|| {
                let found = quoted(line);
                format!("wrong header, found {found}; it must be \"fio version 2 iolog\" or \"fio version 3 iolog\"")
            })?;
            return Ok(());
        }
        if line.trim_ascii().is_empty() {
            out.skip(skip::BLANK);
            return Ok(());
        }
        if version(line) == Some(self.version) {
            out.skip(skip::HEADERS);
            return Ok(());
        }
        let layout = if self.version == 2 {
            LAYOUT_2
        } else {
            LAYOUT_3
        };
        let mut fields = words(line);
        let stamp = match self.version {
            2 => None,
            _ => fields.next(),
        };
        let (Some(file), Some(action)) = (fields.next(), fields.next()) else {
            return Err(wrong_words(line, layout));
        };
        let time = match stamp {
            None => self.waited,
            Some(stamp) => TimeUnit::Microsecond.decode("time", stamp)?,
        };
        let place = (fields.next(), fields.next(), fields.next());
        let (offset, length) = match place {
            (None, ..) if matches!(action, b"add" | b"open" | b"close") => {
                out.skip(skip::FILES);
                return Ok(());
            }
            (Some(offset), Some(length), None) => (
                whole_number("offset", offset)?,
                whole_number("length", length)?,
            ),
            _ => return Err(wrong_words(line, layout)),
        };
        let request = match action {
            b"wait" if self.version == 2 => {
                let waited = offset.checked_mul(TimeUnit::Microsecond.ns());
                let waited = waited.and_then(|waited| self.waited.checked_add(waited));
                self.waited = waited.ok_or_else(|| {
                    format!("offset of wait is too large, found {offset}; the sum of all must be at most {} us", u64::MAX / 1000)
                })?;
                self.waits = true;
                return Ok(());
            }
            b"read" => request_with_data(["offset", "length"], time, Op::Read, offset, length)?,
            b"write" => request_with_data(["offset", "length"], time, Op::Write, offset, length)?,
            b"trim" => request_with_data(["offset", "length"], time, Op::Discard, offset, length)?,
            b"sync" | b"datasync" => Request::new(time, Op::Flush, 0, 0).ok_or(skip::OPERATIONS),
            // starts to write, but does not make the data durable
            b"sync_file_range" => Err(skip::OPERATIONS),
            _ => {
                let wait = if self.version == 2 { ", wait" } else { "" };
                return Err(format!(
                    "action is unknown, found {}; it must be read, write, trim, sync, datasync{wait}, add, open or close",
                    quoted(action)
                ));
            }
        };
        out.add(number, file, request)
    }

    fn facts(&self) -> Facts {
        if self.version != 2 || self.waits {
            return Facts::default();
        }
        let no_times = "an I/O log of fio in version 2 has no times, so all requests are at time 0; record it in version 3 (fio 3.31 or \
             later)";
        Facts {
            has_times: false,
            remarks: vec![no_times.into()],
            ..Facts::default()
        }
    }
}
