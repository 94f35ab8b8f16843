//! The volumes of traces that may have several.

use crate::skip;

/// The largest number of volumes that a message names.
const NAMED: usize = 4;

/// Admits the requests of one volume, identified by its bytes in a line.
pub(crate) struct Volumes {
    /// The chosen volume, or else the first one.
    taken: Option<Vec<u8>>,
    /// Whether the user chose the volume; requests of other volumes are then left out, not refused.
    asked: bool,
    /// Whether a request of the volume was found.
    found: bool,
    /// The first few other volumes, until a request of the volume is found.
    others: Vec<Vec<u8>>,
    /// Makes the bytes of a volume readable.
    show: fn(&[u8]) -> String,
}

impl Volumes {
    /// Admits `asked`, or the first volume if `asked` is `None`.
    pub const fn new(asked: Option<Vec<u8>>, show: fn(&[u8]) -> String) -> Self {
        Self {
            asked: asked.is_some(),
            taken: asked,
            found: false,
            others: Vec::new(),
            show,
        }
    }

    /// Checks the volume of a request; `Ok(Some)` is the reason to leave the request out.
    ///
    /// # Errors
    /// A second volume, although the user chose none.
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

    /// A message with the volumes of the trace, if the chosen volume is not among them.
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
