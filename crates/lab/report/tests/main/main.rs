//! All tests of this crate in one program, which is built once.

mod causes;
mod common;
mod cut;
mod extremes;
mod placed;
mod report;
mod workload;
