//! The bytes of a trace: from a file or a stream, compressed or not. The hash is that of the stored bytes.

use crate::coding::{Coding, MAGIC_LEN};
use crate::cpus::{Cpus, Remarks, of_base, remark};
use crate::error::{Place, TraceError};
use crate::identity::{Identity, Stamp};
use crate::text::quoted;
use crate::unzstd::Zstd;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, Cursor, ErrorKind, Read};
use std::path::{Path, PathBuf};
#[cfg(not(target_arch = "wasm32"))]
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex};
#[cfg(not(target_arch = "wasm32"))]
use std::thread;

use ssdlab_words::{FULL_PROGRAM, shown_path};

/// The memory that xz data may ask for, bytes: its best level takes 65 MiB.
#[cfg(feature = "xz")]
const XZ_MEMORY: u64 = 256 << 20;

/// The stored bytes, hashed while they are read.
struct Stored {
    input: Box<dyn Read + Send>,
    hash: Sha256,
    /// The number of bytes read.
    bytes: u64,
    /// Whether the input itself failed, not the decompression.
    broken: bool,
}

impl Stored {
    fn new(input: impl Read + Send + 'static) -> Stored {
        Stored {
            input: Box::new(input),
            hash: Sha256::new(),
            bytes: 0,
            broken: false,
        }
    }
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
    Zstd(Box<Zstd<Stored>>),
    Gzip(Box<flate2::read::MultiGzDecoder<Stored>>),
    Bzip2(Box<bzip2::read::MultiBzDecoder<Stored>>),
    #[cfg(feature = "xz")]
    Xz(Box<liblzma::read::XzDecoder<Stored>>),
}

impl Decoder {
    fn new(coding: Coding, stored: Stored) -> io::Result<Decoder> {
        Ok(match coding {
            Coding::Plain => Decoder::Plain(stored),
            Coding::Zstd => Decoder::Zstd(Box::new(Zstd::new(stored)?)),
            Coding::Gzip => Decoder::Gzip(Box::new(flate2::read::MultiGzDecoder::new(stored))),
            Coding::Bzip2 => Decoder::Bzip2(Box::new(bzip2::read::MultiBzDecoder::new(stored))),
            #[cfg(not(feature = "xz"))]
            Coding::Xz => return Err(ErrorKind::Unsupported.into()),
            #[cfg(feature = "xz")]
            Coding::Xz => {
                let flags = liblzma::stream::CONCATENATED;
                let stream = liblzma::stream::Stream::new_stream_decoder(XZ_MEMORY, flags)?;
                Decoder::Xz(Box::new(liblzma::read::XzDecoder::new_stream(
                    stored, stream,
                )))
            }
        })
    }

    fn stored(&mut self) -> &mut Stored {
        match self {
            Decoder::Plain(stored) => stored,
            Decoder::Zstd(decoder) => decoder.get_mut(),
            Decoder::Gzip(decoder) => decoder.get_mut(),
            Decoder::Bzip2(decoder) => decoder.get_mut(),
            #[cfg(feature = "xz")]
            Decoder::Xz(decoder) => decoder.get_mut(),
        }
    }

    /// Reads once into the room of a piece.
    fn fill(&mut self, mut bytes: Box<[u8]>) -> Piece {
        // one byte stays for a line end
        let most = bytes.len() - 1;
        let read = loop {
            match self.read(&mut bytes[GAP..most]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        let stored = self.stored();
        let (read, fault) = match read {
            Ok(read) => (read, None),
            Err(error) => (0, Some((error, stored.broken))),
        };
        Piece {
            bytes,
            end: GAP + read,
            last: read == 0,
            fault,
            stored: stored.bytes,
            sha256: stored.hash.clone().finalize().into(),
        }
    }
}

impl Read for Decoder {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Decoder::Plain(stored) => stored.read(buffer),
            Decoder::Zstd(decoder) => decoder.read(buffer),
            Decoder::Gzip(decoder) => decoder.read(buffer),
            Decoder::Bzip2(decoder) => decoder.read(buffer),
            #[cfg(feature = "xz")]
            Decoder::Xz(decoder) => decoder.read(buffer),
        }
    }
}

