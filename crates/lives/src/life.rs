//! One life of a drive: what happens to it, and what must hold after each event.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

use fastrand::Rng;
use ssdlab_drive::{Design, Drive, DriveError, ReadOnly};
use ssdlab_host::{Op, Request};
use ssdlab_systems::Systems;

use crate::damage;
use crate::disk::{CrashDisk, Failed, NO_SPACE};
use crate::event::{self, Damage, Event, Part};
use crate::model::{self, End, Model, SECTOR, Wrong};
use crate::settings;

/// A drive and all that happens to it.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Settings of the configuration.
    pub settings: Vec<String>,
    /// The file is memory, without syncs and without crashes of the system.
    pub is_memory: bool,
    /// In their order.
    pub events: Vec<Event>,
}

/// What was seen, by name.
pub type Seen = BTreeMap<&'static str, u64>;

/// A broken promise.
#[derive(Clone, Debug)]
pub struct Broken {
    /// Which one.
    pub promise: &'static str,
    /// How it shows.
    pub what: String,
    /// The event at which it shows.
    pub event: usize,
}

impl Plan {
    /// The life of this number.
    pub fn of(seed: u64) -> Self {
        let mut random = Rng::with_seed(seed);
        let settings = settings::some(&mut random);
        let design = settings::design(&settings).expect("it was drawn so");
        let capacity = design.config().flash.capacity as usize;
        Self {
            settings,
            is_memory: random.u8(..8) == 0,
            events: event::some(&mut random, capacity),
        }
    }

    /// Lives it, counts what happens, and says which event is happening.
    ///
    /// # Errors
    /// The first promise that is broken.
    pub fn live(&self, seen: &mut Seen, now: &AtomicUsize) -> Result<(), Broken> {
        let Some(design) = settings::design(&self.settings) else {
            return Ok(());
        };
        let mut life = Life::new(design, self.is_memory, seen);
        for (number, event) in self.events.iter().enumerate() {
            life.event = number;
            now.store(number, Ordering::Relaxed);
            life.happens(event)?;
        }
        life.event = self.events.len();
        life.ends()
    }
}

/// The state of a life.
struct Life<'a> {
    design: Arc<Design>,
    disk: CrashDisk,
    drive: Option<Drive>,
    model: Model,
    seen: &'a mut Seen,
    event: usize,
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
    /// Where it was damaged first.
    damaged_part: Part,
    /// The last request that was answered.
    last: u32,
    /// What had failed when the drive was opened.
    before: Failed,
    /// The requests since the drive was made, while it counts as the simulator does.
    counted: Option<Vec<Request>>,
}

/// What a call of the drive came to.
enum Called<T> {
    /// The process ended in it.
    Dead,
    Answered(T, Failed),
    /// An error, and what failed below.
    Refused(DriveError, Failed),
}

type Done = Result<(), Broken>;

