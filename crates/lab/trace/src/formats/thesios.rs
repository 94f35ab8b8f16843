//! The format of the traces of Thesios (Google): CSV with a header, which files put together repeat.
//!
//! `file_offset` and `request_io_size_bytes` are bytes in a file, `start_time` is seconds, `op_type` is READ or WRITE. Files have
//! no addresses: each gets a slot in the order of appearance. Reads that the server's cache serves do not reach the device.

use crate::decode::{Decode, Facts, Out};
use crate::entry::{Entry, Head};
use crate::options::ReadOptions;
use crate::rows::{self, Fields, Row, by_commas, is_header, shown_by};
use crate::skip;
use crate::slots::Slots;
use crate::text::{op, quoted, request, whole_number};
use crate::time_unit::TimeUnit;
use ssdlab_host::Op;

const HEADER: &str = "filename,file_offset,application,c_time,io_zone,redundancy_type,op_type,service_class,from_flash_cache,\
                      cache_hit,request_io_size_bytes,disk_io_size_bytes,response_io_size_bytes,start_time,disk_time,\
                      simulated_disk_start_time,simulated_latency";

pub(crate) const ENTRY: Entry = Entry {
    name: "thesios",
    about: "CSV of filename, file_offset and request_io_size_bytes (bytes), op_type (READ or WRITE), start_time (s) and others",
    source: "Thesios traces of Google, ASPLOS 2024",
    example: HEADER,
    options: &["--slot"],
    columns: &[],
    origin: None,
    volumes: None,
    sort_ns: None,
    by_line: true,
    detect,
    decoder,
};

/// The default slot of a file, bytes.
const SLOT: u64 = 64 << 20;

struct Thesios {
    slots: Slots,
}

fn detect(head: Head) -> Option<String> {
    let line = head.line();
    if is_header(line, HEADER).is_some() {
        return Some("line 1 is the header of Thesios".into());
    }
    let fields: Fields<17> = by_commas(line)?;
    let fits = op("", fields[6], OPS).is_ok() && whole_number("", fields[1]).is_ok();
    fits.then(|| shown_by(line, &format!("the seventh is {}", quoted(fields[6]))))
}

fn decoder(options: &ReadOptions) -> Result<Box<dyn Decode>, String> {
    Ok(rows::decoder(Thesios {
        slots: Slots::new(options.slot.unwrap_or(SLOT)),
    }))
}

const OPS: &[(&str, Op)] = &[("READ", Op::Read), ("WRITE", Op::Write)];

impl Row<17> for Thesios {
    const LAYOUT: &str = HEADER;

    fn row(&mut self, number: u64, fields: Fields<17>, out: &mut Out) -> Result<(), String> {
        let [
            file,
            offset,
            _,
            _,
            _,
            _,
            kind,
            _,
            _,
            hit,
            size,
            _,
            _,
            time,
            ..,
        ] = fields;
        if file.is_empty() {
            return Err("filename is empty; it must be the name of a file".into());
        }
        let offset = whole_number("file_offset", offset)?;
        let op = op("op_type", kind, OPS)?;
        let size = whole_number("request_io_size_bytes", size)?;
        let time = TimeUnit::Second.decode("start_time", time)?;
        let request = match hit {
            b"1" if op == Op::Read => Err(skip::CACHE_HITS),
            b"0" | b"1" | b"-1" if size == 0 => Err(skip::NO_DATA),
            b"0" | b"1" | b"-1" => {
                let names = ["file_offset", "request_io_size_bytes"];
                let address = self.slots.address(file, names, offset, size)?;
                Ok(request(names, time, op, address, size)?)
            }
            hit => {
                let hit = quoted(hit);
                return Err(format!(
                    "cache_hit is unknown, found {hit}; it must be 1, 0 or -1"
                ));
            }
        };
        out.give(number, request);
        Ok(())
    }

    fn facts(&self) -> Facts {
        Facts {
            remarks: vec![self.slots.remark("files")],
            ..Facts::default()
        }
    }
}
