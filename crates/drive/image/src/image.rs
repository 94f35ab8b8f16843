//! Making, opening and closing images.

use std::sync::{Arc, Mutex};

use ssdlab_flash::{Fault, Pbn};

use crate::beside::{Beside, Later, LaterReads, PagePlace};
use crate::bytes::sum;
use crate::chip::{BlockState, PageState};
use crate::disk::{Disk, room_for};
use crate::error::ImageError;
use crate::faults::{Dice, Faults};
use crate::flash::ImageFlash;
use crate::layout::{CONFIG_AT, HEADER, Layout};
use crate::mark::{self, Mark, MetaCounts};
use crate::mirror::{LONGEST_RECORD, MirrorPlace, RecordHead, RecordKind};
use crate::scan::{self, Detail, ImageContent, Misfit};
use crate::shape::ImageShape;
use crate::shared::{SharedImage, lock};
use crate::spare::{BLANK, BYTES, BlockEntry, Holds, SlotUse, number};

/// An open image.
pub struct Image {
    shared: Arc<Mutex<SharedImage>>,
    config: Vec<u8>,
    opened: Opened,
    unwritable: Option<i32>,
}

/// A request that the mirror of protected RAM holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mirrored {
    /// A write.
    Write {
        /// Its place, in bytes.
        offset: u64,
        /// Its data.
        data: Vec<u8>,
    },
    /// A page whose data were lost while it was in RAM.
    Lost {
        /// Its place, in bytes.
        offset: u64,
    },
    /// A discard.
    Discard {
        /// Its place, in bytes.
        offset: u64,
        /// Its length in bytes.
        length: u64,
    },
}

/// How an image was found when it was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opened {
    /// It was closed, or never used.
    pub closed: bool,
    /// It was never used.
    pub new: bool,
    /// Pages and erases after the last commit, which an opening undoes.
    pub undone: usize,
    /// Of these, the programs that the crash interrupted: their pages are torn.
    pub torn_programs: usize,
    /// Whether the crash interrupted an erase: all pages of the block are torn.
    pub torn_erase: bool,
    /// The number of the last commit: commits, openings and closings so far.
    pub commits: u64,
    /// The number of the last operation: programs, erases and discards so far, and the pages of the factory state.
    pub operations: u64,
    /// Copies of the header and of marks that are damaged. Others stood in for them.
    pub damaged_copies: u32,
    /// Requests in the mirror of RAM, since the last commit, that are damaged or did not arrive, although later ones
    /// did. A crash of the system may leave that; if only the process has ended, it is damage.
    pub lost_records: u64,
    /// The last request in the mirror of RAM was interrupted.
    pub interrupted_record: bool,
}

impl Opened {
    fn of(layout: &Layout, mark: &Mark, found: &ImageContent, damaged_copies: u32) -> Self {
        let torn = |(_, entry): &&(u64, [u8; BYTES])| *entry != BLANK;
        let gaps = found.mirror.gaps.iter();
        Self {
            closed: mark.closed,
            new: mark.number == 0 && is_as_made(found, layout),
            undone: found.repairs.len(),
            torn_programs: found.repairs.iter().filter(torn).count(),
            torn_erase: found.torn.is_some(),
            commits: mark.number,
            operations: mark.sequence,
            damaged_copies,
            lost_records: gaps.map(|(from, to)| to.number - from.number).sum(),
            interrupted_record: found.mirror.interrupted,
        }
    }

    /// What is damaged, as sentences for the user.
    pub fn damage(&self) -> Vec<String> {
        let mut all = Vec::new();
        if self.damaged_copies > 0 {
            all.push(format!(
                "{} of the {} copies of its header and its marks are damaged; others stand in for them",
                self.damaged_copies,
                mark::SLOTS + 2
            ));
        }
        if self.damaged_copies > 0 && self.interrupted_record {
            let what = "the last requests in its RAM since the last flush may be lost: what is damaged may reach that far";
            all.push(what.to_owned());
        }
        if self.lost_records > 0 {
            all.push(format!(
                "{} of the requests in its RAM since the last flush are damaged or have not arrived, although later ones \
                 have: they are lost; if only the process has ended, its file is damaged",
                self.lost_records
            ));
        }
        all
    }
}

