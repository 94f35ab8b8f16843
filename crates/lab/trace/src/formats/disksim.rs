//! The ASCII traces of DiskSim: `time devno blkno bcount flags`, with blanks between them.
//!
//! The time is milliseconds, `blkno` and `bcount` are blocks of 512 bytes, `flags` is hexadecimal: bit 0 is set for a read.
//! The device is the volume.

use crate::decode::{Decode, Out};
use crate::entry::{Entry, Head};
use crate::options::ReadOptions;
use crate::rows::{self, Fields, Row, by_blanks, wrong_words};
use crate::text::{SECTOR, in_bytes, quoted, request_with_data, whole_number};
use crate::time_unit::TimeUnit;
use crate::volumes::VolumeNames;
use ssdlab_host::Op;

const LAYOUT: &str = "time devno blkno bcount flags";

pub(crate) const ENTRY: Entry = Entry {
    name: "disksim",
    about: "time (ms), devno, blkno and bcount (blocks of 512 bytes), flags (hexadecimal, bit 0 is set for a read), with blanks between them",
    source: "DiskSim",
    example: "0.000000 0 20480 7 1",
    options: &[],
    columns: &[],
    origin: None,
    volumes: Some(VolumeNames::AS_WRITTEN),
    sort_ns: None,
    by_line: false,
    detect,
    decoder,
};

/// Whole times that grow by less than this from line to line are no nanoseconds: no device takes 10^7 requests a second.
const FEW: u64 = 100;

struct Disksim;

fn detect(head: Head) -> Option<String> {
    let times = five_numbers(head, |field| flags(field).is_ok())?;
    match times {
        Times::Fractions => Some(
            "the lines have five numbers, and times have fractions, as milliseconds have".into(),
        ),
        Times::Whole { growth } if growth.is_none_or(|growth| growth < FEW) => Some(format!(
            "the lines have five numbers, and {}",
            times.shown()
        )),
        Times::Whole { .. } => None,
    }
}

/// The times of the first lines.
#[derive(Clone, Copy)]
pub(crate) enum Times {
    /// Some have a fraction.
    Fractions,
    /// All are whole numbers; how much they grow from line to line on average, if they do.
    Whole { growth: Option<u64> },
}

impl Times {
    pub fn shown(self) -> String {
        match self {
            Times::Fractions => "times have fractions".into(),
            Times::Whole { growth: None } => "times are whole numbers".into(),
            Times::Whole {
                growth: Some(growth),
            } => {
                format!("times are whole numbers that grow by {growth} from line to line")
            }
        }
    }

    /// Whether they may be nanoseconds.
    pub fn may_be_ns(self) -> bool {
        matches!(self, Times::Whole { growth } if growth.is_none_or(|growth| growth >= FEW))
    }
}

/// The times of lines of five fields: a time, three numbers, and one that is as `last` says.
pub(crate) fn five_numbers(head: Head, last: fn(&[u8]) -> bool) -> Option<Times> {
    let form = |line| {
        let [time, device, block, count, kind] = by_blanks(line)?;
        let numbers = [device, block, count]
            .iter()
            .all(|field| whole_number("", field).is_ok());
        Some((
            time,
            numbers && last(kind) && TimeUnit::Millisecond.decode("", time).is_ok(),
        ))
    };
    let lines = head.forms(form)?;
    if !lines.iter().all(|(_, fits)| *fits) {
        return None;
    }
    let whole: Vec<_> = lines
        .iter()
        .filter_map(|(time, _)| whole_number("", time).ok())
        .collect();
    if whole.len() < lines.len() {
        return Some(Times::Fractions);
    }
    let span = whole.last()?.saturating_sub(*whole.first()?);
    let growth = (span > 0).then(|| span / (whole.len() as u64 - 1));
    Some(Times::Whole { growth })
}

fn decoder(_: &ReadOptions) -> Result<Box<dyn Decode>, String> {
    Ok(rows::decoder(Disksim))
}

fn flags(found: &[u8]) -> Result<u64, String> {
    let text = std::str::from_utf8(found).unwrap_or_default();
    let digits = text.strip_prefix("0x").unwrap_or(text);
    let plain = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let value = u64::from_str_radix(digits, 16).ok().filter(|_| plain);
    value.ok_or_else(|| {
        let found = quoted(found);
        format!("flags is not a hexadecimal number, found {found}; bit 0 is set for a read")
    })
}

impl Row<5> for Disksim {
    const LAYOUT: &str = LAYOUT;

    fn split(line: &[u8]) -> Option<Fields<'_, 5>> {
        by_blanks(line)
    }

    fn wrong_count(line: &[u8]) -> String {
        wrong_words(line, LAYOUT)
    }

    fn row(
        &mut self,
        number: u64,
        [time, device, block, count, kind]: Fields<5>,
        out: &mut Out,
    ) -> Result<(), String> {
        let time = TimeUnit::Millisecond.decode("time", time)?;
        whole_number("devno", device)?;
        let offset = in_bytes(SECTOR, "blkno", block)?;
        let size = in_bytes(SECTOR, "bcount", count)?;
        let op = if flags(kind)? & 1 == 1 {
            Op::Read
        } else {
            Op::Write
        };
        let request = request_with_data(
            ["blkno in bytes", "bcount in bytes"],
            time,
            op,
            offset,
            size,
        )?;
        out.add(number, device, request)
    }
}
