//! The streams of requests: where their numbers come from, if not from a column of the trace.

use crate::text::quoted;
use ssdlab_host::Request;
use std::collections::HashMap;

/// What the stream of a request follows from (`--stream-by`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StreamBy {
    /// The operation: 0 for a read, 1 for a write, 2 for a flush, 3 for a discard.
    Op,
    /// The place on the device: the offset divided by this many bytes, at least 1.
    Lba(u64),
    /// A column of the trace: its values are numbered in the order in which they appear.
    Column(String),
}

impl StreamBy {
    /// Sets the streams of requests, unless they come from a column of the trace.
    ///
    /// # Errors
    /// The index of the first request without a stream of 16 bits, and the reason.
    pub(crate) fn set(&self, requests: &mut [Request]) -> Result<(), (usize, String)> {
        for (index, request) in requests.iter_mut().enumerate() {
            let stream = match *self {
                StreamBy::Op => request.op() as u64,
                StreamBy::Lba(size) => request.offset / size,
                StreamBy::Column(_) => return Ok(()),
            };
            let stream = u16::try_from(stream).map_err(|_| {
                let what = format!(
                    "offset_bytes {} is in stream {stream} of --stream-by; streams are numbered from 0 to {}, so \
                     choose a larger SIZE",
                    request.offset,
                    u16::MAX
                );
                (index, what)
            })?;
            *request = request.in_stream(stream);
        }
        Ok(())
    }
}

/// The values of a column, numbered in the order in which they appear.
#[derive(Default)]
pub(crate) struct Numbers(HashMap<Vec<u8>, u16>);

impl Numbers {
    /// The number of a value.
    ///
    /// # Errors
    /// More than 65536 values.
    pub fn of(&mut self, value: &[u8]) -> Result<u16, String> {
        if let Some(number) = self.0.get(value) {
            return Ok(*number);
        }
        let number = u16::try_from(self.0.len()).map_err(|_| {
            format!(
                "found {} as value number {} of the column of --stream-by; there can be {} streams",
                quoted(value),
                self.0.len() + 1,
                self.0.len()
            )
        })?;
        self.0.insert(value.to_owned(), number);
        Ok(number)
    }
}
