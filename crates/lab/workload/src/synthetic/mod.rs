//! Synthetic workloads, one in each file. They are seeded, endless and the same on every machine; requests are made on
//! demand.
//!
//! A workload returns accesses to units (pages or file-system blocks) without times; the [`Generator`] turns them into
//! requests.

mod access;
mod generator;
mod in_use;
mod lfs;
mod locality;
mod mixed;
mod page_cache;
mod pass;
mod postmark;
mod random;
mod sequential;
mod spread;
mod strided;
mod tiobench;
mod uniform;
mod zipf;

pub use access::{Access, Workload};
pub use generator::{Generator, Settings};
pub use lfs::{Lfs, LfsParams, LogAccess};
pub use locality::Locality;
pub use mixed::Mixed;
pub use pass::Pass;
pub use postmark::{Postmark, PostmarkParams};
pub use random::Random;
pub use sequential::Sequential;
pub use spread::Spread;
pub use strided::Strided;
pub use tiobench::Tiobench;
pub use uniform::Uniform;
pub use zipf::Zipf;
