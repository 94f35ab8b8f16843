//! The callbacks of nbdkit.

use std::sync::{Arc, LazyLock, Mutex, OnceLock};

use nbdkit::{ExtentHandle, ExtentType, Flags, FuaFlags, Result, Server};
use ssdlab_drive::DriveSystems;

use crate::ending;
use crate::realtime::REPLIES;
use crate::service::Service;
use crate::settings::{self, PluginSettings};
use crate::shared::SharedDrive;
use crate::status::{HostNames, Rules, StatusPage};
use crate::{errors, locked, unserved};

/// What drives may be made of.
pub static SYSTEMS: OnceLock<DriveSystems> = OnceLock::new();
static SETTINGS: LazyLock<Mutex<PluginSettings>> = LazyLock::new(Mutex::default);
/// The status page, from `get_ready` to `unload`.
static PAGE: Mutex<Option<StatusPage>> = Mutex::new(None);
/// The drive, from `get_ready` to `unload`.
static DRIVE: SharedDrive = SharedDrive::new(|due| REPLIES.wait(due));

/// A connection. All of them share the drive.
pub struct Ssdlab {
    capacity: i64,
    is_writable: bool,
    /// The stream of its requests.
    stream: u16,
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
        // a file that may not be longer is an error of its write, not the end of the server
        let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
        let settings = locked(&SETTINGS);
        if let Some(address) = settings.status {
            let rules = Rules::with(HostNames::with(&settings.status_names));
            let (page, bound) = StatusPage::bind(address, rules).map_err(errors::of_user)?;
            settings::tell(&format!("status at http://{bound}"));
            *locked(&PAGE) = Some(page);
        }
        // last, so that nothing else has failed when the image is open
        let systems = SYSTEMS.get_or_init(DriveSystems::default);
        let service = Service::open(settings.image()?, &settings, systems);
        DRIVE.open(service.map_err(errors::of_user)?);
        unserved::at_exit(|| {
            if let Some(service) = DRIVE.take() {
                service.abandon();
            }
        });
        Ok(())
    }

    // threads do not survive the way to the background
    fn after_fork() -> Result<()> {
        let mut page = locked(&PAGE);
        if let Some(bound) = page.take() {
            let started = bound.start(|| DRIVE.status());
            *page = Some(started.map_err(errors::of_user)?);
        }
        unserved::serve();
        let grace = locked(&SETTINGS).grace();
        ending::limit(&DRIVE, grace).map_err(errors::of_user)?;
        // last: the recorded trace takes the place of an earlier file
        DRIVE.begin().map_err(errors::of_user)
    }

    fn unload() {
        if let Some(page) = locked(&PAGE).take() {
            page.end();
        }
        if ending::close_at_last(&DRIVE) != 0 {
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
        let (capacity, is_writable) = DRIVE.open_for()?;
        let export = nbdkit::export_name().unwrap_or_default();
        Ok(Box::new(Ssdlab {
            stream: stream_of(&export).map_err(errors::of_user)?,
            // at most the length of a file
            capacity: i64::try_from(capacity).unwrap_or(i64::MAX),
            is_writable,
        }))
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
        DRIVE.read(offset, buf)
    }

    fn write_at(&self, buf: &[u8], offset: u64, flags: Flags) -> Result<()> {
        DRIVE.write(self.stream, offset, buf, flags)
    }

    fn flush(&self) -> Result<()> {
        DRIVE.flush()
    }

    fn trim(&self, count: u32, offset: u64, flags: Flags) -> Result<()> {
        DRIVE.trim(offset, count, flags)
    }

    fn zero(&self, count: u32, offset: u64, flags: Flags) -> Result<()> {
        DRIVE.zero(self.stream, offset, count, flags)
    }

    fn extents(
        &self,
        count: u32,
        offset: u64,
        flags: Flags,
        extents: &mut ExtentHandle,
    ) -> Result<()> {
        DRIVE.extents(offset, count, flags, |offset, length, data| {
            let kind = if data {
                ExtentType::Allocated
            } else {
                ExtentType::HoleZero
            };
            extents.add(offset, length, kind)
        })
    }
}

/// The names of exports with a stream: `stream-3`. All exports are the same drive.
const STREAM: &str = "stream-";

/// The stream of a connection to an export; 0 unless its name gives one.
fn stream_of(export: &str) -> std::result::Result<u16, String> {
    match export.strip_prefix(STREAM) {
        None => Ok(0),
        Some(number) => number.parse().map_err(|_| {
            format!("export {export:?}: must be {STREAM} and a number from 0 to 65535, or another name for stream 0")
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::stream_of;

    // planted bugs: a stream that is not a number taken for 0; the name of another export refused
    #[test]
    fn exports_name_streams() {
        assert_eq!(stream_of(""), Ok(0));
        assert_eq!(stream_of("disk"), Ok(0));
        assert_eq!(stream_of("stream-0"), Ok(0));
        assert_eq!(stream_of("stream-65535"), Ok(65535));
        for wrong in ["stream-", "stream-65536", "stream--1", "stream-a"] {
            assert!(stream_of(wrong).is_err_and(|why| why.contains(wrong)));
        }
    }
}
