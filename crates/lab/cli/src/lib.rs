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

mod commands;
mod examples;
mod failure;
mod live;
mod message;
mod output;
mod progress;
mod screen;
mod signals;
mod start;

use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use ssdlab_device::Plugins;
use ssdlab_drive::DriveSystems;
use ssdlab_sim::{Figures, Lab};

use failure::Failure;

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
    /// Run every combination of traces and configurations, on one machine or on a cluster
    #[command(subcommand, after_long_help = examples::SWEEP)]
    Sweep(commands::sweep::Command),
    /// Walk through what a device does, request by request, with the write buffer drawn
    #[command(subcommand, after_long_help = examples::EVENTS)]
    Events(commands::events::Command),
    /// Make pictures, tables and a page of the results of sweeps and comparisons
    #[command(after_long_help = examples::REPORT)]
    Report(Box<commands::report::Args>),
    /// Print BibTeX of what results use: ssdlab, papers of policies and devices, sets of traces
    #[command(after_long_help = examples::CITE)]
    Cite(commands::cite::Args),
    /// Make a folder for others of a finished sweep: plan, traces, results, report, and a script that runs it again
    #[command(after_long_help = examples::ARTIFACT)]
    Artifact(commands::artifact::Args),
    /// Repeat a paper's runs on the traces of this repository, or test theory, and compare the results
    #[command(after_long_help = examples::REPRODUCE)]
    Reproduce(commands::reproduce::Args),
    /// Compute write amplification from theory: cleaning under random writes
    #[command(after_long_help = examples::THEORY)]
    Theory(commands::theory::Args),
    /// Fit the spare flash of your own drive to its counters, and write its configuration
    #[command(after_long_help = examples::CALIBRATE)]
    Calibrate(commands::calibrate::Args),
    /// List the available buffer policies, FTLs, presets, trace formats and papers
    #[command(after_long_help = examples::LIST)]
    List,
    /// Show configurations
    #[command(subcommand, after_long_help = examples::CONFIG)]
    Config(commands::config::Command),
    /// Characterise or generate traces
    #[command(subcommand, after_long_help = examples::TRACE)]
    Trace(commands::trace::Command),
    /// Create and inspect virtual SSDs
    #[command(subcommand, after_long_help = examples::DRIVE)]
    Drive(commands::drive::Command),
    /// Read, write, update and erase data blocks of a virtual SSD without a file system, as LFSS does
    #[command(subcommand, after_long_help = examples::LFSS)]
    Lfss(commands::lfss::Command),
    /// Serve a virtual SSD as a network block device (NBD), with nbdkit
    #[command(after_long_help = examples::SERVE)]
    Serve(commands::serve::Args),
    /// Replay a trace against a real SSD, an NBD server or the image of a virtual SSD
    #[command(after_long_help = examples::REPLAY)]
    Replay(commands::replay::Args),
    /// Watch a served drive in the terminal
    #[command(after_long_help = examples::TOP)]
    Top(commands::top::Args),
    /// Print a shell's completions of commands and options
    #[command(after_long_help = examples::COMPLETIONS)]
    Completions(commands::shell::CompletionsArgs),
    /// Print the manual page, or write the pages of all commands
    #[command(after_long_help = examples::MAN)]
    Man(commands::shell::ManArgs),
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
    // handles every page separately; no result changes
    let plain = std::env::var_os("SSDLAB_PLAIN").is_some_and(|value| value == "1");
    let lab = &Lab::with(plugins).page_by_page(plain);
    let command = command(&lab.figures());
    let parsed = command.clone().try_get_matches_from(&start.arguments);
    let cli = match parsed.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(error) => return print_usage(&suggest(without_dashes(error))),
    };
    let result = match cli.command {
        Command::Run(args) => commands::run::run(args, lab),
        Command::Compare(args) => commands::compare::compare(*args, lab),
        Command::Recommend(args) => commands::recommend::recommend(&args, lab),
        Command::Sweep(command) => commands::sweep::sweep(command, lab),
        Command::Events(command) => commands::events::events(command, lab),
        Command::Report(args) => commands::report::report(&args, lab),
        Command::Cite(args) => commands::cite::cite(&args, lab),
        Command::Artifact(args) => commands::artifact::artifact(&args, lab),
        Command::Reproduce(args) => commands::reproduce::reproduce(args, lab),
        Command::Theory(args) => commands::theory::theory(args),
        Command::Calibrate(args) => commands::calibrate::calibrate(&args),
        Command::List => commands::list::list(lab),
        Command::Config(command) => commands::config::config(command, lab),
        Command::Trace(command) => commands::trace::trace(command),
        Command::Drive(command) => {
            commands::drive::drive(command, lab, &DriveSystems::with(plugins))
        }
        Command::Lfss(command) => commands::lfss::lfss(command, &DriveSystems::with(plugins)),
        Command::Serve(args) => commands::serve::serve(&args, &DriveSystems::with(plugins)),
        Command::Replay(args) => commands::replay::replay(args, &DriveSystems::with(plugins)),
        Command::Top(args) => commands::top::top(&args),
        Command::Completions(args) => commands::shell::completions(&args, command),
        Command::Man(args) => commands::shell::man(&args, command),
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

/// Suggests the nearest command for an unknown one, even if they differ much.
fn suggest(mut error: clap::Error) -> clap::Error {
    let has_none = error.get(ContextKind::SuggestedSubcommand).is_none();
    let nearest = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(unknown)) if has_none => {
            let command = Cli::command();
            let names = command.get_subcommands().map(clap::Command::get_name);
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