/// Whether nothing was programmed, torn or discarded.
fn is_as_made(found: &ImageContent, layout: &Layout) -> bool {
    let pages = &found.pages;
    let factory = layout.factory_pages() * u64::from(layout.shape.chips);
    let untouched = pages.programmed == 0 && pages.torn == 0 && pages.factory == factory;
    untouched && found.repairs.is_empty() && found.discards.is_empty()
}

fn layout(shape: ImageShape, id: u64, config: &[u8]) -> Result<Layout, ImageError> {
    let bytes = u32::try_from(config.len())
        .map_err(|_| ImageError::Shape("the configuration is longer than 4 GiB".into()))?;
    Layout::new(shape, id, bytes, sum(config, 0))
}

/// The erase blocks that are bad from the factory, with those that stand in for them.
fn stand_ins(shape: &ImageShape, bad: &[Vec<u32>]) -> Result<Vec<(u32, u32, Holds)>, ImageError> {
    let blocks = shape.geometry.all_blocks();
    let mut all = Vec::new();
    for (chip, bad) in (0..).zip(bad) {
        let mut spares = (blocks..shape.slots()).filter(|slot| !bad.contains(slot));
        for &slot in bad {
            all.push((chip, slot, Holds::Bad));
            if slot < blocks {
                let (bad, spares_of) = (bad.len(), shape.spares);
                let too_many = || {
                    let why = format!("{bad} bad blocks on a chip with {spares_of} spare ones");
                    ImageError::Shape(why)
                };
                let stands_in = spares.next().ok_or_else(too_many)?;
                all.push((chip, stands_in, Holds::Block(Pbn(slot))));
            }
        }
    }
    Ok(all)
}

/// Makes an image on a disk of zeros that has the right length: see [`Image::length`]. `config` is kept with it. `bad`
/// are the erase blocks of each chip, below [`ImageShape::slots`], that are bad from the beginning.
///
/// # Errors
/// An impossible shape, more bad blocks than spare ones, or a disk that fails.
pub fn create(
    disk: &mut dyn Disk,
    shape: ImageShape,
    config: &[u8],
    bad: &[Vec<u32>],
) -> Result<(), ImageError> {
    let layout = layout(shape, fastrand::u64(..), config)?;
    let found = disk.length()?;
    if found != layout.length {
        let needs = layout.length;
        return Err(ImageError::Length { found, needs });
    }
    let mut first = Mark {
        sequence: layout.factory_pages(),
        closed: true,
        ..Mark::default()
    };
    disk.write(CONFIG_AT, config)?;
    for (chip, slot, holds) in stand_ins(&layout.shape, bad)? {
        first.sequence += 1;
        let entry = BlockEntry {
            generation: 0,
            since: 0,
            sequence: first.sequence,
            holds,
            torn: false,
        };
        let (bytes, sum) = entry.encode(number(chip, slot));
        disk.write(layout.slot(chip, slot), &bytes)?;
        first.tally.sum = first.tally.sum.wrapping_add(sum.into());
    }
    first.base = first.sequence;
    for slot in slots(&layout) {
        disk.write(slot, &first.encode(layout.id))?;
    }
    let (ring, begin) = (layout.mirror, MirrorPlace::default());
    if ring.length > 0 {
        let end = RecordHead::end_at(0, 0);
        disk.write(ring.at, &ring.encode(&end, &[], begin))?;
    }
    let [first, last] = layout.headers();
    disk.write(last, &layout.encode())?;
    disk.sync()?;
    // the first header comes last: a file without both is no image
    disk.write(first, &layout.encode())?;
    disk.sync()?;
    Ok(())
}

