//! Test code that several crates share.
//!
//! The reference model that every system is compared with, random devices and requests for property tests, the driver
//! of power cuts, and checks after every request. The model is written from `docs/semantics.md`. It reads the
//! parameters and the keys of a device, and shares no policy and no FTL with what it tests.
//!
//! Systems outside this repository come as [`Plugins`](ssdlab_device::Plugins): [`power_cut`] cuts the power of their
//! devices at flash operations and checks what a mount finds, and [`bytes`] compares their devices with a flat array.
//!
//! The modules from the bottom up; each uses only those before it: `recorder` and `flash`; `configs`; `versions`,
//! `workload` and `tally`; `bytes` and `power_cut`; `cases`; `model`; `against_model`; `checked`.
//!
//! For tests only: no part of the program uses it. May depend on the crates of a device (`host` to `device`) and on
//! `config`. Reads `PROPTEST_CASES`; writes no file and prints nothing.

#[cfg(feature = "model")]
pub mod against_model;
pub mod bytes;
#[cfg(feature = "model")]
pub mod cases;
#[cfg(feature = "model")]
pub mod checked;
pub mod configs;
pub mod flash;
#[cfg(feature = "model")]
pub mod model;
pub mod power_cut;
pub mod recorder;
pub mod tally;
pub mod versions;
pub mod workload;
