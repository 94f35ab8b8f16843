//! Where everything lies in the file.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use ssdlab_flash::{Geometry, Ppn, ProgramOrder};

use crate::bytes::{long, sum, word};
use crate::error::ImageError;
use crate::mirror::{LONGEST_RECORD, Ring, mirrored_bytes};
use crate::shape::ImageShape;
use crate::{mark, records, spare};

/// The first bytes of every image.
pub const MAGIC: &[u8; 8] = b"ssdlabFL";
/// Whether a file begins like an image.
///
/// # Errors
/// It cannot be read.
pub fn is_image(path: &Path) -> io::Result<bool> {
    let mut first = [0; MAGIC.len()];
    match File::open(path)?.read_exact(&mut first) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        read => read.map(|()| &first == MAGIC),
    }
}

/// The version of the format.
pub const VERSION: u32 = 5;
/// That of images without blocks for pages of the FTL's own: all images were so once.
pub const WITHOUT_OWN_BLOCKS: u32 = 4;
/// The bytes of a header. Its copy is at the end of the file.
pub const HEADER: u64 = 4096;

/// The bytes of a header of this version that count; the checksum is the last of them.
pub const fn used(version: u32) -> usize {
    if version == WITHOUT_OWN_BLOCKS {
        80
    } else {
        84
    }
}

/// Sections begin at multiples of this.
const ALIGNED: u64 = 4096;

/// The shape, and where each section begins, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    pub shape: ImageShape,
    /// Drawn at random for each image: what is sealed with it does not fit into another one.
    pub id: u64,
    pub config_bytes: u32,
    pub config_sum: u32,
    /// Pages in each half of the records.
    pub half_pages: u32,
    pub blocks_at: u64,
    pub spares_at: u64,
    pub records_at: u64,
    /// The mirror of RAM.
    pub mirror: Ring,
    pub data_at: u64,
    /// The second place of the marks; the copy of the header follows.
    pub end_at: u64,
    pub length: u64,
}

/// The first place of the marks, and that of the configuration after them.
pub const MARKS_AT: u64 = HEADER;
pub const CONFIG_AT: u64 = MARKS_AT + mark::BYTES;

fn impossible(why: &str) -> ImageError {
    ImageError::Shape(why.to_owned())
}

fn check(shape: &ImageShape) -> Result<(), ImageError> {
    let geometry = &shape.geometry;
    if shape.chips == 0 {
        return Err(impossible("chips = 0: must be at least 1"));
    }
    if geometry.page_size() < 512 || !geometry.page_size().is_multiple_of(512) {
        return Err(impossible("the page size must be a multiple of 512 bytes"));
    }
    if shape.full && geometry.logical_blocks() > geometry.physical_blocks() {
        return Err(impossible(
            "a full flash needs a physical block for each logical one",
        ));
    }
    let pages = u64::from(shape.slots()) * u64::from(geometry.pages_per_block());
    if pages >= u64::from(u32::MAX) {
        return Err(impossible(
            "with its spare blocks, a chip must have fewer than 2^32 pages",
        ));
    }
    Ok(())
}

/// Where the sections after the configuration begin, and the length; `None` if no file can be that long.
fn sections(shape: &ImageShape, config_bytes: u32, half_pages: u32) -> Option<[u64; 7]> {
    let blocks = u64::from(shape.slots()).checked_mul(shape.chips.into())?;
    let pages = blocks.checked_mul(shape.geometry.pages_per_block().into())?;
    let page = u64::from(shape.geometry.page_size());
    let after = |at: u64, count: u64, bytes: u64| {
        let end = at.checked_add(count.checked_mul(bytes)?)?;
        end.checked_next_multiple_of(ALIGNED)
    };
    let blocks_at = after(CONFIG_AT, config_bytes.into(), 1)?;
    let spares_at = after(blocks_at, blocks, spare::BLOCK_BYTES as u64)?;
    let records_at = after(spares_at, pages, spare::BYTES as u64)?;
    let mirror_at = after(records_at, 2 * u64::from(half_pages), page)?;
    let in_ram = u64::from(shape.ram_pages).checked_mul(mirrored_bytes(page))?;
    let mirror_bytes = match in_ram {
        0 => 0,
        bytes => bytes.checked_mul(4)?.checked_add(4 * LONGEST_RECORD)?,
    };
    let data_at = after(mirror_at, mirror_bytes, 1)?;
    let end_at = after(data_at, pages, page)?;
    let length = end_at.checked_add(mark::BYTES + HEADER)?;
    // offsets of files are signed
    (length <= i64::MAX as u64).then_some([
        blocks_at, spares_at, records_at, mirror_at, data_at, end_at, length,
    ])
}

impl Layout {
    pub fn new(
        shape: ImageShape,
        id: u64,
        config_bytes: u32,
        config_sum: u32,
    ) -> Result<Self, ImageError> {
        check(&shape)?;
        let half_pages =
            records::half_pages(&shape).ok_or_else(|| impossible("too many logical pages"))?;
        let [
            blocks_at,
            spares_at,
            records_at,
            mirror_at,
            data_at,
            end_at,
            length,
        ] = sections(&shape, config_bytes, half_pages)
            .ok_or_else(|| impossible("the flash is larger than any file"))?;
        Ok(Self {
            id,
            config_bytes,
            config_sum,
            half_pages,
            blocks_at,
            spares_at,
            records_at,
            mirror: Ring {
                at: mirror_at,
                length: data_at - mirror_at,
                id,
            },
            data_at,
            end_at,
            length,
            shape,
        })
    }

