//! The log of DiskMon: `index time duration disk request sector length`, with tabs between them.
//!
//! The time is seconds or a wall clock, `request` is Read or Write, `sector` and `length` are sectors of 512 bytes. The disk is
//! the volume.

use crate::decode::{Decode, Out};
use crate::entry::{Entry, Head};
use crate::options::ReadOptions;
use crate::rows::{self, Fields, Row};
use crate::text::{SECTOR, in_bytes, op, quoted, request_with_data, whole_number, wrong_fields};
use crate::time_unit::TimeUnit;
use crate::volumes::VolumeNames;
use ssdlab_host::Op;

const LAYOUT: &str = "index time duration disk request sector length";

pub(crate) const ENTRY: Entry = Entry {
    name: "diskmon",
    about: "index, time (s, or a clock), duration, disk, request (Read or Write), sector and length (sectors of 512 bytes), with tabs between them",
    source: "DiskMon of Sysinternals",
    example: "0\t0.000000\t0.00006866\t0\tWrite\t27295103\t8",
    options: &[],
    columns: &[],
    origin: None,
    volumes: Some(VolumeNames::AS_WRITTEN),
    sort_ns: None,
    by_line: true,
    detect,
    decoder,
};

const DAY_NS: u64 = 86_400 * 1_000_000_000;

#[derive(Default)]
struct Diskmon {
    clock: Clock,
}

/// Makes successive times of the times of a day.
#[derive(Default)]
struct Clock {
    /// Nanoseconds of the days before this one.
    days: u64,
    last: u64,
}

impl Clock {
    /// The time of a line whose time of the day is `time` nanoseconds: a day begins where it jumps back by half a day.
    ///
    /// # Errors
    /// So many days that their nanoseconds need more than 64 bits.
    fn at(&mut self, time: u64) -> Result<u64, String> {
        if time + DAY_NS / 2 < self.last {
            self.days = self.days.saturating_add(DAY_NS);
        }
        self.last = time;
        let sum = self.days.checked_add(time);
        sum.ok_or_else(|| {
            "the clock jumps back for the 213504th day; the times last more than 584 years".into()
        })
    }
}

fn detect(head: Head) -> Option<String> {
    let line = head.line();
    if Diskmon::is_header(line) {
        return Some(format!("line 1 is {}", quoted(line)));
    }
    let [.., kind, _, _] = Diskmon::split(line)?;
    let kind = op("", kind, OPS).is_ok().then(|| quoted(kind))?;
    Some(format!(
        "line 1 has 7 fields with tabs between them, the fifth is {kind}"
    ))
}

fn decoder(_: &ReadOptions) -> Result<Box<dyn Decode>, String> {
    Ok(rows::decoder(Diskmon::default()))
}

const OPS: &[(&str, Op)] = &[("Read", Op::Read), ("Write", Op::Write)];

fn tabs(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|&byte| byte == b'\t')
}

/// The nanoseconds of `[h]h:mm:ss[.fraction][ AM| PM]` since midnight.
fn time_of_day(found: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(found).ok()?;
    let (text, afternoon) = match text.split_once(' ') {
        None => (text, None),
        Some((text, "AM" | "am")) => (text, Some(false)),
        Some((text, "PM" | "pm")) => (text, Some(true)),
        _ => return None,
    };
    let mut parts = text.split(':');
    let (hour, minute, second) = (parts.next()?, parts.next()?, parts.next()?);
    let part = |text: &str| {
        whole_number("", text.as_bytes())
            .ok()
            .filter(|_| text.len() <= 2)
    };
    let hour = match (part(hour)?, afternoon) {
        (hour @ 0..24, None) => hour,
        (hour @ 1..=12, Some(afternoon)) => hour % 12 + 12 * u64::from(afternoon),
        _ => return None,
    };
    let minute = part(minute).filter(|minute| *minute < 60)?;
    let second = TimeUnit::Second.decode("", second.as_bytes()).ok()?;
    let within = second < 61 * TimeUnit::Second.ns() && parts.next().is_none();
    within.then(|| (hour * 60 + minute) * 60 * TimeUnit::Second.ns() + second)
}

impl Row<7> for Diskmon {
    const LAYOUT: &str = LAYOUT;

    fn is_header(line: &[u8]) -> bool {
        line.starts_with(b"#") && tabs(line).count() >= 6
    }

    fn split(line: &[u8]) -> Option<Fields<'_, 7>> {
        let mut fields = [&b""[..]; 7];
        let mut parts = tabs(line);
        for field in &mut fields {
            *field = parts.next()?.trim_ascii();
        }
        parts
            .all(|part| part.trim_ascii().is_empty())
            .then_some(fields)
    }

    fn wrong_count(line: &[u8]) -> String {
        let allowed = format!("7 fields with tabs between them: {LAYOUT}");
        wrong_fields(line, tabs(line).count(), &allowed)
    }

    fn row(
        &mut self,
        number: u64,
        [index, time, duration, disk, kind, sector, length]: Fields<7>,
        out: &mut Out,
    ) -> Result<(), String> {
        whole_number("index", index)?;
        let clock = time.contains(&b':').then(|| {
            time_of_day(time).ok_or_else(|| {
                let found = quoted(time);
                format!("time is no time of the day, found {found}; it must be seconds, or as 14:07:31.25 or 2:07:31 PM")
            })
        });
        let time = match clock {
            Some(time) => self.clock.at(time?)?,
            None => TimeUnit::Second.decode("time", time)?,
        };
        if !duration.is_empty() {
            TimeUnit::Second.decode("duration", duration)?;
        }
        whole_number("disk", disk)?;
        let op = op("request", kind, OPS)?;
        let offset = in_bytes(SECTOR, "sector", sector)?;
        let size = in_bytes(SECTOR, "length", length)?;
        let request = request_with_data(
            ["sector in bytes", "length in bytes"],
            time,
            op,
            offset,
            size,
        )?;
        out.add(number, disk, request)
    }
}
