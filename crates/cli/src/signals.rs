//! Signals that end the program: they leave no unfinished file, and the exit code is 128 + the signal, as in a shell.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::{output, progress};

/// Whether a command waits for an interrupt.
static AWAITED: AtomicBool = AtomicBool::new(false);
/// Whether an interrupt has come since.
static ASKED: AtomicBool = AtomicBool::new(false);

/// Makes an interrupt (130), SIGTERM (143) and SIGHUP (129) remove unfinished files and end the program.
pub fn watch() {
    let ignored = ignored();
    let wanted = [SIGINT, SIGTERM, SIGHUP]
        .into_iter()
        .filter(|signal| ignored & 1 << (signal - 1) == 0);
    // without the handlers the signals still end the program
    let Ok(mut signals) = Signals::new(wanted) else {
        return;
    };
    let (ready, started) = mpsc::channel();
    let wait = move || {
        let _ = ready.send(());
        for signal in signals.forever() {
            let first = signal == SIGINT && AWAITED.swap(false, Ordering::SeqCst);
            match first {
                true => ASKED.store(true, Ordering::SeqCst),
                false => {
                    progress::clear();
                    output::abandon(128 + signal)
                }
            }
        }
    };
    // start the thread now: it takes memory, and a later check of free memory must see that
    if thread::Builder::new().spawn(wait).is_ok() {
        let _ = started.recv();
    }
}

/// The signals that the parent process set to be ignored (`nohup`), one bit for each, the lowest for signal 1.
fn ignored() -> u64 {
    // if the system does not report them, SIGHUP counts as ignored: nohup matters more than a leftover file
    const UNKNOWN: u64 = 1 << (SIGHUP - 1);
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|l| l.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.unwrap_or(UNKNOWN)
}

/// While this value exists, the first Ctrl-C does not end the program: its owner does, with [`Failure::Interrupted`].
/// The second Ctrl-C ends the program at once.
///
/// [`Failure::Interrupted`]: crate::failure::Failure::Interrupted
pub struct Interrupt(());

impl Interrupt {
    /// Starts to wait.
    pub fn await_one() -> Self {
        AWAITED.store(true, Ordering::SeqCst);
        Self(())
    }

    /// The flag that an interrupt sets, for polling.
    pub fn flag(&self) -> &'static AtomicBool {
        &ASKED
    }
}

impl Drop for Interrupt {
    fn drop(&mut self) {
        AWAITED.store(false, Ordering::SeqCst);
    }
}
