//! Random lives of virtual SSDs, to test what they promise.
//!
//! A *life* is a random drive and what happens to it: requests, closes, the end of its process or of the system at any
//! call of the disk, disks that are full or fail, flash that wears out, damage to the file. A model of each
//! sector knows what a read may return; all is read back after each event that may change it. A number stands for a whole
//! life, and a life that breaks a promise is made as short as it can be.
//!
//! For tests only: no part of the program uses it. May depend on `disks`, which has the model, on `drive` and the crates below
//! it, and on the simulator's `simulators`, which count the same. Writes files in the folder for temporary ones, and prints nothing.

mod damage;
mod disk;
mod event;
mod life;
mod plan;
mod run;
mod settings;
mod shrink;
mod theme;

pub use plan::{Broken, Plan, Seen};
pub use run::{Failure, Search, Shrunk, Summary, lived};
