//! Small drives, each put together from choices.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use ssdlab_config::{Config, Resolver};
use ssdlab_disks::LoggedDisk;
use ssdlab_drive::{Design, Drive, DriveError, MemoryDisk};

use crate::input::Input;

/// One entry of each list, which is one setting or several, makes a drive, unless they do not go together.
const CHOICES: [&[&str]; 13] = [
    &[
        "ftl.kind=page ftl.spare_blocks=8",
        "ftl.kind=bast ftl.log_blocks=2",
        "ftl.kind=fast ftl.log_blocks=3",
        "ftl.kind=superblock",
        "ftl.kind=block",
        "ftl.kind=replacement",
        "ftl.kind=page ftl.spare_blocks=16 ftl.placement=dac ftl.stable_s=[20,40,60,80]",
        "ftl.kind=page ftl.spare_blocks=16 ftl.placement=dac+ ftl.stable_s=[20,40,60,80] ftl.ram=2KiB",
        "ftl.kind=page ftl.spare_blocks=16 ftl.placement=deb ftl.ram=4KiB",
        "ftl.kind=bast ftl.log_blocks=5",
        "ftl.kind=fast ftl.log_blocks=6",
    ],
    &[
        "buffer.policy=lru",
        "buffer.policy=none",
        "buffer.policy=bplru",
        "buffer.policy=fab",
        "buffer.policy=blru",
        "buffer.policy=cflru",
        "buffer.policy=three-region",
        "buffer.policy=cbb",
        "buffer.policy=req-block",
        "buffer.policy=lb-clock",
        "buffer.policy=plru-br-2q",
        "buffer.policy=plru-br",
        "buffer.policy=sof",
        "buffer.policy=zone",
        "buffer.policy=fifo",
    ],
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
        "ftl.buffer_aware=off",
        "ftl.buffer_aware=merge",
        "ftl.buffer_aware=merge+victim",
        "ftl.cleaning=cost-benefit",
        "ftl.cleaning=cat",
        "ftl.cleaning=jffs2",
        "timing.model=parallel",
    ],
    &[
        "drive.spare_blocks=0",
        "drive.spare_blocks=40 drive.bad_blocks=3",
        FAULTS,
    ],
];

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
    /// What was answered to the host survives the death of the process.
    pub keeps_ram: bool,
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
    let settings: Vec<&str> = CHOICES.iter().map(|of| *input.choose(of)).collect();
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
    let config = design.config();
    let has_faults = has_faults(config);
    let keeps_ram =
        config.reads("buffer.protected") && config.buffer.protected || config.reads("ftl.ram");
    let mut disk = MemoryDisk::new(design.image_bytes()?)?;
    design.create_on(&mut disk)?;
    Ok(NewDrive {
        design: Arc::new(design),
        image: Arc::new(disk.0),
        has_faults,
        keeps_ram,
    })
}
