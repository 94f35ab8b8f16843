//! Signals of Unix, and those that go on to a process that the program has started.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;

use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;

/// Makes an interrupt (130), SIGTERM (143) and SIGHUP (129) remove unfinished files and end the program. A file that may not be
/// longer is an error of its write.
pub fn watch() {
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
    let ignored = ignored();
    let numbers = [SIGINT, SIGTERM, SIGHUP]
        .into_iter()
        .filter(|signal| ignored & 1 << (signal - 1) == 0);
    // without the handlers the signals still end the program
    let Ok(mut signals) = Signals::new(numbers) else {
        return;
    };
    let (ready, started) = mpsc::channel();
    let wait = move || {
        let _ = ready.send(());
        for signal in signals.forever() {
            if pass_on(signal) {
                continue;
            }
            super::end(signal);
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

/// What happens to signals instead of ending the program.
enum Passing {
    /// Nothing: they end it.
    Off,
    /// The last one is kept.
    Held(Option<i32>),
    /// They go to a process.
    To(Receiver),
}

/// A process that gets signals.
#[derive(Clone, Copy)]
pub enum Receiver {
    /// The first process of a group; all of the group get them.
    Group(Pid),
    /// A process in the foreground of a terminal, which sends its own signals to it.
    OfTerminal(Pid),
}

static PASSING: Mutex<Passing> = Mutex::new(Passing::Off);

fn passing() -> MutexGuard<'static, Passing> {
    PASSING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns false if the signal ends the program.
fn pass_on(signal: i32) -> bool {
    match &mut *passing() {
        Passing::Off => return false,
        Passing::Held(last) => *last = Some(signal),
        Passing::To(receiver) => send(*receiver, signal),
    }
    true
}

fn send(receiver: Receiver, number: i32) {
    let Some(signal) = Signal::from_named_raw(number) else {
        return;
    };
    // it may have ended
    let _ = match receiver {
        Receiver::Group(first) => kill_process_group(first, signal),
        Receiver::OfTerminal(process) if number == SIGTERM => kill_process(process, signal),
        Receiver::OfTerminal(_) => Ok(()),
    };
}

/// While this value exists, signals do not end the program: they are held, or go to a process.
pub struct Passed(());

impl Passed {
    /// Starts to hold signals.
    pub fn hold() -> Self {
        *passing() = Passing::Held(None);
        Self(())
    }

    /// The last signal that was held.
    pub fn held(&self) -> Option<i32> {
        match *passing() {
            Passing::Held(signal) => signal,
            _ => None,
        }
    }

    /// Sends signals to a process from now on, also the one that was held.
    pub fn to(&self, receiver: Receiver) {
        let mut passing = passing();
        if let Passing::Held(Some(signal)) = *passing {
            send(receiver, signal);
        }
        *passing = Passing::To(receiver);
    }

    /// Holds signals again.
    pub fn back(&self) {
        *passing() = Passing::Held(None);
    }
}

impl Drop for Passed {
    fn drop(&mut self) {
        *passing() = Passing::Off;
    }
}
