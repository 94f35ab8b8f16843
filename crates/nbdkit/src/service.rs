//! The drive with what follows its requests.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ssdlab_drive::{DeviceError, Drive, DriveError, Status};

use crate::mapped::MappedDisk;
use crate::record::Record;
use crate::settings::{self, Settings};

/// A drive that is being served.
pub struct Service {
    drive: Drive,
    /// The drive only reads since its opening.
    read_only: bool,
    record: Option<Record>,
    counters: Option<PathBuf>,
    realtime: bool,
    /// The time at which the requests since the last [`Service::due`] are complete, in real time.
    due: Option<Instant>,
}

impl Service {
    /// Opens the image.
    ///
    /// # Errors
    /// The image cannot be opened, or the trace cannot be written: the message for the user.
    pub fn open(image: &Path, settings: &Settings) -> Result<Self, String> {
        let shown = image.display();
        let drive = match settings.realtime {
            true => Drive::open_timed(image, settings.options()),
            false if settings.options().sync => Drive::open(image, settings.options()),
            false => MappedDisk::open(image)
                .map_err(DriveError::from)
                .and_then(Drive::open_disk),
        };
        let drive = drive.map_err(|error| format!("{shown}: {error}"))?;
        let record = |path: &PathBuf| {
            let record = Record::create(path);
            record.map_err(|error| format!("{}: cannot be written: {error}", path.display()))
        };
        let record = settings.record.as_ref().map(record).transpose()?;
        if record.is_some() && !drive.opened().new {
            settings::tell(&format!(
                "{shown} is in use already; a simulation of the recorded trace begins with a new drive, so its counters \
                 will not be those of this one"
            ));
        }
        for what in drive.opened().damage() {
            settings::tell(&format!("{shown}: {what}"));
        }
        if let Some(why) = drive.read_only() {
            settings::tell(&format!("{shown} is read-only: {why}"));
        }
        Ok(Self {
            read_only: drive.read_only().is_some(),
            drive,
            record,
            counters: settings.counters.clone(),
            realtime: settings.realtime,
            due: None,
        })
    }

    /// A drive alone: no file follows its requests.
    pub fn of(drive: Drive) -> Self {
        Self {
            read_only: drive.read_only().is_some(),
            realtime: drive.config().is_parallel(),
            drive,
            record: None,
            counters: None,
            due: None,
        }
    }

    /// The capacity in bytes.
    pub fn capacity(&self) -> u64 {
        self.drive.capacity()
    }

    /// Whether clients may write.
    pub fn is_writable(&self) -> bool {
        !self.read_only
    }

    /// The time at which the requests since the last call are complete, if they take the time of the drive.
    pub fn due(&mut self) -> Option<Instant> {
        self.due.take()
    }

    /// What the drive has done, and how it is.
    pub fn status(&mut self) -> Status {
        self.drive.status()
    }

    /// Refuses a range beyond the capacity.
    pub fn admit(&self, offset: u64, length: u64) -> Result<(), DriveError> {
        let (end, capacity) = (offset.saturating_add(length), self.capacity());
        match end <= capacity {
            true => Ok(()),
            false => Err(DeviceError::PastCapacity { end, capacity }.into()),
        }
    }

    /// Notes a request that has taken effect.
    fn note(&mut self, op: char, offset: u64, length: u64) {
        if self.realtime
            && let Some(latency) = self.drive.latency_ns()
        {
            let at = Duration::from_nanos(self.drive.time_ns().saturating_add(latency));
            self.due = self.due.max(self.drive.opened_at().checked_add(at));
        }
        if let Some(record) = &mut self.record {
            record.add(self.drive.time_ns(), op, offset, length);
        }
    }

    /// Reads.
    pub fn read(&mut self, offset: u64, into: &mut [u8]) -> Result<(), DriveError> {
        let read = self.drive.read(offset, into);
        if matches!(read, Ok(()) | Err(DriveError::Lost(_))) {
            self.note('R', offset, into.len() as u64);
        }
        read
    }

    /// Writes.
    pub fn write(&mut self, offset: u64, bytes: &[u8]) -> Result<(), DriveError> {
        self.admit(offset, bytes.len() as u64)?;
        // a trace has what the drive counts
        let parts = self.drive.parts(offset, bytes);
        for (offset, bytes) in parts {
            self.drive.write(offset, bytes)?;
            self.note('W', offset, bytes.len() as u64);
        }
        Ok(())
    }

    /// Makes all durable.
    pub fn flush(&mut self) -> Result<(), DriveError> {
        if self.read_only {
            return Ok(());
        }
        self.drive.flush()?;
        self.note('F', 0, 0);
        Ok(())
    }

    /// Discards.
    pub fn trim(&mut self, offset: u64, length: u64) -> Result<(), DriveError> {
        self.drive.trim(offset, length)?;
        self.note('D', offset, length);
        Ok(())
    }

    /// Makes a range read as zeros: discards the whole pages in it, and writes zeros at its edges.
    pub fn zero(&mut self, offset: u64, length: u64) -> Result<(), DriveError> {
        self.admit(offset, length)?;
        let (page, end) = (self.drive.page_size(), offset + length);
        let first = offset.next_multiple_of(page);
        let last = end / page * page;
        if first >= last {
            return self.write(offset, &vec![0; length as usize]);
        }
        if offset < first {
            self.write(offset, &vec![0; (first - offset) as usize])?;
        }
        self.trim(first, last - first)?;
        match last < end {
            true => self.write(last, &vec![0; (end - last) as usize]),
            false => Ok(()),
        }
    }

    /// Calls `each` with the offset, the length and whether there may be data, for each part of a range, at least one.
    /// It looks at a limited number of pages, and may leave out the end of the range.
    pub fn extents<E>(
        &self,
        offset: u64,
        length: u64,
        mut each: impl FnMut(u64, u64, bool) -> Result<(), E>,
    ) -> Result<(), E> {
        const PAGES: u64 = 1 << 16;
        let page = self.drive.page_size();
        let most = (offset / page).saturating_add(PAGES).saturating_mul(page);
        let end = (offset + length).min(most);
        let mut start = offset;
        while start < end {
            let data = self.drive.has_data(start);
            let mut to = start;
            while to < end && self.drive.has_data(to) == data {
                to = (to / page + 1) * page;
            }
            let to = to.min(end);
            each(start, to - start, data)?;
            start = to;
        }
        Ok(())
    }

    /// Flushes, writes the trace and the counters to the end, and closes the image. All is tried.
    ///
    /// # Errors
    /// What has failed, a message for the user each.
    pub fn close(mut self) -> Result<(), Vec<String>> {
        let mut wrong = Vec::new();
        // recorded, as the close is not: what it writes back is in the counters, and a trace ends without a flush
        let flushed = self.flush();
        if let Some(record) = &mut self.record {
            record.flush();
        }
        if let Some(path) = &self.counters {
            let text = serde_json::to_string_pretty(&self.drive.counters());
            let text = text.unwrap_or_default() + "\n";
            if let Err(error) = fs::write(path, text) {
                wrong.push(format!("{}: cannot be written: {error}", path.display()));
            }
        }
        if let Err(error) = flushed.and_then(|()| self.drive.close()) {
            wrong.push(format!(
                "the image is not closed, its next opening repairs it: {error}"
            ));
        }
        match wrong.is_empty() {
            true => Ok(()),
            false => Err(wrong),
        }
    }
}
