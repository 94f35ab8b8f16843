//! All tests of this crate in one program, which is built once.

mod fetching;
mod members;
mod server;
mod sources;
