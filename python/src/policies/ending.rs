//! How a run of policies written in Python ends early.

use std::cell::Cell;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use ssdlab_sim::StopFlag;

thread_local! {
    static HOLDS: Cell<bool> = const { Cell::new(false) };
}

/// Does a run that holds the lock of the interpreter, but for what [`Ending::check`] lets others have of it.
pub fn holding<T>(run: impl FnOnce() -> T) -> T {
    Python::attach(|_| {
        let before = HOLDS.replace(true);
        let value = run();
        HOLDS.set(before);
        value
    })
}

/// The first exception of a run, and the flag that stops it. Copies are of the same run.
#[derive(Clone, Default)]
pub struct Ending {
    pub stop: StopFlag,
    raised: Arc<Mutex<Option<PyErr>>>,
}

impl Ending {
    /// Whether the run is about to end: its policies are not called any more.
    #[inline]
    pub fn is_near(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Stops the run without an exception: nobody needs the rest.
    pub fn end(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Stops the run, which then raises this exception, unless there was one before.
    pub fn raise(&self, error: PyErr) {
        let mut raised = self.raised.lock().unwrap_or_else(PoisonError::into_inner);
        let late = match *raised {
            Some(_) => Some(error),
            None => raised.replace(error),
        };
        drop(raised);
        self.stop.store(true, Ordering::Relaxed);
        // outside of the lock: it may run code of Python
        drop(late);
    }

    /// In a run that holds the lock of the interpreter ([`holding`]): lets other threads have it, and stops the run if a
    /// signal has come whose handler raises. Only the main thread of Python is told of signals.
    pub fn check(&self) {
        if !HOLDS.get() {
            return;
        }
        let checked = Python::attach(|py| {
            py.detach(|| ());
            py.check_signals()
        });
        if let Err(signal) = checked {
            self.raise(signal);
        }
    }

    /// The value of a run that has ended, or the exception that ended it.
    ///
    /// # Errors
    /// The first exception.
    pub fn of<T>(&self, value: T) -> PyResult<T> {
        let raised = self
            .raised
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        raised.map_or(Ok(value), Err)
    }
}
