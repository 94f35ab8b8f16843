//! Theory: write amplification in closed form, compared with that of the simulator.

mod case;
mod cell;
mod checked;
mod description;
mod page;
mod plan;
mod study;

pub use checked::Theory;
