//! `ssdlab`: which write buffer, which FTL and which cleaning policy serve a workload best, and why.

mod commands;
mod failure;
mod output;
mod signals;

use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, Parser, Subcommand};

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
    /// Run a paper again on the traces of this repository, or theory: what they say and what is counted, side by side
    Reproduce(commands::reproduce::Args),
    /// Write amplification in theory: what cleaning costs under uniform random writes
    Theory(commands::theory::Args),
    /// List what can be chosen: buffer policies, FTLs, presets, trace formats, papers
    List,
    /// Show configurations
    #[command(subcommand)]
    Config(commands::config::Command),
    /// Look at traces
    #[command(subcommand)]
    Trace(commands::trace::Command),
}

fn main() -> ExitCode {
    signals::watch();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return told(&suggest(error)),
    };
    let result = match cli.command {
        Command::Run(args) => commands::run::run(args),
        Command::Compare(args) => commands::compare::compare(args),
        Command::Reproduce(args) => commands::reproduce::reproduce(args),
        Command::Theory(args) => commands::theory::theory(args),
        Command::List => commands::list::list(),
        Command::Config(command) => commands::config::config(command),
        Command::Trace(command) => commands::trace::trace(command),
    };
    result.map_or_else(Failure::report, |()| ExitCode::SUCCESS)
}

/// Prints what is asked for, as by `--help`, or what is wrong with the options.
fn told(error: &clap::Error) -> ExitCode {
    if error.use_stderr() {
        let _ = error.print();
        return ExitCode::from(2);
    }
    match output::stdout().and_then(|_| error.print()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => Failure::printing(&error).report(),
    }
}

/// Names the nearest command to one that does not exist, however far it is off.
fn suggest(mut error: clap::Error) -> clap::Error {
    let given = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(given))
            if error.get(ContextKind::SuggestedSubcommand).is_none() =>
        {
            given.clone()
        }
        _ => return error,
    };
    let command = Cli::command();
    let names = command.get_subcommands().map(clap::Command::get_name);
    if let Some(nearest) = names.min_by_key(|name| strsim::damerau_levenshtein(name, &given)) {
        let nearest = vec![nearest.to_owned()];
        error.insert(
            ContextKind::SuggestedSubcommand,
            ContextValue::Strings(nearest),
        );
    }
    error
}
