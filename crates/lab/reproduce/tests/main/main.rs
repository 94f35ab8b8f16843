//! All tests of this crate in one program, which is built once.

mod fills;
mod foreign;
mod learned;
mod shipped;
mod statements;
mod times;
