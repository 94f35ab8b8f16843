//! Tasks of this repository; `cargo xtask` lists them.
//!
//! The chores that keep the repository true to its code: figures in the documents, the pages of `docs/policies`, the
//! commands of all documents. Each chore is a module that takes the root of the repository; those that can be stale can
//! also be checked.
//!
//! No part of the program, so it may depend on every crate, and no crate depends on it. Reads and writes the
//! repository, starts `cargo`, `git`, the browser and the program itself, prints, and reads the environment.

#[cfg(test)]
mod arrows;
mod builds;
#[cfg(test)]
mod citation;
mod container;
mod docs;
mod document;
mod figures;
mod fuzz;
mod header;
mod links;
mod lives;
#[cfg(test)]
mod named_keys;
mod pages;
mod placed;
mod policies;
mod random;
mod release;
mod report;
mod sampling;
#[cfg(test)]
mod semantics;
mod served;
mod site;
mod sizes;
mod ssdlab;
mod supply;
mod tools;
mod tree;
#[cfg(test)]
mod untested;
mod web;
mod web_test;
#[cfg(test)]
mod writers;

use std::process::ExitCode;

use tree::root;

const USAGE: &str = "\
cargo xtask figures           updates the figures of README.md and docs/
cargo xtask figures --check   lists the figures that are not current
cargo xtask pages             updates the pages of reproduce/ and docs/policies: ten minutes
cargo xtask pages --check     makes all pages, and lists those that are not current
cargo xtask pages --sample    makes a few pages, and checks the digests of the others
cargo xtask served            measures the drives of the papers that are served in real time: ten minutes
cargo xtask sampling          measures samples of traces for docs/sampling.md: some minutes
cargo xtask docs              runs the commands of all documents in a fresh clone
cargo xtask fuzz --minutes M [--jobs N] [TARGET ...]
                              fuzzes each target for so long; what is wrong is kept in target/fuzz/findings
cargo xtask fuzz --sample     fuzzes each target for some seconds, the same each time
cargo xtask fuzz --keep [TARGET ...]
                              adds inputs of earlier runs that reach something new to dev/fuzz/corpus
cargo xtask random [--minutes M] [--seed S] [TEST ...]
                              runs the tests that draw cases with new seeds, or once with one
cargo xtask lives --minutes M [--seed S] [--threads T] [--all]
                              lives random lives of drives for so long; --all goes on after a failure
cargo xtask lives --life N    lives the life of this number again
cargo xtask site              makes all documents pages with search, in target/site, and follows their links
cargo xtask release [--wheel] [--crates] [--container] [TARGET ...]
                              makes what users download, in target/packages; without a name, what this machine can
cargo xtask release --check   whether the header and the licences are current
cargo xtask sizes             updates the sizes of code in docs/firmware.md
cargo xtask sizes --check     whether they are current
cargo xtask header            updates the header of the C library
cargo xtask header --check    whether it is current
cargo xtask notices           updates NOTICES.txt, the licences of the libraries in the program
cargo xtask notices --check   whether it is current
cargo xtask web               makes the page with the simulator inside: target/web
cargo xtask web --test        and tests it in a browser; pictures of it are in target/tmp
cargo xtask web --pictures    updates the drawings of merges and cleaning in docs/
cargo xtask sbom              prints the bill of materials of the program: CycloneDX, JSON";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match args[..] {
        ["figures"] => figures::make(root()),
        ["figures", "--check"] => figures::check(root()),
        ["pages"] => pages::make(root()),
        ["pages", "--check"] => pages::check(root()),
        ["pages", "--sample"] => pages::sample(root()),
        ["served"] => served::make(root()),
        ["sampling"] => sampling::make(root()),
        ["docs"] => docs::run(root()),
        ["fuzz", ref arguments @ ..] => fuzz::run(root(), arguments),
        ["random", ref words @ ..] => random::run(root(), words),
        ["lives", ref options @ ..] => lives::run(options),
        ["release", "--check"] => release::check(root()),
        ["release", ref words @ ..] => release::make(root(), words),
        ["header"] => header::make(root()),
        ["header", "--check"] => header::check(root()),
        ["sizes"] => sizes::make(root()),
        ["sizes", "--check"] => sizes::check(root()),
        ["site"] => site::make(root()),
        ["notices"] => supply::make(root()),
        ["notices", "--check"] => supply::check(root()),
        ["sbom"] => supply::sbom(root()),
        ["web"] => web::make(root()),
        ["web", "--test"] => web_test::run(root()),
        ["web", "--pictures"] => web::pictures(root()),
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
