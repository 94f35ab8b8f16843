//! Uniform random single-page writes: the workload that theory knows best.

use fastrand::Rng;
use ssdlab_config::Config;
use ssdlab_device::{Counters, Device, NoData};
use ssdlab_flash::Array;
use ssdlab_host::{Op, Request};

const BATCH: usize = 1024;

/// A device whose pages the host writes at random, all equally often.
pub struct Uniform {
    device: Device<Array<()>>,
    page_size: u64,
    pages: u64,
    random: Rng,
}

impl Uniform {
    /// A new device.
    ///
    /// # Panics
    /// If it cannot be preconditioned.
    pub fn new(config: &Config, seed: u64) -> Self {
        Self {
            device: Device::fresh(config).expect("a device of memory"),
            page_size: u64::from(config.flash.page_size),
            pages: u64::from(config.logical_pages()),
            random: Rng::with_seed(seed),
        }
    }

    /// Writes as many pages as the device has, so many times over; what was counted meanwhile.
    ///
    /// # Panics
    /// If the device fails.
    pub fn drive_writes(&mut self, times: f64) -> Counters {
        let before = self.device.counters();
        let mut rest = (times * self.pages as f64) as usize;
        let mut batch = Vec::with_capacity(BATCH);
        while rest > 0 {
            batch.clear();
            batch.extend((0..rest.min(BATCH)).map(|_| self.any_page()));
            rest -= batch.len();
            let served = self.device.submit_all(&batch, &mut NoData);
            served.unwrap_or_else(|(_, error)| panic!("{error}"));
        }
        self.device.counters().since(&before)
    }

    fn any_page(&mut self) -> Request {
        let page = self.random.u64(0..self.pages);
        let write = Request::new(0, Op::Write, page * self.page_size, self.page_size);
        write.expect("a page of the device")
    }
}
