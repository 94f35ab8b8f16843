//! The drive, and the files that follow its requests.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ssdlab_drive::{
    Beside, Drive, DriveError, DriveSystems, FetchedRead, ImageError, PendingRead, Status,
};
use ssdlab_output::{OutputError, WholeFile};
use ssdlab_words::shown_path;

use crate::mapped::{MappedDisk, is_in_memory};
use crate::record::TraceRecorder;
use crate::settings::{self, PluginSettings, shown};

/// The code of an error that says that a file may not be written, though perhaps read.
fn protection(error: &DriveError) -> Option<i32> {
    let DriveError::Image(ImageError::Io(error)) = error else {
        return None;
    };
    let may_not = [ErrorKind::PermissionDenied, ErrorKind::ReadOnlyFilesystem];
    error
        .raw_os_error()
        .filter(|_| may_not.contains(&error.kind()))
}

/// A drive that is being served.
pub struct Service {
    drive: Drive,
    /// The drive was read-only when it was opened.
    read_only: bool,
    record: Option<TraceRecorder>,
    /// The parameters, and the file of the counters.
    counters: Option<(PluginSettings, PathBuf)>,
    realtime: bool,
    /// The stream of the current request.
    stream: u16,
    /// The time at which the requests since the last [`Service::due`] are complete, in real time.
    due: Option<Instant>,
}

