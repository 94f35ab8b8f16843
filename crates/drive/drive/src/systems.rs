//! The systems that a drive can have.

use std::path::Path;
use std::sync::{Arc, LazyLock};

use ssdlab_config::{Config, Resolver};
use ssdlab_device::{Catalogue, Family, Plugins, Registry};
use ssdlab_image::{Behind, Disk, FileAccess, FileDisk, ImageFlash, Overlay};

use crate::design::Design;
use crate::drive::{Drive, OpenOptions};
use crate::error::DriveError;

/// The systems that a drive can have; by default the built-in ones. Cheap to clone.
///
/// An image keeps the names of its systems: only a program with all of them can open it.
#[derive(Clone)]
pub struct DriveSystems(pub(crate) Arc<Registry<ImageFlash>>);

impl Default for DriveSystems {
    // neither generic nor inline, so that this crate compiles the systems
    #[inline(never)]
    fn default() -> Self {
        static BUILT_IN: LazyLock<Arc<Registry<ImageFlash>>> =
            LazyLock::new(|| Arc::new(Registry::built_in()));
        Self(BUILT_IN.clone())
    }
}

impl DriveSystems {
    /// The built-in systems and these.
    pub fn with(plugins: &impl Plugins) -> Self {
        let mut systems = Self::default();
        plugins.add(Arc::make_mut(&mut systems.0));
        systems
    }

    /// Whether there are only built-in ones.
    pub fn are_built_in(&self) -> bool {
        let count = |catalogue: &Catalogue| {
            let systems = Family::ALL.map(|family| catalogue.entries(family).len());
            systems.iter().sum::<usize>() + catalogue.figures().len()
        };
        count(&self.0.catalogue()) == count(&Catalogue::built_in())
    }

    /// A resolver of configurations for these systems.
    pub fn resolver(&self) -> Resolver {
        Resolver::of(self.0.catalogue())
    }

    /// A drive of this configuration: see [`Design::new`].
    ///
    /// # Errors
    /// A configuration that cannot be that of a drive.
    pub fn design(&self, config: &Config) -> Result<Design, DriveError> {
        Design::of_config(config, self)
    }

    /// Opens the drive in a file: see [`Drive::open`].
    ///
    /// # Errors
    /// As [`Drive::open`]; an image with other systems.
    pub fn open(&self, path: &Path, options: OpenOptions) -> Result<Drive, DriveError> {
        self.open_disk(Behind::new(FileDisk::open(path, options.access())?))
    }

    /// Opens the drive in a file, and gives each request its time: see [`Drive::open_timed`].
    ///
    /// # Errors
    /// As [`Drive::open_timed`]; an image with other systems.
    pub fn open_timed(&self, path: &Path, options: OpenOptions) -> Result<Drive, DriveError> {
        let design = self.design_of(path)?.timed()?;
        let disk = Behind::new(FileDisk::open(path, options.access())?);
        Drive::open_made_with(disk, Arc::new(design))
    }

    /// Opens the drive on any disk: see [`Drive::open_disk`].
    ///
    /// # Errors
    /// As [`DriveSystems::open`].
    pub fn open_disk(&self, disk: impl Disk + 'static) -> Result<Drive, DriveError> {
        Drive::open_with(disk, self, Design::faults)
    }

    /// Opens the drive in a file without changing the file: see [`Drive::look_at`].
    ///
    /// # Errors
    /// As [`DriveSystems::open`].
    pub fn look_at(&self, path: &Path) -> Result<Drive, DriveError> {
        let disk = Overlay::new(FileDisk::open(path, FileAccess::ReadOnly)?);
        Drive::open_with(disk, self, |_| Default::default())
    }

    /// Opens the drive in a file that may not be written, as `code` of the system says: it only reads. What opening repairs
    /// stays in memory. If it is `timed`, each request has its time.
    ///
    /// # Errors
    /// As [`DriveSystems::open`] and [`DriveSystems::open_timed`].
    pub fn open_protected(&self, path: &Path, code: i32, timed: bool) -> Result<Drive, DriveError> {
        let mut drive = match timed {
            false => self.look_at(path)?,
            true => {
                let design = Arc::new(self.design_of(path)?.timed()?);
                let disk = Overlay::new(FileDisk::open(path, FileAccess::ReadOnly)?);
                Drive::open_made_with(disk, design)?
            }
        };
        drive.protect(code);
        Ok(drive)
    }

    /// The design of the drive in a file, which no other process has open. Reads little, and changes nothing.
    ///
    /// # Errors
    /// As [`DriveSystems::open`], as far as the header and the configuration show it.
    pub fn design_of(&self, path: &Path) -> Result<Design, DriveError> {
        let disk = FileDisk::open(path, FileAccess::ReadOnly)?;
        Design::read(&ssdlab_image::config(&disk)?, self)
    }
}
