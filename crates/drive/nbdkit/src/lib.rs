//! Plugins of nbdkit: they serve the image of a virtual SSD to the clients of network block devices (NBD).
//!
//! nbdkit brings the protocol, the connections and the threads. This crate hands each request to the [`Drive`], under one
//! lock: a drive is one object, and its requests take effect one after the other, in the order of the recorded trace.
//!
//! [`plugin!`] makes a plugin of a library: `ssdlab-plugin` is the one with the built-in systems.
//!
//! May depend on `drive`, on `device`, on `output` for its files and on `words` for names. It does not forbid unsafe
//! code: it declares functions of nbdkit and of the system, in `realtime` and `unserved`, maps a file into memory, in
//! `mapped`, ends the process, in `ending`, and keeps the plugin loaded, in `entry`.
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

pub use entry::init;

/// Locks, even after a panic of another thread: a callback that panics ends the process, and a look at the drive changes
/// nothing.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
