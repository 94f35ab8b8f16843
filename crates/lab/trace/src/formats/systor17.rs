//! The format of the traces of SYSTOR'17: CSV with the header `Timestamp,Response,IOType,LUN,Offset,Size`.
//!
//! `Timestamp` and `Response` are seconds, `Offset` and `Size` are bytes. `IOType` is R or W, or empty where the answer was
//! lost; such requests are left out. `Response` is not used. The LUN is the volume.

use crate::decode::{Decode, Out};
use crate::entry::{Entry, Head};
use crate::options::ReadOptions;
use crate::rows::{self, Fields, Row, by_commas, is_header, shown_by};
use crate::skip;
use crate::text::{op, quoted, request_with_data, whole_number};
use crate::time_unit::TimeUnit;
use crate::volumes::VolumeNames;
use ssdlab_host::Op;

const HEADER: &str = "Timestamp,Response,IOType,LUN,Offset,Size";

pub(crate) const ENTRY: Entry = Entry {
    name: "systor17",
    about: "CSV of Timestamp and Response (s), IOType (R, W or empty), LUN, Offset and Size (bytes)",
    source: "Fujitsu traces, SYSTOR 2017",
    example: HEADER,
    options: &[],
    columns: &[],
    origin: None,
    volumes: Some(VolumeNames::AS_WRITTEN),
    sort_ns: None,
    by_line: true,
    detect,
    decoder,
};

struct Systor;

fn detect(head: Head) -> Option<String> {
    let line = head.line();
    if let Some(reason) = is_header(line, HEADER) {
        return Some(reason);
    }
    let [time, _, kind, lun, offset, size] = by_commas(line)?;
    let numbers = [lun, offset, size];
    let fits = (kind.is_empty() || op("", kind, OPS).is_ok())
        && TimeUnit::Second.decode("", time).is_ok()
        && numbers.iter().all(|field| whole_number("", field).is_ok());
    fits.then(|| shown_by(line, &format!("the third is {}", quoted(kind))))
}

fn decoder(_: &ReadOptions) -> Result<Box<dyn Decode>, String> {
    Ok(rows::decoder(Systor))
}

const OPS: &[(&str, Op)] = &[("R", Op::Read), ("W", Op::Write)];

impl Row<6> for Systor {
    const LAYOUT: &str = HEADER;

    fn row(
        &mut self,
        number: u64,
        [time, response, kind, lun, offset, size]: Fields<6>,
        out: &mut Out,
    ) -> Result<(), String> {
        let time = TimeUnit::Second.decode("Timestamp", time)?;
        if !response.is_empty() {
            TimeUnit::Second.decode("Response", response)?;
        }
        whole_number("LUN", lun)?;
        let offset = whole_number("Offset", offset)?;
        let size = whole_number("Size", size)?;
        let request = match kind.trim_ascii() {
            [] => Err(skip::OPERATIONS),
            kind => {
                let op = op("IOType", kind, OPS)?;
                request_with_data(["Offset", "Size"], time, op, offset, size)?
            }
        };
        out.add(number, lun, request)
    }
}
