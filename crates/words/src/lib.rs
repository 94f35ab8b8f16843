//! Numbers, sizes and lists as people read them: in tables, sentences and pages.
//!
//! Depends on no other crate. There is no input or output.

mod list;
mod numbers;

pub use list::{listed, some_of};
pub use numbers::{
    SHOWN_IN_FULL, amount, bytes, decimal_bytes, duration, fixed, size_range, thousands,
};
