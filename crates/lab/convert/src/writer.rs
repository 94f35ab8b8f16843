//! Requests, written in a format.

use std::io::{self, Write};

use flate2::write::GzEncoder;
use ssdlab_host::Request;

use crate::error::WriteError;
use crate::formats::{self, Lines};
use crate::notes::Notes;
use crate::target::{Coding, Target, To};

/// What is known of a trace before its first request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// Requests have streams.
    pub streams: bool,
    /// Requests have volumes.
    pub volumes: bool,
    /// Formats of sectors: a request that begins or ends inside a sector gets whole ones; otherwise it is an error.
    pub whole_sectors: bool,
}

/// The volume of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Volume<'a> {
    /// Volumes are numbered from 0 in the order in which they appear.
    pub number: u32,
    /// Its name.
    pub name: &'a str,
}

/// What is known of a trace after its last request. Parquet stores it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// The name of the trace that was converted, or the words that made it.
    pub source: String,
    /// SHA-256 of its stored bytes, in hexadecimal.
    pub sha256: Option<String>,
}

/// Writes requests in a format, in constant memory.
pub struct TraceWriter<W: Write + Send> {
    body: Body<W>,
    notes: Notes,
    requests: u64,
}

enum Body<W: Write + Send> {
    Text(Box<Text<W>>),
    #[cfg(feature = "parquet")]
    Parquet(Box<formats::parquet::Columns<W>>),
}

struct Text<W: Write> {
    lines: Box<dyn Lines>,
    /// What is not written yet.
    text: String,
    out: Coded<W>,
}

/// Bytes of text before they are written.
const TEXT: usize = 64 << 10;

impl<W: Write + Send> TraceWriter<W> {
    /// Begins a trace.
    ///
    /// # Errors
    /// The output cannot be written.
    pub fn new(out: W, target: Target, head: Head) -> io::Result<Self> {
        let lines: Box<dyn Lines> = match target.to {
            #[cfg(feature = "parquet")]
            To::Parquet => {
                let columns = formats::parquet::Columns::new(out, head)?;
                return Ok(Self::of(Body::Parquet(Box::new(columns))));
            }
            #[cfg(not(feature = "parquet"))]
            To::Parquet => {
                let why = crate::target::no_parquet();
                return Err(io::Error::new(io::ErrorKind::Unsupported, why));
            }
            To::Plain => Box::new(formats::plain::Plain::new(head)),
            To::Fio => Box::<formats::fio::Fio>::default(),
            To::Mqsim => Box::new(formats::mqsim::Mqsim::new(head)),
            To::Blkparse => Box::new(formats::blkparse::Blkparse::new(head)),
        };
        let mut text = String::new();
        lines.begin(&mut text);
        let out = Coded::new(out, target.coding)?;
        Ok(Self::of(Body::Text(Box::new(Text { lines, text, out }))))
    }

    fn of(body: Body<W>) -> Self {
        Self {
            body,
            notes: Notes::default(),
            requests: 0,
        }
    }

    /// Adds a request.
    ///
    /// # Errors
    /// The output cannot be written, or the format cannot say the request.
    pub fn add(&mut self, request: &Request, volume: Option<Volume>) -> Result<(), WriteError> {
        match &mut self.body {
            Body::Text(to) => self.requests += to.add(request, volume, &mut self.notes)?,
            #[cfg(feature = "parquet")]
            Body::Parquet(columns) => {
                columns.add(request, volume)?;
                self.requests += 1;
            }
        }
        Ok(())
    }

    /// Requests in the output so far.
    pub const fn requests(&self) -> u64 {
        self.requests
    }

    /// Ends the trace.
    ///
    /// # Errors
    /// The output cannot be written.
    #[cfg_attr(
        not(feature = "parquet"),
        expect(unused_variables, reason = "Parquet stores it")
    )]
    pub fn finish(self, about: &About) -> io::Result<(W, Notes)> {
        let out = match self.body {
            Body::Text(to) => to.finish()?,
            #[cfg(feature = "parquet")]
            Body::Parquet(columns) => columns.finish(about)?,
        };
        Ok((out, self.notes))
    }
}

impl<W: Write> Text<W> {
    fn add(
        &mut self,
        request: &Request,
        volume: Option<Volume>,
        notes: &mut Notes,
    ) -> Result<u64, WriteError> {
        let lines = self.lines.add(&mut self.text, request, volume, notes);
        let lines = lines.map_err(WriteError::Refused)?;
        if self.text.len() >= TEXT {
            self.out.write_all(self.text.as_bytes())?;
            self.text.clear();
        }
        Ok(lines)
    }

    fn finish(mut self) -> io::Result<W> {
        self.lines.end(&mut self.text);
        self.out.write_all(self.text.as_bytes())?;
        self.out.finish()
    }
}

/// An output that compresses.
enum Coded<W: Write> {
    None(W),
    Zstd(zstd::Encoder<'static, W>),
    Gzip(GzEncoder<W>),
}

impl<W: Write> Coded<W> {
    fn new(out: W, coding: Coding) -> io::Result<Self> {
        Ok(match coding {
            Coding::None => Self::None(out),
            Coding::Zstd => Self::Zstd(zstd::Encoder::new(out, zstd::DEFAULT_COMPRESSION_LEVEL)?),
            Coding::Gzip => Self::Gzip(GzEncoder::new(out, flate2::Compression::default())),
        })
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::None(out) => out.write_all(bytes),
            Self::Zstd(out) => out.write_all(bytes),
            Self::Gzip(out) => out.write_all(bytes),
        }
    }

    fn finish(self) -> io::Result<W> {
        match self {
            Self::None(out) => Ok(out),
            Self::Zstd(out) => out.finish(),
            Self::Gzip(out) => out.finish(),
        }
    }
}
