//! The compressions of stored traces.

/// The encoding of the stored bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    Plain,
    Zstd,
    Gzip,
    Bzip2,
    Xz,
}

/// The number of first bytes that tell the codings apart.
pub(crate) const MAGIC_LEN: usize = 6;

/// A name without the ending of a compressed file.
pub(crate) fn without_coding(name: &str) -> &str {
    match Coding::of_name(name) {
        Some(coding) => name.get(..name.len() - coding.extension().len()),
        None => None,
    }
    .unwrap_or(name)
}

impl Coding {
    /// The coding that the first bytes show.
    pub fn of_bytes(head: &[u8]) -> Coding {
        match head {
            [0x28, 0xB5, 0x2F, 0xFD, ..] => Coding::Zstd,
            // A skippable frame: parallel and seekable compressors write one first.
            [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..] => Coding::Zstd,
            [0x1F, 0x8B, ..] => Coding::Gzip,
            // the first block, or the end of an empty file
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41]
            | [b'B', b'Z', b'h', b'1'..=b'9', 0x17, 0x72] => Coding::Bzip2,
            [0xFD, b'7', b'z', b'X', b'Z', 0] => Coding::Xz,
            _ => Coding::Plain,
        }
    }

    /// The coding that the extension of the name stands for, if any.
    pub fn of_name(name: &str) -> Option<Coding> {
        let (_, extension) = name.rsplit_once('.')?;
        match extension.to_ascii_lowercase().as_str() {
            "csv" => Some(Coding::Plain),
            "zst" => Some(Coding::Zstd),
            "gz" => Some(Coding::Gzip),
            "bz2" => Some(Coding::Bzip2),
            "xz" => Some(Coding::Xz),
            _ => None,
        }
    }

    pub const fn label(self) -> &'static str {
        match self {
            Coding::Plain => "plain text",
            Coding::Zstd => "zstd",
            Coding::Gzip => "gzip",
            Coding::Bzip2 => "bzip2",
            Coding::Xz => "xz",
        }
    }

    pub const fn extension(self) -> &'static str {
        match self {
            Coding::Plain => "",
            Coding::Zstd => ".zst",
            Coding::Gzip => ".gz",
            Coding::Bzip2 => ".bz2",
            Coding::Xz => ".xz",
        }
    }
}
