//! Long work: without the lock of the interpreter, and stopped by Ctrl-C.

use std::panic::resume_unwind;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{RecvTimeoutError, channel};
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
    thread::scope(|scope| {
        let worker = scope.spawn(move || {
            let value = work();
            // nobody waits after a signal
            let _ = done.send(());
            value
        });
        let mut raised = None;
        // the receiver belongs to one thread, and this is it
        let ended = std::sync::Mutex::new(ended);
        loop {
            let waited = py.detach(|| {
                let ended = ended.lock().expect("one thread");
                ended.recv_timeout(PATIENCE)
            });
            // a worker that panics drops its end
            if !matches!(waited, Err(RecvTimeoutError::Timeout)) {
                break;
            }
            if let Err(signal) = py.check_signals() {
                stop.store(true, Ordering::Relaxed);
                raised.get_or_insert(signal);
            }
        }
        let value = py.detach(|| worker.join());
        match (raised, value) {
            (_, Err(panic)) => resume_unwind(panic),
            (Some(signal), Ok(_)) => Err(signal),
            (None, Ok(value)) => Ok(value),
        }
    })
}
