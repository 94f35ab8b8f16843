//! What a drive is doing.

use serde::Serialize;
use serde_json::{Value, json};
use ssdlab_device::results::Placed;
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
    /// Whether it merges; otherwise it cleans.
    pub merges: bool,
    /// Whether it erases lines of blocks.
    pub erases_lines: bool,
    /// The time since it was opened, seconds; `counters` has that which the drive needed.
    pub open_s: f64,
    /// The counters, as the simulator counts.
    pub counters: Counters,
    /// What was written to each handle or region of the placement, and copied out of it; with page mapping only.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub placed: Option<Placed>,
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

/// The most cells of the map of erases.
const CELLS: usize = 1024;

impl Status {
    /// What the status page of a served drive has as JSON: the figures that have a value, with their texts, and the erases
    /// of at most 1024 groups of adjacent blocks, the most of each.
    pub fn to_json(&self) -> Value {
        let mut value = json!(self);
        let group = self.erases.len().div_ceil(CELLS).max(1);
        let most = |group: &[u32]| group.iter().copied().max();
        let cells: Vec<Option<u32>> = self.erases.chunks(group).map(most).collect();
        value["erases"] = json!({
            "blocks": self.erases.len(),
            "total": self.erases.iter().map(|&count| u64::from(count)).sum::<u64>(),
            "least": self.erases.iter().min(),
            "most": self.erases.iter().max(),
            "blocks_of_a_cell": group,
            "cells": cells,
        });
        let figures = self.figures.iter().filter_map(|(figure, value)| {
            let value = value?;
            Some(json!({
                "key": figure.key,
                "title": figure.title,
                "text": figure.unit.text(value),
                "value": value,
            }))
        });
        value["figures"] = figures.collect();
        value["bytes_to_flash"]["total"] = self.bytes_to_flash.total().into();
        value
    }
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
        let regions = device.as_ref().map(|device| device.regions());
        let latency_ns = device.and_then(|device| device.latencies());
        let placed = Placed::of(&regions.unwrap_or_default(), self.config().handles());
        let (merges, open_s) = (self.design.merges, self.opened_at().elapsed().as_secs_f64());
        Status {
            capacity,
            page_size,
            ftl,
            merges,
            erases_lines: self.config().flash.erases_lines(),
            open_s,
            write_amplification: counters.waf(page_size),
            bytes_to_flash,
            figures: self.figures(
                &counters,
                bytes_to_flash,
                placed.as_ref(),
                latency_ns.as_ref(),
            ),
            placed,
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
        placed: Option<&Placed>,
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
                scaled_by: None,
                span_ns: self.opened_at().elapsed().as_nanos() as u64,
                // its host waits for it
                kept_up: true,
                capacity: config.flash.capacity,
                pe_cycles: config.pe_cycles(),
                rated_tbw: config.rated_tbw(),
                slc: None,
            }),
            controller: &config.controller(),
            placed,
            latency_ns,
            utilisation: None,
        };
        let figures = self.design.figures.iter();
        figures
            .map(|figure| (*figure, (figure.value)(&results)))
            .collect()
    }
}
