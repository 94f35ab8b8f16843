//! Recommendations: the configurations that serve some traces best, found by search.
//!
//! The search is successive halving. All candidates run on a small spatial sample of each trace, on a device that is
//! smaller by the same share; the better ones run on a larger sample, and the finalists on the whole traces.
//! `docs/recommend.md` says how often that finds the best one.
//!
//! May depend on `words`, `host`, `device`, `config`, `convert` and `sim`. Reads no file, writes nothing, and starts threads.

mod answer;
mod options;
mod scaled;
mod search;

pub use answer::{Answer, Dependence, Finalist};
pub use options::within;
pub use search::{Search, recommend};
