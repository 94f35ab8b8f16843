//! The failures of a command and their exit codes.

use std::io;

use ssdlab_config::ConfigError;
use ssdlab_convert::ConvertError;
use ssdlab_sim::{NoChoice, SimError};
use ssdlab_trace::TraceError;
use ssdlab_words::shown_path;

use crate::message;

/// The reason why a command failed.
pub enum Failure {
    /// The user's input is wrong: exit code 2.
    Input(String),
    /// The machine or the device failed: exit code 1.
    Machine(String),
    /// The reader of the output has closed it, which is not an error: exit code 0.
    ReaderGone,
    /// A command that the user had this program run has failed: its exit code, or 128 + its signal.
    Command(u8),
    /// The user interrupted; a message has reported the result: exit code 130.
    Interrupted,
}

impl Failure {
    /// A file that cannot be written.
    pub fn writing(path: &std::path::Path, error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::ReaderGone,
            _ => Failure::Machine(format!("{}: cannot be written: {error}", shown_path(path))),
        }
    }

    /// Standard output that cannot be written.
    pub fn printing(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::ReaderGone,
            _ => Failure::Machine(format!("standard output: {error}")),
        }
    }

    /// An error that is the user's or the machine's, with its message.
    pub fn of(is_bad_input: bool, message: String) -> Self {
        if is_bad_input {
            Failure::Input(message)
        } else {
            Failure::Machine(message)
        }
    }

    /// Prints the message and returns the exit code.
    pub fn report(self) -> u8 {
        let (message, code) = match self {
            Failure::Input(message) => (message, 2),
            Failure::Machine(message) => (message, 1),
            Failure::ReaderGone => return 0,
            Failure::Command(code) => return code,
            Failure::Interrupted => return 130,
        };
        message::complain("error", &message);
        code
    }
}

impl From<SimError> for Failure {
    fn from(error: SimError) -> Self {
        Failure::of(error.is_bad_input(), error.to_string())
    }
}

impl Failure {
    /// A conversion that failed; `writing` makes the failure of its output.
    pub fn converting(error: ConvertError, writing: impl FnOnce(&io::Error) -> Self) -> Self {
        match error {
            ConvertError::Trace(error) => error.into(),
            ConvertError::Refused(why) => Failure::Input(why),
            ConvertError::Write(error) => writing(&error),
            error @ ConvertError::Temporary(_) => Failure::Machine(error.to_string()),
        }
    }
}

impl From<NoChoice> for Failure {
    fn from(error: NoChoice) -> Self {
        Failure::Input(error.to_string())
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        SimError::from(error).into()
    }
}

impl From<TraceError> for Failure {
    fn from(error: TraceError) -> Self {
        SimError::from(error).into()
    }
}
