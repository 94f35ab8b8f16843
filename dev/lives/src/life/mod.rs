//! One life of a drive: what happens to it, and what must hold after each event.

mod counters;
mod ends;
mod offline;
mod opening;
mod reads;
mod requests;

use std::sync::Arc;

use ssdlab_disks::{End, Model, WrongSector, keeps_ram};
use ssdlab_drive::{Design, Drive, DriveError, ReadOnly};
use ssdlab_host::Request;

use crate::damage::Sections;
use crate::disk::{CrashDisk, FailureCounts};
use crate::event::{Event, ImagePart};
use crate::plan::{Broken, Seen};
use crate::settings;

/// The state of a life.
pub struct Life<'a> {
    design: Arc<Design>,
    disk: CrashDisk,
    sections: Sections,
    drive: Option<Drive>,
    model: Model,
    seen: &'a mut Seen,
    /// The event that happens now.
    pub event: usize,
    /// How the process ended, if the last one did.
    end: End,
    /// What a crash in the middle of a call does.
    crash: Option<u64>,
    /// A data error is possible.
    lossy: bool,
    /// The drive was opened once, so that its file has room for what an opening writes.
    was_opened: bool,
    /// The drive said that it is worn out, and nothing kept it from writing that down.
    worn_out: bool,
    /// No drive was open since the system stopped, so that its last commit may not be confirmed.
    unconfirmed: bool,
    /// A copy of the disk that was damaged.
    damaged: Option<CrashDisk>,
    /// Where, and how many bytes of it.
    damaged_part: ImagePart,
    damaged_bytes: u64,
    /// Whether someone looks at the damaged copy first.
    looks: bool,
    /// Whether the life goes on with the damaged copy if it does no harm.
    goes_on: bool,
    /// The disk was damaged, and this was not noticed.
    is_damaged: bool,
    /// The failures before the drive was opened.
    before: FailureCounts,
    /// The drive was read-only when it was opened.
    opened_read_only: bool,
    /// What a look has read from the image that is opened next.
    looked: Option<Vec<u8>>,
    /// The requests since the drive was made, while it counts as the simulator does.
    counted: Option<Vec<Request>>,
}

/// What a call of the drive came to.
enum CallResult<T> {
    /// The process ended in it.
    Dead,
    Answered(T, FailureCounts),
    /// An error, and what failed below.
    Refused(DriveError, FailureCounts),
}

type Done = Result<(), Broken>;

impl<'a> Life<'a> {
    pub fn new(design: Arc<Design>, is_memory: bool, seen: &'a mut Seen) -> Self {
        let length = design.image_bytes().expect("a small image");
        let mut disk = CrashDisk::new(length, is_memory);
        design.create_on(&mut disk).expect("a disk that works");
        let sections = Sections::of(&disk.content());
        disk.watch_mirror(sections.mirror());
        let flash = &design.config().flash;
        let (capacity, page) = (flash.capacity as usize, flash.page_size as usize);
        // the simulator has no time of day, by which pages age
        let counted = (design.config().buffer.flush_age_ns == 0).then(Vec::new);
        Self {
            model: Model::new(capacity, page, keeps_ram(&design)),
            lossy: settings::is_lossy(&design),
            design,
            disk,
            sections,
            drive: None,
            seen,
            event: 0,
            end: End::Kept,
            crash: None,
            was_opened: false,
            worn_out: false,
            unconfirmed: false,
            damaged: None,
            damaged_part: ImagePart::Anywhere,
            damaged_bytes: 0,
            looks: false,
            goes_on: false,
            is_damaged: false,
            before: FailureCounts::default(),
            opened_read_only: false,
            looked: None,
            counted,
        }
    }

    pub fn happens(&mut self, event: &Event) -> Done {
        self.saw("events");
        match *event {
            Event::Request(number, request) => self.request(number, request),
            Event::ReadAll => self.read_all(),
            Event::Check => self.check(),
            Event::Close => self.close(),
            Event::LosePower => self.lose_power(),
            Event::Kill => self.end_process(None),
            Event::Crash(seed) => self.end_process(Some(seed)),
            Event::KillAfter(calls) => {
                self.crash = None;
                self.disk.kill_after(calls);
                Ok(())
            }
            Event::CrashAfter(calls, seed) => {
                self.crash = Some(seed);
                self.disk.kill_after(calls);
                Ok(())
            }
            Event::Full(writes) => {
                self.disk.full_after(writes);
                Ok(())
            }
            Event::Room => {
                self.disk.has_room();
                Ok(())
            }
            Event::FailWrite(writes) => {
                self.disk.fail_write_after(writes);
                Ok(())
            }
            Event::FailRead(reads) => {
                self.disk.fail_read_after(reads);
                Ok(())
            }
            Event::FailSync(syncs) => {
                self.disk.fail_sync_after(syncs);
                Ok(())
            }
            Event::Damage(ref damage) => self.damage(damage),
            Event::Look => self.look(),
        }
    }

    /// Everything is read back at the end, by this process and by the next one.
    pub fn ends(&mut self) -> Done {
        self.read_all()?;
        self.end_process(None)?;
        self.disk.revive();
        // the disk may still be full
        self.read_all()?;
        self.end_process(None)?;
        self.disk.has_room();
        self.read_all()?;
        self.check()?;
        self.close()?;
        self.saw("lives");
        Ok(())
    }

    fn saw(&mut self, what: &'static str) {
        self.saw_some(what, 1);
    }

    fn saw_some(&mut self, what: &'static str, count: u64) {
        *self.seen.entry(what).or_default() += count;
    }

    fn broken<T>(&self, promise: &'static str, what: impl Into<String>) -> Result<T, Broken> {
        Err(Broken {
            promise,
            what: what.into(),
            event: self.event,
        })
    }

    /// Calls the drive.
    fn call<T>(&mut self, what: impl FnOnce(&mut Drive) -> Result<T, DriveError>) -> CallResult<T> {
        let before = self.disk.failed();
        let result = self.drive.as_mut().map(what);
        if self.disk.is_dead() {
            return CallResult::Dead;
        }
        let failed = self.disk.failed().since(before);
        match result {
            Some(Ok(answer)) => CallResult::Answered(answer, failed),
            Some(Err(error)) => CallResult::Refused(error, failed),
            None => CallResult::Refused(DriveError::Stopped, failed),
        }
    }

    /// Why the drive only reads, if it does.
    fn read_only(&self) -> Option<ReadOnly> {
        self.drive.as_ref().and_then(Drive::read_only)
    }

    /// What has failed since the drive was opened.
    fn failed(&self) -> FailureCounts {
        self.disk.failed().since(self.before)
    }
}

fn describe(wrong: &WrongSector) -> String {
    format!("sector {}: {}", wrong.sector, wrong.what)
}