/// Opens an image, and the flash of each chip. If the disk cannot be written, it opens to be read: see
/// [`Image::unwritable`].
///
/// # Errors
/// A file that is no image, is damaged, or cannot be read.
pub fn open(disk: impl Disk + 'static) -> Result<(Image, Vec<ImageFlash>), ImageError> {
    let (layout, broken_headers) = whole(&disk)?;
    let geometry = &layout.shape.geometry;
    let of_chip = u64::from(geometry.all_pages()) * PAGE_MEMORY
        + u64::from(geometry.all_blocks()) * BLOCK_MEMORY;
    let chips = of_chip.saturating_mul(layout.shape.chips.into());
    room_for(chips.saturating_add(layout.config_bytes.into()))?;
    let config = config_of(&disk, &layout)?;
    let marks = Marks::of(&disk, &layout)?;
    let (mark, mut found) = marks.newest(&disk, &layout, Detail::Pages)?;
    let damaged_copies = broken_headers.len() as u32 + marks.broken;
    let opened = Opened::of(&layout, &mark, &found, damaged_copies);
    let header = layout.encode();
    let mut shared = SharedImage::new(Box::new(disk), layout, &mark, found.mirror.at, found.slots);
    for record in found.discards {
        for page in 0..record.count {
            shared.remember(record.chip, record.first.plus(page), record.sequence);
        }
    }
    let mut unwritable = None;
    // a later crash must find no trace of what this one left
    shared.insist(&mut unwritable, |shared| {
        for (at, bytes) in &found.repairs {
            shared.write(*at, bytes)?;
        }
        for at in &broken_headers {
            shared.write(*at, &header)?;
        }
        shared.mend_mirror(&found.mirror)?;
        shared.sync()
    })?;
    if let Some((chip, block)) = found.torn {
        let chip_of = &mut found.chips[chip as usize];
        shared.insist(&mut unwritable, |shared| chip_of.tear(shared, chip, block))?;
    }
    shared.insist(&mut unwritable, SharedImage::begin)?;
    let shared = Arc::new(Mutex::new(shared));
    let chips = found.chips.into_iter().zip(0..);
    let chips = chips.map(|(state, chip)| ImageFlash::new(Arc::clone(&shared), chip, state));
    let chips = chips.collect();
    let image = Image {
        shared,
        config,
        opened,
        unwritable,
    };
    Ok((image, chips))
}

/// An image that was never used.
pub struct Unused {
    /// Its configuration: see [`Image::config`].
    pub config: Vec<u8>,
    /// How it was found.
    pub opened: Opened,
    /// As [`Image::counts`].
    pub counts: MetaCounts,
    /// As [`Image::slots`].
    pub slots: Vec<SlotUse>,
    /// Pages of zeros in the factory state.
    pub factory_pages: u64,
    /// All other pages.
    pub erased_pages: u64,
}

/// Reads an image that was never used, without memory for each of its pages; `None` for any other image. Nothing is
/// changed.
///
/// # Errors
/// As [`open`].
pub fn unused(disk: &dyn Disk) -> Result<Option<Unused>, ImageError> {
    let (layout, broken_headers) = whole(disk)?;
    let config = config_of(disk, &layout)?;
    let marks = Marks::of(disk, &layout)?;
    if marks.all.first().is_none_or(|mark| mark.number > 0) {
        return Ok(None);
    }
    let blocks = u64::from(layout.shape.geometry.all_blocks()) * BLOCK_MEMORY;
    room_for(blocks.saturating_mul(layout.shape.chips.into()))?;
    let (mark, found) = marks.newest(disk, &layout, Detail::Blocks)?;
    let damaged_copies = broken_headers.len() as u32 + marks.broken;
    let opened = Opened::of(&layout, &mark, &found, damaged_copies);
    let has_records = found.mirror.at != mark.mirror || found.mirror.interrupted;
    Ok((opened.new && !has_records).then_some(Unused {
        config,
        opened,
        counts: mark.meta,
        slots: found.slots,
        factory_pages: found.pages.factory,
        erased_pages: found.pages.erased,
    }))
}

/// Reads the `config` that [`create`] got, and nothing else.
///
/// # Errors
/// A file that is no image, is damaged there, or cannot be read.
pub fn config(disk: &dyn Disk) -> Result<Vec<u8>, ImageError> {
    config_of(disk, &whole(disk)?.0)
}

fn config_of(disk: &dyn Disk, layout: &Layout) -> Result<Vec<u8>, ImageError> {
    room_for(layout.config_bytes.into())?;
    let mut config = vec![0; layout.config_bytes as usize];
    disk.read(CONFIG_AT, &mut config)?;
    if sum(&config, 0) != layout.config_sum {
        return Err(damaged("the checksum of its configuration is wrong"));
    }
    Ok(config)
}

