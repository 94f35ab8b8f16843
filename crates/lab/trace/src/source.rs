//! The bytes of a trace: from a file or a stream, compressed or not. The hash is that of the stored bytes.

use crate::TraceError;
use crate::identity::{Identity, Stamp};
use crate::text::quoted;
use flate2::read::MultiGzDecoder;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, BufReader, Cursor, ErrorKind, Read};
use std::path::Path;

use ssdlab_words::shown_path;

/// The encoding of the stored bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Coding {
    Plain,
    Zstd,
    Gzip,
}

/// The number of first bytes that tell the codings apart.
const MAGIC_LEN: usize = 4;

impl Coding {
    /// The coding that the first bytes show.
    fn of_bytes(head: &[u8]) -> Coding {
        match head {
            [0x28, 0xB5, 0x2F, 0xFD, ..] => Coding::Zstd,
            // A skippable frame: parallel and seekable compressors write one first.
            [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..] => Coding::Zstd,
            [0x1F, 0x8B, ..] => Coding::Gzip,
            _ => Coding::Plain,
        }
    }

    /// The coding that the extension of the name stands for, if any.
    fn of_name(name: &str) -> Option<Coding> {
        let (_, extension) = name.rsplit_once('.')?;
        match extension.to_ascii_lowercase().as_str() {
            "csv" => Some(Coding::Plain),
            "zst" => Some(Coding::Zstd),
            "gz" => Some(Coding::Gzip),
            _ => None,
        }
    }

    const fn label(self) -> &'static str {
        match self {
            Coding::Plain => "plain text",
            Coding::Zstd => "zstd",
            Coding::Gzip => "gzip",
        }
    }

    const fn extension(self) -> &'static str {
        match self {
            Coding::Plain => "",
            Coding::Zstd => ".zst",
            Coding::Gzip => ".gz",
        }
    }
}

/// The stored bytes, hashed while they are read.
struct Stored {
    input: Box<dyn Read + Send>,
    hash: Sha256,
    /// The number of bytes read.
    bytes: u64,
    /// Whether the input itself failed, not the decompression.
    broken: bool,
}

impl Read for Stored {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let result = self.input.read(buffer);
        match &result {
            Ok(read) => {
                self.hash.update(&buffer[..*read]);
                self.bytes += *read as u64;
            }
            Err(error) => self.broken |= error.kind() != ErrorKind::Interrupted,
        }
        result
    }
}

enum Decoder {
    Plain(Stored),
    Zstd(zstd::Decoder<'static, BufReader<Stored>>),
    Gzip(MultiGzDecoder<Stored>),
}

impl Decoder {
    fn stored(&mut self) -> &mut Stored {
        match self {
            Decoder::Plain(stored) => stored,
            Decoder::Zstd(decoder) => decoder.get_mut().get_mut(),
            Decoder::Gzip(decoder) => decoder.get_mut(),
        }
    }
}

/// The decompressed bytes of a trace.
pub(crate) struct Source {
    name: String,
    coding: Coding,
    decoder: Decoder,
    /// The metadata of the file at its opening; `None` if the input is not a file.
    stamp: Option<Stamp>,
    /// Whether a decompressed byte was returned.
    started: bool,
}

impl Source {
    /// Opens a file, or standard input for `-`.
    pub fn open(path: &Path) -> Result<Source, TraceError> {
        if path == Path::new("-") {
            return Source::new("standard input", io::stdin());
        }
        let name = shown_path(path);
        match File::open(path).and_then(|file| Ok((file.metadata()?, file))) {
            Ok((metadata, _)) if metadata.is_dir() => Err(TraceError::Directory { name }),
            Ok((metadata, file)) => {
                let source = Source::new(&name, file)?;
                let stamp = Stamp::of(&metadata);
                Ok(Source { stamp, ..source })
            }
            Err(error) => Err(match error.kind() {
                ErrorKind::NotFound | ErrorKind::NotADirectory => TraceError::Missing { name },
                ErrorKind::PermissionDenied => TraceError::Denied { name },
                ErrorKind::IsADirectory => TraceError::Directory { name },
                _ => io_error(name, &error, 0),
            }),
        }
    }