impl Service {
    /// Opens the image once everything else is ready. The trace gets its name with [`Service::begin`].
    ///
    /// # Errors
    /// The image cannot be opened, the trace or the counters cannot be written, or one of these files is another of them:
    /// the message for the user.
    pub fn open(
        image: &Path,
        settings: &PluginSettings,
        systems: &DriveSystems,
    ) -> Result<Self, String> {
        let record = outputs(settings).map_err(|error| error.to_string())?;
        let shown = shown_path(image);
        let drive = if settings.realtime {
            systems.open_timed(image, settings.options())
        } else if settings.options().sync && !is_in_memory(image) {
            systems.open(image, settings.options())
        } else {
            MappedDisk::open(image, settings.options().sync)
                .map_err(DriveError::from)
                .and_then(|disk| systems.open_disk(disk))
        };
        let drive = match (&drive, drive.as_ref().err().and_then(protection)) {
            (Err(_), Some(code)) => systems.open_protected(image, code, settings.realtime),
            _ => drive,
        };
        let drive = drive.map_err(|error| format!("{shown}: {error}"))?;
        let record = record.map(|file| TraceRecorder::to(file, drive.config().needs.streams));
        let record = record.transpose().map_err(|error| error.to_string())?;
        if record.is_some() && !drive.opened().new {
            settings::tell(&format!(
                "{shown} was used before; a simulation of the recorded trace begins with a new drive, so its counters will \
                 differ from those of this drive"
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
            counters: settings
                .counters
                .clone()
                .map(|path| (settings.clone(), path)),
            realtime: settings.realtime,
            stream: 0,
            due: None,
        })
    }

    /// A drive alone: no file follows its requests.
    pub fn of(drive: Drive) -> Self {
        Self {
            read_only: drive.read_only().is_some(),
            realtime: drive.config().has_clocks(),
            drive,
            record: None,
            counters: None,
            stream: 0,
            due: None,
        }
    }

    /// The server is ready: the recorded trace replaces a file of its name.
    ///
    /// # Errors
    /// It cannot be put there: the message for the user.
    pub fn begin(&mut self) -> Result<(), String> {
        let published = self.record.as_mut().map(TraceRecorder::publish).transpose();
        published.map(drop).map_err(|error| error.to_string())
    }

    /// Closes the image after a start that has failed. No file is written.
    pub fn abandon(self) {
        if let Err(error) = self.drive.close() {
            settings::tell(&unclosed(&error));
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

    /// The time at which the requests since the last call are complete, if they are answered at the speed of the drive.
    pub fn due(&mut self) -> Option<Instant> {
        self.due.take()
    }

    /// What the drive has done, and its state.
    pub fn status(&mut self) -> Status {
        self.drive.status()
    }

    /// Refuses a range beyond the capacity.
    pub fn admit(&self, offset: u64, length: u64) -> Result<(), DriveError> {
        self.drive.admit(offset, length)
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
            record.add(self.drive.time_ns(), op, offset, length, self.stream);
        }
    }

    /// Begins to read: see [`Drive::begin_read`].
    pub fn begin_read(&mut self, offset: u64, into: &mut [u8]) -> Result<PendingRead, DriveError> {
        let begun = self.drive.begin_read(offset, into)?;
        self.note('R', offset, into.len() as u64);
        Ok(begun)
    }

    /// Reads what is not whole.
    pub fn end_read(&mut self, fetched: FetchedRead, into: &mut [u8]) -> Result<(), DriveError> {
        self.drive.end_read(fetched, into)
    }

    /// What threads may do with the file of the image beside the drive.
    pub fn beside(&self) -> Option<Arc<dyn Beside>> {
        self.drive.beside()
    }

    /// Requests from now on are in this stream.
    pub fn set_stream(&mut self, stream: u16) {
        self.stream = stream;
        self.drive.set_stream(stream);
    }

    /// Writes.
    pub fn write(&mut self, offset: u64, bytes: &[u8]) -> Result<(), DriveError> {
        self.admit(offset, bytes.len() as u64)?;
        // the trace has the requests that the drive counts
        let parts = self.drive.parts(offset, bytes);
        for (offset, bytes) in parts {
            self.drive.write(offset, bytes)?;
            self.note('W', offset, bytes.len() as u64);
        }
        Ok(())
    }

    /// Makes everything durable.
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
        if last < end {
            self.write(last, &vec![0; (end - last) as usize])?;
        }
        Ok(())
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

    /// Flushes, writes the trace and the counters to the end, and closes the image. Each of these is tried even if
    /// another fails.
    ///
    /// # Errors
    /// A message for the user for each thing that failed.
    pub fn close(mut self) -> Result<(), Vec<String>> {
        let mut wrong = Vec::new();
        // recorded, unlike the close: what it writes back is in the counters, and a replayed trace does not end with a
        // flush
        let flushed = self.flush();
        if let Some(record) = &mut self.record {
            record.flush();
        }
        if let Some((settings, path)) = &self.counters {
            let text = serde_json::to_string_pretty(&self.drive.counters());
            let text = text.unwrap_or_default() + "\n";
            if let Err(error) = write(settings, path, &text) {
                wrong.push(error.to_string());
            }
        }
        if let Err(error) = flushed.and_then(|()| self.drive.close()) {
            wrong.push(unclosed(&error));
        }
        if wrong.is_empty() { Ok(()) } else { Err(wrong) }
    }
}

fn unclosed(error: &DriveError) -> String {
    format!("the image is not closed; the next opening repairs it: {error}")
}

/// Begins the trace, and checks that the counters can be written: the user should learn of an error before the drive is
/// served.
fn outputs(settings: &PluginSettings) -> Result<Option<WholeFile>, OutputError> {
    let mut files = settings.files()?;
    let record = settings.record.as_deref();
    let record = record.map(|path| files.create(shown("record", path), path));
    let record = record.transpose()?;
    if let Some(path) = &settings.counters {
        files.check(shown("counters", path), path)?;
    }
    Ok(record)
}

/// Writes the file of the counters.
fn write(settings: &PluginSettings, path: &Path, text: &str) -> Result<(), OutputError> {
    let mut file = settings.files()?.create(shown("counters", path), path)?;
    let written = file.write_all(text.as_bytes());
    written.map_err(|error| OutputError::Failed {
        path: path.to_owned(),
        error,
    })?;
    file.finish().map(drop)
}
