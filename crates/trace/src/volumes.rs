//! Traces that may hold several volumes.

use crate::skip;

/// The most volumes that a message names.
const NAMED: usize = 4;

/// Admits the requests of one volume. A volume is known by the bytes that stand for it in a line.
pub(crate) struct Volumes {
    /// The volume that was asked for, or else the first one.
    taken: Option<Vec<u8>>,
    /// Was it asked for? Then the others are left out, not refused.
    asked: bool,
    /// Has it been found?
    found: bool,
    /// Until it has: the first few others.
    others: Vec<Vec<u8>>,
    /// Makes a volume readable.
    show: fn(&[u8]) -> String,
}

impl Volumes {
    /// Admits `asked`, or the first volume if that is `None`.
    pub const fn new(asked: Option<Vec<u8>>, show: fn(&[u8]) -> String) -> Self {
        Self {
            asked: asked.is_some(),
            taken: asked,
            found: false,
            others: Vec::new(),
            show,
        }
    }

    /// Refuses the request of a volume; `Ok(Some)`: leave it out for that reason.
    ///
    /// # Errors
    /// A second volume where none was asked for.
    pub fn refuse(&mut self, volume: &[u8]) -> Result<Option<&'static str>, String> {
        let taken = self.taken.get_or_insert_with(|| volume.to_owned());
        if taken == volume {
            self.found = true;
            return Ok(None);
        }
        if !self.asked {
            let (first, second) = ((self.show)(taken), (self.show)(volume));
            return Err(format!(
                "a second volume, found {second} after {first}; choose one of them with --volume"
            ));
        }
        let news = !self.found && !self.others.iter().any(|other| other == volume);
        if news && self.others.len() < NAMED {
            self.others.push(volume.to_owned());
        }
        Ok(Some(skip::VOLUMES))
    }

    /// If the trace has only volumes that were not asked for: which.
    pub fn missing(&self) -> Option<String> {
        if self.found || self.others.is_empty() {
            return None;
        }
        let others: Vec<_> = self
            .others
            .iter()
            .map(|volume| (self.show)(volume))
            .collect();
        let asked = (self.show)(self.taken.as_deref()?);
        let more = if others.len() < NAMED {
            ""
        } else {
            ", perhaps others"
        };
        Some(format!(
            "no request of volume {asked}; the trace has {}{more}; choose one of them with --volume",
            others.join(", ")
        ))
    }
}
