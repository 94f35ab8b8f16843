//! What a trace is replayed against.

use std::io;
use std::path::Path;

use rustix::fs::FileType;
use ssdlab_device::Counters;
use ssdlab_drive::{DriveSystems, OpenOptions};
use ssdlab_words::shown_path;

use crate::ReplayError;
use crate::file::BlockFile;
use crate::image::Image;
use crate::nbd::Nbd;

/// A store of bytes that serves many requests at the same time.
pub trait Target: Send + Sync {
    /// The kind: `nbd`, `device`, `file` or `image`.
    fn kind(&self) -> &'static str;

    /// The bytes that it stores.
    fn size(&self) -> u64;

    /// Requests begin and end at multiples of this, a power of two.
    fn sector(&self) -> u64;

    /// Whether it takes discards.
    fn discards(&self) -> bool;

    /// Reads bytes.
    ///
    /// # Errors
    /// The target failed; so for all others.
    fn read(&self, offset: u64, into: &mut [u8]) -> io::Result<()>;

    /// Writes bytes.
    ///
    /// # Errors
    /// See [`Target::read`].
    fn write(&self, offset: u64, bytes: &[u8]) -> io::Result<()>;

    /// Makes all writes that are complete durable.
    ///
    /// # Errors
    /// See [`Target::read`].
    fn flush(&self) -> io::Result<()>;

    /// The bytes are not needed any more.
    ///
    /// # Errors
    /// See [`Target::read`].
    fn discard(&self, offset: u64, length: u64) -> io::Result<()>;

    /// What a simulated drive counted since it was opened; `None` for all others.
    fn counters(&self) -> Option<Counters> {
        None
    }

    /// Ends the use; nothing follows.
    ///
    /// # Errors
    /// See [`Target::read`].
    fn close(&self) -> io::Result<()>;
}

/// What may be overwritten.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Permission {
    /// The data of block devices and plain files.
    pub destroy: bool,
}

/// Opens a target by its name: the address of an NBD server (`nbd://HOST[:PORT][/EXPORT]` or
/// `nbd+unix://[/EXPORT]?socket=PATH`), its socket, a block device, the image of a drive, or a plain file.
///
/// # Errors
/// There is no such target, it cannot be opened, or its data would be destroyed without permission.
pub fn open(
    name: &str,
    systems: &DriveSystems,
    image: OpenOptions,
    permission: Permission,
) -> Result<Box<dyn Target>, ReplayError> {
    let failed = |what: &str, source| ReplayError::Failed {
        target: name.to_owned(),
        what: what.to_owned(),
        source,
    };
    if name.starts_with("nbd://") || name.starts_with("nbd+unix://") {
        let server = Nbd::connect(name).map_err(|source| failed("cannot be reached", source))?;
        return Ok(Box::new(server));
    }
    let path = Path::new(name);
    let stat = rustix::fs::stat(path).map_err(|error| failed("cannot be opened", error.into()))?;
    let kind = FileType::from_raw_mode(stat.st_mode);
    let what = match kind {
        FileType::Socket => {
            let server = Nbd::at_socket(path, "");
            let server = server.map_err(|source| failed("cannot be reached", source))?;
            return Ok(Box::new(server));
        }
        FileType::BlockDevice => "a block device",
        FileType::RegularFile
            if ssdlab_drive::is_image(path)
                .map_err(|source| failed("cannot be read", source))? =>
        {
            let image = Image::open(path, systems, image);
            let image = image.map_err(|source| failed("cannot be opened", source))?;
            return Ok(Box::new(image));
        }
        FileType::RegularFile => "a plain file",
        _ => {
            return Err(ReplayError::Refused(format!(
                "{}: a trace can be replayed against a block device, a file, a socket or an address, but not this",
                shown_path(path)
            )));
        }
    };
    if !permission.destroy {
        return Err(ReplayError::Refused(format!(
            "{} is {what}, whose data a replay overwrites; --destroy allows that",
            shown_path(path)
        )));
    }
    let file = BlockFile::open(path, kind == FileType::BlockDevice);
    let file = file.map_err(|source| failed("cannot be opened", source))?;
    if file.size() == 0 {
        return Err(ReplayError::Refused(format!(
            "{} is empty: give it the size of a drive first",
            shown_path(path)
        )));
    }
    Ok(Box::new(file))
}
