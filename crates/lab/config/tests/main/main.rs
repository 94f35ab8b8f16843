//! All tests of this crate in one program, which is built once.

// for the JSON of all keys
#![recursion_limit = "256"]

mod alias;
mod bad;
mod capacity;
mod cases;
mod gaps;
mod precedence;
mod precondition;
mod scale;
mod schema;
mod show;
mod units;
