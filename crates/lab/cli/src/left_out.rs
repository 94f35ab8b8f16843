//! The commands of the feature `full`, and those that need Unix. A build without them lists them, and says how to get them when
//! they are called.

use std::ffi::OsString;

use clap::{Arg, ArgMatches, Command, value_parser};
use ssdlab_words::FULL_PROGRAM;

use crate::commands::command_line::quoted;
use crate::failure::Failure;

/// The commands of the feature `full`, by the words that call them, and what they do.
pub const FULL_ONLY: [(&str, &str); 17] = [
    (
        "sweep",
        "Run every combination of traces and configurations, on one machine or on a cluster",
    ),
    (
        "events",
        "Walk through what a device does, request by request, with the write buffer drawn",
    ),
    (
        "report",
        "Make pictures, tables and a page of the results of sweeps and comparisons",
    ),
    (
        "cite",
        "Print BibTeX of what results use: ssdlab, papers of policies and devices, sets of traces",
    ),
    (
        "artifact",
        "Make a folder for others of a finished sweep: plan, traces, results, report, and a script that runs it again",
    ),
    (
        "reproduce",
        "Repeat a paper's runs on the traces of this repository, or test theory, and compare the results",
    ),
    (
        "cliff",
        "Say how fast a drive with an SLC cache takes a sequential fill, phase by phase",
    ),
    (
        "calibrate",
        "Fit the spare flash of your own drive to its counters, and write its configuration",
    ),
    ("drive", "Create and inspect virtual SSDs"),
    (
        "lfss",
        "Read, write, update and erase data blocks of a virtual SSD without a file system, as LFSS does",
    ),
    (
        "serve",
        "Serve a virtual SSD as a network block device (NBD), with nbdkit",
    ),
    (
        "replay",
        "Replay a trace against a real SSD, an NBD server or the image of a virtual SSD",
    ),
    ("top", "Watch a served drive in the terminal"),
    (
        "completions",
        "Print a shell's completions of commands and options",
    ),
    (
        "man",
        "Print the manual page, or write the pages of all commands",
    ),
    (
        "trace catalogue",
        "Name the public sets of block traces: where they are, their terms, their traps",
    ),
    (
        "trace fetch",
        "Fetch a volume of a public set, or any file, over HTTP; an interrupted fetch goes on where it ended",
    ),
];

/// What needs Unix: those of [`FULL_ONLY`] about drives that are served and about real devices, and one more.
pub const UNIX_ONLY: [&str; 6] = ["drive", "lfss", "serve", "replay", "top", RECORD.0];
/// The command that is in every build on Unix.
pub const RECORD: (&str, &str) = (
    "trace record",
    "Record the requests of a block device with blktrace, as root",
);

/// Those that this build lacks.
pub fn here() -> Vec<(&'static str, &'static str)> {
    let needs_unix = |words: &str| UNIX_ONLY.contains(&words);
    let all = FULL_ONLY.into_iter().chain([RECORD]);
    let is_left_out = |words: &str| {
        let lacks_full = !cfg!(feature = "full") && words != RECORD.0;
        lacks_full || !cfg!(unix) && needs_unix(words)
    };
    all.filter(|(words, _)| is_left_out(words)).collect()
}

/// What a command of the feature `full` does.
#[cfg(feature = "full")]
pub fn about(words: &str) -> &'static str {
    let found = FULL_ONLY.iter().find(|(command, _)| *command == words);
    found.expect("a command of the list").1
}

