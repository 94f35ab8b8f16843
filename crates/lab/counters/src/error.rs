/// A log that gives no reading.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{log}: {why}")]
pub struct CounterError {
    /// The name of the log, as the user gave it.
    pub log: String,
    /// What is wrong and what to do.
    pub why: String,
}

impl CounterError {
    pub(crate) fn new(log: &str, why: impl Into<String>) -> Self {
        let (log, why) = (log.to_owned(), why.into());
        Self { log, why }
    }
}
