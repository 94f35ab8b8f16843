//! Fuzz targets: what ssdlab reads from outside, each as a function of any bytes.
//!
//! A target panics if something is wrong, or takes too long. libFuzzer drives all of them, led by coverage, in the
//! program of this crate (`cargo xtask fuzz`); the tests of this crate replay `corpus` and `regressions` without it.
//!
//! May depend on every crate below the command line and on `disks`, and no crate depends on it.
#![forbid(unsafe_code)]

mod config;
mod design;
mod format;
mod formats;
mod host;
mod image;
mod input;
mod plugin;
mod requests;
mod status;
mod trace;
mod words;

pub use design::each_choice;

/// A fuzz target.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name: of its module, and of its folders in `corpus` and `regressions`.
    pub name: &'static str,
    /// Runs it on an input.
    pub run: fn(&[u8]),
}

impl Target {
    const fn new(name: &'static str, run: fn(&[u8])) -> Self {
        Self { name, run }
    }
}

/// All targets.
pub const TARGETS: [Target; 8] = [
    Target::new("trace", trace::run),
    Target::new("formats", formats::run),
    Target::new("config", config::run),
    Target::new("image", image::run),
    Target::new("requests", requests::run),
    Target::new("plugin", plugin::run),
    Target::new("status", status::run),
    Target::new("words", words::run),
];

/// The target of this name.
pub fn target(name: &str) -> Option<Target> {
    TARGETS.into_iter().find(|target| target.name == name)
}
