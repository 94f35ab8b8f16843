//! All volumes of a trace, each to a file of its own, in one pass.
//!
//! A trace may have thousands of volumes, more than files can be open. Requests are gathered by volume; when there are too
//! many for the memory, those of all volumes go to one temporary file, in compressed chunks. At the end the volumes are
//! written one after the other, so an error in the trace leaves no file.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use ssdlab_host::{Op, Request};
use ssdlab_trace::ReadOptions;

use crate::convert::{Convert, Converted, Pass};
use crate::error::ConvertError;
use crate::target::{Coding, Target};
use crate::writer::{Head, TraceWriter, Volume};

/// As many requests in memory, for all volumes, as take some 50 MiB.
pub const GATHERED: usize = 2 << 20;
/// Fast: what is written is read once.
const LEVEL: i32 = 1;
/// Bytes of a request in a chunk: time, offset, size, stream, operation.
const LENGTH: usize = 8 + 8 + 8 + 2 + 1;

/// The volumes of a trace, gathered.
pub struct Split {
    converted: Converted,
    head: Head,
    target: Target,
    gathered: Vec<Gathered>,
    spool: File,
}

/// The requests of a volume.
#[derive(Default)]
struct Gathered {
    /// Where the chunks of the earlier ones begin in the file, and their bytes.
    chunks: Vec<(u64, usize)>,
    latest: Vec<Request>,
}

impl Convert {
    /// Reads a trace and gathers its volumes: up to `most` requests in memory, the others in `spool`, an empty temporary
    /// file.
    ///
    /// # Errors
    /// As [`Convert::run`]; a trace without volumes; a temporary file that cannot be written.
    pub fn split(
        &self,
        path: &Path,
        read: &ReadOptions,
        target: Target,
        mut spool: File,
        most: usize,
    ) -> Result<Split, ConvertError> {
        let steps = self.steps(path, read)?;
        let mut pass = Pass::begin(path, read)?;
        // each output has one volume, which its name says
        let head = Head {
            volumes: false,
            ..pass.head(self)
        };
        pass.check_volumes()?;
        // what the format cannot say is found before anything is written
        let text = Target {
            coding: Coding::None,
            ..target
        };
        let tried = TraceWriter::new(std::io::sink(), text, head);
        let mut tried = tried.map_err(ConvertError::Temporary)?;
        let mut gathered: Vec<Gathered> = Vec::new();
        let mut count = 0;
        let notes = steps.each(&mut pass, |request, volume| {
            let number = volume.map_or(0, |volume| volume.number as usize);
            if gathered.len() <= number {
                gathered.resize_with(number + 1, Gathered::default);
            }
            if !target.to.says_all() {
                tried.add(request, None)?;
            }
            gathered[number].latest.push(*request);
            count += 1;
            if count == most {
                count = 0;
                for volume in &mut gathered {
                    volume.put_away(&mut spool)?;
                }
            }
            Ok(())
        });
        // nothing else is written yet
        let notes = notes.map_err(|error| match error {
            ConvertError::Write(error) => ConvertError::Temporary(error),
            error => error,
        })?;
        let converted = pass.finish(path, &steps, notes)?;
        Ok(Split {
            converted,
            head,
            target,
            gathered,
            spool,
        })
    }
}

impl Split {
    /// What was read, and what has been written so far.
    pub const fn converted(&self) -> &Converted {
        &self.converted
    }

    /// The volumes that have requests: numbers and names.
    pub fn volumes(&self) -> Vec<(usize, String)> {
        let names = self.converted.trace.volumes.iter().cloned().enumerate();
        let has_some = |volume: &Gathered| !volume.chunks.is_empty() || !volume.latest.is_empty();
        names
            .filter(|(number, _)| self.gathered.get(*number).is_some_and(has_some))
            .collect()
    }

    /// Writes the volume of a number, once. Returns the output, which is not flushed.
    ///
    /// # Errors
    /// The output cannot be written, or the temporary file not read; a request that the format cannot say.
    pub fn write<W: Write + Send>(&mut self, number: usize, out: W) -> Result<W, ConvertError> {
        let volume = std::mem::take(&mut self.gathered[number]);
        let name = &self.converted.trace.volumes[number];
        let mut writer =
            TraceWriter::new(out, self.target, self.head).map_err(ConvertError::Write)?;
        let mut place = 0_u64;
        let mut add = |request: &Request| {
            place += 1;
            let of = Volume { number: 0, name };
            let added = writer.add(request, Some(of));
            added.map_err(|error| {
                error.at(|| {
                    format!(
                        "{}, request {place} of volume {name}",
                        self.converted.trace.name
                    )
                })
            })
        };
        for chunk in &volume.chunks {
            let requests = fetch(&mut self.spool, *chunk).map_err(ConvertError::Temporary)?;
            requests.iter().try_for_each(&mut add)?;
        }
        volume.latest.iter().try_for_each(&mut add)?;
        let requests = writer.requests();
        let about = self.converted.about();
        let (out, notes) = writer.finish(&about).map_err(ConvertError::Write)?;
        self.converted.requests += requests;
        self.converted.by_format.add(&notes);
        Ok(out)
    }
}

impl Gathered {
    /// Moves the requests in memory to the end of the file.
    fn put_away(&mut self, spool: &mut File) -> std::io::Result<()> {
        if self.latest.is_empty() {
            return Ok(());
        }
        let mut bytes = Vec::with_capacity(self.latest.len() * LENGTH);
        for request in std::mem::take(&mut self.latest) {
            bytes.extend(request.time_ns.to_le_bytes());
            bytes.extend(request.offset.to_le_bytes());
            bytes.extend(request.size().to_le_bytes());
            bytes.extend(request.stream().to_le_bytes());
            bytes.push(request.op() as u8);
        }
        let bytes = zstd::bulk::compress(&bytes, LEVEL)?;
        let start = spool.seek(SeekFrom::End(0))?;
        spool.write_all(&bytes)?;
        self.chunks.push((start, bytes.len()));
        Ok(())
    }
}

/// The requests of a chunk.
fn fetch(spool: &mut File, (start, length): (u64, usize)) -> std::io::Result<Vec<Request>> {
    spool.seek(SeekFrom::Start(start))?;
    let mut bytes = vec![0; length];
    spool.read_exact(&mut bytes)?;
    let bytes = zstd::stream::decode_all(&*bytes)?;
    Ok(bytes.chunks_exact(LENGTH).filter_map(request).collect())
}

fn request(bytes: &[u8]) -> Option<Request> {
    let number = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
    let stream = u16::from_le_bytes(bytes.get(24..26)?.try_into().ok()?);
    let op = *Op::ALL.get(usize::from(*bytes.get(26)?))?;
    let request = Request::new(number(0)?, op, number(8)?, number(16)?)?;
    Some(request.in_stream(stream))
}
