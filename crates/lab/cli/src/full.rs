//! The commands of the feature `full`, which few need at first and which take most of the time to compile.

use clap::Subcommand;

use ssdlab_device::Plugins;
#[cfg(unix)]
use ssdlab_drive::DriveSystems;
use ssdlab_sim::Lab;

use crate::failure::Failure;
use crate::left_out::about;
use crate::{commands, examples};

#[derive(Subcommand)]
pub enum Command {
    #[command(subcommand, about = about("sweep"), after_long_help = examples::SWEEP)]
    Sweep(commands::sweep::Command),
    #[command(subcommand, about = about("events"), after_long_help = examples::EVENTS)]
    Events(commands::events::Command),
    #[command(about = about("report"), after_long_help = examples::REPORT)]
    Report(Box<commands::report::Args>),
    #[command(about = about("cite"), after_long_help = examples::CITE)]
    Cite(commands::cite::Args),
    #[command(about = about("artifact"), after_long_help = examples::ARTIFACT)]
    Artifact(commands::artifact::Args),
    #[command(about = about("reproduce"), after_long_help = examples::REPRODUCE)]
    Reproduce(commands::reproduce::Args),
    #[command(about = about("cliff"), after_long_help = examples::CLIFF)]
    Cliff(commands::cliff::Args),
    #[command(about = about("calibrate"), after_long_help = examples::CALIBRATE)]
    Calibrate(commands::calibrate::Args),
    #[cfg(unix)]
    #[command(subcommand, about = about("drive"), after_long_help = examples::DRIVE)]
    Drive(commands::drive::Command),
    #[cfg(unix)]
    #[command(subcommand, about = about("lfss"), after_long_help = examples::LFSS)]
    Lfss(commands::lfss::Command),
    #[cfg(unix)]
    #[command(about = about("serve"), after_long_help = examples::SERVE)]
    Serve(commands::serve::Args),
    #[cfg(unix)]
    #[command(about = about("replay"), after_long_help = examples::REPLAY)]
    Replay(commands::replay::Args),
    #[cfg(unix)]
    #[command(about = about("top"), after_long_help = examples::TOP)]
    Top(commands::top::Args),
    #[command(about = about("completions"), after_long_help = examples::COMPLETIONS)]
    Completions(commands::shell::CompletionsArgs),
    #[command(about = about("man"), after_long_help = examples::MAN)]
    Man(commands::shell::ManArgs),
}

impl Command {
    /// Runs the command; `help` is the whole command line, which shells and the manual tell.
    pub fn run(
        self,
        lab: &Lab,
        plugins: &impl Plugins,
        help: clap::Command,
    ) -> Result<(), Failure> {
        #[cfg(not(unix))]
        let _ = plugins;
        #[cfg(unix)]
        let drives = || DriveSystems::with(plugins);
        match self {
            Command::Sweep(command) => commands::sweep::sweep(command, lab),
            Command::Events(command) => commands::events::events(command, lab),
            Command::Report(args) => commands::report::report(&args, lab),
            Command::Cite(args) => commands::cite::cite(&args, lab),
            Command::Artifact(args) => commands::artifact::artifact(&args, lab),
            Command::Reproduce(args) => commands::reproduce::reproduce(args, lab),
            Command::Cliff(args) => commands::cliff::cliff(&args, lab),
            Command::Calibrate(args) => commands::calibrate::calibrate(&args, lab),
            #[cfg(unix)]
            Command::Drive(command) => commands::drive::drive(command, lab, &drives()),
            #[cfg(unix)]
            Command::Lfss(command) => commands::lfss::lfss(command, &drives()),
            #[cfg(unix)]
            Command::Serve(args) => commands::serve::serve(&args, &drives()),
            #[cfg(unix)]
            Command::Replay(args) => commands::replay::replay(args, &drives()),
            #[cfg(unix)]
            Command::Top(args) => commands::top::top(&args),
            Command::Completions(args) => commands::shell::completions(&args, help),
            Command::Man(args) => commands::shell::man(&args, help),
        }
    }
}
