//! Tests of the virtual SSD.

mod crashes;
mod logged;
mod model;
mod setup;
