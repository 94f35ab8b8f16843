//! Long work: without the lock of the interpreter, and ended by Ctrl-C.

use std::panic::resume_unwind;
use std::sync::Mutex;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;
use ssdlab_sim::StopFlag;

/// How often Python looks whether a signal has come.
const PATIENCE: Duration = Duration::from_millis(50);

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
    let (done, ended) = channel();
    let ended = Mutex::new(ended);
    thread::scope(|scope| {
        let worker = scope.spawn(move || {
            let value = work();
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
    let (done, ended) = channel();
    let ended = Mutex::new(ended);
    let worker = thread::spawn(move || {
        let value = work(of_work);
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