/// The bytes of a piece, without its gap.
const PIECE: usize = 256 * 1024;

/// The room before the bytes of each piece: for the rest of the piece before, which is less than a line or a record.
pub(crate) const GAP: usize = 16 * 1024;

/// The pieces that are made ahead.
#[cfg(not(target_arch = "wasm32"))]
const AHEAD: usize = 3;

/// Some decompressed bytes of a trace.
pub(crate) struct Piece {
    /// [`GAP`] bytes of room, then the bytes of the trace, then room for a line end.
    pub bytes: Box<[u8]>,
    /// The end of the bytes of the trace.
    pub end: usize,
    /// Whether this is the end of the trace, so that it has no bytes.
    pub last: bool,
    /// The error that is the end of the trace, and whether the input itself failed.
    fault: Option<(io::Error, bool)>,
    /// The number of stored bytes that were read up to this piece, and their hash.
    stored: u64,
    sha256: [u8; 32],
}

/// Where the pieces come from.
enum Pieces {
    /// This thread decompresses as many bytes as a piece can have: most traces of tests need no more, and a short live
    /// trace is not read ahead.
    Here { decoder: Decoder, left: usize },
    /// Another thread decompresses: it takes old pieces and gives new ones.
    #[cfg(not(target_arch = "wasm32"))]
    There {
        old: Sender<Box<[u8]>>,
        new: Receiver<Piece>,
    },
    /// There are no more.
    Gone,
}

impl Pieces {
    /// WebAssembly has no threads.
    #[cfg(target_arch = "wasm32")]
    fn elsewhere(decoder: Decoder) -> Pieces {
        Pieces::Here {
            decoder,
            left: usize::MAX,
        }
    }

    /// Decompresses on another thread.
    #[cfg(not(target_arch = "wasm32"))]
    fn elsewhere(mut decoder: Decoder) -> Pieces {
        let (old, room) = channel::<Box<[u8]>>();
        let (give, new): (SyncSender<Piece>, _) = sync_channel(AHEAD);
        thread::spawn(move || {
            // Ends when the reader is gone or the trace ends.
            loop {
                let room = room.try_recv().unwrap_or_else(|_| blank());
                let piece = decoder.fill(room);
                let last = piece.last;
                if give.send(piece).is_err() || last {
                    return;
                }
            }
        });
        Pieces::There { old, new }
    }
}

fn blank() -> Box<[u8]> {
    vec![0; GAP + PIECE + 1].into()
}

/// The decompressed bytes of a trace.
pub(crate) struct Source {
    name: String,
    coding: Coding,
    pieces: Pieces,
    /// The metadata of the file at its opening; `None` if the input is not a file.
    stamp: Option<Stamp>,
    /// The number of stored bytes, if known.
    total: Option<u64>,
    /// Whether these are the records of several files.
    together: bool,
    remarks: Remarks,
    /// The number of stored bytes that were read up to the last piece, and their hash.
    stored: u64,
    sha256: [u8; 32],
    /// Whether a decompressed byte was returned.
    started: bool,
}

impl Source {
    /// Opens a file, or standard input for `-`.
    ///
    /// # Errors
    /// The input is missing, unreadable or empty, or its extension does not fit its bytes.
    pub fn open(path: &Path) -> Result<Source, TraceError> {
        if path == Path::new("-") {
            return Source::new("standard input", io::stdin());
        }
        let name = shown_path(path);
        let (file, metadata) = open(path, &name)?;
        let source = Source::new(&name, file)?;
        let stamp = Stamp::of(&metadata);
        Ok(Source {
            remarks: of_cpus(path),
            stamp,
            total: stamp.map(|stamp| stamp.length),
            ..source
        })
    }

