//! The format of the Tectonic traces of Baleen: `block_id io_offset io_size op_time op_name`, with blanks between them, and
//! more fields behind. The header begins with `#`.
//!
//! `io_offset` and `io_size` are bytes in a block, `op_time` is seconds, `op_name` is 1, 2 or 5 for a read (get), 3, 4 or 6 for
//! a write (put) and 100 for an unknown operation. Blocks have no addresses: each gets a slot in the order of appearance.

use crate::decode::{Decode, Facts, Out};
use crate::entry::{Entry, Head};
use crate::options::ReadOptions;
use crate::rows::{self, Fields, Row, first, words};
use crate::skip;
use crate::slots::Slots;
use crate::text::{op, quoted, request, whole_number, wrong_fields};
use crate::time_unit::TimeUnit;
use ssdlab_host::Op;

const LAYOUT: &str = "block_id io_offset io_size op_time op_name";

pub(crate) const ENTRY: Entry = Entry {
    name: "baleen",
    about: "block_id, io_offset and io_size (bytes), op_time (s), op_name (1 to 6), with blanks between them",
    source: "Tectonic traces of Meta, Baleen, FAST 2024",
    example: "7 524288 131072 1572000001.25 4 9 9 9",
    options: &["--slot"],
    columns: &[],
    origin: None,
    volumes: None,
    sort_ns: None,
    by_line: false,
    detect,
    decoder,
};

/// The largest block of Tectonic, bytes.
const BLOCK: u64 = 8 << 20;

struct Baleen {
    slots: Slots,
}

fn detect(head: Head) -> Option<String> {
    let first = head.line();
    let text = String::from_utf8_lossy(first);
    if Baleen::is_header(first)
        && ["io_offset", "io_size", "op_time"]
            .iter()
            .all(|name| text.contains(name))
    {
        return Some(format!("line 1 is {}", quoted(first)));
    }
    let [block, offset, size, time, op] = Baleen::split(first)?;
    let fits = words(first).count() > 5
        && [block, offset, size, op]
            .iter()
            .all(|field| whole_number("", field).is_ok())
        && TimeUnit::Second
            .decode("", time)
            .is_ok_and(|time| time >= REAL_TIME);
    fits.then(|| {
        format!(
            "line 1 has {} numbers, the fourth is a second since 1970",
            words(first).count()
        )
    })
}

/// 2001, in nanoseconds since 1970.
const REAL_TIME: u64 = 978_307_200_000_000_000;

fn decoder(options: &ReadOptions) -> Result<Box<dyn Decode>, String> {
    Ok(rows::decoder(Baleen {
        slots: Slots::new(options.slot.unwrap_or(BLOCK)),
    }))
}

const OPS: &[(&str, Op)] = &[
    ("1", Op::Read),
    ("2", Op::Read),
    ("3", Op::Write),
    ("4", Op::Write),
    ("5", Op::Read),
    ("6", Op::Write),
];

impl Row<5> for Baleen {
    const LAYOUT: &str = LAYOUT;

    fn is_header(line: &[u8]) -> bool {
        line.starts_with(b"#")
    }

    fn split(line: &[u8]) -> Option<Fields<'_, 5>> {
        first(words(line))
    }

    fn wrong_count(line: &[u8]) -> String {
        let allowed = format!("at least 5 fields with blanks between them: {LAYOUT}");
        wrong_fields(line, words(line).count(), &allowed)
    }

    fn row(
        &mut self,
        number: u64,
        [block, offset, size, time, kind]: Fields<5>,
        out: &mut Out,
    ) -> Result<(), String> {
        whole_number("block_id", block)?;
        let offset = whole_number("io_offset", offset)?;
        let size = whole_number("io_size", size)?;
        let time = TimeUnit::Second.decode("op_time", time)?;
        let request = if kind == b"100" {
            Err(skip::OPERATIONS)
        } else {
            let op = op("op_name", kind, OPS)?;
            if size == 0 {
                Err(skip::NO_DATA)
            } else {
                let names = ["io_offset", "io_size"];
                let address = self.slots.address(block, names, offset, size)?;
                Ok(request(names, time, op, address, size)?)
            }
        };
        out.give(number, request);
        Ok(())
    }

    fn facts(&self) -> Facts {
        Facts {
            remarks: vec![self.slots.remark("blocks")],
            ..Facts::default()
        }
    }
}
