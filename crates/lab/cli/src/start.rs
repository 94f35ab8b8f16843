//! What only the start of a program can tell.
//!
//! Before `main`, the Rust runtime opens the null device for each standard stream that is closed. What is written there is
//! lost without an error, so that `ssdlab run … >&-` would seem to succeed.
//!
//! It runs code before `main`, which looks at standard output and at nothing else; therefore it must stay this short.

use std::sync::atomic::{AtomicBool, Ordering};

static CLOSED: AtomicBool = AtomicBool::new(false);

#[cfg(unix)]
ctor::declarative::ctor! {
    /// Runs before the runtime.
    #[ctor(unsafe)]
    fn look() {
        let open = rustix::io::fcntl_getfd(rustix::stdio::stdout()).is_ok();
        CLOSED.store(!open, Ordering::Relaxed);
    }
}

/// Whether standard output was closed when the program began.
pub fn stdout_was_closed() -> bool {
    CLOSED.load(Ordering::Relaxed)
}
