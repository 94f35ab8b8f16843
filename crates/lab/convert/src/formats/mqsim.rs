//! The ASCII trace of MQSim: `time_ns device LBA sectors type`, type 0 a write and 1 a read.

use std::fmt::Write;

use ssdlab_host::{Op, Request};

use super::sectors::Sectors;
use super::{Lines, note_stream};
use crate::notes::Notes;
use crate::writer::{Head, Volume};

pub struct Mqsim {
    sectors: Sectors,
}

impl Mqsim {
    pub const fn new(head: Head) -> Self {
        let sectors = Sectors::new(head.whole_sectors);
        Self { sectors }
    }
}

impl Lines for Mqsim {
    fn add(
        &mut self,
        to: &mut String,
        request: &Request,
        volume: Option<Volume>,
        notes: &mut Notes,
    ) -> Result<u64, String> {
        let kind = match request.op() {
            Op::Write => 0,
            Op::Read => 1,
            Op::Flush => {
                notes.leave_out("flushes, which the format cannot say");
                return Ok(0);
            }
            Op::Discard => {
                notes.leave_out("discards, which the format cannot say");
                return Ok(0);
            }
        };
        note_stream(request, notes);
        let Some((first, count)) = self.sectors.of(request, notes)? else {
            return Ok(0);
        };
        let device = volume.map_or(0, |volume| volume.number);
        let time = request.time_ns;
        writeln!(to, "{time} {device} {first} {count} {kind}").expect("a text takes all");
        Ok(1)
    }
}
