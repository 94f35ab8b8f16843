//! The binary records of blktrace (`blktrace_api.h`), little endian: 48 bytes in version 7, 64 in version 8, and perhaps a
//! payload.
//!
//! `magic sequence time(ns) sector bytes action pid device cpu error payload`, where sectors have 512 bytes; in version 8, the
//! action has 64 bits and stands behind the process. Only the
//! records of one action become requests, as for the text of blkparse. The device is the volume.

use crate::block_layer::{Kind, Place, Requeued, emit};
use crate::decode::{
    BadRecord, ByRecord, Decode, Facts, Out, RecordFormat, u16_at, u32_at, u64_at,
};
use crate::entry::{Entry, Reads};
use crate::formats::blkparse;
use crate::head::Head;
use crate::options::{Action, ReadOptions};
use crate::skip;
use crate::streams::{Numbers, StreamBy};
use crate::text::SECTOR;
use ssdlab_host::Op;
use ssdlab_words::{either, listed, thousands};
use std::collections::HashMap;

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

/// Where the version of a record is known, and the time in a record of any version, in bytes.
pub(crate) const MAGIC_LENGTH: usize = 4;
pub(crate) const TIME_AT: usize = 8;

/// The first three bytes of the magic number; the lowest one is the version.
const MAGIC: u32 = 0x6561_7400;

/// Where the fields of a version are, in bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Version {
    number: u32,
    /// The fixed part of a record.
    pub length: usize,
    action: usize,
    process: usize,
    device: usize,
    cpu: usize,
    /// The length of the payload.
    pub payload: usize,
}

const VERSIONS: [Version; 2] = [
    Version {
        number: 7,
        length: 48,
        action: 28,
        process: 32,
        device: 36,
        cpu: 40,
        payload: 46,
    },
    // Linux since 2025
    Version {
        number: 8,
        length: 64,
        action: 32,
        process: 28,
        device: 40,
        cpu: 44,
        payload: 50,
    },
];

impl Version {
    /// The version of the record that starts like this; `bytes` has the magic number.
    ///
    /// # Errors
    /// It is none, or of an unknown version.
    pub fn of(bytes: &[u8]) -> Result<&'static Version, String> {
        let magic = u32_at(bytes, 0);
        if magic.swap_bytes() & !0xFF == MAGIC {
            return Err(
                "its bytes are big endian; only records of little-endian machines are read".into(),
            );
        }
        if magic & !0xFF != MAGIC {
            return Err(format!(
                "the magic number is wrong, found {magic:#010x}; a record starts with {MAGIC:#010x} and a version, little \
                 endian"
            ));
        }
        let number = magic & 0xFF;
        let known = VERSIONS.iter().find(|version| version.number == number);
        known.ok_or_else(|| {
            let versions = VERSIONS.map(|version| version.number.to_string());
            format!(
                "version {number} of the records of blktrace; it must be {}",
                either(&versions)
            )
        })
    }

    /// The action, whose upper half is a set of categories; those above 32 bits are about zones.
    fn action(&self, record: &[u8]) -> u64 {
        match self.number {
            7 => u32_at(record, self.action).into(),
            _ => u64_at(record, self.action),
        }
    }
}

