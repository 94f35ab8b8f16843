//! The drive.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use ssdlab_config::Config;
use ssdlab_device::{Counters, Device, DeviceError, RequestBytes, WrittenBytes, memory};
use ssdlab_flash::{Fault, Media};
use ssdlab_host::{Op, Request};
use ssdlab_image::{
    Access, BrokenEntry, Disk, FileDisk, Image, ImageError, ImageFlash, MetaCounts, Mirrored,
    Opened,
};

use crate::design::Design;
use crate::error::DriveError;
use crate::overlay::Overlay;
use crate::state::{self, BlockState, DamagedPage};

/// A virtual SSD over an image.
///
/// ```no_run
/// use ssdlab_config::Resolver;
/// use ssdlab_drive::{Design, Drive, Options};
///
/// let mut resolver = Resolver::new();
/// resolver.set("flash.capacity=64MiB")?.set("ftl.kind=page")?;
/// let design = Design::new(resolver.resolve()?)?;
/// Drive::create("drive.img".as_ref(), &design)?;
///
/// let mut drive = Drive::open("drive.img".as_ref(), Options::default())?;
/// drive.write(512, b"some bytes")?;
/// drive.flush()?;
/// drive.close()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Drive {
    device: Device<ImageFlash>,
    image: Image,
    design: Arc<Design>,
    opened_at: Instant,
    /// A request failed in the middle.
    stopped: bool,
}

/// How a drive is opened.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// A flush waits until the hardware has everything. Without it, a crash of the process loses no more than
    /// otherwise; a crash of the system may damage the image.
    pub sync: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { sync: true }
    }
}

impl Drive {
    /// Makes an image for a drive: a sparse file, which must not exist yet.
    ///
    /// # Errors
    /// A file that cannot be made.
    pub fn create(path: &Path, design: &Design) -> Result<(), DriveError> {
        let mut disk = FileDisk::create(path, design.image_bytes()?)?;
        let made = design.create_on(&mut disk);
        if made.is_err() {
            // a part of an image helps nobody; the first error counts
            let _ = std::fs::remove_file(path);
        }
        made
    }

    /// Opens the drive in a file, which no other process has open. After a crash, this repairs the image.
    ///
    /// # Errors
    /// A file that is no image, or one that is in use or damaged.
    pub fn open(path: &Path, options: Options) -> Result<Self, DriveError> {
        let access = match options.sync {
            true => Access::Durable,
            false => Access::Volatile,
        };
        Self::open_disk(FileDisk::open(path, access)?)
    }

    /// Opens the drive in a file without changing the file: what a drive repairs and writes stays in memory.
    ///
    /// # Errors
    /// As [`Drive::open`].
    pub fn look_at(path: &Path) -> Result<Self, DriveError> {
        Self::open_disk(Overlay::new(FileDisk::open(path, Access::ReadOnly)?))
    }

    /// The spare areas and entries of blocks in a file that do not have their checksums, `most` at most: the reason why an
    /// image does not open.
    ///
    /// # Errors
    /// A file that is no image, is in use, too short, or cannot be read.
    pub fn broken_entries(path: &Path, most: usize) -> Result<Vec<BrokenEntry>, DriveError> {
        let disk = FileDisk::open(path, Access::ReadOnly)?;
        Ok(ssdlab_image::broken_entries(&disk, most)?)
    }

    /// Opens the drive on any disk.
    ///
    /// # Errors
    /// As [`Drive::open`].
    pub fn open_disk(disk: impl Disk + 'static) -> Result<Self, DriveError> {
        let (image, media) = ssdlab_image::open(disk)?;
        let design = Arc::new(Design::read(image.config())?);
        Self::start(image, media, design)
    }

    /// Like [`Drive::open_disk`], for an image that was made with this design.
    ///
    /// # Errors
    /// As [`Drive::open`]; an image of another design.
    pub fn open_made_with(
        disk: impl Disk + 'static,
        design: Arc<Design>,
    ) -> Result<Self, DriveError> {
        let (image, media) = ssdlab_image::open(disk)?;
        Self::start(image, media, design)
    }

