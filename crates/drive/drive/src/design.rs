//! What a drive is made of.

use fastrand::Rng;
use ssdlab_config::{Config, ConfigError, DriveConfig};
use ssdlab_device::{Cause, Figure, Figures, Precondition, Stack, keys};
use ssdlab_ftl::page::PLACEMENT;
use ssdlab_ftl::{BUFFER_AWARE, BufferAware};
use ssdlab_image::{Disk, Faults, Image, ImageFlash, ImageShape};

use crate::error::DriveError;
use crate::systems::DriveSystems;

/// A configuration that a drive can have, and everything that follows from it.
pub struct Design {
    config: Config,
    stack: Stack<ImageFlash>,
    /// All that its status reports.
    pub(crate) figures: Figures,
    /// Whether its FTL merges; otherwise it cleans.
    pub(crate) merges: bool,
    shape: ImageShape,
    /// Of each chip, the erase blocks that are bad from the beginning.
    bad: Vec<Vec<u32>>,
    /// The configuration as the image keeps it.
    text: String,
}

/// Why nothing of a drive foresees.
const UNKNOWN: &str =
    "those of a drive are not known; replay its recorded trace with `ssdlab run` instead";

impl Design {
    /// A drive of this configuration.
    ///
    /// # Errors
    /// A configuration that cannot be that of a drive.
    pub fn new(config: Config) -> Result<Self, DriveError> {
        Self::of_config(&config, &DriveSystems::default())
    }

    pub(crate) fn of_config(config: &Config, systems: &DriveSystems) -> Result<Self, DriveError> {
        // keys without effect get their defaults, as the image does not keep them
        let kept = resolve(config.to_toml().as_bytes(), systems)?;
        Self::read(kept.to_toml().as_bytes(), systems)
    }

