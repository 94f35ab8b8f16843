//! Parquet tables, which are read from their end, so that they must be files.

use crate::decode::Decode;
use crate::entry::{Entry, Reads};
use crate::head::Head;
use crate::options::ReadOptions;
use crate::volumes::VolumeNames;

/// The first and the last bytes of a file.
pub(crate) const MAGIC: &[u8; 4] = b"PAR1";

pub(crate) const ENTRY: Entry = Entry {
    about: "Parquet table with the columns time_ns, op (R, W, F or D), offset_bytes and size_bytes, perhaps stream and volume",
    source: "ssdlab, data frames",
    example: "",
    options: &[
        "--fields",
        "--time-unit",
        "--sector",
        "--size-unit",
        "--ops",
    ],
    columns: &["stream"],
    origin: Some(0),
    volumes: Some(VolumeNames::AS_WRITTEN),
    by_line: false,
    ..Entry::new("parquet", Reads::Code { detect, decoder })
};

fn detect(head: Head) -> Option<String> {
    head.bytes.starts_with(MAGIC).then(reason)
}

pub(crate) fn reason() -> String {
    "it starts with PAR1".into()
}

/// A table among bytes that come one after the other.
fn decoder(_: &ReadOptions) -> Result<Box<dyn Decode>, String> {
    Err(
        "a Parquet table is read from its end; store it in an uncompressed file, and name the file"
            .into(),
    )
}
