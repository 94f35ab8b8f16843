//! Small drives, each put together from choices.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use ssdlab_config::{Config, Resolver};
use ssdlab_device::Family;
use ssdlab_device::registry::{Entry, built_in};
use ssdlab_disks::{LoggedDisk, new_image};
use ssdlab_drive::{Design, Drive, DriveError};

use crate::input::Input;

/// Settings that fit small drives, for systems that read the key.
const SMALL: [(&str, &str); 5] = [
    ("ftl.handles", "2"),
    ("ftl.heads", "2"),
    ("ftl.ram", "2KiB"),
    ("ftl.regions", "4"),
    ("ftl.stable_s", "[20,40,60,80]"),
];

/// What every drive chooses beside its systems.
const CHOICES: [&[&str]; 12] = [
    &[
        "ftl.spare_blocks=16",
        "",
        "ftl.spare_blocks=8",
        "ftl.spare_blocks=10 ftl.ram=4KiB",
    ],
    &["ftl.log_blocks=3", "ftl.log_blocks=2", "ftl.log_blocks=6"],
    &[
        "flash.page_size=512",
        "flash.page_size=1KiB",
        "flash.page_size=2KiB",
    ],
    &[
        "flash.pages_per_block=4",
        "flash.pages_per_block=2",
        "flash.pages_per_block=8",
    ],
    &[
        "flash.capacity=16KiB",
        "flash.capacity=32KiB",
        "flash.capacity=64KiB",
    ],
    &[
        "flash.channels=1",
        "flash.channels=2 flash.interleave=page",
        "flash.channels=2 flash.interleave=line",
        "flash.channels=2 flash.interleave=superpage",
        "flash.channels=2 flash.chips_per_channel=2 flash.interleave=page",
    ],
    &["buffer.size=4KiB", "buffer.size=2KiB", "buffer.size=12KiB"],
    &["buffer.protected=false", "buffer.protected=true"],
    &[
        "buffer.reads=bypass",
        "buffer.reads=cache",
        "read_buffer.policy=lru read_buffer.size=4KiB",
        "read_buffer.policy=zone read_buffer.size=4KiB read_buffer.writes=cache",
    ],
    &["precondition=full", "precondition=empty"],
    &["partial_writes=whole", "partial_writes=rmw"],
    &[
        "drive.spare_blocks=0",
        "drive.spare_blocks=40 drive.bad_blocks=3",
        FAULTS,
    ],
];

/// One entry of each list, which is one setting or several, makes a drive, unless they do not go together. Every system of
/// the registry is in one of them.
fn choices() -> &'static [Vec<String>] {
    static LISTS: LazyLock<Vec<Vec<String>>> = LazyLock::new(|| {
        let placements = built_in(Family::Placement).iter();
        let (pages, others): (Vec<_>, Vec<_>) =
            (built_in(Family::Ftl).iter()).partition(|ftl| ftl.reads(Family::Placement.selector()));
        let pages = pages.iter().flat_map(|ftl| {
            let placements = placements.clone();
            placements.map(|placement| {
                let systems = [(Family::Ftl, *ftl), (Family::Placement, placement)];
                systems
                    .map(|(family, entry)| chosen_as(family, entry))
                    .join(" ")
            })
        });
        let others = others.iter().map(|ftl| chosen_as(Family::Ftl, ftl));
        let ftls = pages.chain(others).collect();
        let all = |family| {
            built_in(family)
                .iter()
                .map(move |entry| chosen_as(family, entry))
        };
        let aware = ["off", "merge", "merge+victim"];
        let aware = aware.map(|aware| format!("ftl.buffer_aware={aware}"));
        let timed = ["parallel", "drive"].map(|model| format!("timing.model={model}"));
        let rest = aware.into_iter().chain(timed).chain(all(Family::Cleaning));
        let lists = [ftls, all(Family::Buffer).collect(), rest.collect()];
        let fixed = CHOICES
            .iter()
            .map(|of| of.iter().map(|&some| some.to_owned()).collect());
        lists.into_iter().chain(fixed).collect()
    });
    &LISTS
}

/// The settings that choose a system, and what it needs on a small drive.
fn chosen_as(family: Family, entry: &Entry) -> String {
    let mut all = format!("{}={}", family.selector(), entry.name);
    for (key, value) in SMALL.iter().filter(|(key, _)| entry.reads(key)) {
        all += &format!(" {key}={value}");
    }
    all
}

/// For each entry of each list, the bytes that choose it and the first entry of all other lists, its settings, and whether they
/// make a drive.
pub fn each_choice() -> impl Iterator<Item = (Vec<u8>, &'static str, bool)> {
    let lists = choices().iter().enumerate();
    lists.flat_map(|(list, entries)| {
        let entries = entries.iter().enumerate();
        entries.map(move |(entry, settings)| {
            let mut bytes = vec![0; choices().len()];
            bytes[list] = entry as u8;
            let made = chosen(&mut Input::new(&bytes));
            (bytes, settings.as_str(), made.is_some())
        })
    })
}

/// Flash whose blocks fail. Its data move before they are lost.
const FAULTS: &str = "drive.spare_blocks=90 drive.bad_blocks=2 drive.program_failures=0.01 drive.erase_failures=0.05 \
                      drive.erase_limit=30 drive.bit_errors=55 drive.ecc_bits=100";

/// The most designs that are kept.
const KEPT: usize = 1 << 7;

/// A design, with a new image of it.
#[derive(Clone)]
pub struct NewDrive {
    pub design: Arc<Design>,
    pub image: Arc<Vec<u8>>,
    /// Its flash may fail.
    pub has_faults: bool,
}

impl NewDrive {
    /// Opens the drive on a disk that is new, or that a close or a crash has left.
    pub fn open(&self, disk: &LoggedDisk) -> Drive {
        let opened = Drive::open_made_with(disk.clone(), self.design.clone());
        opened.unwrap_or_else(|error| panic!("opening: {error}"))
    }
}

/// The drive that the next bytes choose; none if the choices do not go together.
pub fn chosen(input: &mut Input) -> Option<NewDrive> {
    let choices = choices().iter();
    let settings: Vec<&str> = choices.map(|of| input.choose(of).as_str()).collect();
    thread_local! {
        static DESIGNS: RefCell<HashMap<Vec<&'static str>, Option<NewDrive>>> = RefCell::default();
    }
    DESIGNS.with_borrow_mut(|designs| {
        if designs.len() >= KEPT {
            designs.clear();
        }
        let made = designs.entry(settings.clone());
        made.or_insert_with(|| make(&settings).ok()).clone()
    })
}

/// Whether the flash of a drive fails.
pub fn has_faults(config: &Config) -> bool {
    let drive = config.drive();
    let shares = [
        drive.program_failures,
        drive.erase_failures,
        drive.bit_errors,
        drive.bit_errors_per_erase,
    ];
    shares.iter().any(|share| *share > 0.0) || drive.erase_limit > 0
}

/// A drive with these settings; each string may hold several.
///
/// # Errors
/// Settings that do not go together.
pub fn make(settings: &[&str]) -> Result<NewDrive, DriveError> {
    let mut resolver = Resolver::new();
    for setting in settings.iter().flat_map(|some| some.split_whitespace()) {
        resolver.set(setting)?;
    }
    let design = Design::new(resolver.resolve()?)?;
    Ok(NewDrive {
        image: Arc::new(new_image(&design)?),
        has_faults: has_faults(design.config()),
        design: Arc::new(design),
    })
}
