//! Tests of the virtual SSD.

mod bad_flash;
mod counters;
mod crashes;
mod damage;
mod failing;
mod faults;
mod files;
mod hold;
mod lfss;
mod power;
mod reads;
mod setup;
mod timed;