    /// Opens files that are read together, under the name of `path`, which is one of them. The hash is that of the
    /// decompressed records in their order.
    ///
    /// # Errors
    /// As [`Source::open`].
    pub fn together(path: &Path, files: &[PathBuf]) -> Result<Source, TraceError> {
        let mut inputs: Vec<(String, Box<dyn Read + Send>)> = Vec::new();
        // what is read is counted once it is decompressed
        let mut total = Some(0);
        for file in files {
            let name = shown_path(file);
            let (input, metadata) = open(file, &name)?;
            // a CPU that did nothing has an empty file
            if metadata.len() > 0 {
                let (coding, input) = decoder(&name, input)?;
                let as_stored = coding == Coding::Plain;
                total = total
                    .filter(|_| as_stored)
                    .map(|total| total + metadata.len());
                inputs.push((name, Box::new(input)));
            }
        }
        let name = shown_path(path);
        let (_, metadata) = open(path, &name)?;
        let remarks = of_cpus(path);
        let records = Decoder::Plain(Stored::new(Cpus::new(inputs, &remarks)));
        Ok(Source {
            remarks,
            stamp: Stamp::of(&metadata),
            total,
            together: true,
            ..Source::of(name, Coding::Plain, records)
        })
    }

    /// Reads `input`; the extension of `name` must fit the bytes.
    ///
    /// # Errors
    /// The input is unreadable or empty, or its extension does not fit its bytes.
    pub fn new(name: &str, input: impl Read + Send + 'static) -> Result<Source, TraceError> {
        let (coding, decoder) = decoder(name, input)?;
        Ok(Source::of(name.to_owned(), coding, decoder))
    }

    fn of(name: String, coding: Coding, decoder: Decoder) -> Source {
        Source {
            name,
            coding,
            pieces: Pieces::Here {
                decoder,
                left: PIECE,
            },
            stamp: None,
            total: None,
            together: false,
            remarks: Remarks::default(),
            stored: 0,
            sha256: [0; 32],
            started: false,
        }
    }

    /// The trace as the user named it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the user should know of the files, one sentence each; all of it at the end.
    pub fn remarks(&self) -> Vec<String> {
        let remarks = self.remarks.lock();
        remarks.map_or_else(|_| Vec::new(), |remarks| remarks.clone())
    }

    /// The next piece. `old` is a piece that is no longer used, or empty.
    ///
    /// # Panics
    /// If the last piece was the last one.
    pub fn next(&mut self, old: Box<[u8]>) -> Piece {
        let piece = match std::mem::replace(&mut self.pieces, Pieces::Gone) {
            Pieces::Here { mut decoder, left } => {
                let piece = decoder.fill(if old.is_empty() { blank() } else { old });
                let left = left.saturating_sub(piece.end - GAP);
                if left == 0 {
                    self.pieces = Pieces::elsewhere(decoder);
                } else if !piece.last {
                    self.pieces = Pieces::Here { decoder, left };
                }
                piece
            }
            #[cfg(not(target_arch = "wasm32"))]
            Pieces::There { old: room, new } => {
                if !old.is_empty() {
                    // The thread ends only behind its last piece.
                    let _ = room.send(old);
                }
                let piece = new.recv().expect("the thread gives pieces to the last one");
                if !piece.last {
                    self.pieces = Pieces::There { old: room, new };
                }
                piece
            }
            Pieces::Gone => panic!("there is a piece after the last one"),
        };
        (self.stored, self.sha256) = (piece.stored, piece.sha256);
        self.started |= piece.end > GAP;
        piece
    }

    /// Checks the end of the trace; `at` is the last valid line, for messages.
    ///
    /// # Errors
    /// The input or the compressed data failed, or the trace has no bytes.
    pub fn check(&self, piece: &Piece, at: Place) -> Result<(), TraceError> {
        match &piece.fault {
            Some((error, broken)) => Err(self.failure(error, *broken, at)),
            None if !self.started => Err(self.empty()),
            None => Ok(()),
        }
    }

    /// The identity of the bytes up to the last piece; of the whole trace once that was the last one.
    pub fn identity(&self, requests: u64) -> Identity {
        Identity {
            bytes: self.stored,
            sha256: self.sha256,
            stamp: self.stamp,
            requests,
        }
    }

