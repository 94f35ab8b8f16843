//! What a controller needs for the same systems: RAM, and time when power comes and goes. Nothing of it changes a count.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use ssdlab_ftl::{NUMBER, Needs, Tables};
use ssdlab_policy::buffer::Nature;

use crate::{Flash, Interleave, Parameters, TimeModel};

/// A spare area is this part of a page: 64 bytes of 2048, or 128 of 4096 (LFS buffers, Table 1).
const SPARE: u64 = 32;

/// The RAM of a device, and how long it takes to start and to save its buffers. `None` in a part: it is not known, since
/// a system of another crate does not say, or a buffer has no size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Controller {
    /// The RAM by part.
    pub ram_bytes: Ram,
    /// The time to start up, in nanoseconds: to read the spare areas that say where the pages are. `None` without flash.
    pub mount_ns: Option<u64>,
    /// The time, in nanoseconds, to write full buffers and regions in RAM to erased flash when power is lost. `None`
    /// without them.
    pub dump_ns: Option<u64>,
}

/// The RAM of a controller by part, in bytes. Serialised with the sum, `total`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ram {
    /// The tables of the FTLs of all chips; `None`: an FTL does not say.
    pub tables: Option<Tables>,
    /// Lists, headers and index of what is held by buffers, by regions in RAM and by the cache of a map in flash; `None`: a
    /// buffer has no size.
    pub index: Option<u64>,
    /// Room for these pages, and `timing.spare_slots`; `None`: a buffer has no size.
    pub data: Option<u64>,
}

impl Ram {
    /// All parts together.
    pub fn total(&self) -> Option<u64> {
        Some(self.of_ftl()? + self.index? + self.data?)
    }

    /// The tables of the FTLs.
    pub fn of_ftl(&self) -> Option<u64> {
        self.tables
            .map(|t| t.mapping + t.map + t.log_blocks + t.cleaning + t.updates)
    }
}

impl Serialize for Ram {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let of = |part: fn(&Tables) -> u64| self.tables.as_ref().map(part);
        let parts = [
            ("mapping", of(|t| t.mapping)),
            ("map", of(|t| t.map).filter(|bytes| *bytes > 0)),
            ("log_blocks", of(|t| t.log_blocks)),
            ("cleaning", of(|t| t.cleaning)),
            ("updates", of(|t| t.updates)),
            ("index", self.index),
            ("data", self.data),
            ("total", self.total()),
        ];
        // few devices have a map in flash
        let shown = parts
            .iter()
            .filter(|(name, bytes)| *name != "map" || bytes.is_some());
        let mut map = serializer.serialize_map(None)?;
        for (name, bytes) in shown {
            map.serialize_entry(name, bytes)?;
        }
        map.end()
    }
}

/// The buffers of a device; `None`: there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Natures {
    /// The write buffer.
    pub write: Option<Nature>,
    /// The read buffer.
    pub read: Option<Nature>,
}

impl Controller {
    /// That of a device whose FTL needs this on each chip with its own FTL.
    pub fn of(parameters: &Parameters, needs: &Needs, buffers: Natures) -> Self {
        let flash = &parameters.flash;
        let chips = u64::from(flash.separate_chips());
        let tables = needs.tables.map(|t| Tables {
            mapping: chips * t.mapping,
            log_blocks: chips * t.log_blocks,
            cleaning: chips * t.cleaning,
            updates: chips * t.updates,
            map: chips * t.map,
            map_index: chips * t.map_index,
            spares_read: chips * t.spares_read,
            pages_read: chips * t.pages_read,
        });
        let (index, data) = memories(parameters, needs, buffers).unzip();
        let of_map = tables.map_or(0, |t| t.map_index);
        let index = index.map(|index| index + of_map);
        let move_ns = parameters.move_ns();
        let has_flash = |_: &Tables| needs.blocks.is_some();
        let saved = chips * u64::from(needs.ram_pages)
            + buffers
                .write
                .filter(|write| write.bounded)
                .map_or(0, |_| flash.pages_in(parameters.buffer.size));
        Self {
            ram_bytes: Ram {
                tables,
                index,
                data,
            },
            mount_ns: tables.filter(has_flash).map(|t| {
                let read_ns = parameters.timing.read_ns;
                let spares = flash.together(t.spares_read, read_ns, move_ns / SPARE);
                spares + flash.together(t.pages_read, read_ns, move_ns)
            }),
            dump_ns: (saved > 0).then(|| parameters.dump_ns(saved)),
        }
    }
}

