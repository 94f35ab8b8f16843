//! A virtual SSD: a write buffer and an FTL of the simulator over a flash image, with real bytes.
//!
//! A [`Drive`] serves reads, writes, flushes and discards of any byte range. After a crash it opens as it was at a flush,
//! or later: see [`Drive::flush`]. [`Lfss`] serves data blocks over a drive, as the DEB paper's LFSS does.
//!
//! All systems are compiled for images here, once. May depend on the crates of a device (`host` to `device`), on
//! `config` and on `image`.

mod data;
mod design;
mod drive;
mod error;
mod lfss;
mod overview;
mod state;
mod status;
mod systems;

pub use design::Design;
pub use drive::{Drive, FetchedRead, OpenOptions, PendingRead};
pub use error::{DriveError, ReadOnly};
pub use lfss::{Home, Lfss, LfssError};
pub use overview::{EraseTotals, Overview, PageTotals};
pub use ssdlab_device::DeviceError;
pub use ssdlab_flash::Fault;
pub use ssdlab_ftl::FtlError;
pub use ssdlab_image::{
    Behind, Beside, BrokenEntry, Disk, FileAccess, FileDisk, ImageError, MemoryDisk, MetaCounts,
    Opened, Overlay, SlotUse, is_image,
};
pub use state::{BlockState, DamagedPage, PageState};
pub use status::{BufferUse, Status};
pub use systems::DriveSystems;
