//! Traces of Microsoft's production servers: events of Windows as text. A header names the columns of each kind of event.

use crate::decode::{ByLine, Decode, LineFormat, Out};
use crate::entry::{Entry, Reads};
use crate::head::Head;
use crate::options::ReadOptions;
use crate::skip;
use crate::text::{fields_between, quoted, request_with_data, whole_number, wrong_fields};
use crate::time_unit::TimeUnit;
use crate::volumes::VolumeNames;
use ssdlab_host::{Op, Request};

pub(crate) const ENTRY: Entry = Entry {
    about: "events of Windows with a header: DiskRead, DiskWrite and DiskFlush; TimeStamp (us), ByteOffset and IOSize (bytes, 0x…), DiskNum",
    source: "Microsoft production server traces, SNIA",
    example: "BeginHeader",
    volumes: Some(VolumeNames::AS_WRITTEN),
    ..Entry::new("microsoft", Reads::Code { detect, decoder })
};

const BEGIN: &[u8] = b"BeginHeader";
const END: &[u8] = b"EndHeader";

/// The events that are requests.
const EVENTS: [(&str, Op); 3] = [
    ("DiskRead", Op::Read),
    ("DiskWrite", Op::Write),
    ("DiskFlush", Op::Flush),
];

/// The columns that are read; a flush has no range.
const COLUMNS: [&str; 4] = ["TimeStamp", "DiskNum", "ByteOffset", "IOSize"];

fn detect(head: Head) -> Option<String> {
    (head.line().trim_ascii() == BEGIN).then(|| "line 1 is BeginHeader".into())
}

fn decoder(_: &ReadOptions) -> Result<Box<dyn Decode>, String> {
    Ok(Box::new(ByLine::new(Microsoft::default())))
}

#[derive(Default)]
struct Microsoft {
    in_header: bool,
    /// Where each event has the columns, and how many fields it has at least.
    columns: [Option<[Option<usize>; COLUMNS.len()]>; EVENTS.len()],
}

impl LineFormat for Microsoft {
    fn layout(&self) -> &str {
        "DiskRead or DiskWrite, TimeStamp, …, ByteOffset, IOSize, …, DiskNum, …"
    }

    fn line(&mut self, number: u64, line: &[u8], out: &mut Out) -> Result<(), String> {
        let line = line.trim_ascii();
        if line.is_empty() {
            out.skip(skip::BLANK);
            return Ok(());
        }
        if line == BEGIN || line == END {
            self.in_header = line == BEGIN;
            return Ok(());
        }
        let fields: Vec<_> = fields_between(line, b',').map(<[u8]>::trim_ascii).collect();
        let event = EVENTS
            .iter()
            .position(|(name, _)| fields[0] == name.as_bytes());
        let Some(event) = event else {
            if !self.in_header {
                out.skip(skip::EVENTS);
            }
            return Ok(());
        };
        let (name, op) = EVENTS[event];
        if self.in_header {
            let place = |column: &str| fields.iter().position(|field| *field == column.as_bytes());
            self.columns[event] = Some(COLUMNS.map(place));
            return Ok(());
        }
        let places = self.columns[event]
            .ok_or_else(|| format!("{name} is not in the header, which must name its columns"))?;
        let field = |column: usize| {
            let place = places[column].ok_or_else(|| {
                format!("the header names no column {} of {name}", COLUMNS[column])
            })?;
            fields.get(place).copied().ok_or_else(|| {
                wrong_fields(
                    line,
                    fields.len(),
                    &format!("{} at least, as the header says", place + 1),
                )
            })
        };
        let time = TimeUnit::Microsecond.decode(COLUMNS[0], field(0)?)?;
        let volume = field(1)?;
        whole_number(COLUMNS[1], volume)?;
        let request = match op {
            Op::Flush => Ok(Request::new(time, op, 0, 0).ok_or("a flush has no range")?),
            _ => {
                let (offset, size) = (
                    hexadecimal(COLUMNS[2], field(2)?)?,
                    hexadecimal(COLUMNS[3], field(3)?)?,
                );
                request_with_data([COLUMNS[2], COLUMNS[3]], time, op, offset, size)?
            }
        };
        out.add(number, volume, request)
    }
}

/// Bytes, as `0x1000` or in decimal digits.
fn hexadecimal(name: &str, found: &[u8]) -> Result<u64, String> {
    match found {
        [b'0', b'x' | b'X', ..] => crate::columns::hexadecimal(found).ok_or_else(|| {
            format!(
                "{name} is no hexadecimal number, found {}; it must be up to 16 digits behind 0x",
                quoted(found)
            )
        }),
        _ => whole_number(name, found),
    }
}