    fn start(
        image: Image,
        media: Vec<ImageFlash>,
        design: Arc<Design>,
    ) -> Result<Self, DriveError> {
        if !design.fits(&image) {
            let why = "it is not what its configuration describes".into();
            return Err(ImageError::Damaged(why).into());
        }
        let (config, stack) = (design.config(), design.stack());
        // the tables of the device, a number for each logical page while they are rebuilt or listed, the data of the buffer
        let listed = 8 * u64::from(config.logical_pages());
        let held = u64::from(config.buffer_pages()) * u64::from(config.flash.page_size);
        ssdlab_image::room_for(memory(config, stack) + listed + held)?;
        let device = match image.opened().new {
            true => Device::fresh_with(config, stack, media),
            false => {
                let mounted = Device::mount(config, stack, media);
                mounted.map_err(|(_, error)| DriveError::Mount(error))?
            }
        };
        let mut drive = Self {
            device,
            image,
            design,
            opened_at: Instant::now(),
            stopped: false,
        };
        drive.replay()?;
        Ok(drive)
    }

    /// Serves again what the mirror of RAM holds.
    fn replay(&mut self) -> Result<(), DriveError> {
        let mut place = None;
        while let Some((mirrored, next)) = self.image.mirrored(place)? {
            match mirrored {
                Mirrored::Write { offset, data } => {
                    let request = self.request(Op::Write, offset, data.len() as u64)?;
                    self.device.submit(&request, &mut WrittenBytes(&data))?;
                }
                Mirrored::Discard { offset, length } => {
                    let request = self.request(Op::Discard, offset, length)?;
                    self.device.submit(&request, &mut WrittenBytes(&[]))?;
                }
            }
            place = Some(next);
        }
        Ok(())
    }

    /// The configuration that the drive was made with.
    pub fn config(&self) -> &Config {
        self.design.config()
    }

    /// The capacity in bytes.
    pub fn capacity(&self) -> u64 {
        self.config().flash.capacity
    }

    /// The size of a page in bytes: the best size and alignment of requests.
    pub fn page_size(&self) -> u64 {
        self.device.page_size()
    }

    /// How the image was found.
    pub fn opened(&self) -> Opened {
        self.image.opened()
    }

    /// The counters since the drive was opened, as the simulator counts.
    pub fn counters(&self) -> Counters {
        self.device.counters()
    }

    /// Operations beside those of the FTL, since the drive was opened.
    pub fn meta_counts(&self) -> MetaCounts {
        self.image.counts()
    }

    /// The erases of each block over the life of the drive, chip by chip.
    pub fn erase_counts(&self) -> Vec<u32> {
        self.device.erase_counts()
    }

    /// Reads the bytes from `offset` on. What was never written, or was trimmed, reads as zeros.
    ///
    /// # Errors
    /// A range beyond the capacity, or a page that cannot be read.
    pub fn read(&mut self, offset: u64, into: &mut [u8]) -> Result<(), DriveError> {
        match self.stopped {
            true => Err(DriveError::Stopped),
            false if into.is_empty() => self.admit(offset, 0),
            false => {
                let request = self.request(Op::Read, offset, into.len() as u64)?;
                Ok(self.device.submit(&request, &mut RequestBytes(into))?)
            }
        }
    }

    /// Writes bytes from `offset` on. The rest of a page keeps its bytes.
    ///
    /// # Errors
    /// A range beyond the capacity, or an image that fails, now or before.
    pub fn write(&mut self, offset: u64, bytes: &[u8]) -> Result<(), DriveError> {
        if bytes.is_empty() {
            return self.admit(offset, 0);
        }
        let request = self.request(Op::Write, offset, bytes.len() as u64)?;
        let is_mirrored = self.mirror(bytes.len() as u64, |image| {
            image.mirror_write(offset, bytes)
        })?;
        self.change(&request, &mut WrittenBytes(bytes))?;
        match is_mirrored {
            true => Ok(()),
            false => self.renew_mirror(),
        }
    }

    /// Discards a range: pages wholly inside read as zeros, the rest of it keeps its bytes.
    ///
    /// # Errors
    /// As [`Drive::write`].
    pub fn trim(&mut self, offset: u64, length: u64) -> Result<(), DriveError> {
        if length == 0 {
            return self.admit(offset, 0);
        }
        let request = self.request(Op::Discard, offset, length)?;
        self.mirror(0, |image| image.mirror_discard(offset, length))?;
        self.change(&request, &mut WrittenBytes(&[]))
    }

    /// Adds a request with this many bytes of data to the mirror of protected RAM, if there is one. Returns false if
    /// the request is too large for it.
    fn mirror(
        &mut self,
        bytes: u64,
        add: impl FnOnce(&Image) -> Result<(), Fault>,
    ) -> Result<bool, DriveError> {
        let all = self.image.mirror_bytes();
        if all == 0 {
            return Ok(true);
        }
        self.usable()?;
        let bytes = Image::mirrored_bytes(bytes);
        if bytes > all / 4 {
            return Ok(false);
        }
        if self.image.mirror_room() < bytes + all / 4 {
            self.renew_mirror()?;
        }
        add(&self.image)?;
        Ok(true)
    }

