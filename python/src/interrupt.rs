//! Long work: without the lock of the interpreter, and ended by Ctrl-C.

use std::cell::Cell;
use std::panic::resume_unwind;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyRecursionError;
use pyo3::prelude::*;
use ssdlab_sim::StopFlag;

/// How often Python looks whether a signal has come.
const PATIENCE: Duration = Duration::from_millis(50);

/// The deepest that work begins other work: a policy whose method runs a device, whose policy does.
const DEEPEST: usize = 16;
/// The most work at a time; beyond it, work that begins work on further threads has no end.
const MOST: usize = 1000;

thread_local! {
    /// How deep the work of this thread is.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}
static AT_WORK: AtomicUsize = AtomicUsize::new(0);

/// Work that goes on, until it is dropped.
pub struct Working(usize);

impl Working {
    /// Work that this thread begins.
    ///
    /// # Errors
    /// It runs itself again and again.
    pub fn begin() -> PyResult<Self> {
        let depth = DEPTH.get() + 1;
        let all = AT_WORK.fetch_add(1, Ordering::Relaxed) + 1;
        let working = Self(depth);
        match depth > DEEPEST || all > MOST {
            true => {
                let why = format!(
                    "ssdlab runs inside itself: {depth} deep, {all} at a time; a policy must not run its own device"
                );
                Err(PyRecursionError::new_err(why))
            }
            false => Ok(working),
        }
    }

    /// Does it on this thread.
    pub fn run<T>(self, work: impl FnOnce() -> T) -> T {
        let _before = Before(DEPTH.replace(self.0));
        work()
    }
}

/// No other thread is at work any more: this is a new process.
pub fn alone() {
    AT_WORK.store(DEPTH.get(), Ordering::Relaxed);
}

/// The depth of a thread that comes back, even after a panic.
struct Before(usize);

impl Drop for Before {
    fn drop(&mut self) {
        DEPTH.set(self.0);
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        AT_WORK.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Does some work on a thread of its own. A signal whose handler raises stops it: the flag is set, and the exception is
/// raised once the work has ended. Only the main thread of Python is told of signals.
///
/// # Errors
/// The exception that a signal raised.
pub fn apart<T: Send>(py: Python, work: impl FnOnce(StopFlag) -> T + Send) -> PyResult<T> {
    let stop = StopFlag::default();
    apart_with(py, &stop, || work(stop.clone()))
}

/// The same for work that already knows its flag.
///
/// # Errors
/// As [`apart`].
pub fn apart_with<T: Send>(
    py: Python,
    stop: &StopFlag,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let working = Working::begin()?;
    let (done, ended) = channel();
    let ended = Mutex::new(ended);
    thread::scope(|scope| {
        let worker = scope.spawn(move || {
            let value = working.run(work);
            let _ = done.send(());
            value
        });
        let mut raised = None;
        while let Err(signal) = wait(py, &ended) {
            stop.store(true, Ordering::Relaxed);
            raised.get_or_insert(signal);
        }
        let value = py.detach(|| worker.join());
        match (raised, value) {
            (_, Err(panic)) => resume_unwind(panic),
            (Some(signal), Ok(_)) => Err(signal),
            (None, Ok(value)) => Ok(value),
        }
    })
}

/// Does some work that only computes and reads on a thread of its own. A signal whose handler raises is raised at once: what
/// is left of the work goes on until it sees the flag or ends, and nobody needs its value.
///
/// # Errors
/// The exception that a signal raised.
pub fn aside<T: Send + 'static>(
    py: Python,
    work: impl FnOnce(StopFlag) -> T + Send + 'static,
) -> PyResult<T> {
    let stop = StopFlag::default();
    let of_work = stop.clone();
    let working = Working::begin()?;
    let (done, ended) = channel();
    let ended = Mutex::new(ended);
    let worker = thread::spawn(move || {
        let value = working.run(|| work(of_work));
        let _ = done.send(());
        value
    });
    if let Err(signal) = wait(py, &ended) {
        stop.store(true, Ordering::Relaxed);
        return Err(signal);
    }
    let value = py.detach(|| worker.join());
    value.map_err(|panic| resume_unwind(panic))
}

/// Waits until a worker has ended. `ended` belongs to the thread that waits.
///
/// # Errors
/// The exception that a signal raised before.
fn wait(py: Python, ended: &Mutex<Receiver<()>>) -> PyResult<()> {
    loop {
        let waited = py.detach(|| {
            let ended = ended.lock().expect("one thread");
            ended.recv_timeout(PATIENCE)
        });
        // a worker that panics drops its end
        if !matches!(waited, Err(RecvTimeoutError::Timeout)) {
            return Ok(());
        }
        py.check_signals()?;
    }
}
