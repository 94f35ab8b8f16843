//! The SSD: buffer, FTL and flash under one device.

mod counters;

pub use counters::Counters;
