//! The format of the MSR Cambridge block traces: CSV without a header,
//! `Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime`.
//!
//! `Timestamp` is a Windows file time (100 ns ticks since 1601), `Type` is Read or Write, `Offset` and `Size` are
//! bytes. `ResponseTime` (ticks) must be a number and is not used. Host and disk are the volume.

use crate::decode::{ByLine, Decode, LineFormat, Out};
use crate::entry::{Entry, Head};
use crate::options::ReadOptions;
use crate::skip;
use crate::text::{quoted, request, second_header, whole_number, wrong_count};
use crate::volumes::VolumeNames;
use ssdlab_host::Op;
use std::ops::Range;

const HEADER: &str = "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime";

pub(crate) const ENTRY: Entry = Entry {
    name: "msr",
    about: "CSV of Timestamp (100 ns ticks since 1601), Hostname, DiskNumber, Type, Offset and Size (bytes), ResponseTime",
    source: "MSR Cambridge traces, FAST 2008",
    options: &[],
    columns: &[],
    origin: None,
    volumes: Some(VolumeNames {
        parse: volume,
        show: |bytes| String::from_utf8_lossy(bytes).replace(',', "."),
    }),
    sort_ns: None,
    by_line: true,
    detect,
    decoder,
};

/// Nanoseconds in a tick.
const TICK_NS: u64 = 100;

/// The file times of 1990 to 2099; a time outside this range is in another unit.
const REAL_TICKS: Range<u64> = 122_756_256_000_000_000..157_469_184_000_000_000;

struct Msr;

fn detect(head: Head) -> Option<String> {
    let line = head.line();
    if line == HEADER.as_bytes() {
        return Some(format!("line 1 is \"{HEADER}\""));
    }
    let [time, _, _, kind, ..] = split(line)?;
    let msr = op(kind).is_some() && !time.is_empty() && time.iter().all(u8::is_ascii_digit);
    msr.then(|| format!("line 1 has 7 fields, the fourth is {}", quoted(kind)))
}

fn decoder(_: &ReadOptions) -> Result<Box<dyn Decode>, String> {
    Ok(Box::new(ByLine::new(Msr)))
}

/// The bytes of the volume `usr.0` as lines contain them.
fn volume(name: &str) -> Result<Vec<u8>, String> {
    match name.rsplit_once('.') {
        Some((host, disk)) if !host.is_empty() && whole_number("", disk.as_bytes()).is_ok() => {
            Ok(format!("{host},{disk}").into_bytes())
        }
        _ => Err("a volume of an msr trace is a host and the number of its disk, as usr.0".into()),
    }
}

impl LineFormat for Msr {
    const LAYOUT: &str = HEADER;

    fn line(&mut self, number: u64, line: &[u8], out: &mut Out) -> Result<(), String> {
        if line.is_empty() {
            out.skip(skip::BLANK);
            return Ok(());
        }
        if line == HEADER.as_bytes() {
            return match number {
                1 => Ok(()),
                _ => Err(second_header(HEADER)),
            };
        }
        let Some([ticks, host, disk, kind, offset, size, response]) = split(line) else {
            return Err(wrong_count(line, HEADER));
        };
        let time = nanoseconds(ticks)?;
        if host.is_empty() {
            return Err("Hostname is empty; it must be the name of a host".into());
        }
        whole_number("DiskNumber", disk)?;
        let op = op(kind).ok_or_else(|| {
            let found = quoted(kind);
            format!("Type is unknown, found {found}; it must be Read or Write")
        })?;
        let offset = whole_number("Offset", offset)?;
        let size = whole_number("Size", size)?;
        let request = request(["Offset", "Size"], time, op, offset, size)?;
        check_response(response)?;
        let host_and_disk = &line[ticks.len() + 1..][..host.len() + 1 + disk.len()];
        if out.take(host_and_disk)? {
            out.push(number, request);
        }
        Ok(())
    }
}

/// The seven fields of a line; `None` if their number differs.
fn split(line: &[u8]) -> Option<[&[u8]; 7]> {
    let mut parts = line.split(|&byte| byte == b',');
    let mut fields = [&b""[..]; 7];
    for field in &mut fields {
        *field = parts.next()?;
    }
    parts.next().is_none().then_some(fields)
}

fn op(kind: &[u8]) -> Option<Op> {
    if kind.eq_ignore_ascii_case(b"Read") {
        Some(Op::Read)
    } else if kind.eq_ignore_ascii_case(b"Write") {
        Some(Op::Write)
    } else {
        None
    }
}

fn nanoseconds(ticks: &[u8]) -> Result<u64, String> {
    let value = whole_number("Timestamp", ticks)?;
    if REAL_TICKS.contains(&value) {
        return Ok(value * TICK_NS);
    }
    let Range { start, end } = REAL_TICKS;
    Err(format!(
        "Timestamp is not a Windows file time, found {value}; its unit must be 100 ns ticks since 1601, so it must be from {start} \
         (1990) to {} (2099)",
        end - 1
    ))
}

fn check_response(found: &[u8]) -> Result<(), String> {
    if whole_number("", found).is_ok() {
        return Ok(());
    }
    let number =
        std::str::from_utf8(found).is_ok_and(|text| text.parse().is_ok_and(f64::is_finite));
    if number {
        Ok(())
    } else {
        Err(format!(
            "ResponseTime is not a number, found {}; it must be one, although it is not used",
            quoted(found)
        ))
    }
}
