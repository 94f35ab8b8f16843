//! Requests for tests.

use ssdlab_host::{Op, Request};

/// A request that must be valid.
pub fn request(time: u64, op: Op, offset: u64, size: u64) -> Request {
    Request::new(time, op, offset, size).unwrap()
}
