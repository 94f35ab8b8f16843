//! What the counters of a drive say: bytes that the host wrote, bytes that went to flash, wear, and how sure that is.
//!
//! [`Log::parse`] reads what tools print: JSON of smartctl, `nvme smart-log`, `nvme endurance-log`, `nvme ocp smart-add-log`, `nvme fdp
//! stats` and the logs of vendors; the text of smartctl, `nvme smart-log` and CrystalDiskInfo; the life time of an eMMC. [`readings`] joins
//! logs of the same time, and proves the unit of host bytes by a second counter, since names of attributes lie;
//! [`Reading::growth_since`] tells how much was written between two of them. What is known of
//! each attribute, with the number of drives that show it, is `rules.csv`.
//!
//! [`host`] has the counters of a running system, which need no root.
//!
//! May depend on `words`. Reads `/proc` and `/sys` below a folder that it is given, and nothing else; writes and prints nothing.

mod error;
mod growth;
pub mod host;
mod identity;
mod json;
mod log;
mod reading;
mod rules;
mod text;

pub use error::CounterError;
pub use growth::{Grown, Growth};
pub use identity::one_drive;
pub use log::{Kind, Log};
pub use reading::{Counter, Interval, Reading, Warning, readings};
pub use rules::{Rule, rules};
