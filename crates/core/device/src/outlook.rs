//! The writes to come, for write buffers and FTLs that foresee them.

use ssdlab_flash::{Lpn, Media};
use ssdlab_host::{Op, Request};
use ssdlab_policy::buffer::{Foresight, Future, TooLong, Unit};

use crate::{Parameters, Stack};

/// What the future of a device depends on, beside the requests. Devices with the same outlook share their future.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outlook {
    page_size: u64,
    pages: u32,
    unit: Unit,
    /// Page numbers wrap around at the capacity.
    wraps: bool,
    /// A flush writes the dirty pages.
    flushes: bool,
    /// The requests are served several times, and nothing writes the dirty pages between.
    goes_on: bool,
    /// The first write of each page is kept.
    firsts: bool,
}

/// Hands all requests, in order, to the function that it is given.
pub type Pass<'a, E> = dyn FnMut(&mut dyn FnMut(&Request)) -> Result<(), E> + 'a;

impl Outlook {
    /// That of a device, whose parameters must have passed [`Parameters::check`]; `None` if nothing of it foresees
    /// ([`Stack::foresees`]). `wraps`: [`Device::wrap_around`](crate::Device::wrap_around); `repeated`: whether the device
    /// serves the same requests several times, each time until [`Device::finish`](crate::Device::finish).
    pub fn of<M: Media>(
        parameters: &Parameters,
        stack: &Stack<M>,
        wraps: bool,
        repeated: bool,
    ) -> Option<Self> {
        if !stack.foresees(parameters) {
            return None;
        }
        let geometry = parameters.geometry(stack);
        let of_buffer = stack.buffer_nature().filter(|nature| nature.foresees);
        let of_ftl = Self {
            page_size: geometry.page_size().into(),
            pages: geometry.logical_pages(),
            // what a discard ends does not matter to it
            unit: Unit::Block(1),
            wraps,
            flushes: false,
            goes_on: repeated,
            firsts: true,
        };
        Some(match of_buffer {
            None => of_ftl,
            Some(nature) => Self {
                unit: nature.unit(geometry.pages_per_block()),
                flushes: !parameters.buffer.protected,
                goes_on: repeated && !parameters.drain,
                firsts: false,
                ..of_ftl
            },
        })
    }

    /// The future of these requests, which may be passed twice, for at most this many writes of pages.
    ///
    /// # Errors
    /// What `pass` returns. The inner error: there are more writes of pages.
    pub fn future<E>(
        &self,
        most: usize,
        pass: &mut Pass<'_, E>,
    ) -> Result<Result<Future, TooLong>, E> {
        let mut foresight = Foresight::new(self.pages, self.unit, most);
        if self.firsts {
            foresight = foresight.with_firsts();
        }
        let mut seen = Ok(());
        let mut see = |foresight: &mut Foresight| {
            pass(&mut |request| {
                if seen.is_ok() {
                    seen = self.see(foresight, request);
                }
            })
        };
        see(&mut foresight)?;
        if self.goes_on {
            foresight.again();
            see(&mut foresight)?;
        }
        Ok(seen.map(|()| foresight.finish()))
    }

    fn see(&self, foresight: &mut Foresight, request: &Request) -> Result<(), TooLong> {
        let (first, end) = match request.op() {
            Op::Write => (
                request.offset / self.page_size,
                request.end().div_ceil(self.page_size),
            ),
            Op::Discard => (
                request.offset.div_ceil(self.page_size),
                request.end() / self.page_size,
            ),
            Op::Flush if self.flushes => {
                foresight.flush();
                return Ok(());
            }
            Op::Flush | Op::Read => return Ok(()),
        };
        let all = u64::from(self.pages);
        let count = end.saturating_sub(first);
        // the device refuses all others
        if request.size() == 0 || end > all && !self.wraps {
            return Ok(());
        }
        // an unaligned write as large as the device touches its first page twice
        let (mut start, mut left) = (first % all, count);
        while left > 0 {
            let part = left.min(all - start);
            let (first, count) = (Lpn(start as u32), part as u32);
            match request.op() {
                Op::Write => foresight.write(first, count)?,
                _ => foresight.discard(first, count),
            }
            (start, left) = (0, left - part);
        }
        Ok(())
    }
}
