//! Fuzz targets: what ssdlab reads from outside, each as a function of any bytes.
//!
//! A target panics if something is wrong, or takes too long. libFuzzer drives all of them, led by coverage, in the
//! program of this crate (`cargo xtask fuzz`); the tests of this crate replay `corpus` and `regressions` without it.
//!
//! May depend on every crate below the command line, and no crate depends on it.
#![forbid(unsafe_code)]

mod config;
mod design;
mod disk;
mod format;
mod host;
mod image;
mod input;
mod plugin;
mod requests;
mod status;
mod trace;
mod words;

/// A fuzz target.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name: of its module, and of its folders in `corpus` and `regressions`.
    pub name: &'static str,
    /// Runs it on an input.
    pub run: fn(&[u8]),
}

/// All targets.
pub const TARGETS: [Target; 7] = [
    Target {
        name: "trace",
        run: trace::run,
    },
    Target {
        name: "config",
        run: config::run,
    },
    Target {
        name: "image",
        run: image::run,
    },
    Target {
        name: "requests",
        run: requests::run,
    },
    Target {
        name: "plugin",
        run: plugin::run,
    },
    Target {
        name: "status",
        run: status::run,
    },
    Target {
        name: "words",
        run: words::run,
    },
];

/// The target of this name.
pub fn target(name: &str) -> Option<Target> {
    TARGETS.into_iter().find(|target| target.name == name)
}