fn detect(head: Head) -> Option<String> {
    let magic = u32::from_le_bytes(*head.bytes.first_chunk()?);
    let is_one = |magic: u32| magic & !0xFF == MAGIC;
    // one that cannot be read is refused as what it is
    (is_one(magic) || is_one(magic.swap_bytes())).then(|| {
        let version = magic.min(magic.swap_bytes()) & 0xFF;
        let version = if is_one(magic) { magic & 0xFF } else { version };
        format!("it starts with the magic number of blktrace, version {version}")
    })
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
        requeued: Requeued::default(),
        sequences: HashMap::new(),
        lost: Vec::new(),
        missing: 0,
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
    /// These bytes are no record of blktrace.
    pub fn at(bytes: &[u8]) -> Result<Option<RecordedStep>, String> {
        if bytes.len() < MAGIC_LENGTH {
            return Ok(None);
        }
        let version = Version::of(bytes)?;
        let step = bytes.get(..version.length);
        let step = step.map(|record| Self::of(record, version));
        Ok(step.filter(|step| bytes.len() >= step.length))
    }

    /// The record that begins like this.
    fn of(record: &[u8], version: &Version) -> RecordedStep {
        let action = version.action(record);
        let known = STEPS.iter().find(|(known, _)| *known == step_of(action));
        let known = known.filter(|_| action & category::NOTIFY == 0);
        RecordedStep {
            length: version.length + usize::from(u16_at(record, version.payload)),
            action: known.map(|(_, action)| *action),
        }
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
    requeued: Requeued,
    /// The number of the last record of each device and CPU.
    sequences: HashMap<(u32, u32), u32>,
    /// The gaps between these numbers: the CPU, and the numbers before and behind; only the first few.
    lost: Vec<(u32, u32, u32)>,
    /// The records in all gaps.
    missing: u64,
}

/// The most devices and CPUs whose records are counted.
const COUNTED: usize = 1 << 16;

/// The gaps that are told.
const TOLD: usize = 3;

impl Blktrace {
    /// Notes the number of a record, which is one more than that of the last one of its device and CPU.
    fn count(&mut self, device: u32, cpu: u32, number: u32) {
        let key = (device, cpu);
        if self.sequences.len() == COUNTED && !self.sequences.contains_key(&key) {
            return;
        }
        let last = self.sequences.insert(key, number);
        if let Some(last) = last
            && number > last
            && number - last > 1
        {
            self.missing += u64::from(number - last - 1);
            if self.lost.len() < TOLD {
                self.lost.push((cpu, last, number));
            }
        }
    }
}

/// The upper half of an action is a set of these.
mod category {
    pub const READ: u64 = 1 << 16;
    pub const WRITE: u64 = 1 << 17;
    pub const FLUSH: u64 = 1 << 18;
    pub const COMMAND: u64 = 1 << 25;
    pub const NOTIFY: u64 = 1 << 26;
    pub const DISCARD: u64 = 1 << 29;
    pub const FUA: u64 = 1 << 31;
}

/// The lower half of an action, without the flag of a control group.
fn step_of(action: u64) -> u32 {
    (action & 0xFF) as u32
}

/// Given back by the driver, to be dispatched again.
const REQUEUE: u32 = 6;

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
        if bytes.len() < MAGIC_LENGTH {
            return Ok(None);
        }
        let version = Version::of(bytes).map_err(BadRecord::lost)?;
        let Some(record) = bytes.get(..version.length) else {
            return Ok(None);
        };
        let step = RecordedStep::of(record, version);
        let length = step.length as u64;
        let (time, sector, size, action, pid, device, cpu) = (
            u64_at(record, TIME_AT),
            u64_at(record, 16),
            u64::from(u32_at(record, 24)),
            version.action(record),
            u32_at(record, version.process),
            u32_at(record, version.device),
            u32_at(record, version.cpu),
        );
        if action & category::NOTIFY != 0 {
            out.skip(skip::PLUGS);
            return Ok(Some(length));
        }
        self.count(device, cpu, u32_at(record, 4));
        if let Some(action) = step.action {
            self.seen[action as usize] += 1;
        }
        let is_requeue = self.action == Action::Dispatch && step_of(action) == REQUEUE;
        if step.action != Some(self.action) && !is_requeue {
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
        if action >> 32 != 0 {
            out.skip(skip::ZONES);
            return Ok(Some(length));
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
        let device = self.device.1.as_bytes();
        if is_requeue {
            let given = self.requeued.give_back(device, kind, place, out);
            given.map_err(bad)?;
        } else if !self.requeued.owes(device, kind, place) {
            emit(number, time, kind, place, out).map_err(bad)?;
        }
        Ok(Some(length))
    }

    fn facts(&self) -> Facts {
        let gap =
            |(cpu, last, next): &(u32, u32, u32)| format!("on CPU {cpu} from {last} to {next}");
        let gaps: Vec<_> = self.lost.iter().map(gap).collect();
        let lost = (self.missing > 0).then(|| {
            format!(
                "{} events were lost while it was recorded, so requests are missing: the numbers of its records jump {}",
                thousands(self.missing),
                listed(&gaps)
            )
        });
        Facts {
            remarks: lost.into_iter().collect(),
            nothing_selected: self.action.missing(self.seen, "records"),
            ..Facts::default()
        }
    }
}