/// The memory of each page and each block while an image is open, in bytes.
const PAGE_MEMORY: u64 = size_of::<PageState>() as u64 + size_of::<u32>() as u64;
const BLOCK_MEMORY: u64 = size_of::<BlockState>() as u64;

fn damaged(what: impl Into<String>) -> ImageError {
    ImageError::Damaged(what.into())
}

/// The layout of an image whose file has the right length, and the places of damaged headers.
pub(crate) fn whole(disk: &dyn Disk) -> Result<(Layout, Vec<u64>), ImageError> {
    let length = disk.length()?;
    if length < 2 * HEADER {
        return Err(ImageError::NotAnImage);
    }
    let read = |at: u64| {
        let mut bytes = vec![0; HEADER as usize];
        disk.read(at, &mut bytes)?;
        Layout::decode(&bytes)
    };
    let (first, last) = (read(0), read(length - HEADER));
    let checked = |layout: Layout| {
        if layout.length != length {
            return Err(ImageError::Length {
                found: length,
                needs: layout.length,
            });
        }
        Ok(layout)
    };
    match (first, last) {
        (Ok(Some(first)), Ok(Some(last))) if first != last => {
            Err(damaged("its two headers are those of two images"))
        }
        (Ok(Some(layout)), Ok(Some(_))) => Ok((checked(layout)?, Vec::new())),
        (Ok(Some(layout)), _) => {
            let layout = checked(layout)?;
            let [_, last] = layout.headers();
            Ok((layout, vec![last]))
        }
        (Ok(None) | Err(ImageError::NotAnImage), Ok(Some(layout))) => {
            Ok((checked(layout)?, vec![0]))
        }
        (Ok(None), _) | (_, Ok(None)) => Err(damaged("both headers are wrong")),
        (Err(error), _) => Err(error),
    }
}

/// The slots of all marks.
fn slots(layout: &Layout) -> [u64; mark::SLOTS] {
    let [even, odd] = [0, 1].map(|number| layout.mark_slots(number));
    let confirmed = layout.confirmed_slots();
    [confirmed[0], confirmed[1], even[0], even[1], odd[0], odd[1]]
}

/// The marks at which an image may open.
struct Marks {
    /// The newest first.
    all: Vec<Mark>,
    /// The number of the last mark that was durable for certain.
    confirmed: u64,
    /// Slots without a whole mark.
    broken: u32,
}

impl Marks {
    fn of(disk: &dyn Disk, layout: &Layout) -> Result<Self, ImageError> {
        let read = |at: u64| {
            let mut bytes = [0; mark::USED];
            let read = disk.read(at, &mut bytes);
            read.map(|()| Mark::decode(&bytes, layout.id))
        };
        let slots = slots(layout).map(read);
        let slots = slots.into_iter().collect::<Result<Vec<_>, _>>()?;
        let broken = slots.iter().filter(|slot| slot.is_none()).count() as u32;
        // a mark is written when the one before it is durable
        let newest = slots.iter().flatten().map(|mark| mark.number).max();
        let confirmed = slots[..2].iter().flatten().map(|mark| mark.number).max();
        let confirmed = confirmed.max(newest.map(|newest| newest.saturating_sub(1)));
        let confirmed = confirmed.unwrap_or(0);
        let mut all: Vec<Mark> = slots.into_iter().flatten().collect();
        all.retain(|mark| mark.number >= confirmed);
        all.sort_by_key(|mark| std::cmp::Reverse(mark.number));
        all.dedup();
        Ok(Self {
            all,
            confirmed,
            broken,
        })
    }

    /// The newest one with everything it names, and what the image holds at it.
    fn newest(
        &self,
        disk: &dyn Disk,
        layout: &Layout,
        detail: Detail,
    ) -> Result<(Mark, ImageContent), ImageError> {
        let mut why = "it has no mark that is whole".to_owned();
        for &(mut mark) in &self.all {
            let is_certain = mark.closed || mark.number == self.confirmed;
            if is_certain {
                mark.base = mark.sequence;
            }
            match scan::at(disk, layout, &mark, detail) {
                Ok(found) if mark.closed && !found.repairs.is_empty() => {
                    why = "it was closed, and has pages or erases after that".into();
                }
                Ok(found) => return Ok((mark, found)),
                Err(Misfit::Incomplete(what)) => why = what,
                Err(Misfit::Error(error)) => return Err(error),
            }
            if is_certain {
                break;
            }
        }
        Err(damaged(why))
    }
}

