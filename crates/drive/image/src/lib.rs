//! A flash image: one file that behaves like the flash of a device, with the bytes of its pages and their spare areas.
//!
//! [`create`] makes an image, [`open`] gives one [`ImageFlash`] for each chip, which is a
//! [`Media`](ssdlab_flash::Media): buffers and FTLs run on it as on an array in memory. A page is programmed once, until
//! an erase.
//!
//! [`Image::commit`] makes everything so far durable with one fdatasync. After a crash, the image opens as it was at
//! the last commit, or at a later one that the crash interrupted and that has arrived as a whole: never between two, on
//! no chip. So that the last commit stays whole, a block that was erased since is not programmed before the next one is
//! durable. That one begins by itself, with the erase, and its sync runs beside later operations. Of the pages of a block that were programmed since, the first may be torn then, as after a
//! power cut. Damage that no crash explains is an error, never wrong data: headers, marks, spare areas, erase counts
//! and pages have checksums.
//!
//! `docs/image-format.md` describes the file, byte by byte.
//!
//! Files use only those above them, or to their left:
//!
//! - `bytes`, `error`, `faults`, `page`, `shape`: numbers and types without a file
//! - `disk`, `behind`, `beside`, `overlay`, `runs`: the file below
//! - `spare`, `records`, `mirror`, `mark`, `layout`: the format, and where everything lies
//! - `shared`, `power`, `chip`, `flash`: an open image
//! - `scan`, `image`, `survey`: what a file holds, and its opening
//!
//! May depend on `flash` alone. Touches one file, through [`Disk`]; prints nothing and reads no environment variable.

mod behind;
mod beside;
mod bytes;
mod chip;
mod disk;
#[cfg(test)]
mod documented;
mod error;
mod faults;
mod flash;
mod image;
mod layout;
mod mark;
mod mirror;
mod overlay;
mod page;
mod power;
mod records;
mod runs;
mod scan;
mod shape;
mod shared;
mod spare;
mod survey;

pub use behind::Behind;
pub use beside::{Beside, Later, LaterReads, PagePlace};
pub use disk::{Disk, FileAccess, FileDisk, MemoryDisk, room_for};
pub use error::ImageError;
pub use faults::Faults;
pub use flash::ImageFlash;
pub use image::{Image, Mirrored, Opened, Unused, config, create, open, unused};
pub use layout::is_image;
pub use mark::MetaCounts;
pub use mirror::{MirrorPlace, mirrored_bytes};
pub use overlay::Overlay;
pub use page::PageData;
pub use shape::ImageShape;
pub use spare::SlotUse;
pub use survey::{BrokenEntry, broken_entries};
