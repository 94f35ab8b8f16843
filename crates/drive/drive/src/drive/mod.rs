//! The drive.

mod failing;
mod power;
mod ram;
mod reads;

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use ssdlab_config::Config;
use ssdlab_device::{Counters, Device, DeviceError, HostData, memory};
use ssdlab_flash::Lpn;
use ssdlab_host::{Op, Request};
use ssdlab_image::{
    BrokenEntry, Disk, Faults, FileAccess, FileDisk, Image, ImageError, ImageFlash, MetaCounts,
    Opened, PageData, SlotUse, mirrored_bytes,
};
use ssdlab_output::NewFile;

use self::failing::Parked;
pub use self::reads::{FetchedRead, PendingRead};
use crate::data::{LostPage, WriteData};
use crate::design::Design;
use crate::error::{DriveError, ReadOnly};
use crate::state::{self, BlockState, DamagedPage};
use crate::systems::DriveSystems;

/// A virtual SSD over an image.
///
/// ```no_run
/// use ssdlab_config::Resolver;
/// use ssdlab_drive::{Design, Drive, OpenOptions};
///
/// let mut resolver = Resolver::new();
/// resolver.set("flash.capacity=64MiB")?.set("ftl.kind=page")?;
/// let design = Design::new(resolver.resolve()?)?;
/// Drive::create("drive.img".as_ref(), &design)?;
///
/// let mut drive = Drive::open("drive.img".as_ref(), OpenOptions::default())?;
/// drive.write(512, b"some bytes")?;
/// drive.flush()?;
/// drive.close()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Drive {
    /// `None` while it is parked.
    device: Option<Device<ImageFlash>>,
    /// What the device is rebuilt from after an error.
    parked: Option<Parked>,
    image: Image,
    pub(crate) design: Arc<Design>,
    opened_at: Instant,
    /// The stream of the requests from now on.
    stream: u16,
    /// The time of the last request, in ns since the drive was opened.
    time_ns: u64,
    read_only: Option<ReadOnly>,
    /// The counters at the moment when the drive became read-only.
    counted: Option<Counters>,
    /// The erases of each block before the drive was opened.
    erased_before: Vec<u32>,
}

/// How a drive is opened.
#[derive(Clone, Copy, Debug)]
pub struct OpenOptions {
    /// A flush waits until the hardware has everything. Without it, a crash of the process loses no more, but a
    /// crash of the system may damage the image.
    pub sync: bool,
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self { sync: true }
    }
}

impl OpenOptions {
    pub(crate) fn access(self) -> FileAccess {
        if self.sync {
            FileAccess::Durable
        } else {
            FileAccess::Volatile
        }
    }
}

impl Drive {
    /// Makes an image for a drive: a sparse file, which must not exist yet, and appears when it is complete.
    ///
    /// # Errors
    /// A file that cannot be made.
    pub fn create(path: &Path, design: &Design) -> Result<(), DriveError> {
        let length = design.image_bytes()?;
        let new = NewFile::create(path).map_err(ImageError::Io)?;
        let file = new.file().try_clone().map_err(ImageError::Io)?;
        let mut disk = FileDisk::new(file, length)?;
        design.create_on(&mut disk)?;
        Ok(new.finish().map_err(ImageError::Io)?)
    }

    /// Opens the drive in a file, which no other process has open. After a crash, this repairs the image.
    ///
    /// # Errors
    /// A file that is no image, or one that is in use or damaged.
    pub fn open(path: &Path, options: OpenOptions) -> Result<Self, DriveError> {
        DriveSystems::default().open(path, options)
    }

    /// Like [`Drive::open`], and gives each request its time: see [`Drive::latency_ns`].
    ///
    /// # Errors
    /// As [`Drive::open`]; a configuration without the clocks of the parallel model.
    pub fn open_timed(path: &Path, options: OpenOptions) -> Result<Self, DriveError> {
        DriveSystems::default().open_timed(path, options)
    }

    /// Opens the drive in a file without changing the file: what a drive repairs and writes stays in memory, and its
    /// flash does not fail.
    ///
    /// # Errors
    /// As [`Drive::open`].
    pub fn look_at(path: &Path) -> Result<Self, DriveError> {
        DriveSystems::default().look_at(path)
    }

