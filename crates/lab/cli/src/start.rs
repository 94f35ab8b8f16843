//! How the program was started, and what only its start can tell.
//!
//! Before `main`, the Rust runtime opens the null device for each standard stream that is closed. What is written there is
//! lost without an error, so that `ssdlab run … >&-` would seem to succeed.
//!
//! It runs code before `main`, which looks at standard output and at nothing else; therefore it must stay this short.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// The arguments of the program, and where it is.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// The name of the program, then its arguments.
    pub arguments: Vec<OsString>,
    /// Where the plugin of nbdkit lies.
    pub folder: Option<PathBuf>,
}

impl Start {
    /// That of this process.
    pub fn of_process() -> Self {
        let program = env::current_exe().unwrap_or_default();
        Self {
            arguments: env::args_os().collect(),
            folder: program.parent().map(Path::to_owned),
        }
    }
}

static START: OnceLock<Start> = OnceLock::new();

/// Keeps how the program was started; only the first time counts.
pub fn keep(start: Start) -> &'static Start {
    START.get_or_init(|| start)
}

/// How the program was started.
pub fn kept() -> &'static Start {
    START.get_or_init(Start::of_process)
}

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
