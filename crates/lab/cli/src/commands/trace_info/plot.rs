//! The picture of a trace: addresses over time.

use std::io::Write;
use std::path::{Path, PathBuf};

use ssdlab_characterise::Raster;
use ssdlab_report::chart::addresses;

use crate::failure::Failure;
use crate::output::{Files, WholeFile};

/// The file of a picture.
pub struct Plot {
    path: PathBuf,
    file: WholeFile,
}

impl Plot {
    /// Begins the file of `--plot`.
    ///
    /// # Errors
    /// It is an input, or cannot be written.
    pub fn begin(files: &mut Files, path: &Path) -> Result<Self, Failure> {
        Ok(Self {
            path: path.to_owned(),
            file: files.create("--plot", path)?,
        })
    }

    /// Draws the trace of this name.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(mut self, name: &str, raster: &Raster) -> Result<(), Failure> {
        let drawn = addresses(name, raster, &[]);
        let written = self.file.write_all(drawn.as_bytes());
        written.map_err(|error| Failure::writing(&self.path, &error))?;
        self.file.finish()?;
        Ok(())
    }
}
