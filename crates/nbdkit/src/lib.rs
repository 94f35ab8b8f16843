//! The plugin `ssdlab` of nbdkit: serves the image of a virtual SSD to the clients of network block devices (NBD).
//!
//! nbdkit has the protocol, the connections and the threads. This crate hands each request to the [`Drive`], under one
//! lock: a drive is one object, and its requests take effect one after the other, in the order of the recorded trace.
//!
//! May depend on `drive`, on `device` for the figures, on `output` for its files and on `words` for names. Built as `libnbdkit_ssdlab_plugin.so`; nbdkit finds it by the name
//! `nbdkit-ssdlab-plugin.so`. Exports one function with a name of C, which the macro of the crate `nbdkit` writes;
//! therefore it does not forbid unsafe code. Its own are the declarations of functions of nbdkit and of the system, in
//! `realtime` and `unserved`, the map of a file in memory, in `mapped`, and the end of the process, in `ending`.
//!
//! [`Drive`]: ssdlab_drive::Drive

use std::sync::{Mutex, MutexGuard, PoisonError};

pub mod alone;
mod ending;
mod entry;
mod errors;
mod mapped;
mod realtime;
mod record;
mod server;
mod service;
mod settings;
mod shared;
pub mod status;
mod unserved;

/// Locks, also after a panic of another thread: a callback that panics ends the process, and a look at the drive changes
/// nothing.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
