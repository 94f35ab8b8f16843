//! What our traces are like, beside what the paper says of its own: the properties that its statements depend on.

use ssdlab_characterise::{Info, TooMany};
use ssdlab_sim::{Row, Trace};
use ssdlab_words::{NOTHING, decimal_bytes};

use super::panel::Panel;

/// A trace on the devices of the figures that run on it.
#[derive(Clone, Debug, Default)]
pub struct StandIn {
    /// Bytes written.
    pub written: u64,
    /// Bytes of the different pages written.
    pub footprint: u64,
    /// Page writes over different pages; `None` without writes.
    pub rewrites: Option<f64>,
    /// Erase blocks written over log blocks.
    pub blocks_over_logs: Range,
    /// The buffer over the footprint.
    pub buffer_over_footprint: Range,
    /// Dirty pages an eviction.
    pub pages_per_eviction: Range,
}

/// The least and the most of several values; `None` without any.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Range(pub Option<[f64; 2]>);

impl Range {
    fn add(&mut self, value: f64) {
        let [least, most] = self.0.unwrap_or([value; 2]);
        self.0 = Some([least.min(value), most.max(value)]);
    }

    /// In words: `0.12 to 31`.
    pub fn words(self) -> String {
        match self.0.map(|ends| ends.map(digits)) {
            None => NOTHING.into(),
            Some([least, most]) if least == most => least,
            Some([least, most]) => format!("{least} to {most}"),
        }
    }
}

/// Two digits of a small number, all digits before the point of a large one.
fn digits(value: f64) -> String {
    match value {
        large if large >= 9.95 => format!("{large:.0}"),
        medium if medium >= 0.995 => format!("{medium:.1}"),
        small => format!("{small:.2}"),
    }
}

impl StandIn {
    /// Adds a figure that runs on the trace.
    ///
    /// # Errors
    /// Sizes that no trace has.
    pub fn add(&mut self, trace: &Trace, panel: &Panel) -> Result<(), TooMany> {
        let rows: Vec<&Row> = panel.policies().collect();
        let Some(first) = rows.first() else {
            return Ok(());
        };
        let [page, block] = units(first);
        let (mut pages, mut blocks) = (Info::new(page), Info::new(block));
        let mut added = Ok(());
        // the trace is in memory: it is read without errors
        let _ = trace.each(|request| {
            let both = pages.add(request).and_then(|()| blocks.add(request));
            added = added.and(both);
        });
        added?;
        let (pages, blocks) = (pages.finish(), blocks.finish());
        self.written = pages.bytes_written;
        self.footprint = pages.pages_written * page;
        self.rewrites = pages.rewrite_ratio;
        for row in rows {
            let ftl = &row.outcome.config["ftl"];
            let logs = ftl["log_blocks"].as_f64().filter(|&logs| logs > 0.0);
            if let (true, Some(logs)) = (has_logs(row.ftl), logs) {
                self.blocks_over_logs
                    .add(blocks.pages_written as f64 / logs);
            }
            if let Some(size) = row.size.filter(|_| self.footprint > 0) {
                self.buffer_over_footprint
                    .add(size as f64 / self.footprint as f64);
            }
            let c = &row.outcome.counters;
            if c.evicted_dirty_pages > 0 && row.policy != "none" {
                self.pages_per_eviction
                    .add(c.evicted_dirty_pages as f64 / c.evictions as f64);
            }
        }
        Ok(())
    }

    /// The headings of [`StandIn::cells`].
    pub const COLUMNS: [&str; 6] = [
        "Written",
        "Footprint",
        "Rewrites",
        "Blocks written / log blocks",
        "Buffer / footprint",
        "Pages per eviction",
    ];

    /// The cells of its line in the table.
    pub fn cells(&self) -> [String; Self::COLUMNS.len()] {
        [
            decimal_bytes(self.written),
            decimal_bytes(self.footprint),
            self.rewrites.map_or(NOTHING.into(), digits),
            self.blocks_over_logs.words(),
            self.buffer_over_footprint.words(),
            self.pages_per_eviction.words(),
        ]
    }
}

/// Whether an FTL has log blocks.
fn has_logs(ftl: &str) -> bool {
    matches!(ftl, "bast" | "fast" | "superblock")
}

/// Bytes of a logical page and of a logical block.
fn units(row: &Row) -> [u64; 2] {
    let flash = &row.outcome.config["flash"];
    let number = |key: &str| flash[key].as_u64().unwrap_or(1).max(1);
    let chips = number("channels") * number("chips_per_channel");
    let (page, pages) = (number("page_size"), number("pages_per_block"));
    match flash["interleave"].as_str() {
        Some("superpage") => [page * chips, page * chips * pages],
        Some("line") => [page, page * chips * pages],
        _ => [page, page * pages],
    }
}
