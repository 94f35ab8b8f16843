//! The configuration of a command.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use ssdlab_config::Resolver;
use ssdlab_sim::Lab;
use ssdlab_words::shown_path;

use crate::failure::Failure;
use crate::output::Files;

/// The layers of a configuration; all commands share these options.
#[derive(clap::Args)]
pub struct ConfigArgs {
    /// Configuration file (TOML)
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Start from a preset instead of the defaults; `ssdlab list` names them
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
    /// Set a key, such as `buffer.policy=lru`; overrides file and preset; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// A smaller drive that behaves like the one described: smaller or fewer blocks, the same buffers; wear, life and RAM
    /// are given for the large one, --set holds for the smaller one
    #[arg(long, value_name = "SIZE", value_parser = scaled)]
    scale_to: Option<Scaled>,
}

/// A size, and how it was given.
#[derive(Clone)]
struct Scaled(u64, String);

fn scaled(text: &str) -> Result<Scaled, String> {
    let size = ssdlab_words::parse_bytes(text).filter(|size| *size > 0);
    let size = size.ok_or("must be a size above 0, such as 16GiB")?;
    Ok(Scaled(size, text.into()))
}

impl ConfigArgs {
    /// The files of a command that reads this configuration.
    ///
    /// # Errors
    /// Standard output is the configuration.
    pub fn files(&self) -> Result<Files, Failure> {
        let mut files = Files::default();
        if let Some(path) = &self.config {
            files.input("the configuration", path)?;
        }
        Ok(files)
    }

    /// The options, as words of a command.
    pub fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        let mut add = |option: &str, value: String| words.extend([option.to_owned(), value]);
        if let Some(path) = &self.config {
            add("--config", path.display().to_string());
        }
        if let Some(preset) = &self.preset {
            add("--preset", preset.clone());
        }
        if let Some(Scaled(_, given)) = &self.scale_to {
            add("--scale-to", given.clone());
        }
        for set in &self.set {
            add("--set", set.clone());
        }
        words
    }

    /// The layers, not yet merged.
    pub fn resolver(&self, lab: &Lab) -> Result<Resolver, Failure> {
        let mut resolver = lab.resolver();
        if let Some(preset) = &self.preset {
            resolver.preset(preset);
        }
        if let Some(path) = &self.config {
            resolver.file(&shown_path(path), &small_file(path)?)?;
        }
        for setting in &self.set {
            resolver.set(setting)?;
        }
        if let Some(Scaled(size, given)) = &self.scale_to {
            resolver.scale_to(*size, given);
        }
        Ok(resolver)
    }
}

/// The bytes of a configuration file, limited to 1 MiB.
fn small_file(path: &Path) -> Result<Vec<u8>, Failure> {
    const MOST: u64 = 1 << 20;
    let refused = |why: String| Failure::Input(format!("{}: {why}", shown_path(path)));
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MOST + 1).read_to_end(&mut bytes));
    match read {
        Ok(read) if read as u64 > MOST => {
            let why = "more than 1 MiB, which no configuration needs";
            Err(refused(why.into()))
        }
        Ok(_) => Ok(bytes),
        Err(error) => Err(refused(format!("cannot be read: {error}"))),
    }
}
