//! `ssdlab config`.

use ssdlab_sim::Lab;

use super::config_args::ConfigArgs;
use crate::failure::Failure;
use crate::message;
use crate::output;

#[derive(clap::Subcommand)]
pub enum Command {
    /// Print the resolved configuration as a TOML file with comments, as a starting point for your own
    #[command(after_long_help = crate::examples::CONFIG_SHOW)]
    Show(ConfigArgs),
}

/// For users who copy values that are commented out.
const HEAD: &str = "# Keys that are commented out have no effect with these values, or no value. \
                    Uncomment a key when you change the values that disable it, or to give it a value.\n";

pub fn config(command: Command, lab: &Lab) -> Result<(), Failure> {
    let Command::Show(args) = command;
    args.files()?;
    let config = args.resolver(lab)?.resolve()?;
    message::warn(&config.warnings);
    output::print(&format!("{HEAD}{}", config.to_toml()))
}
