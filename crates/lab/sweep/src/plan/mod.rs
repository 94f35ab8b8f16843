//! A plan: the traces and configurations of a sweep.

mod combination;
mod description;
mod file;
mod sources;

pub use combination::{Combination, Combinations, combinations};
pub use description::Description;
pub use file::File;
pub use sources::{Kind, Source, sources};
