//! The format of images, as `docs/image-format.md` describes it: where the structures are, and their checksums.

use std::array;
use std::ops::Range;

const HEADER: usize = 4096;
const MARKS: usize = HEADER;
const MARK: usize = 4096;
const CONFIG: usize = MARKS + 3 * MARK;
/// The number of the image, in its header.
const ID: usize = 68;
const ENTRY: usize = 32;
/// The block of an erase block that holds none.
const NONE: u32 = u32::MAX;

/// The places of everything in an image that has the right length.
#[derive(Clone, Debug)]
pub struct ImageLayout {
    page_size: usize,
    pages_per_block: usize,
    logical_blocks: u32,
    physical_blocks: u32,
    chips: usize,
    is_full: bool,
    /// Erase blocks of each chip.
    slots: usize,
    /// The configuration.
    pub config: Range<usize>,
    blocks: usize,
    spares: usize,
    records: usize,
    half_pages: usize,
    mirror: Range<usize>,
    data: usize,
    /// Where records of the mirror begin.
    in_mirror: Vec<usize>,
    /// The slots of marks at both ends.
    marks: [usize; 6],
    /// The copy of the header.
    pub copy: usize,
}

impl ImageLayout {
    /// Of an image that is whole.
    pub fn of(image: &[u8]) -> Self {
        let field = |place: usize| word(image, 8 + 4 * place) as usize;
        let [page_size, pages_per_block, logical, physical] = [1, 2, 3, 4].map(field);
        let (chips, ram_pages, slots) = (field(6), field(10), physical + field(11));
        let aligned = |end: usize| end.next_multiple_of(4096);
        let config = CONFIG..CONFIG + field(13);
        let blocks = aligned(config.end);
        let spares = aligned(blocks + chips * slots * 2 * ENTRY);
        let records = aligned(spares + chips * slots * pages_per_block * ENTRY);
        let discards = (chips * logical * pages_per_block).div_ceil((page_size - 24) / 24);
        let half_pages = (2 * discards + 2).next_multiple_of(pages_per_block);
        let mirror = aligned(records + 2 * half_pages * page_size);
        let data = match ram_pages {
            0 => mirror,
            _ => aligned(mirror + 4 * ram_pages * (page_size + 128) + (512 << 10)),
        };
        let end = aligned(data + chips * slots * pages_per_block * page_size);
        let id = long(image, ID);
        let is_record = |at: &usize| {
            let place = id ^ (at - mirror) as u64;
            record_end(image, *at, data).is_some()
                && word(image, *at) == sum(&image[at + 4..at + 64], place)
        };
        Self {
            page_size,
            pages_per_block,
            logical_blocks: logical as u32,
            physical_blocks: physical as u32,
            chips,
            is_full: field(8) == 1,
            slots,
            config,
            blocks,
            spares,
            records,
            half_pages,
            in_mirror: (mirror..data).step_by(64).filter(is_record).collect(),
            mirror: mirror..data,
            data,
            marks: array::from_fn(|slot| [MARKS, end][slot / 3] + slot % 3 * MARK),
            copy: end + 3 * MARK,
        }
    }

    /// A field of a structure. `index` and `field` wrap around.
    pub fn field(&self, structure: Structure, index: usize, field: usize) -> Range<usize> {
        let one_of = |fields: &[Range<usize>], at: usize| {
            let field = &fields[field % fields.len()];
            at + field.start..at + field.end
        };
        let blocks = self.chips * self.slots;
        match structure {
            Structure::Header => {
                let at = 8 + 4 * (field % 17);
                at..at + 4
            }
            Structure::Mark => {
                let at = self.marks[index % 6] + 8 * (field % 18);
                at..at + 8
            }
            Structure::Block => one_of(
                &[0..8, 8..12, 12..16, 16..20, 20..21],
                self.blocks + index % (2 * blocks) * ENTRY,
            ),
            Structure::Spare => one_of(
                &[0..8, 8..12, 12..16, 16..20, 20..21, 21..22],
                self.spares + index % (blocks * self.pages_per_block) * ENTRY,
            ),
            Structure::Record => {
                let page = self.records + index % (2 * self.half_pages) * self.page_size;
                let at = page + 4 * (field % (self.page_size / 4));
                at..at + 4
            }
            Structure::Mirror => {
                let begun = self.in_mirror.get(index % self.in_mirror.len().max(1));
                let at = begun.copied().unwrap_or(self.mirror.start);
                let fields = [4..8, 8..16, 16..24, 24..32, 32..40, 40..44, 64..68];
                one_of(&fields, at)
            }
            Structure::Data => {
                let page = index % (blocks * self.pages_per_block);
                let at = self.data + page * self.page_size + field % self.page_size / 4 * 4;
                at..at + 4
            }
        }
    }

    /// The whole of an entry.
    pub fn entry(&self, structure: Structure, index: usize) -> Range<usize> {
        let begin = self.field(structure, index, 0).start;
        begin..begin + ENTRY
    }

    fn page(&self, chip: usize, slot: usize, position: usize) -> (usize, u64) {
        let on_chip = slot * self.pages_per_block + position;
        let page = chip * self.slots * self.pages_per_block + on_chip;
        (page, (chip as u64) << 32 | on_chip as u64)
    }

