//! All tests of this crate in one program, which is built once.

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
