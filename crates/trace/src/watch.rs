//! Telling how far the reading of a trace is.

use std::fmt;
use std::sync::Arc;

/// How far a pass over a trace is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passed {
    /// Whether the pass begins.
    pub begins: bool,
    /// Requests since the last call.
    pub requests: u64,
    /// What has passed of how much, in bytes as stored or in requests; `None` for what has no known length.
    pub at: Option<(u64, u64)>,
}

/// Who is told, every few thousand requests; nobody by default. Two are equal, whoever they tell.
#[derive(Clone, Default)]
pub struct Watch(Option<Arc<dyn Fn(Passed) + Send + Sync>>);

impl Watch {
    /// Tells this function, from whichever thread reads.
    pub fn new(tell: impl Fn(Passed) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(tell)))
    }

    /// Tells how far a pass is.
    pub fn tell(&self, passed: Passed) {
        if let Some(tell) = &self.0 {
            tell(passed);
        }
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Watch" } else { "nobody" })
    }
}

impl PartialEq for Watch {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Watch {}