impl Image {
    /// The length of the file of an image, in bytes.
    ///
    /// # Errors
    /// An impossible shape.
    pub fn length(shape: ImageShape, config: &[u8]) -> Result<u64, ImageError> {
        Ok(layout(shape, 0, config)?.length)
    }

    /// The configuration that was given when the image was made.
    pub fn config(&self) -> &[u8] {
        &self.config
    }

    /// How the image was found when it was opened.
    pub fn opened(&self) -> Opened {
        self.opened
    }

    /// The shape of the flash.
    pub fn shape(&self) -> ImageShape {
        lock(&self.shared).layout.shape.clone()
    }

    /// Operations other than those of the pages, since the image was made.
    pub fn counts(&self) -> MetaCounts {
        lock(&self.shared).counts
    }

    /// From here on the flash fails as often as this.
    pub fn inject(&self, faults: Faults) {
        let mut shared = lock(&self.shared);
        shared.dice = Dice::new(faults, shared.mark);
    }

    /// From here on, nothing reaches the disk and nothing fails: what is written stays in memory.
    pub fn freeze(&self) {
        lock(&self.shared).freeze();
    }

    /// From here on, power can fail: [`Image::cut_power`]. It takes memory for each operation since the last commit.
    pub fn watch_power(&self) {
        lock(&self.shared).watch_power();
    }

    /// Power fails instead of the operation with this number, from 1: programs and erases from now on. It leaves what
    /// [`Image::cut_power`] leaves.
    pub fn cut_power_at(&self, operation: u64, seed: Option<u64>) {
        lock(&self.shared).cut_power_at(operation, seed);
    }

    /// Power fails. All up to the last commit remains; without a seed, nothing of the flash remains that came after it.
    /// With one, a number of the operations since then remain that the seed draws, the oldest ones, if
    /// [`Image::watch_power`] came before them. Records of the mirror remain. Nothing reaches the disk afterwards: open
    /// the image again.
    ///
    /// # Errors
    /// A disk that fails, now or before.
    pub fn cut_power(&self, seed: Option<u64>) -> Result<(), Fault> {
        lock(&self.shared).cut_power(seed)
    }

    /// Whether power has failed.
    pub fn is_off(&self) -> bool {
        lock(&self.shared).is_off()
    }

    /// The programs and erases since [`Image::watch_power`].
    pub fn watched_operations(&self) -> u64 {
        lock(&self.shared).watched_operations()
    }

    /// A block failed, and no spare one was left.
    pub fn is_worn_out(&self) -> bool {
        lock(&self.shared).worn_out
    }

    /// From here on, reads of the host leave the bytes of programmed pages where they are, if others can read the disk
    /// meanwhile: [`Image::deferred`] says where. `None`: they do not.
    pub fn begin_reads(&self) -> Option<Arc<dyn Beside>> {
        let mut shared = lock(&self.shared);
        let beside = shared.beside()?;
        shared.may_defer = true;
        Some(beside)
    }

    /// Where the bytes of the page are that the host has just read, if it does not have them.
    pub fn deferred(&self) -> Option<PagePlace> {
        lock(&self.shared).deferred.take()
    }

    /// Reads of the host get their bytes again. No block is erased before those that were left are read.
    pub fn end_reads<T>(&self, left: Vec<Later<T>>, beside: Arc<dyn Beside>) -> LaterReads<T> {
        let mut shared = lock(&self.shared);
        shared.may_defer = false;
        shared.deferred = None;
        let page_size = shared.layout.shape.geometry.page_size() as usize;
        LaterReads::new(left, page_size, beside, &shared.reads)
    }

    /// What other threads may use beside the image; `None` if they may use nothing.
    pub fn beside(&self) -> Option<Arc<dyn Beside>> {
        lock(&self.shared).beside()
    }

    /// Of each chip, the erase blocks that are spare, and those that are bad.
    pub fn slots(&self) -> Vec<SlotUse> {
        lock(&self.shared).slots.clone()
    }

