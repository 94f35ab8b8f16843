//! FDP, flexible data placement (NVMe 2.1; WARP, Song et al. 2026; FEMU): the host names a reclaim unit handle with each
//! write.
//!
//! - Each handle has a frontier of its own for what the host writes.
//! - Copies of *initially isolated* handles (`ii`) share one frontier: their data mix after the first copy, but never with
//!   what the host writes.
//! - Copies of a *persistently isolated* handle (`pi`) have a frontier of its own, and the handle owns these units too: its
//!   data never mix with others.
//! - There is one reclaim group. A stream that is no handle uses handle 0, as NVMe wants it.
//!
//! Regions: the handles; copies of each `pi` handle, in their order; the common copies, if some handle is `ii`.

use alloc::format;
use alloc::vec::Vec;

use ssdlab_flash::{Geometry, Lpn};

use super::{Decides, Inputs, Place, Placement, PlacementKind, Wants};
use crate::{About, Count, Entry, Impossible, Source, Words, papers};

/// `ftl.handles`.
pub const HANDLES: Count = Count::new(
    "ftl.handles",
    [1, 128],
    8,
    "reclaim unit handles; the stream of a request is its handle",
);

/// `ftl.handle_types`.
pub const HANDLE_TYPES: Words = Words::new(
    "ftl.handle_types",
    (
        are_types,
        "\"ii\" (initially isolated) or \"pi\" (persistently isolated) for all handles, or a list with one for each",
    ),
    "ii",
    "whether copies of a handle share a frontier with those of others (ii), or have their own (pi)",
);

/// Separates the types of handles.
const COMMA: char = ',';

fn are_types(text: &str) -> bool {
    text.split(COMMA).all(|word| Type::named(word).is_some())
}

/// The type of a reclaim unit handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// Initially isolated.
    Initially,
    /// Persistently isolated.
    Persistently,
}

impl Type {
    fn named(word: &str) -> Option<Self> {
        match word.trim() {
            "ii" => Some(Self::Initially),
            "pi" => Some(Self::Persistently),
            _ => None,
        }
    }
}

/// The parameters of FDP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FdpConfig {
    /// `ftl.handles`: 1 to 128.
    pub handles: u32,
    /// The type of each handle, or one type for all.
    pub types: Vec<Type>,
}

/// The handles and their frontiers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handles {
    handles: u32,
    /// For each region, that of copies out of its units.
    copies: Vec<u32>,
    /// For each region, the handle that owns its units; `None`: they are common.
    owners: Vec<Option<u32>>,
}

impl Handles {
    /// Those of these parameters.
    pub fn new(config: &FdpConfig) -> Self {
        let FdpConfig { handles, ref types } = *config;
        let of = |handle: u32| types.get(handle as usize).or(types.first()).copied();
        let persistent = |handle: &u32| of(*handle) == Some(Type::Persistently);
        let isolated: Vec<u32> = (0..handles).filter(persistent).collect();
        let common = handles + isolated.len() as u32;
        let copies_of = |handle: u32| match isolated.binary_search(&handle) {
            Ok(place) => handles + place as u32,
            Err(_) => common,
        };
        let mut copies: Vec<u32> = (0..handles).map(copies_of).collect();
        copies.extend(handles..common);
        let mut owners: Vec<Option<u32>> = (0..handles).map(Some).collect();
        owners.extend(isolated.iter().copied().map(Some));
        if isolated.len() < handles as usize {
            copies.push(common);
            owners.push(None);
        }
        Self {
            handles,
            copies,
            owners,
        }
    }

    /// The number of handles.
    pub fn handles(&self) -> u32 {
        self.handles
    }

    /// For each region, the handle that owns its units; `None`: it holds the common copies.
    pub fn owners(&self) -> &[Option<u32>] {
        &self.owners
    }
}

/// A frontier for each handle, and one or several for copies.
pub struct Fdp(Handles);

impl PlacementKind for Fdp {
    const ENTRY: Entry = Entry {
        name: "fdp",
        rule: "writes each stream to the reclaim unit handle of its number; copies mix or stay apart by the type of the handle",
        source: Source::of("NVMe 2.1, flexible data placement; {}", &[&papers::WARP]),
        keys: &[HANDLES.key, HANDLE_TYPES.key],
        about: About {
            file: file!(),
            lines: [
                "Each handle has an open unit of its own for what the host writes. The stream of a request is its handle; \
                 a stream that is no handle uses handle 0.",
                "Copies of initially isolated handles (`ii`) share one open unit, which no host write enters.",
                "Copies of a persistently isolated handle (`pi`) have an open unit of their own.",
            ],
            cost: "O(1); no memory.",
            wins: "Hosts that give data of different lifetimes different handles, such as the log and the small objects \
                   of a cache.",
            loses: "Handles that nobody uses, since each keeps an open unit of spare; and handles that mix lifetimes: \
                    they cost as much as one stream.",
        },
    };

    const PAGE_BYTES: u64 = 0;

    type Config = FdpConfig;

    fn configure(inputs: &Inputs) -> FdpConfig {
        let types = HANDLE_TYPES.of(inputs.settings);
        FdpConfig {
            handles: HANDLES.of(inputs.settings) as u32,
            types: types.split(COMMA).filter_map(Type::named).collect(),
        }
    }

    fn check(config: &FdpConfig) -> Result<(), Impossible> {
        let (handles, types) = (config.handles, config.types.len());
        if types == 1 || types == handles as usize {
            return Ok(());
        }
        Err(Impossible {
            key: HANDLE_TYPES.key.path,
            why: format!(
                "must be one type for all handles, or one for each of the {handles} of ftl.handles; there are {types}"
            ),
        })
    }

    fn wants(_: &FdpConfig) -> Wants {
        Wants {
            no_awareness: true,
            streams: true,
            ..Wants::default()
        }
    }

    fn handles(config: &FdpConfig) -> Option<Handles> {
        Some(Handles::new(config))
    }

    fn regions(config: &FdpConfig) -> u32 {
        Handles::new(config).owners.len() as u32
    }

    fn new(_: &Geometry, config: &FdpConfig) -> Self {
        Self(Handles::new(config))
    }
}

impl Placement for Fdp {
    fn decides(&self) -> Decides {
        Decides::Stream(self.0.handles)
    }

    fn of_write(&mut self, _: Lpn, _: Option<u32>, _: u64, stream: u16) -> Place {
        let handle = u32::from(stream);
        Place::Flash(if handle < self.0.handles { handle } else { 0 })
    }

    fn of_copies(&self, region: u32) -> Option<u32> {
        Some(self.0.copies[region as usize])
    }
}