    /// Reads `input`; the extension of `name` must fit the bytes.
    pub fn new(name: &str, mut input: impl Read + Send + 'static) -> Result<Source, TraceError> {
        let name = name.to_owned();
        let mut head = Vec::with_capacity(MAGIC_LEN);
        if let Err(error) = input.by_ref().take(MAGIC_LEN as u64).read_to_end(&mut head) {
            return Err(io_error(name, &error, 0));
        }
        if head.is_empty() {
            let what = "empty, 0 bytes";
            return Err(TraceError::Empty { name, what });
        }
        let coding = Coding::of_bytes(&head);
        check_name(&name, coding, &head)?;
        let stored = Stored {
            input: Box::new(Cursor::new(head).chain(input)),
            hash: Sha256::new(),
            bytes: 0,
            broken: false,
        };
        let decoder = match coding {
            Coding::Plain => Decoder::Plain(stored),
            Coding::Zstd => match zstd::Decoder::new(stored) {
                Ok(decoder) => Decoder::Zstd(decoder),
                Err(error) => return Err(io_error(name, &error, 0)),
            },
            Coding::Gzip => Decoder::Gzip(MultiGzDecoder::new(stored)),
        };
        Ok(Source {
            name,
            coding,
            decoder,
            stamp: None,
            started: false,
        })
    }

    /// The trace as the user named it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Reads decompressed bytes; returns 0 at the end. `line` is the last valid line, for messages.
    pub fn read(&mut self, buffer: &mut [u8], line: u64) -> Result<usize, TraceError> {
        loop {
            let result = match &mut self.decoder {
                Decoder::Plain(stored) => stored.read(buffer),
                Decoder::Zstd(decoder) => decoder.read(buffer),
                Decoder::Gzip(decoder) => decoder.read(buffer),
            };
            match result {
                Ok(0) if !self.started => return Err(self.empty()),
                Ok(read) => {
                    self.started = true;
                    return Ok(read);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(self.failure(&error, line)),
            }
        }
    }

    /// The identity of the bytes read so far; of the whole trace once `read` has returned 0.
    pub fn identity(&mut self, requests: u64) -> Identity {
        let stored = self.decoder.stored();
        Identity {
            bytes: stored.bytes,
            sha256: stored.hash.clone().finalize().into(),
            stamp: self.stamp,
            requests,
        }
    }

    /// The number of stored bytes read and, if known, their total.
    pub fn passed(&mut self) -> Option<(u64, u64)> {
        let length = self.stamp?.length;
        Some((self.decoder.stored().bytes.min(length), length))
    }

    fn empty(&self) -> TraceError {
        TraceError::Empty {
            name: self.name.clone(),
            what: "empty, 0 bytes once decompressed",
        }
    }

    fn failure(&mut self, error: &io::Error, line: u64) -> TraceError {
        let name = self.name.clone();
        if self.coding == Coding::Plain || self.decoder.stored().broken {
            return io_error(name, error, line);
        }
        let label = self.coding.label();
        let reported = error.to_string();
        let what = if error.kind() == ErrorKind::UnexpectedEof {
            format!("the {label} data are cut off")
        } else if reported.contains("too much memory") {
            format!(
                "the {label} data ask for a window above 128 MiB, as zstd --long makes, and cannot be read"
            )
        } else {
            format!("the {label} data cannot be decompressed ({reported})")
        };
        TraceError::Damaged { name, what, line }
    }
}

fn io_error(name: String, error: &io::Error, line: u64) -> TraceError {
    let what = error.to_string();
    TraceError::Io { name, what, line }
}

/// Refuses a name whose extension does not fit the bytes.
fn check_name(name: &str, actual: Coding, head: &[u8]) -> Result<(), TraceError> {
    let claimed = match Coding::of_name(name) {
        Some(claimed) if claimed != actual => claimed,
        _ => return Ok(()),
    };
    let name = name.to_owned();
    let text = head
        .iter()
        .all(|&byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace());
    if actual == Coding::Plain && !text {
        let what = format!(
            "neither {} data nor text, found {},",
            claimed.label(),
            quoted(head)
        );
        return Err(TraceError::Damaged {
            name,
            what,
            line: 0,
        });
    }
    let stem = &name[..name.len() - claimed.extension().len()];
    Err(TraceError::Mislabelled {
        claimed: claimed.label(),
        actual: actual.label(),
        rename: format!("{stem}{}", actual.extension()),
        name,
    })
}
