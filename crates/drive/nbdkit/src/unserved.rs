//! A start that fails after the image was opened, as when a port is taken: nbdkit exits then without telling its plugins.

use std::ffi::c_int;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

unsafe extern "C" {
    /// Calls a function when the process exits.
    safe fn atexit(function: extern "C" fn()) -> c_int;
    /// Calls functions around each fork: before it, and after it in the parent and in the child.
    safe fn pthread_atfork(
        before: Option<extern "C" fn()>,
        parent: Option<extern "C" fn()>,
        child: Option<extern "C" fn()>,
    ) -> c_int;
}

/// The function to call.
static CLOSE: OnceLock<fn()> = OnceLock::new();
/// Whether this process is the one that serves. On its way to the background nbdkit forks, and its parent exits.
static SERVES: AtomicBool = AtomicBool::new(false);

/// Calls `close` when this process exits, unless it has forked.
pub fn at_exit(close: fn()) {
    serve();
    if CLOSE.set(close).is_ok() {
        // otherwise the next opening would have to repair the image
        pthread_atfork(None, Some(forked), Some(forked));
        atexit(exits);
    }
}

/// This process serves. It may be a child of the one that opened the image.
pub fn serve() {
    SERVES.store(true, Ordering::SeqCst);
}

extern "C" fn forked() {
    SERVES.store(false, Ordering::SeqCst);
}

extern "C" fn exits() {
    if let (true, Some(close)) = (SERVES.load(Ordering::SeqCst), CLOSE.get()) {
        close();
    }
}
