//! The command line of `ssdlab`: finds the write buffer, the FTL and the cleaning policy that serve a workload best, and
//! the reasons.
//!
//! It parses the arguments, calls the crates below it, and says the results in words, tables and files. `commands` has
//! one file for each subcommand. What a result means is decided below: a number that a command prints comes from `sim`,
//! `reproduce`, `theory` or `trace`.
//!
//! May depend on every crate that is part of the program. Of them it alone writes files (but for those of served drives, and what arrives from the network)
//! and prints (through `output`, `message` and `progress`), reads the arguments, the environment and the size of the terminal, and catches signals. A
//! file appears under its name only when it is complete. The exit codes are in `failure`.
//!
//! Only programs depend on it. A program with systems of its own calls [`main_with`], and its systems appear in every
//! command beside the built-in ones:
//!
//! ```no_run
//! # use ssdlab_device::{Media, Plugins, Registry};
//! # struct Mine;
//! # impl Plugins for Mine {
//! #     fn add<M: Media>(&self, _: &mut Registry<M>) {}
//! # }
//! fn main() -> std::process::ExitCode {
//!     ssdlab::main_with(&Mine)
//! }
//! ```
//!
//! Its `serve` loads a plugin of nbdkit with the same systems, which the macro `plugin` of `ssdlab-nbdkit` makes.
//!
//! The first build from a clone is to be quick. So the default features have only what compares buffers, FTLs and cleaning
//! policies on a trace; the feature `full` adds the commands in [`FULL_ONLY`] and files of Parquet.

// what only commands of the feature `full`, or only those on Unix, use lies beside what all use
#![cfg_attr(not(all(feature = "full", unix)), allow(dead_code, unused_imports))]

mod commands;
mod examples;
mod failure;
#[cfg(feature = "full")]
mod full;
mod left_out;
#[cfg(feature = "full")]
mod live;
mod message;
mod output;
mod progress;
mod screen;
mod signals;
mod start;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use ssdlab_device::Plugins;
use ssdlab_sim::{Figures, Lab};

use failure::Failure;

pub use left_out::FULL_ONLY;
pub use start::Start;

/// The version of the program; a release build adds the commit.
pub const VERSION: &str = env!("SSDLAB_VERSION");

#[derive(Parser)]
#[command(
    version = VERSION,
    about = "The laboratory for the write path of flash storage",
    max_term_width = 100
)]
struct Cli {
    /// Print the licences of the libraries in this program
    // handled before a command is asked for
    #[arg(long)]
    notices: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Replay a trace on one device and report every counter
    #[command(after_long_help = examples::RUN)]
    Run(commands::run::Args),
    /// Compare buffer policies over buffer sizes, with a table and an HTML report
    #[command(after_long_help = examples::COMPARE)]
    Compare(Box<commands::compare::Args>),
    /// Find the configuration that serves some traces best
    #[command(after_long_help = examples::RECOMMEND)]
    Recommend(Box<commands::recommend::Args>),
    /// Compute write amplification from theory: cleaning under random writes
    #[command(after_long_help = examples::THEORY)]
    Theory(commands::theory::Args),
    /// How long will a drive live? From its counters, its name or what the system wrote
    #[command(after_long_help = examples::LIFE)]
    Life(Box<commands::life::Args>),
    /// List the available buffer policies, FTLs, presets, trace formats and papers
    #[command(after_long_help = examples::LIST)]
    List,
    /// Show configurations
    #[command(subcommand, after_long_help = examples::CONFIG)]
    Config(commands::config::Command),
    /// Characterise or generate traces
    #[command(subcommand, after_long_help = examples::TRACE)]
    Trace(commands::trace::Command),
    #[cfg(feature = "full")]
    #[command(flatten)]
    Full(full::Command),
}

/// The commands, with options that take the names of these figures.
fn command(figures: &Figures) -> clap::Command {
    // unlike `mut_subcommand`, this keeps the order
    Cli::command().mut_subcommands(|command| match command.get_name() {
        "compare" => commands::compare::with_figures(command, figures),
        "recommend" => commands::recommend::with_figures(command, figures),
        _ => command,
    })
}

/// Runs the command line with the built-in systems and these.
pub fn main_with(plugins: &impl Plugins) -> ExitCode {
    ExitCode::from(main_of(plugins, Start::of_process()))
}

