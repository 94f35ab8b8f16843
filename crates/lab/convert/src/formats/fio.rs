//! The log of fio, version 3, which `fio --read_iolog` replays: `time file action offset size`, times in µs.
//!
//! fio takes time 0 for a time that is not known, and keeps no pause behind it, so times begin at 1 µs. It reads sizes as
//! 32 bits, and keeps no order of times that run backwards.

use std::fmt::Write;

use ssdlab_host::{Op, Request};

use super::{Lines, note_stream};
use crate::notes::Notes;
use crate::target::file_name;
use crate::writer::Volume;

const HEADER: &str = "fio version 3 iolog";
/// The file of a trace without volumes.
const FILE: &str = "trace";
const NS_PER_US: u64 = 1000;
/// The length of a name that fio reads.
const MOST_OF_NAME: usize = 255;
/// Larger requests are cut into pieces of this size.
const LARGEST: u64 = 1 << 30;

#[derive(Default)]
pub struct Fio {
    /// The files so far, by the numbers of their volumes.
    files: Vec<Option<String>>,
    /// The last time.
    time: u64,
}

impl Fio {
    /// The file of a volume; adds it to the log if it is new.
    fn file(&mut self, to: &mut String, volume: Option<Volume>) -> Result<&str, String> {
        let number = volume.map_or(0, |volume| volume.number as usize);
        if self.files.len() <= number {
            self.files.resize(number + 1, None);
        }
        let file = &mut self.files[number];
        if file.is_none() {
            let name = volume.map_or(FILE.into(), |volume| file_name(volume.name));
            if name.len() > MOST_OF_NAME {
                return Err(format!(
                    "fio reads names of at most {MOST_OF_NAME} bytes, but volume {name} has {}",
                    name.len()
                ));
            }
            for action in ["add", "open"] {
                writeln!(to, "{} {name} {action}", self.time).expect("a text takes all");
            }
            *file = Some(name);
        }
        Ok(file.as_deref().unwrap_or(FILE))
    }
}

impl Lines for Fio {
    fn begin(&self, to: &mut String) {
        *to += HEADER;
        to.push('\n');
    }

    fn add(
        &mut self,
        to: &mut String,
        request: &Request,
        volume: Option<Volume>,
        notes: &mut Notes,
    ) -> Result<u64, String> {
        note_stream(request, notes);
        let time = request.time_ns / NS_PER_US + 1;
        if time < self.time {
            notes.change("at the time of an earlier request, which had a later time");
        }
        self.time = self.time.max(time);
        let time = self.time;
        let file = self.file(to, volume)?;
        let action = match request.op() {
            Op::Read => "read",
            Op::Write => "write",
            Op::Flush => "sync",
            Op::Discard => "trim",
        };
        let (mut offset, mut left) = (request.offset, request.size());
        if left > u32::MAX.into() {
            notes.change("cut into pieces of 1 GiB, because fio reads sizes below 4 GiB");
        }
        let mut lines = 0;
        loop {
            let size = if left > u32::MAX.into() {
                LARGEST
            } else {
                left
            };
            writeln!(to, "{time} {file} {action} {offset} {size}").expect("a text takes all");
            lines += 1;
            left -= size;
            offset += size;
            if left == 0 {
                return Ok(lines);
            }
        }
    }

    fn end(&self, to: &mut String) {
        for file in self.files.iter().flatten() {
            writeln!(to, "{} {file} close", self.time).expect("a text takes all");
        }
    }
}
