//! A start that fails after the image was opened: nbdkit exits then, without a word to its plugins. A port may be taken.

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

/// What to do.
static CLOSE: OnceLock<fn()> = OnceLock::new();
/// Whether this process is the one that serves. On its way to the background nbdkit forks, and its parent exits.
static SERVES: AtomicBool = AtomicBool::new(false);

/// Calls `close` when this process exits, unless it has forked.
pub fn at_exit(close: fn()) {
    serve();
    if CLOSE.set(close).is_ok() {
        // without them the next opening repairs the image
        pthread_atfork(None, Some(forked), Some(forked));
        atexit(exits);
    }
}

/// This process serves, which may be a child of the one that has opened the image.
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