    /// The spare areas and entries of blocks in a file that do not have their checksums, `most` at most: the reason why
    /// an image does not open.
    ///
    /// # Errors
    /// A file that is no image, is in use, too short, or cannot be read.
    pub fn broken_entries(path: &Path, most: usize) -> Result<Vec<BrokenEntry>, DriveError> {
        let disk = FileDisk::open(path, FileAccess::ReadOnly)?;
        Ok(ssdlab_image::broken_entries(&disk, most)?)
    }

    /// Opens the drive on any disk.
    ///
    /// # Errors
    /// As [`Drive::open`].
    pub fn open_disk(disk: impl Disk + 'static) -> Result<Self, DriveError> {
        DriveSystems::default().open_disk(disk)
    }

    pub(crate) fn open_with(
        disk: impl Disk + 'static,
        systems: &DriveSystems,
        faults: impl FnOnce(&Design) -> Faults,
    ) -> Result<Self, DriveError> {
        let (image, media) = ssdlab_image::open(disk)?;
        let design = Arc::new(Design::read(image.config(), systems)?);
        image.inject(faults(&design));
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
        image.inject(design.faults());
        Self::start(image, media, design)
    }

    fn start(
        image: Image,
        mut media: Vec<ImageFlash>,
        design: Arc<Design>,
    ) -> Result<Self, DriveError> {
        if !design.fits(&image) {
            let why = "it is not what its configuration describes".into();
            return Err(ImageError::Damaged(why).into());
        }
        let (config, stack) = (design.config(), design.stack());
        // the tables of the device, a number for each logical page while they are rebuilt or listed, and the data of the
        // buffer
        let list_bytes = 8 * u64::from(config.logical_pages());
        let buffer_bytes = u64::from(config.buffer_pages()) * u64::from(config.flash.page_size);
        ssdlab_image::room_for(memory(config, stack) + list_bytes + buffer_bytes)?;
        let worn_out = image.is_worn_out().then_some(ReadOnly::WornOut);
        let read_only = image.unwritable().map(ReadOnly::Image).or(worn_out);
        if read_only.is_some() {
            image.freeze();
        }
        if config.timing.needs_notes() {
            media.iter_mut().for_each(ImageFlash::make_notes);
        }
        let mut drive = Self {
            device: None,
            parked: None,
            image,
            design,
            opened_at: Instant::now(),
            stream: 0,
            time_ns: 0,
            read_only,
            counted: None,
            erased_before: Vec::new(),
        };
        // the factory state of a map in flash is none: a mount writes it
        let has_map = drive.config().needs.map.is_some();
        let device = if drive.image.opened().new && !has_map {
            let (config, stack) = (drive.config(), drive.design.stack());
            Device::fresh_with(config, stack, media)
        } else {
            drive.mount(media)?
        };
        drive.erased_before = device.erase_counts();
        drive.device = Some(device);
        if let Err(error) = drive.replay() {
            if !drive.has_failed() {
                return Err(error);
            }
            // a block may have failed without a spare one
            drive.fall_back(&error);
            drive.counted = None;
            drive.replay()?;
        }
        // a server may fork, and no thread of it that syncs would survive that
        drive.image.settle();
        Ok(drive)
    }

    /// Rebuilds the tables. If that needs writes that the flash can no longer do, the drive is read-only.
    fn mount(&mut self, media: Vec<ImageFlash>) -> Result<Device<ImageFlash>, DriveError> {
        let design = Arc::clone(&self.design);
        let mount = |media| Device::mount(design.config(), design.stack(), media);
        let mounted = mount(media).or_else(|(media, error)| {
            if self.read_only.is_some() {
                return Err((media, error));
            }
            self.freeze(Some(&error));
            mount(media)
        });
        mounted.map_err(|(_, error)| DriveError::Mount(error))
    }

    fn submit_write(&mut self, offset: u64, bytes: &[u8]) -> Result<(), DriveError> {
        let request = self.request(Op::Write, offset, bytes.len() as u64)?;
        self.submit(&request, &mut WriteData::of(bytes))
    }

    /// Writes a page whose data were lost.
    fn submit_lost(&mut self, offset: u64) -> Result<(), DriveError> {
        let request = self.request(Op::Write, offset, self.page_size())?;
        self.submit(&request, &mut LostPage)
    }

    fn submit(
        &mut self,
        request: &Request,
        data: &mut impl HostData<PageData>,
    ) -> Result<(), DriveError> {
        let device = self.device.as_mut().ok_or(DriveError::Stopped)?;
        Ok(device.submit(request, data)?)
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
        self.config().flash.page_size.into()
    }

