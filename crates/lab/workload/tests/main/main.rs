//! All tests of this crate in one program, which is built once.

mod common;
mod description;
mod lfs;
mod parts;
mod shapes;
mod synthetic;
mod times;
