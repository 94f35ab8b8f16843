//! The program `ssdlab` with the built-in systems.

use std::process::ExitCode;

fn main() -> ExitCode {
    ssdlab::main_with(&())
}
