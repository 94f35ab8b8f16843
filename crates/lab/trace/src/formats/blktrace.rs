//! The binary records of blktrace, version 7 (`blktrace_api.h`), little endian: 48 bytes and perhaps a payload.
//!
//! `magic sequence time(ns) sector bytes action pid device cpu error payload`, where sectors have 512 bytes. Only the
//! records of one action become requests, as for the text of blkparse. The device is the volume.

use crate::decode::{
    BadRecord, ByRecord, Decode, Facts, Out, RecordFormat, u16_at, u32_at, u64_at,
};
use crate::entry::{Entry, Reads};
use crate::formats::blkparse;
use crate::formats::block_layer::{Kind, Place, emit};
use crate::head::Head;
use crate::options::{Action, ReadOptions};
use crate::skip;
use crate::streams::{Numbers, StreamBy};
use crate::text::SECTOR;
use ssdlab_host::Op;

pub(crate) const ENTRY: Entry = Entry {
    about: "binary records of blktrace, those of one action (--action); times in ns, sectors of 512 bytes; the files of all \
            CPUs are read together",
    source: "blktrace",
    example: "",
    options: &["--action"],
    columns: &["cpu", "pid"],
    volumes: Some(blkparse::VOLUMES),
    by_line: false,
    // blktrace writes what each CPU did, some time after it happened
    sort_ns: Some(1_000_000_000),
    ..Entry::new("blktrace", Reads::Code { detect, decoder })
};

/// The fixed part of a record, bytes; the time and the length of the payload in it.
pub(crate) const LENGTH: usize = 48;
pub(crate) const TIME_AT: usize = 8;
pub(crate) const PAYLOAD_AT: usize = 46;
const ACTION_AT: usize = 28;

/// The first three bytes of the magic number; the lowest one is the version.
const MAGIC: u32 = 0x6561_7400;
const VERSION: u32 = 7;

/// Whether a record starts like one of this version.
pub(crate) fn is_record(bytes: &[u8]) -> bool {
    bytes.starts_with(&(MAGIC | VERSION).to_le_bytes())
}

fn detect(head: Head) -> Option<String> {
    is_record(head.bytes).then(|| "it starts with the magic number of blktrace, version 7".into())
}

fn decoder(options: &ReadOptions) -> Result<Box<dyn Decode>, String> {
    let column = match &options.stream_by {
        Some(StreamBy::Column(name)) => Some(name == "cpu"),
        _ => None,
    };
    Ok(Box::new(ByRecord::new(Blktrace {
        action: options.action.unwrap_or_default(),
        by_cpu: column,
        numbers: Numbers::default(),
        seen: [0; 3],
        device: (u32::MAX, String::new()),
    })))
}

/// A record, for programs that keep or count records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedStep {
    /// Bytes of the record.
    pub length: usize,
    /// The action of a request; `None`: the record tells of something else.
    pub action: Option<Action>,
}

impl RecordedStep {
    /// The record at the start of `bytes`; `None` if it is not whole.
    ///
    /// # Errors
    /// These bytes are no record of blktrace, version 7.
    pub fn at(bytes: &[u8]) -> Result<Option<RecordedStep>, String> {
        let Some(record) = bytes.first_chunk() else {
            return Ok(None);
        };
        let step = Self::of(record)?;
        Ok((bytes.len() >= step.length).then_some(step))
    }

    /// The record that begins like this.
    fn of(record: &[u8; LENGTH]) -> Result<RecordedStep, String> {
        let magic = u32_at(record, 0);
        if magic & !0xFF != MAGIC {
            return Err(format!(
                "the magic number is wrong, found {magic:#010x}; a record starts with {MAGIC:#010x} and a version, little \
                 endian"
            ));
        }
        if magic != MAGIC | VERSION {
            return Err(format!(
                "version {} of the records; it must be {VERSION}, as all blktrace since 2007 writes it",
                magic & 0xFF
            ));
        }
        let action = u32_at(record, ACTION_AT);
        let known = STEPS.iter().find(|(known, _)| *known == step_of(action));
        let known = known.filter(|_| action & category::NOTIFY == 0);
        Ok(RecordedStep {
            length: LENGTH + usize::from(u16_at(record, PAYLOAD_AT)),
            action: known.map(|(_, action)| *action),
        })
    }
}

