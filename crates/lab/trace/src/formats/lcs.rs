//! The format lcs of libCacheSim, versions 1 to 8: a header of 8192, 1024 or 512 bytes between two magic numbers, then
//! records, little endian and packed.
//!
//! - version 1, 24 bytes: `time(s) u32, obj u64, size u32, next i64`, without operations
//! - version 2, 28 bytes: `time(s) u32, obj u64, size u32, op u8, tenant u24, next i64`
//! - version 3, 36 bytes: `time(s) u32, obj u64, size i64, op u8, tenant u24, ttl u32, next i64`
//! - versions 4 to 8: as version 3, then 1, 2, 4, 8 or 16 features of 4 bytes
//!
//! The tenant is the volume.

use crate::decode::{BadRecord, ByRecord, Decode, Facts, Out, RecordFormat, short, u32_at, u64_at};
use crate::entry::{Entry, Reads};
use crate::formats::objects::{NO_OPERATIONS, Objects, SECONDS};
use crate::head::Head;
use crate::options::ReadOptions;
use crate::skip;
use crate::volumes::VolumeNames;
use ssdlab_host::Op;
use ssdlab_words::thousands;

pub(crate) const ENTRY: Entry = Entry {
    about: "binary records of libCacheSim with a header, versions 1 to 8; times in s, sizes in bytes, unit of the objects by \
            --sector",
    source: "libCacheSim",
    example: "",
    options: &["--sector"],
    volumes: Some(VolumeNames::AS_WRITTEN),
    by_line: false,
    ..Entry::new("lcs", Reads::Code { detect, decoder })
};

const MAGIC: u64 = 0x1234_5678_9abc_def0;

/// The places of the second magic number, at the end of the header.
const ENDS: [usize; 3] = [8184, 1016, 504];

/// The bytes of a record, by version.
const LENGTHS: [usize; 8] = [24, 28, 36, 40, 44, 52, 68, 100];

fn detect(head: Head) -> Option<String> {
    let magic = u64::from_le_bytes(*head.bytes.first_chunk()?);
    (magic == MAGIC).then(|| "it starts with the magic number of lcs".into())
}

fn decoder(options: &ReadOptions) -> Result<Box<dyn Decode>, String> {
    Ok(Box::new(ByRecord::new(Lcs {
        version: 0,
        told: 0,
        limited: options.limit.is_some(),
        volume_asked: options.volume.is_some(),
        found: 0,
        tenant: (0, "0".to_owned()),
        objects: Objects::new(options.sector),
    })))
}

struct Lcs {
    version: usize,
    /// The number of records that the header tells, and the number found.
    told: i64,
    found: i64,
    /// Whether not all records may be read.
    limited: bool,
    /// Whether the user chose a volume.
    volume_asked: bool,
    /// The last tenant and its name.
    tenant: (u32, String),
    objects: Objects,
}

/// Operations of libCacheSim.
fn op(code: u32) -> Option<Op> {
    match code {
        1 | 2 | 12 => Some(Op::Read),
        3..=8 | 10 | 11 | 13 | 14 => Some(Op::Write),
        9 => Some(Op::Discard),
        _ => None,
    }
}

impl RecordFormat for Lcs {
    fn header(&mut self, head: Head) -> Result<u64, String> {
        const { assert!(ENDS[0] + 8 <= Head::LENGTH) };
        let bytes = head.bytes;
        if bytes.len() < ENDS[2] + 8 {
            return Err(short(bytes, ENDS[2] + 8));
        }
        if u64_at(bytes, 0) != MAGIC {
            return Err(format!(
                "the magic number is wrong, found {:#018x}; an lcs trace starts with {MAGIC:#018x}, little endian",
                u64_at(bytes, 0)
            ));
        }
        // The longest header first: the records behind a shorter one may look like its end.
        let ends = |end: &&usize| bytes.len() >= **end + 8 && u64_at(bytes, **end) == MAGIC;
        let end = ENDS.iter().find(ends).ok_or(
            "the header has no end; a second magic number must be at byte 8184, 1016 or 504",
        )?;
        let version = u64_at(bytes, 8);
        if !(1..=8).contains(&version) {
            return Err(format!(
                "version {version} of the records; it must be from 1 to 8"
            ));
        }
        if version == 1 && self.volume_asked {
            return Err("version 1 of the records has no volumes; leave out --volume".into());
        }
        self.version = version as usize;
        self.told = u64_at(bytes, 24).cast_signed();
        Ok(*end as u64 + 8)
    }

    fn record(
        &mut self,
        number: u64,
        bytes: &[u8],
        out: &mut Out,
    ) -> Result<Option<u64>, BadRecord> {
        let length = LENGTHS[self.version - 1];
        let Some(record) = bytes.get(..length) else {
            return Ok(None);
        };
        let length = length as u64;
        self.found += 1;
        let bad = |what| BadRecord {
            what,
            length: Some(length),
        };
        let (time, object) = (u32_at(record, 0), u64_at(record, 4));
        let (size, kind) = match self.version {
            1 => (u32_at(record, 12).into(), None),
            2 => (u32_at(record, 12).into(), Some(u32_at(record, 16))),
            _ => {
                let size = u64_at(record, 12).cast_signed();
                let size = u64::try_from(size).map_err(|_| {
                    bad(format!("size is negative, found {size}; it must be from 0"))
                })?;
                (size, Some(u32_at(record, 20)))
            }
        };
        let op = match kind {
            None => Op::Write,
            Some(kind) => {
                let Some(op) = op(kind & 0xFF) else {
                    out.skip(skip::UNKNOWN);
                    return Ok(Some(length));
                };
                let tenant = kind >> 8;
                if self.tenant.0 != tenant {
                    self.tenant = (tenant, tenant.to_string());
                }
                if !out.take(self.tenant.1.as_bytes()).map_err(bad)? {
                    return Ok(Some(length));
                }
                op
            }
        };
        match self.objects.request(time, op, object, size, length)? {
            Some(request) => out.push(number, request),
            None => out.skip(skip::NO_DATA),
        }
        Ok(Some(length))
    }

    fn facts(&self) -> Facts {
        let mut remarks: Vec<_> = self.objects.remark().into_iter().collect();
        if self.version == 1 {
            remarks.push(NO_OPERATIONS.into());
        }
        remarks.push(SECONDS.into());
        if self.told > 0 && self.told != self.found && !self.limited {
            let [told, found] = [self.told, self.found].map(|n| thousands(n.unsigned_abs()));
            remarks.push(format!(
                "the header tells of {told} requests, but there are {found}; the file may have been cut"
            ));
        }
        Facts {
            remarks,
            ..Facts::default()
        }
    }
}
