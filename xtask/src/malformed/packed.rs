//! Compressed traces.

use super::traces::PLAIN;
use flate2::{Compression, write::GzEncoder};
use std::io::Write;

pub fn files() -> Vec<(&'static str, Vec<u8>)> {
    let (gz, zst) = (gzip(PLAIN), zstd(PLAIN));
    let long = format!("{PLAIN}40000,W,0,{}\n", "9".repeat(5000));
    vec![
        ("gzip-cut-off.csv.gz", gz[..gz.len() / 2].into()),
        ("gzip-checksum-cut-off.csv.gz", gz[..gz.len() - 5].into()),
        ("gzip-checksum-wrong.csv.gz", flipped(&gz, gz.len() - 6)),
        (
            "gzip-followed-by-text.csv.gz",
            [&gz[..], b"0,W,0,512\n"].concat(),
        ),
        ("gzip-header-alone.csv.gz", gz[..10].into()),
        ("gzip-named-csv.csv", gz.clone()),
        ("gzip-named-zst.csv.zst", gz),
        ("gzip-of-a-long-line.csv.gz", gzip(&long)),
        ("gzip-of-nothing.csv.gz", gzip("")),
        ("gzip-of-zstd.csv.gz", gzip(&zst)),
        ("text-named-gz.csv.gz", PLAIN.into()),
        ("text-named-zst.csv.zst", PLAIN.into()),
        (
            "zip-named-gz.csv.gz",
            b"PK\x03\x04\x14\0\0\0\x08\0trace.csv".into(),
        ),
        ("zstd-corrupt.csv.zst", flipped(&zst, zst.len() / 2)),
        ("zstd-cut-off.csv.zst", zst[..zst.len() - 4].into()),
        (
            "zstd-followed-by-text.csv.zst",
            [&zst[..], b"0,W,0,512\n"].concat(),
        ),
        ("zstd-named-csv.csv", zst),
        // a frame header that asks for 2 GiB of memory
        (
            "zstd-window-of-2-gib.csv.zst",
            b"\x28\xB5\x2F\xFD\0\xA8\x01\0\0".into(),
        ),
    ]
}

fn gzip(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes.as_ref()).expect("memory takes all");
    encoder.finish().expect("memory takes all")
}

fn zstd(text: &str) -> Vec<u8> {
    zstd::encode_all(text.as_bytes(), 3).expect("memory takes all")
}

fn flipped(bytes: &[u8], at: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at] ^= 0x10;
    bytes
}
