//! The format of the block traces of Alibaba (2020): CSV without a header, `device_id,opcode,offset,length,timestamp`.
//!
//! `opcode` is R or W, `offset` and `length` are bytes, `timestamp` is microseconds. The device is the volume.

use crate::decode::{Decode, Out};
use crate::entry::{Entry, Head};
use crate::options::ReadOptions;
use crate::rows::{self, Fields, Row, by_commas, is_header, shown_by};
use crate::text::{Scan, op, quick_request, quoted, request_with_data, whole_number};
use crate::time_unit::TimeUnit;
use crate::volumes::VolumeNames;
use ssdlab_host::Op;

const HEADER: &str = "device_id,opcode,offset,length,timestamp";

pub(crate) const ENTRY: Entry = Entry {
    name: "alibaba",
    about: "CSV of device_id, opcode (R or W), offset and length (bytes), timestamp (us)",
    source: "Alibaba block traces, 2020",
    example: "3,W,8192000,16384,1577808000000500",
    options: &[],
    columns: &[],
    origin: None,
    volumes: Some(VolumeNames::AS_WRITTEN),
    sort_ns: None,
    by_line: true,
    detect,
    decoder,
};

struct Alibaba;

fn detect(head: Head) -> Option<String> {
    let line = head.line();
    if let Some(reason) = is_header(line, HEADER) {
        return Some(reason);
    }
    let [device, opcode, offset, length, time] = by_commas(line)?;
    let numbers = [device, offset, length, time];
    let fits =
        op("", opcode, OPS).is_ok() && numbers.iter().all(|field| whole_number("", field).is_ok());
    fits.then(|| shown_by(line, &format!("the second is {}", quoted(opcode))))
}

fn decoder(_: &ReadOptions) -> Result<Box<dyn Decode>, String> {
    Ok(rows::decoder(Alibaba))
}

const OPS: &[(&str, Op)] = &[("R", Op::Read), ("W", Op::Write)];

impl Row<5> for Alibaba {
    const LAYOUT: &str = HEADER;

    fn row(
        &mut self,
        number: u64,
        [device, opcode, offset, length, time]: Fields<5>,
        out: &mut Out,
    ) -> Result<(), String> {
        whole_number("device_id", device)?;
        let op = op("opcode", opcode, OPS)?;
        let offset = whole_number("offset", offset)?;
        let length = whole_number("length", length)?;
        let time = TimeUnit::Microsecond.decode("timestamp", time)?;
        let request = request_with_data(["offset", "length"], time, op, offset, length)?;
        out.add(number, device, request)
    }

    #[inline(always)]
    fn scan(&mut self, number: u64, text: &[u8], out: &mut Out) -> Option<usize> {
        let mut scan = Scan::new(text);
        scan.number()?;
        let device = scan.between(0, scan.at());
        scan.expect(b',')?;
        let op = match scan.byte()? {
            b'R' => Op::Read,
            b'W' => Op::Write,
            _ => return None,
        };
        scan.expect(b',')?;
        let offset = scan.number()?;
        scan.expect(b',')?;
        let length = scan.number()?;
        scan.expect(b',')?;
        let time = scan.number()?.checked_mul(TimeUnit::Microsecond.ns())?;
        let used = scan.end()?;
        let request = quick_request(time, op, offset, length)?;
        out.add(number, device, Ok(request)).ok()?;
        Some(used)
    }
}