/// The same for a process that another program began, such as an interpreter. Returns the exit code.
pub fn main_of(plugins: &impl Plugins, start: Start) -> u8 {
    let start = start::keep(start);
    signals::watch();
    if start.arguments.len() == 2 && start.arguments[1] == "--notices" {
        let printed = output::print(include_str!("../../../../NOTICES.txt"));
        return printed.map_or_else(Failure::report, |()| 0);
    }
    // handles every page separately; no result changes
    let plain = std::env::var_os("SSDLAB_PLAIN").is_some_and(|value| value == "1");
    let lab = &Lab::with(plugins).page_by_page(plain);
    let missing = left_out::here();
    let command = left_out::with(command(&lab.figures()), &missing);
    let parsed = command.clone().try_get_matches_from(&start.arguments);
    let cli = parsed.and_then(|matches| match left_out::called(&matches, &missing) {
        Some(failure) => Ok(Err(failure)),
        None => Cli::from_arg_matches(&matches).map(Ok),
    });
    let cli = match cli {
        Ok(Ok(cli)) => cli,
        Ok(Err(left_out)) => return left_out.report(),
        Err(error) => {
            let error = suggest(without_dashes(error), &command, &start.arguments);
            return print_usage(&error);
        }
    };
    if cli.notices {
        let why = "--notices: takes no command and no other option";
        return Failure::Input(why.into()).report();
    }
    let result = match cli.command {
        Command::Run(args) => commands::run::run(args, lab),
        Command::Compare(args) => commands::compare::compare(*args, lab),
        Command::Recommend(args) => commands::recommend::recommend(&args, lab),
        Command::Theory(args) => commands::theory::theory(args),
        Command::Life(args) => commands::life::life(*args, lab),
        Command::List => commands::list::list(lab),
        Command::Config(command) => commands::config::config(command, lab),
        Command::Trace(command) => commands::trace::trace(command),
        #[cfg(feature = "full")]
        Command::Full(full) => full.run(lab, plugins, command),
    };
    result.map_or_else(Failure::report, |()| 0)
}

/// Prints the text of an option such as `--help`, or the error in the options.
fn print_usage(error: &clap::Error) -> u8 {
    if error.use_stderr() {
        let _ = error.print();
        return 2;
    }
    match output::stdout().and_then(|_| error.print()) {
        Ok(()) => 0,
        Err(error) => Failure::printing(&error).report(),
    }
}

/// Leaves out the tip to write `--` before a wrong option: no command has values that look like one.
fn without_dashes(mut error: clap::Error) -> clap::Error {
    if let Some(ContextValue::StyledStrs(mut tips)) = error.remove(ContextKind::Suggested) {
        tips.retain(|tip| !tip.to_string().contains(" as a value, use "));
        if !tips.is_empty() {
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
        }
    }
    error
}

/// Suggests the nearest subcommand of the command that was called for an unknown one, even if they differ much.
fn suggest(mut error: clap::Error, whole: &clap::Command, arguments: &[OsString]) -> clap::Error {
    let has_none = error.get(ContextKind::SuggestedSubcommand).is_none();
    let nearest = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(unknown)) if has_none => {
            let before = arguments
                .iter()
                .take_while(|word| *word != unknown.as_str());
            let called = before.fold(whole, |command, word| {
                command.find_subcommand(word).unwrap_or(command)
            });
            let names = called.get_subcommands().map(clap::Command::get_name);
            let nearest = names.min_by_key(|name| strsim::damerau_levenshtein(name, unknown));
            nearest.map(str::to_owned)
        }
        _ => None,
    };
    if let Some(nearest) = nearest {
        let nearest = ContextValue::Strings(vec![nearest]);
        error.insert(ContextKind::SuggestedSubcommand, nearest);
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every command below this one with its full name; the subcommands of `trace generate` are kinds of one command.
    fn all(command: &clap::Command, name: &str) -> Vec<(String, clap::Command)> {
        let mut commands = Vec::new();
        for sub in command.get_subcommands() {
            let name = format!("{name} {}", sub.get_name());
            if name != "ssdlab trace generate" {
                commands.extend(all(sub, &name));
            }
            commands.push((name, sub.clone()));
        }
        commands
    }

    /// The words of a command; one in single quotes may have spaces.
    fn words(command: &str) -> Vec<&str> {
        let parts = command.split('\'').enumerate();
        let words = parts.flat_map(|(number, part)| match number % 2 {
            0 => part.split_whitespace().collect(),
            _ => vec![part],
        });
        words.collect()
    }

    // planted bugs: an example with an option that does not exist; a command without one
    #[test]
    fn every_command_has_examples_that_parse() {
        let whole = command(&Figures::default());
        for (name, command) in all(&whole, "ssdlab") {
            let help = command.get_after_long_help().map(ToString::to_string);
            let help = help.unwrap_or_else(|| panic!("{name}: no examples"));
            let examples: Vec<&str> = help
                .lines()
                .filter_map(|line| line.strip_prefix("  ssdlab "))
                .collect();
            assert!(!examples.is_empty(), "{name}: {help}");
            for example in examples {
                let words = words(example.split(" > ").next().unwrap_or_default());
                let parsed = whole
                    .clone()
                    .try_get_matches_from(std::iter::once("ssdlab").chain(words));
                assert!(parsed.is_ok(), "{example}: {:?}", parsed.err());
                assert!(
                    format!("ssdlab {example} ").starts_with(&format!("{name} ")),
                    "{name}: {example}"
                );
            }
        }
    }

    #[test]
    fn the_commands_are_well_made() {
        command(&Figures::default()).debug_assert();
    }
}
