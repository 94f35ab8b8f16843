//! DFTL (Gupta, Kim and Urgaonkar 2009), simplified: page mapping whose map is in flash. RAM holds the map pages that
//! were used last, and where the others are.
//!
//! The data have an area of their own with the greedy cleaning of a log, the map has another one (`table`). After a power
//! cut, the spare areas say which map pages are older than what they map (`mount`).

mod area;
mod mount;
mod table;

use ssdlab_flash::{Geometry, Lpn, Media, Ppn, Role, Spare};
use ssdlab_ftl::{
    Buffer, Capacity, Env, Found, Ftl, FtlError, FtlKind, Inputs, Needs, ReadCause, SPARE_BLOCKS,
};
use ssdlab_policy::{About, BitSet, Count, Entry, Impossible, Paper, Source, Venue};

use area::Area;
use table::{Shape, Table};

/// `ftl.map_pages_in_ram`.
pub const MAP_PAGES_IN_RAM: Count = Count::new(
    "ftl.map_pages_in_ram",
    [1, 65535],
    8,
    "pages of the map that RAM holds",
);

/// The pages of data.
const DATA: Role = Role::DATA;

/// Page mapping with its map in flash.
pub struct Dftl<P> {
    geometry: Geometry,
    table: Table<P>,
    area: Area,
    /// The mapped pages.
    mapped: BitSet,
}

/// The parameters.
#[derive(Clone, Debug)]
pub struct DftlConfig {
    spare_blocks: u32,
    map_pages_in_ram: u32,
}

/// What `ssdlab cite` prints for results of this FTL.
const PAPER: Paper = Paper {
    key: "gupta2009dftl",
    name: "Gupta, Kim and Urgaonkar 2009",
    authors: &[
        ("Aayush", "Gupta"),
        ("Youngjae", "Kim"),
        ("Bhuvan", "Urgaonkar"),
    ],
    title: "DFTL: A Flash Translation Layer Employing Demand-Based Selective Caching of Page-Level Address Mappings",
    place: "ASPLOS 2009",
    venue: Venue::Proceedings {
        of: "14th International Conference on Architectural Support for Programming Languages and Operating Systems \
             (ASPLOS XIV)",
        pages: "",
    },
    year: Some(2009),
    doi: None,
};

impl FtlKind for Dftl<()> {
    const ENTRY: Entry = Entry {
        name: "dftl",
        rule: "maps pages like page, but keeps the map in flash and a few of its pages in RAM",
        source: Source::of("{}", &[&PAPER]),
        keys: &[SPARE_BLOCKS.key, MAP_PAGES_IN_RAM.key],
        about: About {
            file: file!(),
            lines: [
                "Writes are appended to a log; the full block with the fewest valid pages is cleaned.",
                "A look-up of a page whose map page is not in RAM reads that page from flash.",
                "The map page used least recently makes room for it, and is programmed if it was changed.",
            ],
            cost: "O(blocks) for each victim, O(map pages in RAM) for each page; 4 bytes for each map page and one bit \
                   for each page, beside the map pages in RAM.",
            wins: "Devices whose RAM cannot hold a map of all pages, under workloads with locality.",
            loses: "Random accesses to more pages than the map pages in RAM cover.",
        },
    };

    const CLEANS: bool = true;

    type Config = DftlConfig;

    fn configure(inputs: &Inputs) -> DftlConfig {
        DftlConfig {
            spare_blocks: inputs.spare_blocks,
            map_pages_in_ram: MAP_PAGES_IN_RAM.of(inputs.settings) as u32,
        }
    }

    fn needs(config: &DftlConfig, capacity: &Capacity) -> Result<Needs, Impossible> {
        if config.spare_blocks < 2 {
            return Err(Impossible {
                key: SPARE_BLOCKS.key.path,
                why: "must be at least 2 with ftl.kind \"dftl\": one to clean into, one to gain"
                    .into(),
            });
        }
        let shape = Shape::of(
            capacity.logical_pages(),
            capacity.pages_per_block,
            capacity.page_size,
        );
        let size = capacity.over(shape.blocks(), config.spare_blocks);
        // the simulated map in flash; for each physical page, the logical page that its spare area would name
        let in_flash = 4 * size.logical_pages + 4 * size.physical_pages;
        let in_ram = u64::from(config.map_pages_in_ram.min(shape.pages) + 1)
            * (u64::from(capacity.page_size) + 128);
        let tables =
            4 * u64::from(shape.pages) + size.logical_pages / 8 + 24 * size.physical_blocks;
        Ok(Needs {
            own_pages: shape.pages,
            ..size.needs(in_flash + in_ram + tables)
        })
    }

