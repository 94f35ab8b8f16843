//! The parameters of the plugin.

use std::fmt::Display;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use nbdkit::Result;
use ssdlab_drive::OpenOptions;
use ssdlab_output::{Files, OutputError};
use ssdlab_words::{shown_path, shown_text};

use crate::errors;

/// What `nbdkit ssdlab --help` prints.
pub const HELP: &str = "\
[image=]IMAGE    The image of a virtual SSD, from `ssdlab drive create` (required).
sync=false       Do not wait for the disk when a client flushes.
realtime=true    Answer at the speed of the simulated drive, by the clocks of the parallel model.
record=FILE      Write all requests as a trace, in the order in which they take effect.
status=ADDRESS:PORT  Show what the drive does, at http://ADDRESS:PORT.
status-name=NAME A further host name of the status page; may be repeated.
counters=FILE    Write all counters as JSON when the server ends.
grace=SECONDS    After a signal, wait this long for clients to disconnect; 5 by default.
umask=OCTAL      The umask for these files, instead of nbdkit's own, 022.
exit=true        End nbdkit as soon as the image is closed, before its filters end.";

/// The parameters. Paths are absolute: nbdkit changes its folder later.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PluginSettings {
    image: Option<PathBuf>,
    unsynced: bool,
    /// Whether requests are answered at the speed of the simulated drive.
    pub realtime: bool,
    /// The file of the trace.
    pub record: Option<PathBuf>,
    /// In seconds.
    grace: Option<u16>,
    /// The process ends when the image is closed.
    pub exits: bool,
    /// Where the status page is.
    pub status: Option<SocketAddr>,
    /// Further names of it, beside those that it always has.
    pub status_names: Vec<String>,
    /// The file of the counters.
    pub counters: Option<PathBuf>,
    /// The umask of the files.
    umask: Option<u32>,
}

impl PluginSettings {
    /// Takes `key=value` from the command line.
    ///
    /// # Errors
    /// A key that is unknown or comes twice, or a wrong value.
    pub fn set(&mut self, key: &str, value: &str) -> Result<()> {
        match key {
            "image" => set_path(&mut self.image, key, value)?,
            "record" => set_path(&mut self.record, key, value)?,
            "counters" => set_path(&mut self.counters, key, value)?,
            "sync" => self.unsynced = !nbdkit::parse_bool(value)?,
            "realtime" => self.realtime = nbdkit::parse_bool(value)?,
            "exit" => self.exits = nbdkit::parse_bool(value)?,
            "umask" => {
                let umask = u32::from_str_radix(value, 8).ok();
                let wrong = || wrong(key, value, "must be an octal number, such as 027");
                self.umask = Some(umask.filter(|umask| *umask <= 0o777).ok_or_else(wrong)?);
            }
            "status" => {
                let why = "must be an address and a port, such as 127.0.0.1:8080";
                self.status = Some(value.parse().map_err(|_| wrong(key, value, why))?);
            }
            "grace" => {
                let why = "must be whole seconds";
                self.grace = Some(value.parse().map_err(|_| wrong(key, value, why))?);
            }
            "status-name" => self.status_names.push(value.to_owned()),
            other => {
                let list = "known parameters are image, sync, realtime, record, status, status-name, counters, \
                             grace, umask and exit";
                return Err(errors::of_user(format!(
                    "unknown parameter {other:?}: {list}"
                )));
            }
        }
        Ok(())
    }

    /// The image.
    ///
    /// # Errors
    /// No image is set.
    pub fn image(&self) -> Result<&Path> {
        let missing =
            || errors::of_user("image=IMAGE is missing: the file that `ssdlab drive create` made");
        self.image.as_deref().ok_or_else(missing)
    }

    /// How long clients may stay after a signal to end.
    pub fn grace(&self) -> Duration {
        const DEFAULT: u16 = 5;
        Duration::from_secs(self.grace.unwrap_or(DEFAULT).into())
    }

    /// The files of the server, of which the image is one.
    ///
    /// # Errors
    /// Standard output is the image.
    pub fn files(&self) -> std::result::Result<Files, OutputError> {
        let files = Files::default();
        let mut files = match self.umask {
            Some(umask) => files.with_umask(umask),
            None => files,
        };
        if let Some(image) = &self.image {
            files.input(shown("image", image), image)?;
        }
        Ok(files)
    }

    /// How the drive is opened.
    pub fn options(&self) -> OpenOptions {
        OpenOptions {
            sync: !self.unsynced,
        }
    }
}

fn set_path(place: &mut Option<PathBuf>, key: &str, value: &str) -> Result<()> {
    if place.is_some() {
        return Err(errors::of_user(format!("{key} is given twice")));
    }
    let path = std::path::absolute(value);
    *place = Some(path.map_err(|error| wrong(key, value, error))?);
    Ok(())
}

fn wrong(key: &str, value: &str, why: impl Display) -> nbdkit::Error {
    errors::of_user(format!("{key}={value}: {why}"))
}

/// A parameter in messages.
pub fn shown(key: &str, path: &Path) -> String {
    format!("{key}={}", shown_path(path))
}

/// Prints a line to standard error. If that fails, the failure cannot be printed either.
pub fn tell(message: &str) {
    let _ = writeln!(io::stderr(), "nbdkit: ssdlab: {}", shown_text(message));
}
