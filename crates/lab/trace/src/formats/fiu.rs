//! The format of the block traces of Florida International University (IODedup, SRCMap):
//! `time pid process lba size op major minor hash`, with blanks between them.
//!
//! The time is nanoseconds, `lba` and `size` are sectors of 512 bytes, `op` is W or R. A process may have blanks in its
//! name, so that lines are taken apart from their end. The hash of the data may be missing. The device is the volume.

use crate::decode::{Decode, Out};
use crate::entry::{Entry, Head};
use crate::options::ReadOptions;
use crate::rows::{self, Fields, Row, words, wrong_words};
use crate::text::{SECTOR, in_bytes, op, quoted, request_with_data, whole_number};
use crate::volumes::VolumeNames;
use ssdlab_host::Op;

const LAYOUT: &str = "time pid process lba size op major minor hash";

pub(crate) const ENTRY: Entry = Entry {
    name: "fiu",
    about: "time (ns), pid, process, lba and size (sectors of 512 bytes), op (R or W), major, minor, hash, with blanks between them",
    source: "FIU traces: IODedup, FAST 2010; SRCMap, FAST 2010",
    example: "0 77 writer 4096000 8 W 6 0 00112233445566778899aabbccddeeff",
    options: &[],
    columns: &[],
    origin: None,
    volumes: Some(VolumeNames {
        parse: volume,
        show: |bytes| String::from_utf8_lossy(bytes).replace(' ', ","),
    }),
    sort_ns: None,
    by_line: true,
    detect,
    decoder,
};

#[derive(Default)]
struct Fiu {
    /// The device of the line: its two numbers, with a blank between them.
    device: Vec<u8>,
}

fn detect(head: Head) -> Option<String> {
    let [time, pid, lba, size, kind, major, minor] = Fiu::split(head.line())?;
    let numbers = [time, pid, lba, size, major, minor];
    let fits =
        op("", kind, OPS).is_ok() && numbers.iter().all(|field| whole_number("", field).is_ok());
    let kind = quoted(kind);
    fits.then(|| {
        format!("line 1 has a process and two numbers before {kind}, and a device behind it")
    })
}

fn decoder(_: &ReadOptions) -> Result<Box<dyn Decode>, String> {
    Ok(rows::decoder(Fiu::default()))
}

/// The bytes of the volume `6,0`, joined from their fields.
fn volume(name: &str) -> Result<Vec<u8>, String> {
    let number = |text: &str| whole_number("", text.as_bytes()).is_ok();
    match name.split_once(',') {
        Some((major, minor)) if number(major) && number(minor) => {
            Ok(format!("{major} {minor}").into_bytes())
        }
        _ => {
            Err("a volume of an fiu trace is the major and minor number of a device, as 6,0".into())
        }
    }
}

const OPS: &[(&str, Op)] = &[("R", Op::Read), ("W", Op::Write)];

impl Row<7> for Fiu {
    const LAYOUT: &str = LAYOUT;

    /// Without the process and the hash, which are not used.
    fn split(line: &[u8]) -> Option<Fields<'_, 7>> {
        let mut words = words(line);
        let (time, pid) = (words.next()?, words.next()?);
        let mut last = words.next_back()?;
        if last.len() == HASH && last.iter().all(u8::is_ascii_hexdigit) {
            last = words.next_back()?;
        }
        let mut fields = [time, pid, &b""[..], b"", b"", b"", last];
        for field in fields[2..6].iter_mut().rev() {
            *field = words.next_back()?;
        }
        // the process
        words.next()?;
        Some(fields)
    }

    fn wrong_count(line: &[u8]) -> String {
        wrong_words(line, LAYOUT)
    }

    fn row(
        &mut self,
        number: u64,
        [time, pid, lba, size, kind, major, minor]: Fields<7>,
        out: &mut Out,
    ) -> Result<(), String> {
        let time = whole_number("time", time)?;
        whole_number("pid", pid)?;
        let offset = in_bytes(SECTOR, "lba", lba)?;
        let size = in_bytes(SECTOR, "size", size)?;
        let op = op("op", kind, OPS)?;
        whole_number("major", major)?;
        whole_number("minor", minor)?;
        let request = request_with_data(["lba in bytes", "size in bytes"], time, op, offset, size)?;
        self.device.clear();
        self.device.extend_from_slice(major);
        self.device.push(b' ');
        self.device.extend_from_slice(minor);
        out.add(number, &self.device, request)
    }
}

/// The digits of an MD5 sum.
const HASH: usize = 32;
