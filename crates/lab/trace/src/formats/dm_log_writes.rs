//! The log of dm-log-writes of Linux, which blklogwrites of QEMU writes too, little endian.
//!
//! A superblock `magic u64, version u64, entries u64, sector size u32` in a sector of its own, then for each request a
//! sector with `sector u64, sectors u64, flags u64, length u64`, and its data. A sector has the size that the superblock
//! tells. There are no reads and no times: requests are numbered.

use crate::block_layer::{Kind, Place, emit};
use crate::decode::{BadRecord, ByRecord, Decode, Facts, Out, RecordFormat, short, u32_at, u64_at};
use crate::entry::{Entry, Reads};
use crate::head::Head;
use crate::options::ReadOptions;
use crate::skip;
use ssdlab_host::Op;

pub(crate) const ENTRY: Entry = Entry {
    about: "log of dm-log-writes or of blklogwrites of QEMU: writes, flushes and discards, without times",
    source: "Linux, QEMU",
    example: "",
    by_line: false,
    ..Entry::new("dm-log-writes", Reads::Code { detect, decoder })
};

const MAGIC: u64 = 0x006a_7366_7773_6872;
const VERSION: u64 = 1;

/// The fixed part of the superblock, and that of an entry.
const SUPERBLOCK: usize = 28;
const ENTRY_LENGTH: usize = 32;

/// The flags of an entry.
const FLUSH: u64 = 1;
const FUA: u64 = 2;
const DISCARD: u64 = 4;
const MARK: u64 = 8;
const METADATA: u64 = 16;

fn detect(head: Head) -> Option<String> {
    let magic = u64::from_le_bytes(*head.bytes.first_chunk()?);
    (magic == MAGIC).then(|| "it starts with the magic number of dm-log-writes".into())
}

fn decoder(options: &ReadOptions) -> Result<Box<dyn Decode>, String> {
    Ok(Box::new(ByRecord::new(DmLogWrites {
        sector: 512,
        entries: 0,
        found: 0,
        limited: options.limit.is_some(),
    })))
}

struct DmLogWrites {
    /// Bytes.
    sector: u64,
    /// The number of entries that the superblock tells; 0 if it was never written.
    entries: u64,
    found: u64,
    /// Whether not all entries may be read.
    limited: bool,
}

impl RecordFormat for DmLogWrites {
    fn header(&mut self, head: Head) -> Result<u64, String> {
        let bytes = head.bytes;
        if bytes.len() < SUPERBLOCK {
            return Err(short(bytes, SUPERBLOCK));
        }
        let (magic, version) = (u64_at(bytes, 0), u64_at(bytes, 8));
        if magic != MAGIC {
            return Err(format!(
                "the magic number is wrong, found {magic:#018x}; a log starts with {MAGIC:#018x}, little endian"
            ));
        }
        if version != VERSION {
            return Err(format!(
                "version {version} of the log; it must be {VERSION}"
            ));
        }
        self.sector = u32_at(bytes, 24).into();
        if !self.sector.is_power_of_two() || !(512..=1 << 16).contains(&self.sector) {
            return Err(format!(
                "the size of a sector is {}; it must be a power of two from 512 to 65536",
                self.sector
            ));
        }
        self.entries = u64_at(bytes, 16);
        Ok(self.sector)
    }

    fn record(
        &mut self,
        number: u64,
        bytes: &[u8],
        out: &mut Out,
    ) -> Result<Option<u64>, BadRecord> {
        if self.entries > 0 && self.found == self.entries {
            // a log on a device ends before the device does
            return Ok(Some(bytes.len() as u64));
        }
        let Some(entry) = bytes.first_chunk::<ENTRY_LENGTH>() else {
            return Ok(None);
        };
        let [sector, sectors, flags, length] = [0, 8, 16, 24].map(|at| u64_at(entry, at));
        let known = FLUSH | FUA | DISCARD | MARK | METADATA;
        if flags & !known != 0 {
            return Err(BadRecord::lost(format!(
                "unknown flags, found {flags:#x}; they are made of 1 (flush), 2 (FUA), 4 (discard), 8 (mark) and 16 (metadata)"
            )));
        }
        let in_bytes = |name: &str, sectors: u64| {
            sectors.checked_mul(self.sector).ok_or_else(|| {
                BadRecord::lost(format!(
                    "{name} is too large, found {sectors}; it must be at most {}",
                    u64::MAX / self.sector
                ))
            })
        };
        let (offset, size) = (
            in_bytes("sector", sector)?,
            in_bytes("nr_sectors", sectors)?,
        );
        self.found += 1;
        if flags & MARK != 0 {
            let whole = (ENTRY_LENGTH as u64).saturating_add(length);
            out.skip(skip::PLUGS);
            return Ok(Some(
                whole
                    .checked_next_multiple_of(self.sector)
                    .unwrap_or(u64::MAX),
            ));
        }
        let data = if flags & DISCARD != 0 { 0 } else { size };
        let whole = self.sector.saturating_add(data);
        let kind = Kind {
            preflush: flags & FLUSH != 0,
            op: match size {
                0 => None,
                _ if flags & DISCARD != 0 => Some(Op::Discard),
                _ => Some(Op::Write),
            },
            fua: flags & FUA != 0,
        };
        let place = match size {
            0 => Place::Nothing,
            _ => Place::Range { offset, size },
        };
        let bad = |what| BadRecord {
            what,
            length: Some(whole),
        };
        emit(number, number, kind, place, out).map_err(bad)?;
        Ok(Some(whole))
    }

    fn facts(&self) -> Facts {
        let mut remarks = vec!["it has no times: requests are numbered".to_owned()];
        if self.entries > self.found && !self.limited {
            remarks.push(format!(
                "the superblock tells of {} entries, but {} are read",
                self.entries, self.found
            ));
        }
        Facts {
            has_times: false,
            remarks,
            ..Facts::default()
        }
    }
}
