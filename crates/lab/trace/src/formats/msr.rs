//! The format of the MSR Cambridge block traces: CSV without a header,
//! `Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime`.
//!
//! `Timestamp` is a Windows file time (100 ns ticks since 1601), `Type` is Read or Write, `Offset` and `Size` are
//! bytes. `ResponseTime` (ticks) must be a number and is not used. Host and disk are the volume.

use crate::decode::{Decode, Out};
use crate::entry::{Entry, Head};
use crate::options::ReadOptions;
use crate::rows::{self, Fields, Row, by_commas, is_header, shown_by};
use crate::text::{Scan, op, quick_request, quoted, request_with_data, whole_number};
use crate::volumes::VolumeNames;
use ssdlab_host::Op;
use std::ops::Range;

const HEADER: &str = "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime";

pub(crate) const ENTRY: Entry = Entry {
    name: "msr",
    about: "CSV of Timestamp (100 ns ticks since 1601), Hostname, DiskNumber, Type, Offset and Size (bytes), ResponseTime",
    source: "MSR Cambridge traces, FAST 2008",
    example: "128166372003061629,usr,0,Read,7014609920,24576,41286",
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

#[derive(Default)]
struct Msr {
    /// The volume of the line.
    volume: Vec<u8>,
}

const OPS: &[(&str, Op)] = &[("Read", Op::Read), ("Write", Op::Write)];

fn detect(head: Head) -> Option<String> {
    let line = head.line();
    if let Some(reason) = is_header(line, HEADER) {
        return Some(reason);
    }
    let [time, _, _, kind, ..]: Fields<7> = by_commas(line)?;
    let msr = op("", kind, OPS).is_ok() && !time.is_empty() && time.iter().all(u8::is_ascii_digit);
    msr.then(|| shown_by(line, &format!("the fourth is {}", quoted(kind))))
}

fn decoder(_: &ReadOptions) -> Result<Box<dyn Decode>, String> {
    Ok(rows::decoder(Msr::default()))
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

impl Row<7> for Msr {
    const LAYOUT: &str = HEADER;

    fn row(
        &mut self,
        number: u64,
        [ticks, host, disk, kind, offset, size, response]: Fields<7>,
        out: &mut Out,
    ) -> Result<(), String> {
        let time = nanoseconds(ticks)?;
        if host.is_empty() {
            return Err("Hostname is empty; it must be the name of a host".into());
        }
        whole_number("DiskNumber", disk)?;
        let op = op("Type", kind, OPS)?;
        let offset = whole_number("Offset", offset)?;
        let size = whole_number("Size", size)?;
        let request = request_with_data(["Offset", "Size"], time, op, offset, size)?;
        check_response(response)?;
        self.volume.clear();
        self.volume.extend_from_slice(host);
        self.volume.push(b',');
        self.volume.extend_from_slice(disk);
        out.add(number, &self.volume, request)
    }

    #[inline(always)]
    fn scan(&mut self, number: u64, text: &[u8], out: &mut Out) -> Option<usize> {
        let mut scan = Scan::new(text);
        let ticks = scan.number().filter(|ticks| REAL_TICKS.contains(ticks))?;
        scan.expect(b',')?;
        let start = scan.at();
        if scan.field()?.is_empty() {
            return None;
        }
        scan.number()?;
        let volume = scan.between(start, scan.at());
        scan.expect(b',')?;
        let op = if scan.skip(b"Write,").is_some() {
            Op::Write
        } else {
            scan.skip(b"Read,")?;
            Op::Read
        };
        let offset = scan.number()?;
        scan.expect(b',')?;
        let size = scan.number()?;
        scan.expect(b',')?;
        scan.number()?;
        let used = scan.end()?;
        let request = quick_request(ticks * TICK_NS, op, offset, size)?;
        out.add(number, volume, Ok(request)).ok()?;
        Some(used)
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
