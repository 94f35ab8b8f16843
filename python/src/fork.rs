//! Forks of the process. A child has only the thread that forked, so no lock may be held by another one then: it would be held
//! for ever.

use std::cell::RefCell;
use std::sync::MutexGuard;
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;
use ssdlab_sim::no_device_begins;

use crate::interrupt;

thread_local! {
    static HELD: RefCell<Option<MutexGuard<'static, ()>>> = const { RefCell::new(None) };
}

/// This thread is about to fork: waits for devices that other threads allocate, and lets none begin.
#[pyfunction]
pub fn before_fork(py: Python) {
    let held = loop {
        match no_device_begins() {
            Some(held) => break held,
            // it may need the lock of the interpreter
            None => py.detach(|| thread::sleep(Duration::from_millis(1))),
        }
    };
    HELD.set(Some(held));
}

/// This thread has forked.
#[pyfunction]
pub fn after_fork(in_child: bool) {
    HELD.take();
    if in_child {
        interrupt::alone();
    }
}
