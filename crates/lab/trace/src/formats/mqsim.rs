//! The ASCII traces of MQSim and of SSDsim: `time device lba sectors type`, with blanks between them.
//!
//! The time is nanoseconds unless the workload of MQSim says otherwise, `lba` and `sectors` are sectors of 512 bytes, `type` is
//! 0 for a write and 1 for a read. The device is the volume.

use crate::decode::{Decode, Out};
use crate::entry::{Entry, Head};
use crate::formats::disksim::five_numbers;
use crate::options::ReadOptions;
use crate::rows::{self, Fields, Row, by_blanks, wrong_words};
use crate::text::{SECTOR, in_bytes, op, request_with_data, whole_number};
use crate::time_unit::TimeUnit;
use crate::volumes::VolumeNames;
use ssdlab_host::Op;

const LAYOUT: &str = "time device lba sectors type";

pub(crate) const ENTRY: Entry = Entry {
    name: "mqsim",
    about: "time (ns), device, lba and sectors (of 512 bytes), type (0 write, 1 read), with blanks between them",
    source: "MQSim; SSDsim",
    example: "4851300 1 524288 16 0",
    options: &["--time-unit"],
    columns: &[],
    origin: None,
    volumes: Some(VolumeNames::AS_WRITTEN),
    sort_ns: None,
    by_line: false,
    detect,
    decoder,
};

struct Mqsim {
    unit: TimeUnit,
}

fn detect(head: Head) -> Option<String> {
    let times = five_numbers(head, |field| op("", field, OPS).is_ok())?;
    times
        .may_be_ns()
        .then(|| format!("the lines have five numbers, and {}", times.shown()))
}

fn decoder(options: &ReadOptions) -> Result<Box<dyn Decode>, String> {
    Ok(rows::decoder(Mqsim {
        unit: options.time_unit.unwrap_or(TimeUnit::Nanosecond),
    }))
}

const OPS: &[(&str, Op)] = &[("0", Op::Write), ("1", Op::Read)];

impl Row<5> for Mqsim {
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
        [time, device, lba, sectors, kind]: Fields<5>,
        out: &mut Out,
    ) -> Result<(), String> {
        let time = self.unit.decode("time", time)?;
        whole_number("device", device)?;
        let offset = in_bytes(SECTOR, "lba", lba)?;
        let size = in_bytes(SECTOR, "sectors", sectors)?;
        let op = op("type", kind, OPS)?;
        let request =
            request_with_data(["lba in bytes", "sectors in bytes"], time, op, offset, size)?;
        out.add(number, device, request)
    }
}
