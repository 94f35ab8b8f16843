//! The format oracleGeneral of libCacheSim: records of 24 bytes, little endian,
//! `time(s) u32, obj u64, size u32, next i64`, without operations.

use crate::decode::{BadRecord, ByRecord, Decode, Facts, Out, RecordFormat, u32_at, u64_at};
use crate::entry::{Entry, Reads};
use crate::formats::objects::{NO_OPERATIONS, Objects, SECONDS};
use crate::head::Head;
use crate::options::ReadOptions;
use crate::skip;
use ssdlab_host::Op;

pub(crate) const ENTRY: Entry = Entry {
    about: "binary records of libCacheSim without operations, all read as writes; times in s, sizes in bytes, unit of the \
            objects by --sector",
    source: "libCacheSim",
    example: "",
    options: &["--sector"],
    by_line: false,
    ..Entry::new("oracle-general", Reads::Code { detect, decoder })
};

const LENGTH: usize = 24;

/// The records that must look right.
const ENOUGH: usize = 4;

/// There is no magic number: the times must not go back, and each next request for an object must come later.
fn detect(head: Head) -> Option<String> {
    let records = head.bytes.chunks_exact(LENGTH);
    let (mut last, mut count) = (0, 0);
    for (index, record) in records.enumerate() {
        let (time, size, next) = (u32_at(record, 0), u32_at(record, 12), next(record));
        let later = next == -1 || next == i64::MAX || next > index as i64;
        if time < last || size == 0 || size > 1 << 30 || !later {
            return None;
        }
        last = time;
        count += 1;
    }
    (count >= ENOUGH).then(|| {
        format!("the first {count} records of 24 bytes have times in order and next requests that come later")
    })
}

fn next(record: &[u8]) -> i64 {
    u64_at(record, 16).cast_signed()
}

fn decoder(options: &ReadOptions) -> Result<Box<dyn Decode>, String> {
    Ok(Box::new(ByRecord::new(OracleGeneral {
        objects: Objects::new(options.sector),
    })))
}

struct OracleGeneral {
    objects: Objects,
}

impl RecordFormat for OracleGeneral {
    fn record(
        &mut self,
        number: u64,
        bytes: &[u8],
        out: &mut Out,
    ) -> Result<Option<u64>, BadRecord> {
        let Some(record) = bytes.first_chunk::<LENGTH>() else {
            return Ok(None);
        };
        let length = LENGTH as u64;
        let (time, object, size) = (u32_at(record, 0), u64_at(record, 4), u32_at(record, 12));
        let request = self
            .objects
            .request(time, Op::Write, object, size.into(), length)?;
        match request {
            Some(request) => out.push(number, request),
            None => out.skip(skip::NO_DATA),
        }
        Ok(Some(length))
    }

    fn facts(&self) -> Facts {
        let fixed = [NO_OPERATIONS, SECONDS].map(str::to_owned);
        let remarks = self.objects.remark().into_iter().chain(fixed).collect();
        Facts {
            remarks,
            ..Facts::default()
        }
    }
}
