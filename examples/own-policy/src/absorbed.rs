//! A figure: how much of what the host wrote never reached the flash.

use ssdlab_device::results::Unit;
use ssdlab_device::{Better, Cause, Figure};

/// The share of the host's bytes that the buffer absorbed; `None` if the host wrote nothing.
pub const ABSORBED: Figure = Figure::new(
    "absorbed",
    [
        "Absorbed by the buffer",
        "absorbed",
        "share that the buffer absorbed",
    ],
    Unit::Percent,
    Better::More,
    |results| {
        let written = results.counters.host_write_bytes as f64;
        let to_flash = results.endurance.flash_bytes[Cause::Host] as f64;
        (written > 0.0).then(|| 1.0 - to_flash / written)
    },
)
.compared()
.in_report()
.charted();
