//! The format of the block traces of Tencent's cloud (CBS): CSV without a header, `Timestamp,Offset,Size,IOType,VolumeID`.
//!
//! `Timestamp` is seconds since 1970, `Offset` and `Size` are sectors of 512 bytes, `IOType` is 0 for a read and 1 for a
//! write. There are copies of the set in other units, so that options set them.

use crate::decode::{Decode, Facts, Out};
use crate::entry::{Entry, Head};
use crate::options::ReadOptions;
use crate::rows::{self, Fields, Row, by_commas, is_header, shown_by};
use crate::text::{Scan, in_bytes, op, quick_request, quoted, request_with_data, whole_number};
use crate::time_unit::TimeUnit;
use crate::volumes::VolumeNames;
use ssdlab_host::Op;
use std::ops::Range;

const HEADER: &str = "Timestamp,Offset,Size,IOType,VolumeID";

pub(crate) const ENTRY: Entry = Entry {
    name: "tencent",
    about: "CSV of Timestamp (s), Offset and Size (sectors of 512 bytes), IOType (0 read, 1 write), VolumeID",
    source: "Tencent CBS traces, 2018",
    example: "1538400000,2048000,128,0,7",
    options: &["--sector", "--size-unit"],
    columns: &[],
    origin: None,
    volumes: Some(VolumeNames::AS_WRITTEN),
    sort_ns: None,
    by_line: true,
    detect,
    decoder,
};

/// The seconds of 2001 to 2099.
const REAL_SECONDS: Range<u64> = 978_307_200..4_102_444_800;

struct Tencent {
    /// Bytes in a unit of offsets.
    offset_unit: u64,
    /// Bytes in a unit of sizes.
    size_unit: u64,
    /// The bits that are set in some offset, and in some size, in units; the number of lines with an offset above 0.
    seen: (u64, u64, u64),
    /// Whether the format, not the user, says the units.
    default_units: bool,
}

/// Fewer lines say nothing about the unit.
const ENOUGH: u64 = 16;

impl Tencent {
    /// Notes an offset and a size, in units.
    #[inline(always)]
    fn note(&mut self, offset: u64, size: u64) {
        let (offsets, sizes, count) = self.seen;
        self.seen = (
            offsets | offset,
            sizes | size,
            count + u64::from(offset > 0),
        );
    }
}

fn detect(head: Head) -> Option<String> {
    let line = head.line();
    if let Some(reason) = is_header(line, HEADER) {
        return Some(reason);
    }
    let [time, offset, size, kind, volume] = by_commas(line)?;
    let seconds = whole_number("", time).is_ok_and(|time| REAL_SECONDS.contains(&time));
    let numbers = [offset, size, volume];
    let fits = seconds
        && op("", kind, OPS).is_ok()
        && numbers.iter().all(|field| whole_number("", field).is_ok());
    fits.then(|| {
        shown_by(
            line,
            &format!(
                "the first is a second since 1970, the fourth is {}",
                quoted(kind)
            ),
        )
    })
}

fn decoder(options: &ReadOptions) -> Result<Box<dyn Decode>, String> {
    let offset_unit = options.sector.unwrap_or(512);
    Ok(rows::decoder(Tencent {
        offset_unit,
        size_unit: options.size_unit.unwrap_or(offset_unit),
        seen: (0, 0, 0),
        default_units: options.sector.is_none(),
    }))
}

const OPS: &[(&str, Op)] = &[("0", Op::Read), ("1", Op::Write)];

impl Row<5> for Tencent {
    const LAYOUT: &str = HEADER;

    fn row(
        &mut self,
        number: u64,
        [time, offset, size, kind, volume]: Fields<5>,
        out: &mut Out,
    ) -> Result<(), String> {
        let time = TimeUnit::Second.decode("Timestamp", time)?;
        let offset = in_bytes(self.offset_unit, "Offset", offset)?;
        let size = in_bytes(self.size_unit, "Size", size)?;
        let op = op("IOType", kind, OPS)?;
        whole_number("VolumeID", volume)?;
        let request =
            request_with_data(["Offset in bytes", "Size in bytes"], time, op, offset, size)?;
        self.note(offset / self.offset_unit, size / self.size_unit);
        out.add(number, volume, request)
    }

    #[inline(always)]
    fn scan(&mut self, number: u64, text: &[u8], out: &mut Out) -> Option<usize> {
        let mut scan = Scan::new(text);
        let time = scan.number()?.checked_mul(TimeUnit::Second.ns())?;
        scan.expect(b',')?;
        let offset = scan.number()?;
        scan.expect(b',')?;
        let size = scan.number()?;
        scan.expect(b',')?;
        let op = match scan.byte()? {
            b'0' => Op::Read,
            b'1' => Op::Write,
            _ => return None,
        };
        scan.expect(b',')?;
        let start = scan.at();
        scan.number()?;
        let volume = scan.between(start, scan.at());
        let used = scan.end()?;
        let in_bytes = (
            offset.checked_mul(self.offset_unit)?,
            size.checked_mul(self.size_unit)?,
        );
        let request = quick_request(time, op, in_bytes.0, in_bytes.1)?;
        out.add(number, volume, Ok(request)).ok()?;
        self.note(offset, size);
        Some(used)
    }

    fn facts(&self) -> Facts {
        let (offsets, sizes, count) = self.seen;
        let whole_sectors = |bits: u64| bits.is_multiple_of(512);
        if !self.default_units || count < ENOUGH || !whole_sectors(offsets) {
            return Facts::default();
        }
        let (what, options) = match whole_sectors(sizes) {
            true => ("offsets and sizes", "--sector 1"),
            false => ("offsets", "--sector 1 --size-unit 512"),
        };
        let remarks = vec![format!(
            "all {what} are multiples of 512, as if they were bytes, not sectors; there are copies of the set in bytes: if \
             this is one, give {options}"
        )];
        Facts {
            remarks,
            ..Facts::default()
        }
    }
}