    /// The drive whose image keeps this text.
    pub(crate) fn read(text: &[u8], systems: &DriveSystems) -> Result<Self, DriveError> {
        let config = resolve(text, systems)?;
        let refuse = |key, why: &str| {
            let why = why.to_owned();
            Err(DriveError::Impossible { key, why })
        };
        if config.is_auto() {
            let why = "must be a size, such as \"1GiB\": a drive has no trace to fit";
            return refuse(keys::flash::CAPACITY.key.path, why);
        }
        if let Precondition::Aged(_) = config.precondition {
            let why = "must be full or empty for a drive with an image: its host ages it";
            return refuse(keys::PRECONDITION.key.path, why);
        }
        if config.needs.aware.mode == BufferAware::Skip {
            let why = "must be off, watch, merge or merge+victim for a drive with an image: skip drops flushed data, \
                       which a power cut then loses";
            return refuse(BUFFER_AWARE.key.path, why);
        }
        if config.needs.in_place {
            let why = "must be separate or shared for a drive with an image: in place, a power cut loses the pages of a victim";
            return refuse("ftl.gc_frontier", why);
        }
        if config.needs.future {
            let why = format!("must be one that does not know the writes to come: {UNKNOWN}");
            return refuse(PLACEMENT.key.path, &why);
        }
        let stack: Stack<ImageFlash> = config.stack(&systems.0);
        config.check(&stack)?;
        let geometry = config.chip_geometry(&stack);
        if geometry.physical_blocks() == 0 {
            return refuse(
                keys::ftl::KIND.key.path,
                "must be an FTL with flash, which a drive needs",
            );
        }
        let nature = stack.buffer_nature();
        if nature.is_some_and(|nature| !nature.bounded) {
            return refuse(
                keys::buffer::POLICY.key.path,
                "must be none or a buffer with a size, as drives have",
            );
        }
        if nature.is_some_and(|nature| nature.foresees) {
            let why = format!(
                "must be none or a buffer that does not know the writes to come: {UNKNOWN}"
            );
            return refuse(keys::buffer::POLICY.key.path, &why);
        }
        let chips = config.flash.separate_chips();
        let region = config.needs.ram_pages.saturating_mul(chips);
        let buffer = match nature {
            Some(_) if config.buffer.protected => config.buffer_pages(),
            _ => 0,
        };
        let ram_pages = region.saturating_add(buffer);
        let (dump, hold) = (config.dump_ns(ram_pages.into()), config.hold_ns());
        if dump > hold {
            let seconds = |ns: u64| ns as f64 / 1e9;
            let why = format!(
                "must be at least {}: the {ram_pages} pages of protected RAM take {:.2} s to write, power lasts {:.2} s; \
                 make the RAM smaller, the power last longer, or add chips",
                dump.div_ceil(1_000_000),
                seconds(dump),
                seconds(hold)
            );
            return refuse(keys::drive::HOLD_MS.key.path, &why);
        }
        let drive = config.drive();
        if drive.bad_blocks > drive.spare_blocks {
            let why = format!(
                "must be at most drive.spare_blocks, which is {}",
                drive.spare_blocks
            );
            return refuse(keys::drive::BAD_BLOCKS.key.path, &why);
        }
        let shape = ImageShape {
            chips,
            ram_pages,
            order: stack.program_order(),
            full: config.precondition != Precondition::Empty,
            spares: drive.spare_blocks,
            geometry,
        };
        let catalogue = systems.0.catalogue();
        let figures = catalogue.figures().clone();
        let ftl = catalogue.ftl(config.ftl);
        Ok(Self {
            merges: ftl.is_some_and(|ftl| ftl.moves == Cause::Merge),
            figures: if config.flash.erases_lines() {
                figures.map(Figure::of_lines)
            } else {
                figures
            },
            config,
            stack,
            bad: bad_blocks(&shape, &drive),
            shape,
            text: String::from_utf8_lossy(text).into(),
        })
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The same drive, with requests issued at their own times, so that each has its own time of
    /// completion: see [`Drive::latency_ns`](crate::Drive::latency_ns).
    ///
    /// # Errors
    /// A configuration without the clocks of the parallel model.
    pub fn timed(mut self) -> Result<Self, DriveError> {
        if !self.config.has_clocks() {
            return Err(DriveError::Impossible {
                key: keys::timing::MODEL.key.path,
                why: "must be \"parallel\": under \"serial\" no request has a time of its own"
                    .into(),
            });
        }
        self.config = self.config.timed();
        Ok(self)
    }

    /// The size of a page in bytes, as [`Drive::page_size`](crate::Drive::page_size).
    pub fn page_size(&self) -> u64 {
        self.shape.geometry.page_size().into()
    }

    /// The length of an image, in bytes. The file is sparse: it takes up only what was written.
    ///
    /// # Errors
    /// If the flash is larger than any file.
    pub fn image_bytes(&self) -> Result<u64, DriveError> {
        Ok(Image::length(self.shape.clone(), self.text.as_bytes())?)
    }

    /// Makes an image on a disk of zeros of [`Design::image_bytes`].
    ///
    /// # Errors
    /// A disk that fails, or has another length.
    pub fn create_on(&self, disk: &mut dyn Disk) -> Result<(), DriveError> {
        let made = ssdlab_image::create(disk, self.shape.clone(), self.text.as_bytes(), &self.bad);
        Ok(made?)
    }

    /// The failures of the flash.
    pub(crate) fn faults(&self) -> Faults {
        let drive = self.config.drive();
        Faults {
            programs: drive.program_failures,
            erases: drive.erase_failures,
            erase_limit: drive.erase_limit,
            bit_errors: drive.bit_errors,
            bit_errors_per_erase: drive.bit_errors_per_erase,
            ecc_bits: drive.ecc_bits,
            seed: drive.fault_seed,
        }
    }

    pub(crate) fn stack(&self) -> &Stack<ImageFlash> {
        &self.stack
    }

    /// Whether an image is one of this design.
    pub(crate) fn fits(&self, image: &Image) -> bool {
        self.shape == image.shape() && self.text.as_bytes() == image.config()
    }
}

fn resolve(text: &[u8], systems: &DriveSystems) -> Result<Config, ConfigError> {
    let mut resolver = systems.resolver();
    resolver.file("configuration", text)?;
    resolver.whole_file().resolve()
}

/// Draws the erase blocks of each chip that are bad from the beginning.
fn bad_blocks(shape: &ImageShape, drive: &DriveConfig) -> Vec<Vec<u32>> {
    if drive.bad_blocks == 0 {
        return Vec::new();
    }
    let mut random = Rng::with_seed(drive.fault_seed);
    let draw = |_| {
        let slots = 0..shape.slots();
        let mut bad = random.choose_multiple(slots, drive.bad_blocks as usize);
        bad.sort_unstable();
        bad
    };
    (0..shape.chips).map(draw).collect()
}
