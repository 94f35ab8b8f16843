//! What a drive is doing.

use serde::Serialize;
use ssdlab_device::{Counters, FlashBytes, LatencyByOp};

use crate::drive::Drive;

/// What a drive has done since it was opened, and how it is.
#[derive(Clone, Debug, Serialize)]
pub struct Status {
    /// In bytes.
    pub capacity: u64,
    /// In bytes.
    pub page_size: u64,
    /// The name of the FTL.
    pub ftl: &'static str,
    /// The counters, as the simulator counts.
    pub counters: Counters,
    /// Bytes programmed for each byte that the host wrote; none if it wrote none.
    pub write_amplification: Option<f64>,
    /// Bytes programmed, by cause.
    pub bytes_to_flash: FlashBytes,
    /// The write buffer.
    pub buffer: BufferUse,
    /// The erases of each block over the life of the drive, chip by chip.
    pub erases: Vec<u32>,
    /// By the clocks of the parallel model, in ns; none under serial timing.
    pub latency_ns: Option<LatencyByOp>,
    /// Why the drive only reads, if it does.
    pub read_only: Option<String>,
}

/// How full the write buffer is, in pages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BufferUse {
    /// The name of the policy.
    pub policy: &'static str,
    /// What it can hold.
    pub pages: u32,
    /// What it holds.
    pub held: u32,
    /// What it must still write.
    pub dirty: u32,
}

impl Drive {
    /// What the drive has done since it was opened, and how it is.
    pub fn status(&mut self) -> Status {
        let config = self.config();
        let (capacity, ftl, policy) = (self.capacity(), config.ftl, config.policy);
        let (pages, page_size) = (config.buffer_pages(), self.page_size());
        let counters = self.counters();
        let device = self.device_mut();
        let (held, dirty) = device.as_ref().map_or((0, 0), |device| device.buffered());
        Status {
            capacity,
            page_size,
            ftl,
            write_amplification: counters.waf(page_size),
            bytes_to_flash: device
                .as_ref()
                .map(|device| device.flash_bytes())
                .unwrap_or_default(),
            buffer: BufferUse {
                policy,
                pages,
                held,
                dirty,
            },
            latency_ns: device.and_then(|device| device.latencies()),
            erases: self.erase_counts(),
            read_only: self.read_only().map(|why| why.to_string()),
            counters,
        }
    }
}
