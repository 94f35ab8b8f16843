//! Files that a device writes to while it serves requests.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use ssdlab_ftl::{Context, Event};
use ssdlab_sim::Completions;

use crate::failure::Failure;
use crate::output::{Files, WholeFile};

/// The header of the file of `--latencies`.
pub const LATENCIES: &str = "request,op,issue_ns,complete_ns\n";

/// One line of the file of `--events`.
#[derive(Serialize)]
struct Logged<'a> {
    #[serde(flatten)]
    context: &'a Context,
    #[serde(flatten)]
    event: &'a Event,
}

/// A file that a device writes to while it serves requests. All copies write to the same file.
#[derive(Clone)]
pub struct Log {
    path: PathBuf,
    state: Arc<Mutex<State>>,
}

/// The file, and the first error.
type State = (WholeFile, io::Result<()>);

impl Log {
    pub fn create(files: &mut Files, option: &str, path: &Path) -> Result<Self, Failure> {
        let file = files.create(option, path)?;
        Ok(Self {
            path: path.to_owned(),
            state: Arc::new(Mutex::new((file, Ok(())))),
        })
    }

    /// Writes one JSON object for each event.
    pub fn events(&self) -> impl FnMut(&Context, &Event) + Send + 'static {
        let state = Arc::clone(&self.state);
        move |context, event| {
            append(&state, |file| {
                serde_json::to_writer(&mut *file, &Logged { context, event })?;
                file.write_all(b"\n")
            });
        }
    }

    /// Writes to the file, unless writing has failed before.
    pub fn append(&self, write: impl FnOnce(&mut WholeFile) -> io::Result<()>) {
        append(&self.state, write);
    }

    /// One line of CSV for each request, below a header.
    pub fn completions(&self) -> Completions {
        let state = Arc::clone(&self.state);
        append(&state, |file| file.write_all(LATENCIES.as_bytes()));
        let mut numbers = 1_u64..;
        Box::new(move |completions| {
            append(&state, |file| {
                // a number is taken only for a request
                let mut lines = completions.iter().zip(numbers.by_ref());
                lines.try_for_each(|(done, number)| {
                    let op = done.op.letter();
                    writeln!(
                        file,
                        "{number},{op},{},{}",
                        done.issued_ns, done.completed_ns
                    )
                })
            });
        })
    }

    /// Completes the file; the device must be dropped before.
    pub fn finish(self) -> Result<(), Failure> {
        let (file, result) = Arc::into_inner(self.state)
            .expect("the device is gone")
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        result.map_err(|error| Failure::writing(&self.path, &error))?;
        file.finish()?;
        Ok(())
    }
}

/// Writes to the file, unless writing has failed before.
fn append(state: &Mutex<State>, write: impl FnOnce(&mut WholeFile) -> io::Result<()>) {
    let (file, result) = &mut *state.lock().unwrap_or_else(PoisonError::into_inner);
    if result.is_ok() {
        *result = write(file);
    }
}
