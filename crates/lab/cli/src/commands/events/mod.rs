//! `ssdlab events`: what a device does, event by event.

mod buffer;
mod step;
mod walk;

use ssdlab_sim::Lab;

use crate::examples;
use crate::failure::Failure;

#[derive(clap::Subcommand)]
pub enum Command {
    /// Walk through a trace request by request: hits, evictions, merges, erases, and the write buffer after each
    #[command(after_long_help = examples::EVENTS_STEP)]
    Step(Box<step::Args>),
}

pub fn events(command: Command, lab: &Lab) -> Result<(), Failure> {
    match command {
        Command::Step(args) => step::step(*args, lab),
    }
}
