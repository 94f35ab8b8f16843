//! What a drive is doing.

use serde::Serialize;
use ssdlab_device::{
    Counters, Derived, Endurance, FlashBytes, LatencyByOp, PerFigure, Results, Wearing,
};

use crate::drive::Drive;

/// What a drive has done since it was opened, and its state.
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
    /// All figures since the drive was opened, in the base of their units.
    pub figures: PerFigure<Option<f64>>,
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
    /// The capacity of the buffer.
    pub pages: u32,
    /// The pages that it holds.
    pub held: u32,
    /// The pages that it must still write.
    pub dirty: u32,
}

impl Drive {
    /// What the drive has done since it was opened, and its state.
    pub fn status(&mut self) -> Status {
        let config = self.config();
        let (capacity, ftl, policy) = (self.capacity(), config.ftl, config.policy);
        let (pages, page_size) = (config.buffer_pages(), self.page_size());
        let counters = self.counters();
        let device = self.device_mut();
        let (held, dirty) = device.as_ref().map_or((0, 0), |device| device.buffered());
        let bytes = device.as_ref().map(|device| device.flash_bytes());
        let bytes_to_flash = bytes.unwrap_or_default();
        let latency_ns = device.and_then(|device| device.latencies());
        Status {
            capacity,
            page_size,
            ftl,
            write_amplification: counters.waf(page_size),
            bytes_to_flash,
            figures: self.figures(&counters, bytes_to_flash, latency_ns.as_ref()),
            buffer: BufferUse {
                policy,
                pages,
                held,
                dirty,
            },
            latency_ns,
            erases: self.erase_counts(),
            read_only: self.read_only().map(|why| why.to_string()),
            counters,
        }
    }

    /// All figures. The use of chips and channels is not known while the drive runs.
    fn figures(
        &self,
        counters: &Counters,
        flash_bytes: FlashBytes,
        latency_ns: Option<&LatencyByOp>,
    ) -> PerFigure<Option<f64>> {
        let (config, page_size) = (self.config(), self.page_size());
        let erases = self.erases_since_opened();
        let results = Results {
            counters,
            derived: &Derived::of(counters, page_size, &erases),
            endurance: &Endurance::of(&Wearing {
                counters,
                flash_bytes,
                page_size,
                pages_per_block: config.flash.pages_per_block,
                erases: &erases,
                span_ns: self.opened_at().elapsed().as_nanos() as u64,
                // its host waits for it
                kept_up: true,
                capacity: config.flash.capacity,
                pe_cycles: config.pe_cycles(),
                rated_tbw: config.rated_tbw(),
            }),
            controller: &config.controller(),
            latency_ns,
            utilisation: None,
        };
        let figures = self.design.figures.iter();
        figures
            .map(|figure| (*figure, (figure.value)(&results)))
            .collect()
    }
}