struct Blktrace {
    action: Action,
    /// Whether the stream is the CPU or, if false, the process; `None`: neither.
    by_cpu: Option<bool>,
    numbers: Numbers,
    /// The number of records with each of [`Action::ALL`].
    seen: [u64; 3],
    /// The last device and its name.
    device: (u32, String),
}

/// The upper half of an action is a set of these.
mod category {
    pub const READ: u32 = 1 << 16;
    pub const WRITE: u32 = 1 << 17;
    pub const FLUSH: u32 = 1 << 18;
    pub const COMMAND: u32 = 1 << 25;
    pub const NOTIFY: u32 = 1 << 26;
    pub const DISCARD: u32 = 1 << 29;
    pub const FUA: u32 = 1 << 31;
}

/// The lower half of an action, without the flag of a control group.
fn step_of(action: u32) -> u32 {
    action & 0xFF
}

/// Queued, dispatched, completed.
const STEPS: [(u32, Action); 3] = [
    (1, Action::Queue),
    (7, Action::Dispatch),
    (8, Action::Complete),
];

/// The reason why the records of another step are left out.
fn why_left_out(step: u32) -> &'static str {
    match step {
        1..=8 | 12 | 14 => skip::ACTIONS,
        9..=11 => skip::PLUGS,
        13 | 15 => skip::REMAPS,
        _ => skip::UNKNOWN,
    }
}

impl RecordFormat for Blktrace {
    fn record(
        &mut self,
        number: u64,
        bytes: &[u8],
        out: &mut Out,
    ) -> Result<Option<u64>, BadRecord> {
        let Some(record) = bytes.first_chunk::<LENGTH>() else {
            return Ok(None);
        };
        let step = RecordedStep::of(record).map_err(BadRecord::lost)?;
        let length = step.length as u64;
        let (time, sector, size, action, pid, device, cpu) = (
            u64_at(record, TIME_AT),
            u64_at(record, 16),
            u64::from(u32_at(record, 24)),
            u32_at(record, ACTION_AT),
            u32_at(record, 32),
            u32_at(record, 36),
            u32_at(record, 40),
        );
        if action & category::NOTIFY != 0 {
            out.skip(skip::PLUGS);
            return Ok(Some(length));
        }
        if let Some(action) = step.action {
            self.seen[action as usize] += 1;
        }
        if step.action != Some(self.action) {
            out.skip(why_left_out(step_of(action)));
            return Ok(Some(length));
        }
        let bad = |what| BadRecord {
            what,
            length: Some(length),
        };
        if self.device.0 != device || self.device.1.is_empty() {
            self.device = (device, format!("{},{}", device >> 20, device & 0xF_FFFF));
        }
        if !out.take(self.device.1.as_bytes()).map_err(bad)? {
            return Ok(Some(length));
        }
        if let Some(by_cpu) = self.by_cpu {
            let value = if by_cpu { cpu } else { pid };
            out.stream = self.numbers.of(&value.to_le_bytes()).map_err(bad)?;
        }
        let has = |flag| action & flag != 0;
        let kind = Kind {
            preflush: has(category::FLUSH),
            op: if has(category::DISCARD) {
                Some(Op::Discard)
            } else if has(category::WRITE) {
                Some(Op::Write)
            } else if has(category::READ) || size > 0 {
                Some(Op::Read)
            } else {
                None
            },
            fua: has(category::FUA),
        };
        let place = if has(category::COMMAND) {
            Place::Command
        } else if size == 0 {
            Place::Nothing
        } else {
            let offset = sector.checked_mul(SECTOR).ok_or_else(|| {
                bad(format!(
                    "sector is too large, found {sector}; it must be at most {}",
                    u64::MAX / SECTOR
                ))
            })?;
            Place::Range { offset, size }
        };
        emit(number, time, kind, place, out).map_err(bad)?;
        Ok(Some(length))
    }

    fn facts(&self) -> Facts {
        Facts {
            nothing_selected: self.action.missing(self.seen, "records"),
            ..Facts::default()
        }
    }
}
