//! The drive under its lock, and what clients ask of it.

use std::sync::Mutex;
use std::time::Instant;

use nbdkit::{Error, Flags, Result};
use ssdlab_drive::{DriveError, Status};

use crate::service::Service;
use crate::{errors, locked};

/// A drive for many clients: their requests take effect one after the other.
pub struct SharedDrive {
    /// None before the drive is opened, and once it is closed.
    service: Mutex<Option<Service>>,
    /// Returns when a request is due.
    wait: fn(Instant),
}

impl SharedDrive {
    /// No drive yet.
    pub const fn new(wait: fn(Instant)) -> Self {
        Self {
            service: Mutex::new(None),
            wait,
        }
    }

    /// Serves this drive from now on.
    pub fn open(&self, service: Service) {
        *locked(&self.service) = Some(service);
    }

    /// The server is ready: see [`Service::begin`].
    ///
    /// # Errors
    /// Those of [`Service::begin`].
    pub fn begin(&self) -> std::result::Result<(), String> {
        locked(&self.service)
            .as_mut()
            .map_or(Ok(()), Service::begin)
    }

    /// Takes the drive away, once the current request is done.
    pub fn take(&self) -> Option<Service> {
        locked(&self.service).take()
    }

    /// What the drive has done, and its state; `None` once it is closed.
    pub fn status(&self) -> Option<Status> {
        locked(&self.service).as_mut().map(Service::status)
    }

    /// The capacity in bytes, and whether clients may write.
    pub fn open_for(&self) -> Result<(u64, bool)> {
        self.serve(|service| Ok((service.capacity(), service.is_writable())))
    }

    /// Serves a request.
    fn serve<T>(&self, request: impl FnOnce(&mut Service) -> Result<T>) -> Result<T> {
        let (done, due) = self.locked(|service| (request(service), service.due()))?;
        self.wait(due);
        done
    }

    /// Does something with the drive, while no other request does.
    fn locked<T>(&self, what: impl FnOnce(&mut Service) -> T) -> Result<T> {
        match &mut *locked(&self.service) {
            Some(service) => Ok(what(service)),
            None => Err(Error::new(libc::ESHUTDOWN, "the drive is closed")),
        }
    }

    fn wait(&self, due: Option<Instant>) {
        if let Some(due) = due {
            (self.wait)(due);
        }
    }

    /// Serves a request that changes something, and makes it durable if the client asks for that.
    fn change(
        &self,
        flags: Flags,
        change: impl FnOnce(&mut Service) -> std::result::Result<(), DriveError>,
    ) -> Result<()> {
        let (done, beside, due) = self.locked(|service| {
            let mut done = change(service);
            if done.is_ok() && flags.contains(Flags::FUA) {
                done = service.flush();
            }
            (done, service.beside(), service.due())
        })?;
        // whoever waits for the disk while the drive is locked keeps reads waiting, too
        if let Some(beside) = beside {
            beside.make_way();
        }
        self.wait(due);
        done.map_err(errors::of_request)
    }

    /// Reads. Bytes that are in flash are read while the drive serves others.
    pub fn read(&self, offset: u64, into: &mut [u8]) -> Result<()> {
        let (begun, due) =
            self.locked(|service| (service.begin_read(offset, into), service.due()))?;
        let fetched = begun.map_err(errors::of_request)?.fetch(into);
        let done = match fetched.is_whole() {
            true => Ok(()),
            false => self.locked(|service| service.end_read(fetched, into))?,
        };
        self.wait(due);
        done.map_err(errors::of_request)
    }

    /// Writes.
    pub fn write(&self, stream: u16, offset: u64, bytes: &[u8], flags: Flags) -> Result<()> {
        self.change(flags, |service| {
            service.set_stream(stream);
            service.write(offset, bytes)
        })
    }

    /// Makes everything durable.
    pub fn flush(&self) -> Result<()> {
        self.change(Flags::empty(), Service::flush)
    }

    /// Discards.
    pub fn trim(&self, offset: u64, length: u32, flags: Flags) -> Result<()> {
        self.change(flags, |service| service.trim(offset, length.into()))
    }

    /// Makes a range read as zeros.
    pub fn zero(&self, stream: u16, offset: u64, length: u32, flags: Flags) -> Result<()> {
        if flags.contains(Flags::MAY_TRIM) {
            return self.change(flags, |service| {
                service.set_stream(stream);
                service.zero(offset, length.into())
            });
        }
        // the client wants the pages allocated, which takes as long as writing them
        if flags.contains(Flags::FAST_ZERO) {
            return Err(Error::new(libc::EOPNOTSUPP, "no fast zeros without holes"));
        }
        self.write_zeros(stream, offset, length, flags)
    }

    /// Writes zeros, part by part, so that other requests need not wait.
    fn write_zeros(&self, stream: u16, offset: u64, length: u32, flags: Flags) -> Result<()> {
        static ZEROS: [u8; 1 << 20] = [0; 1 << 20];
        let part = ZEROS.len() as u64;
        // a range beyond the capacity is refused as a whole
        self.serve(|service| {
            let admitted = service.admit(offset, length.into());
            admitted.map_err(errors::of_request)
        })?;
        let (mut at, end) = (offset, offset + u64::from(length));
        while at < end {
            // parts end at page boundaries
            let next = (at / part + 1) * part;
            let to = next.min(end);
            let flags = if to == end { flags } else { Flags::empty() };
            self.write(stream, at, &ZEROS[..(to - at) as usize], flags)?;
            at = to;
        }
        Ok(())
    }

    /// Calls `add` with the offset, the length and whether there may be data, for each part of a range from its
    /// beginning, or for the first part alone.
    pub fn extents(
        &self,
        offset: u64,
        length: u32,
        flags: Flags,
        mut add: impl FnMut(u64, u64, bool) -> Result<()>,
    ) -> Result<()> {
        self.serve(|service| {
            let admitted = service.admit(offset, length.into());
            admitted.map_err(errors::of_request)?;
            let mut added = false;
            service.extents(offset, length.into(), |offset, length, data| {
                if std::mem::replace(&mut added, true) && flags.contains(Flags::REQ_ONE) {
                    return Ok(());
                }
                add(offset, length, data)
            })
        })
    }
}