/// Adds commands that take any arguments, and whose only use is [`called`].
pub fn with(command: Command, left_out: &[(&'static str, &'static str)]) -> Command {
    let mut whole = command;
    for &(words, about) in left_out {
        let (mark, help) = match lacks_system(words) {
            true => (ELSEWHERE, ""),
            false => ("not in this build", FULL_PROGRAM),
        };
        let stub = |name: &'static str| {
            let any = Arg::new(ANY).num_args(0..).trailing_var_arg(true);
            let any = any.allow_hyphen_values(true).hide(true);
            Command::new(name)
                .about(format!("{about} [{mark}]"))
                .after_help(help)
                .disable_help_flag(true)
                .arg(any.value_parser(value_parser!(OsString)))
        };
        whole = match words.split_once(' ') {
            None => whole.subcommand(stub(words)),
            // unlike `mut_subcommand`, this keeps the order
            Some((group, name)) => whole.mut_subcommands(|command| {
                if command.get_name() == group {
                    command.subcommand(stub(name))
                } else {
                    command
                }
            }),
        };
    }
    whole
}

/// Where the commands are that this system lacks.
const ELSEWHERE: &str = "only on Linux and macOS";

/// Whether no build for this system has a command.
fn lacks_system(words: &str) -> bool {
    !cfg!(unix) && UNIX_ONLY.contains(&words)
}

/// The arguments of a command that is left out.
const ANY: &str = "arguments";

/// The failure of a call of a command that is left out, with the line that makes it.
pub fn called(matches: &ArgMatches, left_out: &[(&str, &str)]) -> Option<Failure> {
    let (mut words, mut inner) = matches.subcommand()?;
    let joined;
    if let Some((name, below)) = inner.subcommand() {
        joined = format!("{words} {name}");
        (words, inner) = (&joined, below);
    }
    left_out.iter().find(|(command, _)| *command == words)?;
    if lacks_system(words) {
        return Some(Failure::Input(format!("`{words}` is {ELSEWHERE}")));
    }
    let arguments = inner.get_many::<OsString>(ANY).unwrap_or_default();
    let arguments: String = arguments
        .map(|argument| format!(" {}", quoted(argument)))
        .collect();
    Some(Failure::Input(format!(
        "`{words}` is not in this build; ./install installs the full program, and this line runs it from here:\n  cargo run --release --features full -- {words}{arguments}"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    /// A program that lacks the commands of the feature `full`.
    fn small() -> Command {
        let full = crate::Cli::command();
        let is_left_out = |words: &str| FULL_ONLY.iter().any(|(command, _)| *command == words);
        let trace = |command: &Command| {
            let below = command.get_subcommands();
            let kept = below.filter(|below| !is_left_out(&format!("trace {}", below.get_name())));
            Command::new("trace").subcommands(kept.cloned())
        };
        let kept = full.get_subcommands().filter_map(|command| {
            let name = command.get_name();
            match name {
                "trace" => Some(trace(command)),
                _ => (!is_left_out(name)).then(|| command.clone()),
            }
        });
        with(Command::new("ssdlab").subcommands(kept), &FULL_ONLY)
    }

    // planted bugs: a command that is listed and does not exist, or that reads its options; a path that a shell would split
    #[test]
    fn a_command_that_is_left_out_names_the_line_that_runs_it() {
        for (words, about) in FULL_ONLY {
            let call = format!("ssdlab {words} --help -o a:b c");
            let call = call.split(' ').map(|word| word.replace(':', " "));
            let matches = small().try_get_matches_from(call).expect("any arguments");
            let Some(Failure::Input(why)) = called(&matches, &FULL_ONLY) else {
                panic!("{words}: it was called");
            };
            let line =
                format!("\n  cargo run --release --features full -- {words} --help -o 'a b' c");
            assert!(why.ends_with(&line), "{why}");
            let whole = small();
            let group = match words.split_once(' ') {
                Some((group, _)) => whole.find_subcommand(group).expect("a group"),
                None => &whole,
            };
            let help = group.clone().render_long_help().to_string();
            let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(
                help.contains(&format!("{about} [not in this build]")),
                "{help}"
            );
        }
    }

    // planted bug: a call of a command that is there is refused
    #[test]
    fn a_command_that_is_there_is_called() {
        for call in ["ssdlab list", "ssdlab trace info a.csv"] {
            let matches = small()
                .try_get_matches_from(call.split(' '))
                .expect("a call");
            assert!(called(&matches, &FULL_ONLY).is_none(), "{call}");
        }
    }
}