    /// The number of stored bytes read and, if known, their total.
    pub fn passed(&self) -> Option<(u64, u64)> {
        let total = self.total?;
        Some((self.stored.min(total), total))
    }

    fn empty(&self) -> TraceError {
        TraceError::Empty {
            name: self.name.clone(),
            what: "empty, 0 bytes once decompressed",
        }
    }

    fn failure(&self, error: &io::Error, broken: bool, at: Place) -> TraceError {
        let name = self.name.clone();
        if error.kind() == ErrorKind::InvalidData && self.together {
            let what = error.to_string();
            return TraceError::Damaged { name, what, at };
        }
        if self.coding == Coding::Plain || broken {
            return io_error(name, error, at);
        }
        let label = self.coding.label();
        let reported = error.to_string();
        // bzip2 and xz say so without a kind of their own
        let cut = error.kind() == ErrorKind::UnexpectedEof || reported.contains("premature eof");
        let what = if cut {
            format!("the {label} data are cut off")
        } else if reported.contains("too much memory") {
            format!(
                "the {label} data ask for a window above 128 MiB, as zstd --long makes, and cannot be read"
            )
        } else if reported.contains("memory") {
            format!("the {label} data ask for more than 256 MiB of memory, and cannot be read")
        } else {
            format!("the {label} data cannot be decompressed ({reported})")
        };
        TraceError::Damaged { name, what, at }
    }
}

/// What to know of the files of other CPUs.
fn of_cpus(path: &Path) -> Remarks {
    Arc::new(Mutex::new(remark(path).into_iter().collect()))
}

/// Opens a file that is not a folder.
///
/// # Errors
/// The file is missing, a folder or unreadable; `name` is the name in the message.
pub(crate) fn open(path: &Path, name: &str) -> Result<(File, std::fs::Metadata), TraceError> {
    let name = name.to_owned();
    match File::open(path).and_then(|file| Ok((file.metadata()?, file))) {
        Ok((metadata, _)) if metadata.is_dir() => Err(TraceError::Directory { name }),
        Ok((metadata, file)) => Ok((file, metadata)),
        Err(error) => Err(match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => match of_base(path) {
                None => TraceError::Missing { name },
                Some(files) => TraceError::Selection {
                    name,
                    what: format!("no such file; {files}"),
                },
            },
            ErrorKind::PermissionDenied => TraceError::Denied { name },
            ErrorKind::IsADirectory => TraceError::Directory { name },
            _ => io_error(name, &error, Place::START),
        }),
    }
}

/// Recognises the coding of an input.
fn decoder(
    name: &str,
    mut input: impl Read + Send + 'static,
) -> Result<(Coding, Decoder), TraceError> {
    let name = name.to_owned();
    let mut head = Vec::with_capacity(MAGIC_LEN);
    if let Err(error) = input.by_ref().take(MAGIC_LEN as u64).read_to_end(&mut head) {
        return Err(io_error(name, &error, Place::START));
    }
    if head.is_empty() {
        let what = "empty, 0 bytes";
        return Err(TraceError::Empty { name, what });
    }
    let coding = Coding::of_bytes(&head);
    check_name(&name, coding, &head)?;
    if coding == Coding::Xz && cfg!(not(feature = "xz")) {
        let what = format!("compressed with xz, which this build cannot read; {FULL_PROGRAM}");
        return Err(TraceError::Selection { name, what });
    }
    let stored = Stored::new(Cursor::new(head).chain(input));
    match Decoder::new(coding, stored) {
        Ok(decoder) => Ok((coding, decoder)),
        Err(error) => Err(io_error(name, &error, Place::START)),
    }
}

/// The hash of all bytes of a file.
#[cfg(feature = "parquet")]
pub(crate) fn hash(path: &Path) -> io::Result<[u8; 32]> {
    let mut stored = Stored::new(File::open(path)?);
    io::copy(&mut stored, &mut io::sink())?;
    Ok(stored.hash.finalize().into())
}

fn io_error(name: String, error: &io::Error, at: Place) -> TraceError {
    let what = error.to_string();
    TraceError::Io { name, what, at }
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
            at: Place::START,
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
