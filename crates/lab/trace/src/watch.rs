//! The progress of reading a trace, and its end before time.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The progress of one pass over a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passed {
    /// Whether this is the start of the pass.
    pub begins: bool,
    /// Requests since the last call.
    pub requests: u64,
    /// The part done and the total, in stored bytes or in requests; `None` if the total is unknown.
    pub at: Option<(u64, u64)>,
}

/// A function that receives the progress every few thousand requests; none by default. All watches are equal.
#[derive(Clone, Default)]
pub struct Watch {
    tell: Option<Arc<dyn Fn(Passed) + Send + Sync>>,
    stop: Option<Arc<AtomicBool>>,
}

impl Watch {
    /// Calls `tell` from the thread that reads.
    pub fn new(tell: impl Fn(Passed) + Send + Sync + 'static) -> Self {
        Self {
            tell: Some(Arc::new(tell)),
            stop: None,
        }
    }

    /// The same; once the flag is set, passes end with [`TraceError::Stopped`](crate::TraceError::Stopped).
    #[must_use]
    pub fn stopped_by(self, stop: Arc<AtomicBool>) -> Self {
        let stop = Some(stop);
        Self { stop, ..self }
    }

    /// Whether passes are to end.
    pub fn is_stopped(&self) -> bool {
        let stop = self.stop.as_ref();
        stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Reports the progress of a pass.
    pub fn tell(&self, passed: Passed) {
        if let Some(tell) = &self.tell {
            tell(passed);
        }
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.tell.is_some() {
            "Watch"
        } else {
            "nobody"
        })
    }
}

impl PartialEq for Watch {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Watch {}