    /// The code of the error of a disk that could not be written when the image was opened: it is as after
    /// [`Image::freeze`].
    pub fn unwritable(&self) -> Option<i32> {
        self.unwritable
    }

    /// The code of the first error of the disk. After it nothing is written.
    pub fn failed(&self) -> Option<i32> {
        lock(&self.shared).failed()
    }

    /// The bytes that the mirror can take before [`Image::renew_mirror`]; 0 without protected RAM.
    pub fn mirror_room(&self) -> u64 {
        lock(&self.shared).mirror_room()
    }

    /// The bytes of the mirror.
    pub fn mirror_bytes(&self) -> u64 {
        lock(&self.shared).layout.mirror.length
    }

    /// Mirrors a write of the host.
    ///
    /// # Errors
    /// A disk that fails, now or before.
    pub fn mirror_write(&self, offset: u64, data: &[u8]) -> Result<(), Fault> {
        let mut shared = lock(&self.shared);
        let pieces = (offset..).step_by(LONGEST_RECORD as usize);
        let mut pieces = pieces.zip(data.chunks(LONGEST_RECORD as usize));
        pieces.try_for_each(|(at, data)| {
            shared.mirror(RecordKind::Write, at, data.len() as u64, data)
        })
    }

    /// Mirrors a page of RAM whose data were lost.
    ///
    /// # Errors
    /// As [`Image::mirror_write`].
    pub fn mirror_lost(&self, offset: u64) -> Result<(), Fault> {
        lock(&self.shared).mirror(RecordKind::Lost, offset, 0, &[])
    }

    /// Mirrors a discard of the host.
    ///
    /// # Errors
    /// As [`Image::mirror_write`].
    pub fn mirror_discard(&self, offset: u64, length: u64) -> Result<(), Fault> {
        lock(&self.shared).mirror(RecordKind::Discard, offset, length, &[])
    }

    /// Begins the mirror anew: `all` mirrors everything in RAM again. Then earlier records do not count after the next
    /// commit. If it fails, they do.
    ///
    /// # Errors
    /// Those of `all`; a disk without room for `bytes` of records.
    pub fn renew_mirror(
        &self,
        bytes: u64,
        all: impl FnOnce() -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let begin = {
            let mut shared = lock(&self.shared);
            shared.reserve_mirror(bytes)?;
            shared.head
        };
        all()?;
        lock(&self.shared).tail = begin;
        Ok(())
    }

    /// Counts the pages of a dump of RAM.
    pub fn count_dump(&self, pages: u64) {
        lock(&self.shared).counts.meta_programs += pages;
    }

    /// What the mirror holds from a place on, `None` for the first: the request, and the place of the next one. No
    /// request: the end.
    ///
    /// # Errors
    /// A disk that fails.
    pub fn mirrored(
        &self,
        from: Option<MirrorPlace>,
    ) -> Result<Option<(Mirrored, MirrorPlace)>, ImageError> {
        let shared = lock(&self.shared);
        let mut at = from.unwrap_or(shared.tail);
        while let Some((head, data, next)) = shared.mirrored(at)? {
            let RecordHead { offset, length, .. } = head;
            match head.kind {
                RecordKind::Write => return Ok(Some((Mirrored::Write { offset, data }, next))),
                RecordKind::Lost => return Ok(Some((Mirrored::Lost { offset }, next))),
                RecordKind::Discard => {
                    return Ok(Some((Mirrored::Discard { offset, length }, next)));
                }
                RecordKind::Wrap | RecordKind::Skip | RecordKind::End => at = next,
            }
        }
        Ok(None)
    }

    /// Makes all operations so far durable, on all chips.
    ///
    /// # Errors
    /// A disk that fails, now or before.
    pub fn commit(&self) -> Result<(), Fault> {
        lock(&self.shared).commit()
    }

    /// Returns when no commit is in flight, and no thread works for the disk until the next call. If something fails, each
    /// later change fails.
    pub fn settle(&self) {
        let _ = lock(&self.shared).settle_all();
    }

    /// Makes everything durable and marks the image as closed. Nothing may be written afterwards.
    ///
    /// # Errors
    /// A disk that fails, now or before.
    pub fn close(self) -> Result<(), Fault> {
        lock(&self.shared).close()
    }
}
