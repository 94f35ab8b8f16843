//! `ssdlab completions` and `ssdlab man`: the commands for a shell and for the manual.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;
use ssdlab_output::make_folder;
use ssdlab_words::shown_path;

use crate::failure::Failure;
use crate::output::{self, Files};

#[derive(clap::Args)]
pub struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

#[derive(clap::Args)]
pub struct ManArgs {
    /// The folder for the pages of all commands, created if needed [default: print the first page]
    folder: Option<PathBuf>,
}

/// Prints the completion script.
pub fn completions(args: &CompletionsArgs, mut command: Command) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "ssdlab", &mut script);
    output::print(&String::from_utf8_lossy(&script))
}

/// Prints the page of `ssdlab`, or writes the pages of all commands.
pub fn man(args: &ManArgs, command: Command) -> Result<(), Failure> {
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let Some(folder) = &args.folder else {
        let page = page(&command).map_err(|error| Failure::Machine(error.to_string()))?;
        return output::print(&String::from_utf8_lossy(&page));
    };
    make_folder(folder).map_err(|error| Failure::writing(folder, &error))?;
    let written = write(&command, folder, &mut Files::default())?;
    output::print(&format!("{written} pages in {}\n", shown_path(folder)))
}

/// Writes the page of a command and those of its subcommands; returns their number.
fn write(command: &Command, folder: &Path, files: &mut Files) -> Result<usize, Failure> {
    let name = command.get_display_name().unwrap_or(command.get_name());
    let path = folder.join(format!("{name}.1"));
    let mut file = files.create("the page", &path)?;
    let written = page(command).and_then(|page| file.write_all(&page));
    written.map_err(|error| Failure::writing(&path, &error))?;
    file.finish()?;
    let mut written = 1;
    for command in command.get_subcommands() {
        written += write(command, folder, files)?;
    }
    Ok(written)
}

fn page(command: &Command) -> std::io::Result<Vec<u8>> {
    let mut page = Vec::new();
    Man::new(command.clone()).render(&mut page)?;
    Ok(page)
}
