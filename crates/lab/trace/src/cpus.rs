//! The files that blktrace writes, one for each CPU, read together in the order of their times.

use crate::coding::without_coding;
use crate::decode::{u16_at, u64_at};
use crate::formats::blktrace::{MAGIC_LENGTH, TIME_AT, Version};
use ssdlab_words::{listed, shown_path, shown_text};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// The files of all CPUs, if this is one of several: `NAME.blktrace.0` and so on, compressed or not.
///
/// # Errors
/// Two files of one CPU.
pub(crate) fn siblings(path: &Path) -> Result<Option<Vec<PathBuf>>, String> {
    let Some(files) = of_one_name(path) else {
        return Ok(None);
    };
    let mut pairs = files.iter().zip(files.iter().skip(1));
    if let Some(((_, one), (_, other))) = pairs.find(|((a, _), (b, _))| a == b) {
        return Err(format!(
            "there are two files of one CPU, {} and {}; move one of them to another folder",
            shown_path(one),
            shown_path(other)
        ));
    }
    let several = files.len() > 1;
    Ok(several.then(|| files.into_iter().map(|(_, path)| path).collect()))
}

/// What to know of the files beside this one of a CPU: that those of some CPUs are missing.
pub(crate) fn remark(path: &Path) -> Option<String> {
    let files = of_one_name(path)?;
    let (stem, _) = split(path.file_name()?.to_str()?)?;
    let last = files.last()?.0;
    let missing = (0..last).filter(|cpu| files.iter().all(|(there, _)| there != cpu));
    let missing: Vec<_> = missing.take(NAMED).collect();
    let first = missing.first()?;
    let cpus: Vec<_> = missing.iter().map(u32::to_string).collect();
    let more = if missing.len() == NAMED {
        " and perhaps others"
    } else {
        ""
    };
    Some(format!(
        "there is no file of CPU {}{more}, such as {}, but one of CPU {last}; what they did is missing, unless they were off",
        listed(&cpus),
        shown_text(&format!("{stem}.blktrace.{first}"))
    ))
}

/// The CPUs that a message names.
const NAMED: usize = 4;

/// The files of each CPU whose base name this is, for a message.
pub(crate) fn of_base(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let stem = name.strip_suffix(".blktrace").unwrap_or(name);
    let files = of_one_name(&path.with_file_name(format!("{stem}.blktrace.0")))?;
    let (_, first) = files.first()?;
    Some(match files.len() {
        1 => format!("name {}", shown_path(first)),
        many => format!(
            "name one of the {many} files that blktrace wrote, such as {}, and all are read together",
            shown_path(first)
        ),
    })
}

/// The files of the same name in the folder, by CPU.
fn of_one_name(path: &Path) -> Option<Vec<(u32, PathBuf)>> {
    let (stem, _) = split(path.file_name()?.to_str()?)?;
    let folder = match path.parent()? {
        here if here.as_os_str().is_empty() => Path::new("."),
        folder => folder,
    };
    let mut files: Vec<(u32, PathBuf)> = Vec::new();
    for file in folder.read_dir().ok()?.flatten() {
        let name = file.file_name();
        if let Some((of, cpu)) = name.to_str().and_then(split)
            && of == stem
        {
            files.push((cpu, path.with_file_name(name)));
        }
    }
    files.sort();
    Some(files)
}

/// The name before `.blktrace.N`, and the number N.
fn split(name: &str) -> Option<(&str, u32)> {
    let (stem, cpu) = without_coding(name).rsplit_once(".blktrace.")?;
    Some((stem, cpu.parse().ok()?))
}

/// The records of several files, each of which is in the order of its times.
pub(crate) struct Cpus {
    files: Vec<Cpu>,
    /// The time of the next record of each file that has one, and the file.
    next: BinaryHeap<Reverse<(u64, usize)>>,
    begun: bool,
    /// The record that is given to the reader, and how much of it was given.
    record: Vec<u8>,
    given: usize,
    /// The error behind that record.
    failed: Option<io::Error>,
}

/// What is found out about an input while it is read, one sentence each.
pub(crate) type Remarks = Arc<Mutex<Vec<String>>>;

/// A file, and its next record.
struct Cpu {
    name: String,
    input: Box<dyn Read + Send>,
    record: Vec<u8>,
    records: u64,
    cut: Remarks,
}

impl Cpu {
    /// Reads the next record, and returns its time.
    fn advance(&mut self) -> io::Result<Option<u64>> {
        self.record.clear();
        if !self.fill(MAGIC_LENGTH)? {
            return Ok(None);
        }
        let version = Version::of(&self.record).map_err(|what| self.bad(&what))?;
        if !self.fill(version.length)? {
            return Ok(None);
        }
        let payload = usize::from(u16_at(&self.record, version.payload));
        if !self.fill(version.length + payload)? {
            return Ok(None);
        }
        self.records += 1;
        Ok(Some(u64_at(&self.record, TIME_AT)))
    }

    /// Reads the record up to this length. False: the file ends before.
    fn fill(&mut self, length: usize) -> io::Result<bool> {
        let more = (length - self.record.len()) as u64;
        let read = self
            .input
            .by_ref()
            .take(more)
            .read_to_end(&mut self.record)?;
        if read as u64 == more {
            return Ok(true);
        }
        if !self.record.is_empty() {
            let found = self.record.len();
            let what = format!(
                "record {} of {} is cut off and left out, found {found} bytes of it",
                self.records + 1,
                self.name
            );
            if let Ok(mut cut) = self.cut.lock() {
                cut.push(what);
            }
        }
        self.record.clear();
        Ok(false)
    }

    fn bad(&self, what: &str) -> io::Error {
        let what = format!("record {} of {}: {what}", self.records + 1, self.name);
        io::Error::new(ErrorKind::InvalidData, what)
    }
}

impl Cpus {
    /// Reads these decompressed files together, each with its name. Tells those that are cut off.
    pub fn new(
        files: impl IntoIterator<Item = (String, Box<dyn Read + Send>)>,
        cut: &Remarks,
    ) -> Cpus {
        let cpu = |(name, input)| Cpu {
            cut: Arc::clone(cut),
            name,
            input: Box::new(BufReader::with_capacity(1 << 16, input)),
            record: Vec::new(),
            records: 0,
        };
        Cpus {
            files: files.into_iter().map(cpu).collect(),
            next: BinaryHeap::new(),
            begun: false,
            record: Vec::new(),
            given: 0,
            failed: None,
        }
    }

    fn advance(&mut self, file: usize) -> io::Result<()> {
        if let Some(time) = self.files[file].advance()? {
            self.next.push(Reverse((time, file)));
        }
        Ok(())
    }
}

impl Read for Cpus {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !self.begun {
            self.begun = true;
            for file in 0..self.files.len() {
                self.advance(file)?;
            }
        }
        let mut read = 0;
        while read < buffer.len() {
            if self.given == self.record.len() {
                if read > 0 && self.failed.is_some() {
                    break;
                }
                if let Some(error) = self.failed.take() {
                    return Err(error);
                }
                let Some(Reverse((_, file))) = self.next.pop() else {
                    break;
                };
                std::mem::swap(&mut self.record, &mut self.files[file].record);
                self.given = 0;
                self.failed = self.advance(file).err();
            }
            let left = &self.record[self.given..];
            let length = left.len().min(buffer.len() - read);
            buffer[read..read + length].copy_from_slice(&left[..length]);
            self.given += length;
            read += length;
        }
        Ok(read)
    }
}