    /// Requests from now on are in this stream: with `ftl.placement = "fdp"`, their reclaim unit handle.
    pub fn set_stream(&mut self, stream: u16) {
        self.stream = stream;
    }

    /// The time stamp of the last request, in ns since the drive was opened. Ages of pages follow it.
    pub fn time_ns(&self) -> u64 {
        self.time_ns
    }

    /// How long the last request takes from [`Drive::time_ns`] on, in ns, by the clocks of the parallel model.
    /// With [`Drive::open_timed`], it is that of a device that gets the requests at these times; otherwise each request
    /// is issued as `queue_depth` allows, after the requests before it. None under serial timing.
    pub fn latency_ns(&self) -> Option<u64> {
        let completion = self.device.as_ref()?.completion()?;
        Some(completion.completed_ns - completion.issued_ns)
    }

    /// The moment from which [`Drive::time_ns`] counts.
    pub fn opened_at(&self) -> Instant {
        self.opened_at
    }

    /// Whether the page with this byte may have data: it was written after its last trim, or when the drive was
    /// made. A page without data reads as zeros. False beyond the capacity.
    pub fn has_data(&self, offset: u64) -> bool {
        let page = u32::try_from(offset / self.page_size());
        match (&self.device, page) {
            (Some(device), Ok(page)) if offset < self.capacity() => device.has_data(Lpn(page)),
            // nothing can be read
            (None, _) => true,
            _ => false,
        }
    }

    /// The pages whose newest version is in RAM only: in the write buffer, or in the region of `dac+` and `deb`.
    pub fn pages_in_ram(&self) -> Vec<u64> {
        let mut pages = Vec::new();
        if let Some(device) = &self.device {
            device.each_in_ram(|lpn, _| pages.push(u64::from(lpn.0)));
        }
        pages
    }

    /// How the image was found.
    pub fn opened(&self) -> Opened {
        self.image.opened()
    }

    /// Why the drive only reads, if it does.
    pub fn read_only(&self) -> Option<ReadOnly> {
        self.read_only
    }

    /// The counters since the drive was opened, as the simulator counts. They stop when the drive becomes read-only.
    pub fn counters(&self) -> Counters {
        let now = || self.device.as_ref().map(Device::counters);
        self.counted.clone().or_else(now).unwrap_or_default()
    }

    /// Operations other than those of the FTL, since the image was made.
    pub fn meta_counts(&self) -> MetaCounts {
        self.image.counts()
    }

    /// Of each chip, the erase blocks that can stand in for bad ones, and the bad ones. Blocks of the FTL that none of
    /// them replaced are in the erase block of the same number.
    pub fn slots(&self) -> Vec<SlotUse> {
        self.image.slots()
    }

    /// The erases of each block over the life of the drive, chip by chip.
    pub fn erase_counts(&self) -> Vec<u32> {
        let device = self.device.as_ref();
        device.map(Device::erase_counts).unwrap_or_default()
    }

    /// The erases of each block since the drive was opened.
    pub(crate) fn erases_since_opened(&self) -> Vec<u32> {
        let counts = self.erase_counts().into_iter();
        let since = counts.zip(&self.erased_before);
        since
            .map(|(now, before)| now.saturating_sub(*before))
            .collect()
    }

    /// Writes bytes from `offset` on. The rest of a page keeps its bytes.
    ///
    /// # Errors
    /// A range beyond the capacity, or a drive that only reads, now or before.
    pub fn write(&mut self, offset: u64, bytes: &[u8]) -> Result<(), DriveError> {
        if bytes.is_empty() {
            return self.admit(offset, 0);
        }
        self.admit(offset, bytes.len() as u64)?;
        for (offset, bytes) in self.parts(offset, bytes) {
            self.change(|drive| match drive.image.mirror_bytes() {
                0 => drive.submit_write(offset, bytes),
                _ => drive.write_mirrored(offset, bytes),
            })?;
        }
        Ok(())
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
        self.change(|drive| {
            if drive.image.mirror_bytes() > 0 {
                drive.room_in_mirror(mirrored_bytes(0))?;
                drive.image.mirror_discard(offset, length)?;
            }
            drive.submit(&request, &mut WriteData::of(&[]))
        })
    }