    fn fresh<M: Media>(config: &DftlConfig, geometry: &Geometry, full: bool) -> Box<dyn Ftl<M>> {
        let table = Table::new(geometry, config.map_pages_in_ram as usize, full);
        Box::new(Dftl::<M::Data> {
            area: Area::new(geometry, table.first_block(), full),
            mapped: BitSet::new(geometry.logical_pages(), full),
            table,
            geometry: geometry.clone(),
        })
    }

    fn mount<M: Media>(config: &DftlConfig, media: &mut M) -> Result<Box<dyn Ftl<M>>, FtlError> {
        Ok(Box::new(Dftl::from_flash(config, media)?))
    }
}

impl<P: ssdlab_flash::Payload> Dftl<P> {
    /// Makes sure that a page can be programmed.
    fn make_room<M: Media<Data = P>>(&mut self, env: &mut Env<M>) -> Result<(), FtlError> {
        while !self.area.has_room() {
            if self.area.free() > 1 {
                self.area.open()?;
            } else {
                self.clean(env)?;
            }
        }
        Ok(())
    }

    /// Copies the valid pages of a victim into the last free block. A mount that finds no free block drops the newest block:
    /// it holds these copies, and at most writes that no barrier has followed.
    fn clean<M: Media<Data = P>>(&mut self, env: &mut Env<M>) -> Result<(), FtlError> {
        let victim = self.area.victim().ok_or(FtlError::OverFilled)?;
        env.begin_cleaning(victim, self.area.valid(victim));
        self.area.open()?;
        for from in self.geometry.pages_of(victim) {
            let Some(lpn) = self.area.owner(from) else {
                continue;
            };
            let to = self.area.take();
            env.copy(from, to, Spare { lpn, role: DATA })?;
            self.area.moved(lpn, from, to);
            self.table.set(env, lpn, to)?;
        }
        env.barrier()?;
        env.erase(victim)?;
        self.area.erased(victim);
        Ok(())
    }
}

impl<M: Media> Ftl<M> for Dftl<M::Data> {
    fn write(
        &mut self,
        env: &mut Env<M>,
        _: &mut Buffer<M::Data>,
        lpn: Lpn,
        data: &M::Data,
    ) -> Result<(), FtlError> {
        self.make_room(env)?;
        let old = self.table.get(env, lpn)?;
        let to = self.area.take();
        env.program(to, Spare { lpn, role: DATA }, data)?;
        self.area.moved(lpn, old, to);
        self.mapped.insert(lpn.0);
        self.table.set(env, lpn, to)
    }

    fn read(&mut self, env: &mut Env<M>, lpn: Lpn, page: &mut M::Data) -> Result<Found, FtlError> {
        let at = if !self.mapped.contains(lpn.0) {
            Ppn::NONE
        } else if env.reading() == ReadCause::Rest {
            self.table.peek(env.media_mut(), lpn)?
        } else {
            self.table.get(env, lpn)?
        };
        env.read(at, page)
    }

    fn is_mapped(&self, lpn: Lpn) -> bool {
        self.mapped.contains(lpn.0)
    }

    fn discard(&mut self, env: &mut Env<M>, lpn: Lpn) -> Result<(), FtlError> {
        if self.mapped.contains(lpn.0) {
            let old = self.table.get(env, lpn)?;
            env.record_discard(lpn)?;
            self.area.invalidate(old);
            self.mapped.remove(lpn.0);
            self.table.set(env, lpn, Ppn::NONE)?;
        }
        Ok(())
    }

    fn check(&self, media: &mut M) -> Result<(), String> {
        self.check_tables(media)
    }
}
