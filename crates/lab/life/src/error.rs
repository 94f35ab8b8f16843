use ssdlab_counters::CounterError;

/// A question without an answer: what is wrong, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct LifeError(pub String);

impl From<CounterError> for LifeError {
    fn from(error: CounterError) -> Self {
        Self(error.to_string())
    }
}
