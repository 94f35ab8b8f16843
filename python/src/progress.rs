//! Progress, told to a function of Python.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use pyo3::prelude::*;

/// Python is told at most this often.
const EVERY: Duration = Duration::from_millis(100);

/// A function that takes what is done and what there is to do, if that is known. Copies tell the same function.
#[derive(Clone)]
pub struct Progress(Arc<Callback>);

struct Callback {
    function: Py<PyAny>,
    last: Mutex<Instant>,
    done: AtomicU64,
    all: Option<u64>,
}

impl Progress {
    /// Of `all` steps, if their number is known.
    pub fn new(function: Py<PyAny>, all: Option<u64>) -> Self {
        Self(Arc::new(Callback {
            function,
            last: Mutex::new(Instant::now()),
            done: AtomicU64::new(0),
            all,
        }))
    }

    /// Some more steps are done.
    pub fn add(&self, steps: u64) {
        let done = self.0.done.fetch_add(steps, Ordering::Relaxed) + steps;
        let mut last = self.0.last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.elapsed() < EVERY {
            return;
        }
        *last = Instant::now();
        drop(last);
        self.tell(done);
    }

    /// All is done.
    pub fn end(&self) {
        self.tell(self.0.done.load(Ordering::Relaxed));
    }

    fn tell(&self, done: u64) {
        tell(&self.0.function, done, self.0.all);
    }
}

/// Tells a function what is done and what there is to do. A broken progress bar does not end the work.
pub fn tell(function: &Py<PyAny>, done: u64, all: Option<u64>) {
    Python::attach(|py| {
        if let Err(error) = function.call1(py, (done, all)) {
            error.write_unraisable(py, None);
        }
    });
}
