//! The events of the requests themselves, and what the others belong to. All of it runs only while somebody listens.

use ssdlab_flash::{Lpn, Media};
use ssdlab_ftl::{Event, Trigger};
use ssdlab_host::{Op, Request};

use super::Device;

impl<M: Media> Device<M> {
    /// A request begins. Returns the pages of its kind that buffers held so far.
    #[cold]
    pub(super) fn hear(&mut self, op: Op) -> u64 {
        self.heard += 1;
        let cause = if self.pages_age {
            Trigger::Ageing
        } else {
            self.cause_in(op)
        };
        let time_ns = self.now_ns();
        self.core.events.begin(Some(self.heard), time_ns, cause);
        self.hits(op)
    }

    /// Pages are aged; what follows comes from the request itself.
    pub(super) fn hear_request(&mut self, op: Op) {
        self.core.events.because(self.cause_in(op));
    }

    /// The request is done; `before` is the result of [`Device::hear`].
    #[cold]
    pub(super) fn tell(&mut self, request: &Request, before: u64) {
        self.core.events.because(Trigger::Host);
        self.stage.report_regions(&mut self.core);
        let op = request.op();
        let hits = self.hits(op) - before;
        let all = self.logical_pages();
        let event = match op {
            Op::Write | Op::Read => {
                let (first, pages) = self.pages_touched(request);
                let (lpn, misses) = (Lpn((first % all) as u32), pages - hits);
                match op {
                    Op::Write => Event::Write {
                        lpn,
                        pages,
                        hits,
                        misses,
                    },
                    _ => Event::Read {
                        lpn,
                        pages,
                        hits,
                        misses,
                    },
                }
            }
            Op::Flush => Event::Flush,
            Op::Discard => {
                let (first, pages) = self.pages_within(request);
                let lpn = Lpn((first % all) as u32);
                Event::Discard { lpn, pages }
            }
        };
        self.core.events.log(|| event);
    }

    /// The end of the trace begins.
    pub(super) fn hear_end(&mut self) {
        if self.core.events.wanted() {
            let time_ns = self.now_ns();
            self.core.events.begin(None, time_ns, Trigger::Drain);
        }
    }

    /// Why a request of this kind causes what it causes.
    fn cause_in(&self, op: Op) -> Trigger {
        match op {
            Op::Flush => Trigger::Flush,
            Op::Write | Op::Read if self.has_write_buffer => Trigger::Room,
            _ => Trigger::Host,
        }
    }

    /// The simulated time at which the current request began.
    fn now_ns(&mut self) -> u64 {
        let clocks = self.core.clocks().map(|clocks| clocks.now_ns());
        clocks.unwrap_or_else(|| self.counters().elapsed_ns)
    }

    /// The pages that reads or writes found in a buffer or a region in RAM so far.
    fn hits(&self, op: Op) -> u64 {
        let counters = &self.core.counters;
        match op {
            Op::Write if self.core.has_ram_region => {
                counters.buffer_write_hits + self.core.flash_counts().ram_hits
            }
            Op::Write => counters.buffer_write_hits,
            Op::Read => counters.buffer_read_hits,
            Op::Flush | Op::Discard => 0,
        }
    }
}
