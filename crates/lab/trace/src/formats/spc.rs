//! The format of the Storage Performance Council, as in the traces of UMass: `ASU,LBA,Size,Opcode,Timestamp`, perhaps with
//! more fields behind.
//!
//! `LBA` is blocks of 512 bytes, `Size` is bytes, `Opcode` is R or W, `Timestamp` is seconds. Fields may have blanks
//! around them. The unit of the application (ASU) is the volume.

use crate::decode::{Decode, Out};
use crate::entry::{Entry, Head};
use crate::options::ReadOptions;
use crate::rows::{self, Fields, Row, first, is_header, shown_by};
use crate::text::{
    SECTOR, Scan, fields, in_bytes, op, quick_request, quoted, request_with_data, whole_number,
    wrong_fields,
};
use crate::time_unit::TimeUnit;
use crate::volumes::VolumeNames;
use ssdlab_host::Op;

const LAYOUT: &str = "ASU,LBA,Size,Opcode,Timestamp";

pub(crate) const ENTRY: Entry = Entry {
    name: "spc",
    about: "ASU, LBA (blocks of 512 bytes), Size (bytes), Opcode (R or W), Timestamp (s), with commas between them",
    source: "Storage Performance Council; UMass traces",
    example: "0,20480,3584,w,0.000000",
    options: &[],
    columns: &[],
    origin: None,
    volumes: Some(VolumeNames::AS_WRITTEN),
    sort_ns: None,
    by_line: true,
    detect,
    decoder,
};

struct Spc;

fn detect(head: Head) -> Option<String> {
    let line = head.line();
    if let Some(reason) = is_header(line, LAYOUT) {
        return Some(reason);
    }
    let [unit, block, size, opcode, time] = Spc::split(line)?;
    let numbers = [unit, block, size];
    let fits = op("", opcode, OPS).is_ok()
        && numbers.iter().all(|field| whole_number("", field).is_ok())
        && TimeUnit::Second.decode("", time).is_ok();
    fits.then(|| shown_by(line, &format!("the fourth is {}", quoted(opcode))))
}

fn decoder(_: &ReadOptions) -> Result<Box<dyn Decode>, String> {
    Ok(rows::decoder(Spc))
}

const OPS: &[(&str, Op)] = &[("R", Op::Read), ("W", Op::Write)];

impl Row<5> for Spc {
    const LAYOUT: &str = LAYOUT;

    fn split(line: &[u8]) -> Option<Fields<'_, 5>> {
        first(line.split(|&byte| byte == b',').map(<[u8]>::trim_ascii))
    }

    fn wrong_count(line: &[u8]) -> String {
        let allowed = format!("at least 5 fields with commas between them: {LAYOUT}");
        wrong_fields(line, fields(line), &allowed)
    }

    fn row(
        &mut self,
        number: u64,
        [unit, block, size, opcode, time]: Fields<5>,
        out: &mut Out,
    ) -> Result<(), String> {
        whole_number("ASU", unit)?;
        let offset = in_bytes(SECTOR, "LBA", block)?;
        let size = whole_number("Size", size)?;
        let op = op("Opcode", opcode, OPS)?;
        let time = TimeUnit::Second.decode("Timestamp", time)?;
        let request = request_with_data(["LBA in bytes", "Size"], time, op, offset, size)?;
        out.add(number, unit, request)
    }

    #[inline(always)]
    fn scan(&mut self, number: u64, text: &[u8], out: &mut Out) -> Option<usize> {
        let mut scan = Scan::new(text);
        scan.number()?;
        let unit = scan.between(0, scan.at());
        scan.expect(b',')?;
        let offset = scan.number()?.checked_mul(SECTOR)?;
        scan.expect(b',')?;
        let size = scan.number()?;
        scan.expect(b',')?;
        let op = match scan.byte()?.to_ascii_uppercase() {
            b'R' => Op::Read,
            b'W' => Op::Write,
            _ => return None,
        };
        scan.expect(b',')?;
        let time = scan.seconds()?;
        let used = scan.end()?;
        let request = quick_request(time, op, offset, size)?;
        out.add(number, unit, Ok(request)).ok()?;
        Some(used)
    }
}
