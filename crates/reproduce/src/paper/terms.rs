//! The terms of descriptions: metrics, sizes and kinds of requests.

use serde::Deserialize;

/// A kind of requests.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Requests {
    /// Reads.
    Reads,
    /// Flush commands.
    Flushes,
}

/// The metric of a statement.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "lowercase")]
pub enum Metric {
    /// Host bytes per simulated second, in 10^6 bytes.
    Throughput,
    /// Block erases.
    Erases,
    /// Simulated seconds.
    Time,
    /// Pages programmed from the host or the buffer, without those of merges.
    Programs,
    /// Full merges.
    #[serde(rename = "full merges")]
    FullMerges,
    /// Partial merges.
    #[serde(rename = "partial merges")]
    PartialMerges,
    /// Switch merges.
    #[serde(rename = "switch merges")]
    SwitchMerges,
    /// Random log blocks that FAST reclaimed: erases that no merge explains.
    #[serde(rename = "random log blocks")]
    RandomLogBlocks,
    /// Clean pages that left the buffer.
    #[serde(rename = "clean evictions")]
    CleanEvictions,
    /// Percent of the pages that merges wrote which came from the buffer, in place of a useless migration.
    #[serde(rename = "from the buffer")]
    FromBuffer,
    /// Percent of the pages read that a buffer served.
    #[serde(rename = "read hits")]
    ReadHits,
    /// Percent of the pages written that were in the buffer.
    #[serde(rename = "write hits")]
    WriteHits,
}

impl Metric {
    /// A chart's title.
    pub fn title(self) -> &'static str {
        match self {
            Metric::Throughput => "Throughput, MB/s",
            Metric::Erases => "Erases",
            Metric::Time => "Simulated time, s",
            Metric::Programs => "Pages programmed",
            Metric::FullMerges => "Full merges",
            Metric::PartialMerges => "Partial merges",
            Metric::SwitchMerges => "Switch merges",
            Metric::RandomLogBlocks => "Random log blocks",
            Metric::CleanEvictions => "Clean pages evicted",
            Metric::FromBuffer => "Merged from the buffer, %",
            Metric::ReadHits => "Read hits, %",
            Metric::WriteHits => "Write hits, %",
        }
    }

    /// Whether it is a share in percent.
    pub fn is_percent(self) -> bool {
        matches!(
            self,
            Metric::FromBuffer | Metric::ReadHits | Metric::WriteHits
        )
    }

    /// The unit of a difference.
    pub fn words(self) -> &'static str {
        match self {
            Metric::Throughput => "MB/s",
            Metric::Erases => "erases",
            Metric::Time => "time",
            Metric::Programs => "pages programmed",
            Metric::FullMerges => "full merges",
            Metric::PartialMerges => "partial merges",
            Metric::SwitchMerges => "switch merges",
            Metric::RandomLogBlocks => "random log blocks reclaimed",
            Metric::CleanEvictions => "clean pages evicted",
            Metric::FromBuffer => "pages merged from the buffer",
            Metric::ReadHits => "read hits",
            Metric::WriteHits => "write hits",
        }
    }
}

/// Bytes.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(try_from = "String")]
pub struct Size(pub u64);

impl TryFrom<String> for Size {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        ssdlab_config::parse_bytes(&text)
            .filter(|&size| size > 0)
            .map(Self)
            .ok_or_else(|| format!("{text:?} is not a size; must be like 512KiB or 16MiB"))
    }
}
