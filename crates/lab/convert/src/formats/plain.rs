//! ssdlab's own CSV.

use ssdlab_host::Request;
use ssdlab_trace::plain;

use super::Lines;
use crate::notes::Notes;
use crate::writer::{Head, Volume};

pub struct Plain {
    streams: bool,
}

impl Plain {
    pub const fn new(head: Head) -> Self {
        let streams = head.streams;
        Self { streams }
    }
}

impl Lines for Plain {
    fn begin(&self, to: &mut String) {
        *to += plain::header(self.streams);
        to.push('\n');
    }

    fn add(
        &mut self,
        to: &mut String,
        request: &Request,
        _: Option<Volume>,
        _: &mut Notes,
    ) -> Result<u64, String> {
        plain::add_line(to, request, self.streams);
        Ok(1)
    }
}