    /// Gives all structures their checksums.
    pub fn seal(&self, image: &mut [u8], how: Seal) {
        let of_config = sum(&image[self.config.clone()], 0);
        for header in [0, self.copy] {
            put(image, header + 64, of_config);
            seal(image, header..header + 76, 0, header + 76);
        }
        let id = long(image, ID);
        for chip in 0..self.chips {
            for slot in 0..self.slots {
                self.seal_slot(image, chip, slot, how);
            }
        }
        for page in 0..2 * self.half_pages {
            let at = self.records + page * self.page_size;
            seal(image, at + 4..at + self.page_size, 0, at);
        }
        for &at in &self.in_mirror {
            if let Some(end) = record_end(image, at, self.mirror.end) {
                let place = id ^ (at - self.mirror.start) as u64;
                let of_data = sum(&image[at + 64..end], place);
                put(image, at + 40, of_data);
                seal(image, at + 4..at + 64, place, at);
            }
        }
        for at in self.marks {
            if how.tallies && image[at..at + 144].iter().any(|&byte| byte != 0) {
                self.tally(image, at);
            }
            seal(image, at..at + 144, id, at + 144);
        }
    }

    fn seal_slot(&self, image: &mut [u8], chip: usize, slot: usize, how: Seal) {
        let number = (chip as u64) << 32 | slot as u64;
        let entries = self.blocks + (chip * self.slots + slot) * 2 * ENTRY;
        for at in [entries, entries + ENTRY] {
            seal(image, at..at + 28, number, at + 28);
        }
        for position in 0..self.pages_per_block {
            let (page, number) = self.page(chip, slot, position);
            let at = self.spares + page * ENTRY;
            if how.data && image[at + 21] == 1 {
                let data = self.data + page * self.page_size;
                let of_data = crc32fast::hash(&image[data..data + self.page_size]);
                put(image, at + 16, of_data);
            }
            seal(image, at..at + 28, number, at + 28);
        }
    }

    /// Sets the tally of a mark to what the image holds at its moment.
    fn tally(&self, image: &mut [u8], mark: usize) {
        let until = long(image, mark + 8);
        let (mut pages, mut erases, mut tally) = (0u64, 0u64, 0u64);
        for chip in 0..self.chips {
            for slot in 0..self.slots {
                let (of_slot, erased, sum) = self.count(image, chip, slot, until);
                pages += of_slot;
                erases = erases.wrapping_add(erased.into());
                tally = tally.wrapping_add(sum);
            }
        }
        let half = long(image, mark + 48) % 2 * self.half_pages as u64;
        let records = word(image, mark + 56) as usize;
        let first = self.records + half as usize * self.page_size;
        let sums = (0..records.min(self.half_pages)).map(|page| first + page * self.page_size);
        let of_records = sums.map(|at| u64::from(word(image, at))).sum();
        for (place, count) in [(24, pages), (32, erases), (40, tally), (64, of_records)] {
            let at = mark + place;
            image[at..at + 8].copy_from_slice(&u64::to_le_bytes(count));
        }
    }

    /// The pages and erases of an erase block, and the sum of their checksums.
    fn count(&self, image: &[u8], chip: usize, slot: usize, until: u64) -> (u64, u32, u64) {
        let entries = self.blocks + (chip * self.slots + slot) * 2 * ENTRY;
        let counts = |at: &usize| {
            image[*at..at + ENTRY].iter().any(|&byte| byte != 0) && long(image, *at) <= until
        };
        let newest = [entries, entries + ENTRY].into_iter().filter(counts);
        let newest = newest.max_by_key(|&at| word(image, at + 8));
        let unused = if (slot as u32) < self.physical_blocks {
            slot as u32
        } else {
            NONE
        };
        let (generation, block, since, sum) = newest.map_or((0, unused, 0, 0), |at| {
            (
                word(image, at + 8),
                word(image, at + 12),
                word(image, at + 16),
                word(image, at + 28),
            )
        });
        let is_new = generation == 0 && since == 0;
        let is_factory = self.is_full && is_new && block < self.logical_blocks;
        let (mut pages, mut tally) = (0, u64::from(sum));
        for position in 0..self.pages_per_block {
            let at = self.spares + self.page(chip, slot, position).0 * ENTRY;
            let is_programmed = matches!(image[at + 21], 1 | 3);
            let is_here = word(image, at + 12) == generation && long(image, at) <= until;
            if block != NONE && !is_factory && is_programmed && is_here {
                pages += 1;
                tally = tally.wrapping_add(word(image, at + 28).into());
            }
        }
        (pages, generation, tally)
    }
}

/// A structure of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Structure {
    Header,
    Mark,
    Block,
    Spare,
    Record,
    Mirror,
    Data,
}

/// Which sums are made right, beside the checksums of the structures.
#[derive(Clone, Copy, Debug)]
pub struct Seal {
    /// The checksums of the data of pages.
    pub data: bool,
    /// The counts and sums of the marks.
    pub tallies: bool,
}

/// The end of the data of a record of the mirror; none if there is no room for it.
fn record_end(image: &[u8], at: usize, end: usize) -> Option<usize> {
    let data = match word(image, at + 4) {
        1 => usize::try_from(long(image, at + 32)).ok()?,
        2..=6 => 0,
        _ => return None,
    };
    let until = (at + 64).checked_add(data)?;
    (until <= end).then_some(until)
}

/// Writes the checksum of a range, unless all of it is zeros.
fn seal(image: &mut [u8], range: Range<usize>, place: u64, to: usize) {
    if image[range.clone()].iter().any(|&byte| byte != 0) {
        let sum = sum(&image[range], place);
        put(image, to, sum);
    }
}

fn sum(bytes: &[u8], place: u64) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&place.to_le_bytes());
    hasher.update(bytes);
    hasher.finalize()
}

fn put(image: &mut [u8], at: usize, number: u32) {
    image[at..at + 4].copy_from_slice(&number.to_le_bytes());
}

fn word(image: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(image[at..at + 4].try_into().expect("four bytes"))
}

fn long(image: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(image[at..at + 8].try_into().expect("eight bytes"))
}
