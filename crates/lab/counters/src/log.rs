//! A log of a tool, before it is known what its counters mean.

use crate::error::CounterError;
use crate::{json, text};

/// How a drive is attached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// NVMe.
    Nvme,
    /// ATA, over SATA.
    Sata,
    /// SAS.
    Sas,
    /// eMMC or a card.
    Mmc,
}

/// An attribute of an ATA drive.
#[derive(Clone, Debug)]
pub(crate) struct Attribute {
    pub id: u8,
    pub name: String,
    /// From 1 to 255; usually from 100 down.
    pub normalised: Option<u8>,
    pub raw: u64,
}

/// A counter whose unit is sure.
#[derive(Clone, Debug)]
pub(crate) struct Sure {
    pub name: String,
    pub value: u128,
    /// Bytes.
    pub unit: u64,
    /// The name of its log.
    pub log: String,
}

impl Sure {
    pub(crate) fn new(name: &str, value: u128, unit: u64) -> Self {
        let (name, log) = (name.to_owned(), String::new());
        Self {
            name,
            value,
            unit,
            log,
        }
    }
}

/// What a tool printed of one drive at one time.
#[derive(Clone, Debug, Default)]
pub struct Log {
    pub(crate) name: String,
    pub(crate) model: Option<String>,
    pub(crate) serial: Option<String>,
    pub(crate) firmware: Option<String>,
    pub(crate) device: Option<String>,
    /// Bytes.
    pub(crate) capacity: Option<u64>,
    pub(crate) kind: Option<Kind>,
    /// Seconds since 1970.
    pub(crate) time: Option<i64>,
    /// Power-on hours.
    pub(crate) hours: Option<f64>,
    /// Bytes of a logical sector.
    pub(crate) sector: Option<u64>,
    pub(crate) in_database: Option<bool>,
    pub(crate) spins: bool,
    pub(crate) smart_off: bool,
    pub(crate) failed: Option<String>,
    pub(crate) attributes: Vec<Attribute>,
    /// Logical sectors written, of the ATA device statistics.
    pub(crate) sectors: Option<u64>,
    /// Bytes that the host wrote, and to flash, in units that need no proof.
    pub(crate) hosts: Vec<Sure>,
    pub(crate) medias: Vec<Sure>,
    /// Percentage used, and the counter that says it.
    pub(crate) used: Option<(u64, String)>,
    pub(crate) spare: Option<u64>,
    pub(crate) spare_threshold: Option<u64>,
    pub(crate) write_commands: Option<u128>,
}

impl Log {
    /// The drives of a log: one, but for a text of CrystalDiskInfo, which lists all, or texts of smartctl or nvme-cli behind one
    /// another. Text may have a byte order mark and be UTF-16, as a redirection of PowerShell writes it. `name` is for messages.
    ///
    /// # Errors
    /// It is neither JSON nor text of a tool that is known.
    pub fn parse(name: &str, bytes: &[u8]) -> Result<Vec<Log>, CounterError> {
        let content = decoded(bytes);
        if content.trim().is_empty() {
            return Err(CounterError::new(
                name,
                "is empty; did the command before it fail?",
            ));
        }
        let mut logs = if content.trim_start().starts_with('{') {
            let json = serde_json::from_str(&content);
            let json =
                json.map_err(|error| CounterError::new(name, format!("is no JSON: {error}")))?;
            vec![json::log(name, &json)?]
        } else {
            text::logs(&content)
        };
        for log in &mut logs {
            name.clone_into(&mut log.name);
            for sure in log.hosts.iter_mut().chain(&mut log.medias) {
                name.clone_into(&mut sure.log);
            }
            let collapsed =
                |text: &mut String| *text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            log.model.iter_mut().for_each(collapsed);
            log.serial.iter_mut().for_each(collapsed);
        }
        logs.retain(|log| !log.is_empty());
        if logs.is_empty() {
            let why = "is nothing that ssdlab knows; must be what `smartctl -x`, `nvme smart-log`, `nvme endurance-log`, \
                       `nvme ocp smart-add-log`, `nvme fdp stats` or CrystalDiskInfo print, as JSON or as text";
            return Err(CounterError::new(name, why));
        }
        Ok(logs)
    }

    /// Whether it says anything of a drive.
    fn is_empty(&self) -> bool {
        self.model.is_none() && self.failed.is_none() && !self.smart_off && !self.has_counters()
    }

    pub(crate) fn has_counters(&self) -> bool {
        !self.attributes.is_empty()
            || self.sectors.is_some()
            || !self.hosts.is_empty()
            || !self.medias.is_empty()
            || self.used.is_some()
    }

    /// Whether it is a reading, not an addition to one.
    pub(crate) fn stands_alone(&self) -> bool {
        self.model.is_some()
            || self.hours.is_some()
            || self.used.is_some()
            || !self.attributes.is_empty()
    }
}

/// The text of bytes: UTF-16 by its byte order mark, otherwise UTF-8.
fn decoded(bytes: &[u8]) -> String {
    let wide = |of: fn([u8; 2]) -> u16| {
        let pairs = bytes[2..]
            .chunks_exact(2)
            .map(|pair| of([pair[0], pair[1]]));
        String::from_utf16_lossy(&pairs.collect::<Vec<_>>())
    };
    match bytes {
        [0xFF, 0xFE, ..] => wide(u16::from_le_bytes),
        [0xFE, 0xFF, ..] => wide(u16::from_be_bytes),
        _ => String::from_utf8_lossy(bytes)
            .trim_start_matches('\u{feff}')
            .to_owned(),
    }
}
