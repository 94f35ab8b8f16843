//! Signals that end the program: they leave no unfinished file, and the exit code is 128 + the signal, as in a shell.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use ssdlab_sim::StopFlag;

#[cfg(feature = "full")]
use crate::live;
use crate::{output, progress};

#[cfg(unix)]
pub use unix::{Passed, Receiver, watch};
#[cfg(windows)]
pub use windows::watch;

/// That of Ctrl-C.
const INTERRUPT_NUMBER: i32 = 2;
const TERMINATION_NUMBER: i32 = 15;

/// A signal that a command may wait for.
struct Awaited {
    signal: i32,
    /// Whether a command waits for it.
    wanted: AtomicBool,
    /// Whether it has come since.
    came: Arc<AtomicBool>,
}

static INTERRUPT: LazyLock<Awaited> = LazyLock::new(|| Awaited::new(INTERRUPT_NUMBER));
static TERMINATION: LazyLock<Awaited> = LazyLock::new(|| Awaited::new(TERMINATION_NUMBER));

impl Awaited {
    fn new(signal: i32) -> Self {
        Self {
            signal,
            wanted: AtomicBool::new(false),
            came: Arc::default(),
        }
    }

    /// Takes the signal, if a command waits for it and it has not come before.
    fn take(&self, signal: i32) -> bool {
        let taken = signal == self.signal && self.wanted.swap(false, Ordering::SeqCst);
        if taken {
            self.came.store(true, Ordering::SeqCst);
        }
        taken
    }
}

/// Ends the program, unless a command waits for the signal.
fn end(signal: i32) {
    if !INTERRUPT.take(signal) && !TERMINATION.take(signal) {
        progress::clear();
        #[cfg(feature = "full")]
        live::restore();
        output::abandon(128 + signal)
    }
}

/// While this value exists, the first signal of its kind does not end the program: its owner does. The second one ends
/// the program at once.
pub struct Interrupt(&'static Awaited);

impl Interrupt {
    /// Waits for Ctrl-C. The owner ends the program with [`Failure::Interrupted`].
    ///
    /// [`Failure::Interrupted`]: crate::failure::Failure::Interrupted
    pub fn await_one() -> Self {
        Self::of(&INTERRUPT)
    }

    /// Waits for SIGTERM.
    pub fn await_termination() -> Self {
        Self::of(&TERMINATION)
    }

    fn of(awaited: &'static Awaited) -> Self {
        awaited.wanted.store(true, Ordering::SeqCst);
        Self(awaited)
    }

    /// The flag that the signal sets, for polling.
    pub fn flag(&self) -> StopFlag {
        Arc::clone(&self.0.came)
    }
}

impl Drop for Interrupt {
    fn drop(&mut self) {
        self.0.wanted.store(false, Ordering::SeqCst);
    }
}