impl Parameters {
    /// The time that all chips together take to write this many pages to erased flash, in nanoseconds.
    pub fn dump_ns(&self, pages: u64) -> u64 {
        self.flash
            .together(pages, self.timing.program_ns, self.move_ns())
    }

    /// The time of a move of a page over a channel, in nanoseconds.
    fn move_ns(&self) -> u64 {
        match self.timing.model {
            TimeModel::Parallel | TimeModel::Drive => self.timing.parallel.channel_ns,
            TimeModel::Serial => self.timing.transfer_ns,
        }
    }
}

impl Flash {
    /// The time for this many operations that are spread evenly over all chips, each with a move over its channel.
    fn together(&self, operations: u64, cells_ns: u64, move_ns: u64) -> u64 {
        // a superpage spans all chips; its move is that of all its parts
        let (chips, channels) = match self.interleave {
            Interleave::Superpage => (1, 1),
            Interleave::Page | Interleave::Block | Interleave::Line => {
                (self.chips(), self.channels)
            }
        };
        let share = |n: u32| operations.div_ceil(n.into());
        let on_chips = share(chips).saturating_mul(cells_ns + move_ns);
        on_chips.max(share(channels).saturating_mul(move_ns))
    }
}

/// The bytes of lists and indexes, and of pages; `None` if a buffer has no size.
fn memories(parameters: &Parameters, needs: &Needs, buffers: Natures) -> Option<(u64, u64)> {
    let flash = &parameters.flash;
    let region = u64::from(needs.ram_pages) * u64::from(flash.separate_chips());
    let mut index = of_pages(region.min(flash.logical_pages().into()));
    let mut pages = region;
    if let Some(write) = buffers.write {
        if !write.bounded {
            return None;
        }
        let held = flash.pages_in(parameters.buffer.size);
        let headers_apart = !parameters.buffer.count_headers;
        index += of_buffer(flash, write, held, headers_apart);
        pages += held;
        if parameters.timing.model.has_clocks() {
            pages += parameters.spare_slots(needs);
        }
    }
    if let Some(read) = buffers.read {
        let held = flash.pages_in(parameters.read_buffer_size);
        index += of_buffer(flash, read, held, true);
        pages += held;
    }
    Some((index, pages * u64::from(flash.page_size)))
}

/// A node for each page (two links, its number, its state) and a hash table with a number for each.
fn of_pages(held: u64) -> u64 {
    (NODE + NUMBER) * held
}

/// The node of a page or header: two links, a number of a page or block, and the number of pages held or the state (BPLRU,
/// section 3.4: nPrev, nNext, nLbn, nNumOfSet).
const NODE: u64 = 4 * NUMBER;

fn of_buffer(flash: &Flash, nature: Nature, pages: u64, headers_apart: bool) -> u64 {
    let held = pages.min(flash.logical_pages().into());
    if !nature.evicts_blocks {
        return of_pages(held);
    }
    // two levels (BPLRU, section 3.4 and Figure 6): by block, and in the header of each block by page. At worst each
    // page is in a block of its own. Headers that are counted take the room of pages.
    let blocks = u64::from(flash.logical_blocks());
    let headers = if headers_apart { held.min(blocks) } else { 0 };
    let header = NODE + NUMBER * u64::from(flash.pages_per_block);
    NODE * held + NUMBER * blocks + header * headers
}
