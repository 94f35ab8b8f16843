//! `ssdlab`: which write buffer, which FTL and which cleaning policy serve a workload best, and why.

mod commands;
mod failure;
mod output;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use failure::Failure;

#[derive(Parser)]
#[command(
    version,
    about = "The laboratory for the write path of flash storage",
    max_term_width = 100
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Replay a trace on one device and report every counter
    Run(commands::run::Args),
    /// Compare buffer policies over buffer sizes: a table and an HTML report
    Compare(commands::compare::Args),
    /// List what can be chosen: buffer policies, FTLs, presets
    List,
    /// Show configurations
    #[command(subcommand)]
    Config(commands::config::Command),
    /// Look at traces
    #[command(subcommand)]
    Trace(commands::trace::Command),
}

fn main() -> ExitCode {
    output::clean_up_when_interrupted();
    let result = match Cli::parse().command {
        Command::Run(args) => commands::run::run(args),
        Command::Compare(args) => commands::compare::compare(args),
        Command::List => commands::list::list(),
        Command::Config(command) => commands::config::config(command),
        Command::Trace(command) => commands::trace::trace(command),
    };
    result.map_or_else(Failure::report, |()| ExitCode::SUCCESS)
}
