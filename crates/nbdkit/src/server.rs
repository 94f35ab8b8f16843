//! The callbacks of nbdkit.

use std::sync::{Mutex, MutexGuard, PoisonError};

use nbdkit::{Error, ExtentHandle, ExtentType, Flags, FuaFlags, Result, Server};
use ssdlab_drive::DriveError;

use crate::errors;
use crate::realtime::REPLIES;
use crate::service::Service;
use crate::settings::{self, Settings};
use crate::status::StatusPage;

static SETTINGS: Mutex<Settings> = Mutex::new(Settings::new());
/// The status page, from `get_ready` to `unload`.
static PAGE: Mutex<Option<StatusPage>> = Mutex::new(None);
/// The drive, from `get_ready` to `unload`.
static SERVICE: Mutex<Option<Service>> = Mutex::new(None);

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // a panic in a callback ends the process
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A connection. All of them share the drive.
pub struct Ssdlab {
    capacity: i64,
    is_writable: bool,
}

impl Ssdlab {
    /// Serves a request.
    fn serve<T>(&self, request: impl FnOnce(&mut Service) -> Result<T>) -> Result<T> {
        let (done, due) = match &mut *locked(&SERVICE) {
            Some(service) => (request(service), service.due()),
            None => return Err(Error::new(libc::ESHUTDOWN, "the drive is closed")),
        };
        if let Some(due) = due {
            REPLIES.wait(due);
        }
        done
    }

    /// Writes zeros, part by part, so that other requests need not wait.
    fn write_zeros(&self, count: u32, offset: u64, flags: Flags) -> Result<()> {
        static ZEROS: [u8; 1 << 20] = [0; 1 << 20];
        let part = ZEROS.len() as u64;
        let (mut at, end) = (offset, offset + u64::from(count));
        while at < end {
            // parts end where pages end
            let next = (at / part + 1) * part;
            let to = next.min(end);
            let flags = if to == end { flags } else { Flags::empty() };
            self.change(flags, |service| {
                service.write(at, &ZEROS[..(to - at) as usize])
            })?;
            at = to;
        }
        Ok(())
    }

    /// Serves a request that changes something, and makes it durable if the client asks for that.
    fn change(
        &self,
        flags: Flags,
        change: impl FnOnce(&mut Service) -> std::result::Result<(), DriveError>,
    ) -> Result<()> {
        self.serve(|service| {
            let done = change(service).and_then(|()| match flags.contains(Flags::FUA) {
                true => service.flush(),
                false => Ok(()),
            });
            done.map_err(errors::of_request)
        })
    }
}

impl Server for Ssdlab {
    fn name() -> &'static str {
        "ssdlab"
    }

    fn longname() -> Option<&'static str> {
        Some("nbdkit ssdlab plugin")
    }

    fn version() -> Option<&'static str> {
        Some(env!("CARGO_PKG_VERSION"))
    }

    fn description() -> Option<&'static str> {
        Some("A virtual SSD: a write buffer and an FTL over an image of flash.")
    }

    fn config_help() -> Option<&'static str> {
        Some(settings::HELP)
    }

    fn magic_config_key() -> Option<&'static str> {
        Some("image")
    }

    fn config(key: &str, value: &str) -> Result<()> {
        locked(&SETTINGS).set(key, value)
    }

    fn config_complete() -> Result<()> {
        locked(&SETTINGS).image().map(drop)
    }

    // before nbdkit goes to the background, so that the user sees the error
    fn get_ready() -> Result<()> {
        let settings = locked(&SETTINGS);
        let service = Service::open(settings.image()?, &settings);
        *locked(&SERVICE) = Some(service.map_err(errors::of_user)?);
        if let Some(address) = settings.status {
            *locked(&PAGE) = Some(StatusPage::bind(address).map_err(errors::of_user)?);
        }
        Ok(())
    }

    // threads do not survive the way to the background
    fn after_fork() -> Result<()> {
        let mut page = locked(&PAGE);
        if let Some(bound) = page.take() {
            let started = bound.start(|| locked(&SERVICE).as_mut().map(Service::status));
            *page = Some(started.map_err(errors::of_user)?);
        }
        Ok(())
    }

    fn unload() {
        if let Some(page) = locked(&PAGE).take() {
            page.end();
        }
        let service = locked(&SERVICE).take();
        if let Some(sentence) = REPLIES.sentence() {
            settings::tell(&sentence);
        }
        if let Some(Err(wrong)) = service.map(Service::close) {
            wrong.iter().for_each(|message| settings::tell(message));
            // nbdkit has nothing left to do, and would report success
            std::process::exit(1);
        }
        if locked(&SETTINGS).exits {
            // A connection that came together with the signal to end waits for this callback. Then it uses what nbdkit
            // frees, and crashes the process.
            std::process::exit(0);
        }
    }

    fn open(_: bool) -> Result<Box<dyn Server>> {
        match &*locked(&SERVICE) {
            Some(service) => Ok(Box::new(Ssdlab {
                // at most the length of a file
                capacity: i64::try_from(service.capacity()).unwrap_or(i64::MAX),
                is_writable: service.is_writable(),
            })),
            None => Err(Error::new(libc::ESHUTDOWN, "the drive is closed")),
        }
    }

    fn get_size(&self) -> Result<i64> {
        Ok(self.capacity)
    }

    fn can_write(&self) -> Result<bool> {
        Ok(self.is_writable)
    }

    fn is_rotational(&self) -> Result<bool> {
        Ok(false)
    }

    // all connections share the drive, so a flush on one covers the writes of all
    fn can_multi_conn(&self) -> Result<bool> {
        Ok(true)
    }

    fn can_fua(&self) -> Result<FuaFlags> {
        Ok(FuaFlags::Native)
    }

    fn can_fast_zero(&self) -> Result<bool> {
        Ok(true)
    }

    fn can_extents(&self) -> Result<bool> {
        Ok(true)
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> Result<()> {
        self.serve(|service| service.read(offset, buf).map_err(errors::of_request))
    }

    fn write_at(&self, buf: &[u8], offset: u64, flags: Flags) -> Result<()> {
        self.change(flags, |service| service.write(offset, buf))
    }

    fn flush(&self) -> Result<()> {
        self.change(Flags::empty(), Service::flush)
    }

    fn trim(&self, count: u32, offset: u64, flags: Flags) -> Result<()> {
        self.change(flags, |service| service.trim(offset, count.into()))
    }

    fn zero(&self, count: u32, offset: u64, flags: Flags) -> Result<()> {
        if !flags.contains(Flags::MAY_TRIM) {
            // the client wants pages, which takes as long as to write them
            if flags.contains(Flags::FAST_ZERO) {
                return Err(Error::new(libc::EOPNOTSUPP, "no fast zeros without holes"));
            }
            return self.write_zeros(count, offset, flags);
        }
        self.change(flags, |service| service.zero(offset, count.into()))
    }

    fn extents(
        &self,
        count: u32,
        offset: u64,
        flags: Flags,
        extents: &mut ExtentHandle,
    ) -> Result<()> {
        self.serve(|service| {
            let mut added = false;
            service.extents(offset, count.into(), |offset, length, data| {
                if std::mem::replace(&mut added, true) && flags.contains(Flags::REQ_ONE) {
                    return Ok(());
                }
                let kind = match data {
                    true => ExtentType::Allocated,
                    false => ExtentType::HoleZero,
                };
                extents.add(offset, length, kind)
            })
        })
    }
}