    /// The pages of zeros that all chips have in the factory state. They have the first sequence numbers.
    pub fn factory_pages(&self) -> u64 {
        if self.shape.full {
            self.shape.geometry.logical_pages().into()
        } else {
            0
        }
    }

    /// Where the header and its copy are.
    pub fn headers(&self) -> [u64; 2] {
        [0, self.length - HEADER]
    }

    /// The slots of mark `number`. The mark before it is in the others.
    pub fn mark_slots(&self, number: u64) -> [u64; 2] {
        [MARKS_AT, self.end_at].map(|place| place + number % 2 * mark::SLOT)
    }

    /// The slots of the last mark that a sync has made durable, one in each place, so that damage to a place cannot make
    /// the mark look as if it had not arrived.
    pub fn confirmed_slots(&self) -> [u64; 2] {
        [MARKS_AT, self.end_at].map(|place| place + 2 * mark::SLOT)
    }

    fn page(&self, chip: u32, at: Ppn) -> u64 {
        let of_chip = u64::from(self.shape.slots());
        u64::from(chip) * of_chip * u64::from(self.shape.geometry.pages_per_block())
            + u64::from(at.0)
    }

    /// Where the data of a page of a slot are.
    pub fn data(&self, chip: u32, at: Ppn) -> u64 {
        self.data_at + self.page(chip, at) * u64::from(self.shape.geometry.page_size())
    }

    pub fn spare(&self, chip: u32, at: Ppn) -> u64 {
        self.spares_at + self.page(chip, at) * spare::BYTES as u64
    }

    /// Where the entries of a slot are.
    pub fn slot(&self, chip: u32, slot: u32) -> u64 {
        let slots = u64::from(self.shape.slots());
        self.blocks_at + (u64::from(chip) * slots + u64::from(slot)) * spare::BLOCK_BYTES as u64
    }

    pub fn record_page(&self, epoch: u64, index: u32) -> u64 {
        let page = epoch % 2 * u64::from(self.half_pages) + u64::from(index);
        self.records_at + page * u64::from(self.shape.geometry.page_size())
    }

    pub fn encode(&self) -> Vec<u8> {
        let geometry = &self.shape.geometry;
        let mut header = MAGIC.to_vec();
        let own_blocks = geometry.own_blocks();
        for number in [
            if own_blocks == 0 {
                WITHOUT_OWN_BLOCKS
            } else {
                VERSION
            },
            geometry.page_size(),
            geometry.pages_per_block(),
            geometry.logical_blocks(),
            geometry.physical_blocks(),
            geometry.planes(),
            self.shape.chips,
            u32::from(self.shape.order == ProgramOrder::Any),
            u32::from(self.shape.full),
            geometry.chips(),
            self.shape.ram_pages,
            self.shape.spares,
            geometry.own_pages(),
            self.config_bytes,
            self.config_sum,
        ] {
            header.extend(number.to_le_bytes());
        }
        header.extend(self.id.to_le_bytes());
        if own_blocks > 0 {
            header.extend(own_blocks.to_le_bytes());
        }
        header.extend(sum(&header, 0).to_le_bytes());
        header.resize(HEADER as usize, 0);
        header
    }

    /// The layout of a valid header; `None` if its checksum is wrong.
    pub fn decode(header: &[u8]) -> Result<Option<Self>, ImageError> {
        let number = |place: usize| word(header, 8 + 4 * place);
        if &header[..8] != MAGIC {
            return Err(ImageError::NotAnImage);
        }
        let (found, supported) = (number(0), VERSION);
        let is_known = (WITHOUT_OWN_BLOCKS..=VERSION).contains(&found);
        let end = used(found) - 4;
        let is_whole = word(header, end) == sum(&header[..end], 0);
        // earlier versions had shorter headers
        if !is_known && (is_whole || (1..supported).contains(&found)) {
            return Err(ImageError::Version { found, supported });
        }
        if !is_whole {
            return Ok(None);
        }
        let wrong_flag = |what: &str, found: u32| {
            let what = format!("its {what} is {found}; must be 0 or 1");
            Err(ImageError::Damaged(what))
        };
        let [page_size, per_block, logical, physical, planes] = [1, 2, 3, 4, 5].map(number);
        let own_blocks = match found {
            VERSION => number(17),
            _ => 0,
        };
        let slots = u64::from(physical) + u64::from(own_blocks) + u64::from(number(11));
        let pages = slots.max(logical.into()) * u64::from(per_block);
        let line = number(9);
        let whole = line > 0 && per_block.is_multiple_of(line);
        let own_pages = number(12);
        let named = u64::from(logical) * u64::from(per_block) + u64::from(own_pages);
        if per_block == 0 || planes == 0 || !whole || pages.max(named) >= u64::from(u32::MAX) {
            return Err(ImageError::Damaged("its geometry is impossible".into()));
        }
        let shape = ImageShape {
            geometry: Geometry::new(page_size, per_block, logical, physical, planes)
                .in_lines(line)
                .with_own_pages(own_pages)
                .with_own_blocks(own_blocks),
            chips: number(6),
            order: match number(7) {
                0 => ProgramOrder::Ascending,
                1 => ProgramOrder::Any,
                other => return wrong_flag("order of programs", other),
            },
            full: match number(8) {
                0 => false,
                1 => true,
                other => return wrong_flag("factory state", other),
            },
            ram_pages: number(10),
            spares: number(11),
        };
        Layout::new(shape, long(header, 68), number(13), number(14)).map(Some)
    }
}
