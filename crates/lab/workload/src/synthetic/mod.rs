//! Synthetic workloads, one in each file. They are seeded, endless and the same on every machine; requests are made on
//! demand.
//!
//! A workload returns accesses to units (pages or file-system blocks) without times; the [`Generator`] turns them into
//! requests.

mod access;
mod arrivals;
mod beta;
mod fio_zipf;
mod generator;
mod in_use;
mod lfs;
mod locality;
mod mixed;
mod page_cache;
mod parts;
mod pass;
mod postmark;
mod probed;
mod random;
mod reshuffle;
mod sequential;
mod sizes;
mod spread;
mod strided;
mod tiobench;
mod uniform;
mod zipf;
mod zns;

pub use access::{Access, Workload};
pub use arrivals::{Arrivals, Bursts};
pub use beta::Beta;
pub use fio_zipf::FioZipf;
pub use generator::{Generator, Settings};
pub use lfs::{Lfs, LfsParams, LogAccess};
pub use locality::Locality;
pub use mixed::Mixed;
pub use parts::{Part, Parts};
pub use pass::Pass;
pub use postmark::{Postmark, PostmarkParams};
pub use probed::{Probe, Probed};
pub use random::Random;
pub use reshuffle::Reshuffle;
pub use sequential::Sequential;
pub use sizes::{Sizes, WithSizes};
pub use spread::Spread;
pub use strided::Strided;
pub use tiobench::Tiobench;
pub use uniform::Uniform;
pub use zipf::Zipf;
pub use zns::Zns;
