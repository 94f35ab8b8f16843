//! Chores of this repository: `cargo xtask` lists them.

mod docs;
mod document;
mod figures;
mod malformed;
#[cfg(test)]
mod no_test_is_lost;
mod pages;
mod policies;
mod report;
mod ssdlab;
mod tree;

use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask figures           makes the figures of README.md and docs/
cargo xtask figures --check   says which of them are not current
cargo xtask pages             makes the pages of reproduce/ and docs/policies: some minutes of simulation
cargo xtask pages --check     makes them all, and says which of them are not current
cargo xtask pages --sample    makes a few of them, and goes by digests for the rest
cargo xtask docs              runs the commands of all documents in a fresh clone
cargo xtask malformed         makes the files of tests/malformed and the messages that they end with";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match args[..] {
        ["figures"] => figures::make(root()),
        ["figures", "--check"] => figures::check(root()),
        ["pages"] => pages::make(root()),
        ["pages", "--check"] => pages::check(root()),
        ["pages", "--sample"] => pages::sample(root()),
        ["docs"] => docs::run(root()),
        ["malformed"] => malformed::make(root()),
        _ => Err(USAGE.into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn root() -> &'static Path {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().expect("a workspace around this package")
}
