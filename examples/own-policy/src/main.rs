//! `ssdlab` with the systems of this crate beside its own:
//!
//!     cargo run --release -- compare TRACE --buffer lru,second-chance

use std::process::ExitCode;

fn main() -> ExitCode {
    ssdlab::main_with(&own_policy::Own)
}