impl<'a> Life<'a> {
    fn new(design: Arc<Design>, is_memory: bool, seen: &'a mut Seen) -> Self {
        let length = design.image_bytes().expect("a small image");
        let mut disk = CrashDisk::new(length, is_memory);
        design.create_on(&mut disk).expect("a disk that works");
        disk.watch_mirror(damage::mirror(&disk.content()));
        let flash = &design.config().flash;
        let (capacity, page) = (flash.capacity as usize, flash.page_size as usize);
        Self {
            model: Model::new(capacity, page, settings::is_protected(&design)),
            lossy: settings::is_lossy(&design),
            design,
            disk,
            drive: None,
            seen,
            event: 0,
            end: End::Kept,
            crash: None,
            was_opened: false,
            worn_out: false,
            unconfirmed: false,
            damaged: None,
            damaged_part: Part::Anywhere,
            last: 0,
            before: Failed::default(),
            counted: Some(Vec::new()),
        }
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

    fn happens(&mut self, event: &Event) -> Done {
        self.saw("events");
        match *event {
            Event::Write {
                request,
                offset,
                length,
            } => self.write(request, offset, length),
            Event::Trim {
                request,
                offset,
                length,
            } => self.trim(request, offset, length),
            Event::Read { offset, length } => self.read(offset, length),
            Event::Flush => self.flush(),
            Event::ReadAll => self.read_all(),
            Event::Check => self.check(),
            Event::Drain => self.drain(),
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
    fn ends(&mut self) -> Done {
        self.read_all()?;
        self.end_process(None)?;
        self.disk.revive();
        self.disk.has_room();
        self.read_all()?;
        self.check()?;
        self.close()?;
        self.saw("lives");
        Ok(())
    }

    /// Calls the drive.
    fn call<T>(&mut self, what: impl FnOnce(&mut Drive) -> Result<T, DriveError>) -> Called<T> {
        let before = self.disk.failed();
        let result = self.drive.as_mut().map(what);
        if self.disk.is_dead() {
            return Called::Dead;
        }
        let failed = self.disk.failed().since(before);
        match result {
            Some(Ok(answer)) => Called::Answered(answer, failed),
            Some(Err(error)) => Called::Refused(error, failed),
            None => Called::Refused(DriveError::Stopped, failed),
        }
    }

    /// Opens the drive if it is not open; false if it could not be.
    fn opens(&mut self) -> Result<bool, Broken> {
        if self.drive.is_some() {
            return Ok(true);
        }
        self.look_at_damage()?;
        let before = self.disk.failed();
        self.before = before;
        let opened = Drive::open_made_with(self.disk.clone(), self.design.clone());
        if self.disk.is_dead() {
            drop(opened);
            self.saw("ends of a process while it opens");
            self.died();
            return Ok(false);
        }
        let failed = self.disk.failed().since(before);
        match opened {
            Ok(drive) => {
                self.drive = Some(drive);
                self.opened(failed)
            }
            Err(error) => self.did_not_open(&error, failed).map(|()| false),
        }
    }

    /// The drive is open: everything is read.
    fn opened(&mut self, failed: Failed) -> Result<bool, Broken> {
        self.saw("openings");
        self.was_opened = true;
        self.unconfirmed = false;
        let why = self.drive.as_ref().and_then(Drive::read_only);
        match why {
            Some(ReadOnly::WornOut) => {
                self.saw("openings of worn-out drives");
                if settings::is_protected(&self.design) && self.model.has_unflushed() {
                    self.saw("openings of worn-out drives with data in RAM");
                }
            }
            Some(ReadOnly::Image(_)) if failed.any() => self.saw("openings that cannot write"),
            Some(why) => {
                return self.broken(
                    "an opened drive has a reason to be read-only",
                    why.to_string(),
                );
            }
            None if self.worn_out => {
                return self.broken("a worn-out drive stays read-only", "it opens to be written");
            }
            None => {}
        }
        if failed.changes() && why.is_none() {
            return self.broken("what cannot be written is noticed", format!("{failed:?}"));
        }
        // what an opening that could not write has found is in memory only
        let settled = !failed.changes();
        self.compare_all(settled)
    }

    fn did_not_open(&mut self, error: &DriveError, failed: Failed) -> Done {
        match failed {
            _ if failed.reads + failed.writes + failed.syncs > 0 => {
                self.saw("openings that failed with the disk");
                self.process_ended(End::Killed);
                Ok(())
            }
            _ if failed.full > 0 && !self.was_opened => {
                self.saw("first openings on a full disk");
                self.disk.has_room();
                Ok(())
            }
            _ if failed.full > 0 => self.broken("a drive opens on a full disk", error.to_string()),
            _ => self.broken("a drive opens again", error.to_string()),
        }
    }

    /// The process is gone. What the next one finds follows from how.
    fn process_ended(&mut self, end: End) {
        self.drive = None;
        self.counted = None;
        self.model.leave(end);
        self.end = end;
        if self.disk.is_doubtful() {
            let seed = self.disk.calls();
            self.system_stops(seed);
        }
        self.disk.revive();
    }

    fn system_stops(&mut self, seed: u64) {
        self.disk.crash(seed);
        self.model.leave(End::Crashed);
        self.end = End::Crashed;
        self.unconfirmed = true;
    }

    /// The process ended in a call of the disk, and the system with it if that was to be.
    fn died(&mut self) {
        let crash = self.crash.take();
        self.process_ended(End::Killed);
        self.saw("ends of a process in a call");
        if let Some(seed) = crash {
            self.system_stops(seed);
        }
    }

    fn end_process(&mut self, crash: Option<u64>) -> Done {
        if self.drive.is_some() {
            self.process_ended(End::Killed);
            self.saw("kills");
        }
        if let Some(seed) = crash {
            self.saw("crashes");
            self.system_stops(seed);
        }
        Ok(())
    }

    fn write(&mut self, request: u32, offset: usize, length: usize) -> Done {
        if !self.opens()? {
            return Ok(());
        }
        let (mirrored, was_full) = (self.disk.mirrored(), self.disk.failed().full);
        let bytes = model::data(request, offset, length);
        if !self.only_reads() {
            self.model.write(request, offset, &bytes);
        }
        self.count(Op::Write, offset, length);
        self.saw("writes");
        self.change(Some(request), |drive| drive.write(offset as u64, &bytes))?;
        let pages = (length / self.model.page() + 2) as u64;
        if self.disk.mirrored() > mirrored + pages {
            self.saw("mirrors of RAM that begin anew");
            if self.disk.failed().full > was_full {
                self.saw("full disks while the mirror of RAM begins anew");
            }
        }
        Ok(())
    }

    fn trim(&mut self, request: u32, offset: usize, length: usize) -> Done {
        if !self.opens()? {
            return Ok(());
        }
        if !self.only_reads() {
            self.model.trim(request, offset, length);
        }
        self.count(Op::Discard, offset, length);
        self.saw("trims");
        let trim = |drive: &mut Drive| drive.trim(offset as u64, length as u64);
        self.change(Some(request), trim).map(|_| ())
    }

    fn only_reads(&self) -> bool {
        self.drive.as_ref().and_then(Drive::read_only).is_some()
    }

    fn flush(&mut self) -> Done {
        if !self.opens()? {
            return Ok(());
        }
        self.count(Op::Flush, 0, 0);
        self.saw("flushes");
        let syncs = self.disk.syncs();
        if self.change(None, Drive::flush)? {
            self.model.flushed(self.disk.syncs() > syncs);
        }
        Ok(())
    }

    fn drain(&mut self) -> Done {
        if !self.opens()? {
            return Ok(());
        }
        self.counted = None;
        self.change(None, Drive::drain).map(|_| ())
    }

    /// Does something that writes; true if it was done.
    fn change(
        &mut self,
        request: Option<u32>,
        what: impl FnOnce(&mut Drive) -> Result<(), DriveError>,
    ) -> Result<bool, Broken> {
        let before = self.drive.as_ref().and_then(Drive::read_only);
        match self.call(what) {
            Called::Dead => {
                self.died();
                Ok(false)
            }
            Called::Answered((), failed) => {
                if failed.changes() {
                    return self.broken("what cannot be written is noticed", format!("{failed:?}"));
                }
                if before.is_some() {
                    return self.broken("a read-only drive changes nothing", "it says it did");
                }
                if let Some(request) = request {
                    self.model.answered(request);
                    self.last = request;
                }
                Ok(true)
            }
            Called::Refused(error, failed) => {
                self.refused(&error, failed, before)?;
                Ok(false)
            }
        }
    }

    /// A change was refused: the drive must have a reason, and from now on only read.
    fn refused(&mut self, error: &DriveError, failed: Failed, before: Option<ReadOnly>) -> Done {
        let why = self.drive.as_ref().and_then(Drive::read_only);
        let DriveError::ReadOnly(told) = error else {
            return self.broken("a drive that fails is read-only", error.to_string());
        };
        if why != Some(*told) {
            let what = format!("it says {told}, and then {why:?}");
            return self.broken("a drive that fails is read-only", what);
        }
        if before.is_some() {
            return match before == why {
                true => Ok(()),
                false => self.broken("a drive stays read-only", format!("{before:?}, {why:?}")),
            };
        }
        self.became_read_only(*told, failed)
    }

    /// What has failed since the drive was opened.
    fn failed(&self) -> Failed {
        self.disk.failed().since(self.before)
    }

    fn became_read_only(&mut self, why: ReadOnly, failed: Failed) -> Done {
        self.counted = None;
        match why {
            ReadOnly::Image(code) if self.failed().any() => self.saw(match code {
                NO_SPACE => "full disks",
                _ => "disks that failed",
            }),
            ReadOnly::WornOut if settings::wears_out(&self.design) => {
                self.saw("wear-outs");
                self.worn_out = !failed.changes();
            }
            why => return self.broken("a read-only drive has a reason", why.to_string()),
        }
        if failed.reads > 0 && failed.all() > 1 {
            // another failure while the drive looked for what is there
            self.saw("disks that failed twice at once");
            return self.end_process(None);
        }
        // all that was answered is still there
        self.read_all()
    }

    fn read(&mut self, offset: usize, length: usize) -> Done {
        if !self.opens()? {
            return Ok(());
        }
        let mut bytes = vec![0xa5; length];
        self.saw("reads");
        if self.read_into(offset, &mut bytes)? && self.drive.is_some() {
            self.saw_some("sectors", (length / SECTOR) as u64);
            if let Err(wrong) = self.model.allows_part(offset, &bytes) {
                return self.broken(self.promise_of_reads(), told(&wrong));
            }
        }
        Ok(())
    }

    fn promise_of_reads(&self) -> &'static str {
        match self.drive.as_ref().and_then(Drive::read_only) {
            None => "a drive returns the newest data",
            Some(ReadOnly::WornOut) => "a worn-out drive returns the newest data",
            Some(_) => "a drive whose file failed returns the newest data",
        }
    }

    /// Reads once, and once more if the disk failed. False if the data are lost or the process has ended.
    fn read_into(&mut self, offset: usize, bytes: &mut [u8]) -> Result<bool, Broken> {
        for _ in 0..3 {
            self.count(Op::Read, offset, bytes.len());
            let before = self.drive.as_ref().and_then(Drive::read_only);
            match self.call(|drive| drive.read(offset as u64, bytes)) {
                Called::Dead => {
                    self.died();
                    return Ok(false);
                }
                Called::Answered((), failed) => {
                    self.after_read(before, failed)?;
                    return Ok(true);
                }
                Called::Refused(DriveError::Lost(_), failed) if self.lossy => {
                    self.saw("lost pages");
                    self.after_read(before, failed)?;
                    return Ok(false);
                }
                Called::Refused(_, failed) if failed.reads > 0 => {
                    self.saw("reads that failed with the disk");
                    self.counted = None;
                    self.after_read(before, failed)?;
                }
                Called::Refused(error, failed) => {
                    let promise = match self.drive.as_ref().and_then(Drive::read_only) {
                        now if now != before => {
                            "a read does not fail because nothing can be written"
                        }
                        Some(_) => "a read-only drive can be read",
                        None => "a drive can be read",
                    };
                    return self.broken(promise, format!("{error}; {failed:?}"));
                }
            }
        }
        self.broken("a drive can be read", "it fails again and again")
    }

    /// A read may evict pages of the buffer, and so be the moment from which the drive only reads.
    fn after_read(&mut self, before: Option<ReadOnly>, failed: Failed) -> Done {
        match (before, self.drive.as_ref().and_then(Drive::read_only)) {
            (None, Some(why)) => {
                self.saw("reads that end all writes");
                self.counted = None;
                match why {
                    ReadOnly::WornOut => self.worn_out = !failed.changes(),
                    ReadOnly::Image(_) if self.failed().any() => {}
                    why => return self.broken("a read-only drive has a reason", why.to_string()),
                }
                Ok(())
            }
            (before, now) if before == now => Ok(()),
            (before, now) => self.broken("a drive stays read-only", format!("{before:?}, {now:?}")),
        }
    }

    fn read_all(&mut self) -> Done {
        if self.opens()? {
            self.compare_all(false)?;
        }
        Ok(())
    }

    /// Reads everything; false if the process has ended.
    fn compare_all(&mut self, settled: bool) -> Result<bool, Broken> {
        let mut bytes = vec![0xa5; self.model.capacity()];
        if self.read_into(0, &mut bytes)? {
            return self.compare(0, &bytes, settled);
        }
        // page by page, so that one that is lost hides no other
        let page = self.model.page();
        for first in (0..self.model.capacity()).step_by(page) {
            if self.drive.is_none() {
                return Ok(false);
            }
            if self.read_into(first, &mut bytes[..page])? {
                self.compare(first, &bytes[..page], settled)?;
            }
        }
        Ok(self.drive.is_some())
    }

    fn compare(&mut self, first: usize, bytes: &[u8], settled: bool) -> Result<bool, Broken> {
        self.saw_some("sectors", (bytes.len() / SECTOR) as u64);
        match self.model.compare(first, bytes, settled) {
            Ok(()) => Ok(true),
            Err(wrong) => {
                let promise = match (settled, self.end) {
                    (false, _) if wrong.is_older && self.only_reads() => {
                        "a read-only drive has what was flushed"
                    }
                    (false, _) => self.promise_of_reads(),
                    (true, End::Kept) => "a closed drive opens as it was",
                    (true, End::Killed) => "what was promised survives the end of the process",
                    (true, _) => "what was flushed survives a crash",
                };
                self.broken(promise, told(&wrong))
            }
        }
    }

    fn check(&mut self) -> Done {
        if !self.opens()? {
            return Ok(());
        }
        match self.call(Drive::check) {
            Called::Dead => {
                self.died();
                Ok(())
            }
            Called::Answered((), _) => Ok(()),
            Called::Refused(_, failed) if failed.any() => Ok(()),
            Called::Refused(error, _) => self.broken("the tables are right", error.to_string()),
        }
    }

    fn close(&mut self) -> Done {
        self.count(Op::Flush, 0, 0);
        self.compare_counters()?;
        self.leave("closes", |drive| drive.close())
    }

    fn lose_power(&mut self) -> Done {
        self.leave("powers lost", |drive| drive.lose_power().map(|_| ()))
    }

    /// Ends the drive by a call.
    fn leave(
        &mut self,
        name: &'static str,
        end: impl FnOnce(Drive) -> Result<(), DriveError>,
    ) -> Done {
        let Some(drive) = self.drive.take() else {
            return Ok(());
        };
        let before = drive.read_only();
        let failed = self.disk.failed();
        let ended = end(drive);
        if self.disk.is_dead() {
            self.died();
            return Ok(());
        }
        let failed = self.disk.failed().since(failed);
        self.saw(name);
        match (ended, before) {
            (Ok(()), None) if failed.changes() => {
                self.broken("what cannot be written is noticed", format!("{failed:?}"))
            }
            (Ok(()), None) => {
                let keeps = name == "closes" || settings::is_protected(&self.design);
                self.process_ended(match keeps {
                    true => End::Kept,
                    false => End::Killed,
                });
                Ok(())
            }
            (Ok(()), Some(_)) => {
                self.process_ended(End::Killed);
                Ok(())
            }
            (Err(DriveError::ReadOnly(why)), before) => {
                if before.is_none() && why == ReadOnly::WornOut {
                    self.saw("wear-outs");
                    self.worn_out = !failed.changes();
                }
                let has_reason =
                    before.is_some() || self.failed().any() || settings::wears_out(&self.design);
                self.process_ended(End::Killed);
                match has_reason {
                    true => Ok(()),
                    false => self.broken("a read-only drive has a reason", why.to_string()),
                }
            }
            (Err(error), _) if failed.any() => {
                self.saw("closes that failed with the disk");
                self.process_ended(End::Killed);
                let _ = error;
                Ok(())
            }
            (Err(error), _) => self.broken("a drive can be closed", error.to_string()),
        }
    }

    /// Notes a request that the simulator serves, too.
    fn count(&mut self, op: Op, offset: usize, length: usize) {
        if let (Some(counted), Some(_)) = (&mut self.counted, &self.drive) {
            let request = Request::new(0, op, offset as u64, length as u64);
            counted.extend(request);
            // the mirror takes so much at once
            if length > 90_000 && settings::is_protected(&self.design) {
                self.counted = None;
            }
        }
    }

    /// Compares the counters of a drive that was never closed with those of the simulator.
    fn compare_counters(&mut self) -> Done {
        static SYSTEMS: LazyLock<Systems> = LazyLock::new(Systems::default);
        let (Some(drive), Some(counted)) = (&mut self.drive, self.counted.take()) else {
            return Ok(());
        };
        let simulated = SYSTEMS.device(self.design.config());
        let mut simulated = simulated.expect("a device of a drive");
        // the last one is the flush of the close, which has not come yet
        let requests = &counted[..counted.len().saturating_sub(1)];
        if let Err((_, error)) = simulated.submit_all(requests) {
            return self.broken(
                "the simulator serves what the drive serves",
                error.to_string(),
            );
        }
        let (found, mut expected) = (drive.counters(), simulated.counters());
        if settings::is_timed(self.design.config()) {
            // its requests come when they come
            expected.elapsed_ns = found.elapsed_ns;
        }
        self.saw("drives that count as the simulator");
        match found == expected {
            true => Ok(()),
            false => {
                let pairs = found.entries().into_iter().zip(expected.entries());
                let differ = pairs.filter(|(found, expected)| found != expected);
                let differ: Vec<_> = differ
                    .map(|((name, found), (_, expected))| {
                        format!("{name} = {found}, not {expected}")
                    })
                    .collect();
                self.broken("a drive counts as the simulator", differ.join(", "))
            }
        }
    }

    fn damage(&mut self, damage: &Damage) -> Done {
        if self.drive.is_some() || !self.was_opened {
            return Ok(());
        }
        let disk = self.damaged.get_or_insert_with(|| self.disk.copy());
        let (whole, image) = (self.disk.content(), disk.content());
        if let Some((at, bytes)) = damage::change(&whole, &image, damage) {
            self.damaged_part = damage::part_of(&whole, at);
            disk.damage(|content| content[at..at + bytes.len()].copy_from_slice(&bytes));
            self.saw("damage");
        }
        Ok(())
    }

    /// Opens the damaged copy of the disk, if there is one: it is refused, or what it returns is right.
    fn look_at_damage(&mut self) -> Done {
        let Some(disk) = self.damaged.take() else {
            return Ok(());
        };
        let Ok(mut drive) = Drive::open_made_with(disk, self.design.clone()) else {
            self.saw("damage that no opening accepts");
            return Ok(());
        };
        let opened = drive.opened();
        if self.unconfirmed {
            self.model.leave(End::CrashedAndDamaged);
        }
        let mut page = vec![0; self.model.page()];
        let mut compared = Ok(());
        for first in (0..self.model.capacity()).step_by(page.len()) {
            match drive.read(first as u64, &mut page) {
                Ok(()) if compared.is_ok() => compared = self.model.allows(first, &page),
                Ok(()) => {}
                Err(_) => self.saw("pages that are damaged"),
            }
        }
        self.model.leave(self.end);
        match compared {
            Ok(()) => self.saw("damage that does no harm"),
            Err(_) if !opened.damage().is_empty() => self.saw("damage that an opening reports"),
            Err(_) if opened.interrupted_record => self.saw("damage like an interruption"),
            Err(_) if drive.check().is_err() => self.saw("damage that a check finds"),
            Err(wrong) => return self.broken(self.promise_of_damage(&wrong), told(&wrong)),
        }
        Ok(())
    }

    fn promise_of_damage(&self, wrong: &Wrong) -> &'static str {
        match self.damaged_part {
            // what the process wrote last looks as if it had not arrived
            Part::Mirror if wrong.newest == self.last => {
                "damage to the last record of the mirror is never silent"
            }
            Part::Mirror => "damage to the mirror is never silent",
            Part::Mark | Part::Marks => "damage to the marks is never silent",
            _ => "damage is never silent",
        }
    }

    fn look(&mut self) -> Done {
        Ok(())
    }
}

fn told(wrong: &Wrong) -> String {
    format!("sector {}: {}", wrong.sector, wrong.what)
}