    /// Makes all earlier writes and trims durable. After a crash, each sector holds what it held at the last flush, or
    /// what was written or trimmed since.
    ///
    /// # Errors
    /// A drive that only reads, now or before. After a failure no later flush succeeds.
    pub fn flush(&mut self) -> Result<(), DriveError> {
        let request = self.request(Op::Flush, 0, 0)?;
        self.change(|drive| {
            drive.submit(&request, &mut WriteData::of(&[]))?;
            Ok(drive.image.commit()?)
        })
    }

    /// Flushes and marks the image as closed, so that the next opening repairs nothing. Protected RAM stays in its
    /// mirror. Dropping a drive without this is a crash.
    ///
    /// # Errors
    /// As [`Drive::flush`]; none if the drive was read-only from its opening on.
    pub fn close(mut self) -> Result<(), DriveError> {
        if self.read_only.is_some() && self.counted.is_none() {
            return Ok(());
        }
        self.flush()?;
        Ok(self.image.close()?)
    }

    /// The power of the device fails between two requests: it writes protected RAM to flash that is reserved for that, as
    /// long as it lasts (`drive.hold_ms`), and all other RAM is lost. Returns the pages written, which count as
    /// `meta_programs`. The next opening finds a crash.
    ///
    /// # Errors
    /// As [`Drive::flush`].
    pub fn lose_power(mut self) -> Result<u64, DriveError> {
        let mut pages = 0;
        self.change(|drive| {
            if drive.image.mirror_bytes() > 0 {
                pages = drive.mirror_anew()?;
                drive.image.count_dump(pages);
            }
            Ok(drive.image.commit()?)
        })?;
        Ok(pages)
    }

    /// Writes the buffers back, as the simulator does at the end of a trace.
    ///
    /// # Errors
    /// As [`Drive::write`].
    pub fn drain(&mut self) -> Result<(), DriveError> {
        self.change(|drive| {
            let device = drive.device.as_mut().ok_or(DriveError::Stopped)?;
            Ok(device.finish()?)
        })
    }

    /// Compares all tables with the flash. Slow.
    ///
    /// # Errors
    /// A difference: the message says which.
    pub fn check(&mut self) -> Result<(), DriveError> {
        let device = self.device.as_mut().ok_or(DriveError::Stopped)?;
        device.check().map_err(DriveError::Wrong)
    }

    /// The blocks of all chips, chip by chip.
    pub fn blocks(self) -> impl Iterator<Item = Result<BlockState, DriveError>> {
        self.into_chips()
            .flat_map(|(chip, flash)| state::blocks(chip, flash))
    }

    /// Reads the data of all programmed pages; returns the damaged ones of each block, chip by chip.
    pub fn damaged(self) -> impl Iterator<Item = Result<Vec<DamagedPage>, DriveError>> {
        self.into_chips()
            .flat_map(|(chip, flash)| state::damaged(chip, flash))
    }

    fn into_chips(self) -> impl Iterator<Item = (u32, ImageFlash)> {
        (0..).zip(self.device.map(Device::into_media).unwrap_or_default())
    }

    /// The erase blocks of all chips.
    pub fn block_count(&self) -> u64 {
        let shape = self.image.shape();
        u64::from(shape.geometry.all_blocks()) * u64::from(shape.chips)
    }

    /// The design of the drive.
    pub fn design(&self) -> &Design {
        &self.design
    }

    pub(crate) fn device_mut(&mut self) -> Option<&mut Device<ImageFlash>> {
        self.device.as_mut()
    }

    /// A request with the current time, within the capacity.
    fn request(&mut self, op: Op, offset: u64, length: u64) -> Result<Request, DriveError> {
        self.admit(offset, length)?;
        self.time_ns = self.opened_at.elapsed().as_nanos() as u64;
        let request = Request::new(self.time_ns, op, offset, length);
        // a range within the capacity is always valid
        let request = request.ok_or(DriveError::Stopped)?;
        Ok(request.in_stream(self.stream))
    }

    /// Refuses a range beyond the capacity.
    ///
    /// # Errors
    /// [`DeviceError::PastCapacity`].
    pub fn admit(&self, offset: u64, length: u64) -> Result<(), DriveError> {
        let capacity = self.capacity();
        match offset.checked_add(length) {
            Some(end) if end <= capacity => Ok(()),
            end => {
                let end = end.unwrap_or(u64::MAX);
                Err(DeviceError::PastCapacity { end, capacity }.into())
            }
        }
    }
}