    /// Begins the mirror anew with all pages that are in RAM only, a quarter of the mirror at most, and commits.
    fn renew_mirror(&mut self) -> Result<(), DriveError> {
        self.image.renew_mirror();
        let mut done = Ok(());
        let page_size = self.page_size();
        self.device.each_in_ram(|lpn, page| {
            let offset = u64::from(lpn.0) * page_size;
            if done.is_ok() {
                done = self.image.mirror_write(offset, &page.0);
            }
        });
        done?;
        Ok(self.image.commit()?)
    }

    /// Makes all earlier writes and trims durable. After a crash, each sector holds what it held at the last flush, or
    /// what was written or trimmed since.
    ///
    /// # Errors
    /// An image that fails, now or before. After a failure no later flush succeeds.
    pub fn flush(&mut self) -> Result<(), DriveError> {
        let request = self.request(Op::Flush, 0, 0)?;
        self.change(&request, &mut WrittenBytes(&[]))?;
        Ok(self.image.commit()?)
    }

    /// Flushes and marks the image as closed, so that the next opening repairs nothing. Protected RAM stays in its mirror.
    /// Dropping a drive instead is a crash.
    ///
    /// # Errors
    /// As [`Drive::flush`].
    pub fn close(mut self) -> Result<(), DriveError> {
        self.flush()?;
        Ok(self.image.close()?)
    }

    /// Writes the buffers back, as the simulator does at the end of a trace.
    ///
    /// # Errors
    /// As [`Drive::write`].
    pub fn drain(&mut self) -> Result<(), DriveError> {
        let done = self.device.finish();
        self.stopped |= done.is_err();
        Ok(done?)
    }

    /// Compares all tables with the flash. Slow.
    ///
    /// # Errors
    /// What is wrong.
    pub fn check(&mut self) -> Result<(), DriveError> {
        self.device.check().map_err(DriveError::Wrong)
    }

    /// The blocks of all chips, chip by chip.
    pub fn blocks(self) -> impl Iterator<Item = Result<BlockState, DriveError>> {
        let chips = (0..).zip(self.device.into_media());
        chips.flat_map(|(chip, flash)| state::blocks(chip, flash))
    }

    /// Reads the data of all programmed pages. The damaged ones of each block, chip by chip.
    pub fn damaged(self) -> impl Iterator<Item = Result<Vec<DamagedPage>, DriveError>> {
        let chips = (0..).zip(self.device.into_media());
        chips.flat_map(|(chip, flash)| state::damaged(chip, flash))
    }

    /// The erase blocks of all chips.
    pub fn block_count(&self) -> u64 {
        let blocks = |flash: &ImageFlash| u64::from(flash.geometry().physical_blocks());
        self.device.media().map(blocks).sum()
    }

    /// What the drive is made of.
    pub fn design(&self) -> &Design {
        &self.design
    }

    /// A request of now, within the capacity.
    fn request(&self, op: Op, offset: u64, length: u64) -> Result<Request, DriveError> {
        self.admit(offset, length)?;
        let now = self.opened_at.elapsed().as_nanos() as u64;
        let request = Request::new(now, op, offset, length);
        // a range within the capacity is one of a request
        request.ok_or(DriveError::Stopped)
    }

    fn admit(&self, offset: u64, length: u64) -> Result<(), DriveError> {
        let capacity = self.capacity();
        match offset.checked_add(length) {
            Some(end) if end <= capacity => Ok(()),
            end => {
                let end = end.unwrap_or(u64::MAX);
                Err(DeviceError::PastCapacity { end, capacity }.into())
            }
        }
    }

    /// Refuses changes after an error.
    fn usable(&self) -> Result<(), DriveError> {
        match self.image.failed() {
            _ if self.stopped => Err(DriveError::Stopped),
            Some(code) => Err(DriveError::ReadOnly(code)),
            None => Ok(()),
        }
    }

    /// Serves a request that changes something.
    fn change(&mut self, request: &Request, data: &mut WrittenBytes) -> Result<(), DriveError> {
        self.usable()?;
        let done = self.device.submit(request, data);
        self.stopped |= done.is_err();
        Ok(done?)
    }
}
