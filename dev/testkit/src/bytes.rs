//! Devices with bytes against a flat array. Requests begin and end anywhere in a page.

use fastrand::Rng;
use ssdlab_config::Config;
use ssdlab_device::{Device, NoData, Plugins, RequestBytes};
use ssdlab_flash::{Array, Bytes};
use ssdlab_host::{Op, Request};

use crate::configs::stack_with;
use crate::recorder::Recorder;

/// The events of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    /// Ends of writes inside a page.
    pub parts_written: u64,
    /// Reads of flash during writes.
    pub rests_read: u64,
    /// Pages written that the write buffer held.
    pub hits: u64,
}

/// Serves requests without some of their first and last bytes, and then reads every byte. `wrap`: they may go beyond the
/// end of the device. What is read must be what was written, and the counters those of a device without data.
///
/// # Errors
/// The first request after which this is not so, or that fails.
pub fn serve<'a>(
    plugins: &impl Plugins,
    config: &Config,
    wrap: bool,
    requests: impl IntoIterator<Item = &'a Request>,
) -> Result<Seen, String> {
    let mut host = Host::new(plugins, config, wrap)?;
    let mut seen = Seen::default();
    for (number, request) in (0..).zip(requests) {
        let request = ragged(request, number);
        let reads = host.device.counters().flash_reads;
        host.serve(&request)
            .map_err(|what| format!("request {number}, {request:?}: {what}"))?;
        if request.op() == Op::Write {
            let is_part = |byte: u64| u64::from(!byte.is_multiple_of(host.page_size));
            seen.parts_written += is_part(request.offset) + is_part(request.end());
            seen.rests_read += host.device.counters().flash_reads - reads;
        }
    }
    host.finish().map_err(|what| format!("end: {what}"))?;
    seen.hits = host.device.counters().buffer_write_hits;
    Ok(seen)
}

/// The host of a device with bytes, a device without, and the array that both stand for.
struct Host {
    /// Of a type that other tests use as well, so that the systems are compiled for it once.
    device: Device<Recorder<Array<Bytes>>>,
    empty: Device<Array<()>>,
    array: Vec<u8>,
    page_size: u64,
    random: Rng,
}

impl Host {
    fn new(plugins: &impl Plugins, config: &Config, wrap: bool) -> Result<Self, String> {
        let mut device = Device::fresh_on(config, &stack_with(plugins, config), |array| {
            Ok(Recorder::new(array))
        })
        .map_err(|e| e.to_string())?;
        let mut empty =
            Device::fresh(config, &stack_with(plugins, config)).map_err(|e| e.to_string())?;
        device.wrap_around(wrap);
        empty.wrap_around(wrap);
        Ok(Self {
            array: vec![0; config.flash.capacity as usize],
            page_size: device.page_size(),
            random: Rng::with_seed(1),
            device,
            empty,
        })
    }

    /// Serves a request and compares what it reads, and all counters.
    fn serve(&mut self, request: &Request) -> Result<(), String> {
        let mut bytes = vec![0xee; request.size() as usize];
        if request.op() == Op::Write {
            self.random.fill(&mut bytes);
        }
        let served = self.device.submit(request, &mut RequestBytes(&mut bytes));
        served.map_err(|e| e.to_string())?;
        let served = self.empty.submit(request, &mut NoData);
        served.map_err(|e| e.to_string())?;
        match request.op() {
            Op::Read => self.compare(request.offset, &bytes)?,
            Op::Write => self.store(request.offset, &bytes),
            Op::Discard => self.discard(request),
            Op::Flush => {}
        }
        self.compare_counters()
    }

    fn store(&mut self, offset: u64, mut bytes: &[u8]) {
        let mut at = offset as usize % self.array.len();
        while !bytes.is_empty() {
            let (now, rest) = bytes.split_at(bytes.len().min(self.array.len() - at));
            self.array[at..at + now.len()].copy_from_slice(now);
            (at, bytes) = (0, rest);
        }
    }

    /// Only whole pages are discarded.
    fn discard(&mut self, request: &Request) {
        let first = request.offset.next_multiple_of(self.page_size);
        let end = request.end() / self.page_size * self.page_size;
        self.store(first, &vec![0; end.saturating_sub(first) as usize]);
    }

    fn compare(&self, offset: u64, mut found: &[u8]) -> Result<(), String> {
        let mut at = offset as usize % self.array.len();
        while !found.is_empty() {
            let (now, rest) = found.split_at(found.len().min(self.array.len() - at));
            let written = &self.array[at..at + now.len()];
            // whole slices first: byte by byte takes most of the time of the test
            if written != now {
                let mut bytes = (at..).zip(written.iter().zip(now));
                let differ = bytes.find(|(_, (written, read))| written != read);
                let (at, (written, read)) = differ.expect("a byte that differs");
                return Err(format!("byte {at} reads as {read}, written as {written}"));
            }
            (at, found) = (0, rest);
        }
        Ok(())
    }

    fn compare_counters(&self) -> Result<(), String> {
        let (with, without) = (self.device.counters(), self.empty.counters());
        let mut pairs = with.entries().into_iter().zip(without.entries());
        match pairs.find(|((_, with), (_, without))| with != without) {
            None if self.device.time() == self.empty.time() => Ok(()),
            None => Err("other times with bytes".to_owned()),
            Some(((name, with), (_, without))) => {
                Err(format!("{name}: {with} with bytes, {without} without"))
            }
        }
    }

    /// Ends the trace and reads all bytes.
    fn finish(&mut self) -> Result<(), String> {
        self.device.finish().map_err(|e| e.to_string())?;
        self.empty.finish().map_err(|e| e.to_string())?;
        self.compare_counters()?;
        let all = Request::new(0, Op::Read, 0, self.array.len() as u64);
        self.serve(&all.expect("a small device"))
    }
}

/// The request without some of its first and last bytes. The same number cuts off the same share.
fn ragged(request: &Request, number: u64) -> Request {
    let mut random = Rng::with_seed(number);
    let most = request.size().saturating_sub(1).min(700) / 2;
    let mut cut = || {
        if random.bool() {
            random.u64(..=most)
        } else {
            0
        }
    };
    let (head, tail) = (cut(), cut());
    let (offset, size) = (request.offset + head, request.size() - head - tail);
    Request::new(request.time_ns, request.op(), offset, size).expect("a part of a request")
}
