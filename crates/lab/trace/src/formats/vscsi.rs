//! The binary records of vscsiStats (VMware ESX), little endian, in two versions:
//!
//! - version 1, 32 bytes: `serial u32, length u32, segments u32, command u16, version u16, lbn u64, time(µs) u64`
//! - version 2, 40 bytes: `command u16, version u16, serial u32, length u32, segments u32, lbn u64, time(µs) u64,
//!   response(µs) u64`
//!
//! `lbn` counts sectors of 512 bytes; the length is in bytes. The upper byte of the version is its number.

use crate::decode::{BadRecord, ByRecord, Decode, Out, RecordFormat, u16_at, u32_at, u64_at};
use crate::entry::{Entry, Reads};
use crate::head::Head;
use crate::options::ReadOptions;
use crate::skip;
use crate::text::{SECTOR, request};
use ssdlab_host::{Op, Request};

pub(crate) const ENTRY: Entry = Entry {
    about: "binary records of vscsiStats, versions 1 and 2; times in µs, sectors of 512 bytes, lengths in bytes",
    source: "VMware ESX",
    example: "",
    by_line: false,
    ..Entry::new("vscsi", Reads::Code { detect, decoder })
};

/// The two layouts.
#[derive(Clone, Copy)]
struct Layout {
    version: u16,
    length: usize,
    command_at: usize,
    version_at: usize,
    length_at: usize,
    lbn_at: usize,
}

const LAYOUTS: [Layout; 2] = [
    Layout {
        version: 1,
        length: 32,
        command_at: 12,
        version_at: 14,
        length_at: 4,
        lbn_at: 16,
    },
    Layout {
        version: 2,
        length: 40,
        command_at: 0,
        version_at: 2,
        length_at: 8,
        lbn_at: 16,
    },
];

/// What a SCSI command does to the data.
enum Command {
    Data(Op),
    Flush,
    Other,
}

const fn command(code: u16) -> Command {
    match code {
        0x08 | 0x28 | 0x2D | 0x88 | 0xA8 => Command::Data(Op::Read),
        0x0A | 0x2A | 0x3F | 0x8A | 0x8E | 0x9A | 0x9C | 0xAA | 0xAE => Command::Data(Op::Write),
        // SYNCHRONIZE CACHE of 10 and 16 bytes
        0x35 | 0x91 => Command::Flush,
        _ => Command::Other,
    }
}

/// The layout of which the first records are.
fn layout(bytes: &[u8]) -> Option<Layout> {
    let fits = |layout: &Layout| {
        let mut records = bytes.chunks_exact(layout.length).take(64).peekable();
        records.peek().is_some() && records.all(|record| layout.has(record))
    };
    LAYOUTS.into_iter().find(fits)
}

impl Layout {
    /// Whether a record has the version of this layout, and a command of SCSI.
    fn has(self, record: &[u8]) -> bool {
        u16_at(record, self.version_at) >> 8 == self.version
            && u16_at(record, self.command_at) <= 0xFF
    }
}

fn detect(head: Head) -> Option<String> {
    let layout = layout(head.bytes)?;
    Some(format!(
        "the first records of {} bytes have version {} and a command of SCSI",
        layout.length, layout.version
    ))
}

fn decoder(_: &ReadOptions) -> Result<Box<dyn Decode>, String> {
    Ok(Box::new(ByRecord::new(Vscsi { layout: LAYOUTS[0] })))
}

struct Vscsi {
    layout: Layout,
}

impl RecordFormat for Vscsi {
    fn header(&mut self, head: Head) -> Result<u64, String> {
        self.layout = layout(head.bytes).ok_or(
            "no version 1 at byte 15 nor version 2 at byte 3 of the first records; a record of vscsiStats has one of them",
        )?;
        Ok(0)
    }

    fn record(
        &mut self,
        number: u64,
        bytes: &[u8],
        out: &mut Out,
    ) -> Result<Option<u64>, BadRecord> {
        let layout = self.layout;
        let Some(record) = bytes.get(..layout.length) else {
            return Ok(None);
        };
        let length = layout.length as u64;
        let bad = |what| BadRecord {
            what,
            length: Some(length),
        };
        if !layout.has(record) {
            return Err(bad(format!(
                "version is {:#06x} and the command {:#06x}; the upper byte of the version must be {}, as in the records before, \
                 and the command at most 0xff",
                u16_at(record, layout.version_at),
                u16_at(record, layout.command_at),
                layout.version
            )));
        }
        let micros = u64_at(record, layout.lbn_at + 8);
        let time = micros.checked_mul(1000).ok_or_else(|| {
            bad(format!(
                "the time is too large, found {micros} µs; it must be at most {} µs",
                u64::MAX / 1000
            ))
        })?;
        let op = match command(u16_at(record, layout.command_at)) {
            Command::Data(op) => op,
            Command::Flush => {
                let flush = Request::new(time, Op::Flush, 0, 0);
                out.push(number, flush.expect("a flush has no range"));
                return Ok(Some(length));
            }
            Command::Other => {
                out.skip(skip::COMMANDS);
                return Ok(Some(length));
            }
        };
        let (sector, size) = (
            u64_at(record, layout.lbn_at),
            u64::from(u32_at(record, layout.length_at)),
        );
        if size == 0 {
            out.skip(skip::NO_DATA);
            return Ok(Some(length));
        }
        let offset = sector.checked_mul(SECTOR).ok_or_else(|| {
            bad(format!(
                "lbn is too large, found {sector}; it must be at most {}",
                u64::MAX / SECTOR
            ))
        })?;
        let request = request(["lbn in bytes", "length"], time, op, offset, size).map_err(bad)?;
        out.push(number, request);
        Ok(Some(length))
    }
}
