//! The volumes of traces that may have several.

use std::collections::HashMap;

use crate::skip;
use crate::text::quoted;

/// The largest number of volumes that a message names.
const NAMED: usize = 4;

/// The most volumes that are numbered.
const MOST: u32 = 1 << 20;

/// How a format writes its volumes.
#[derive(Clone, Copy)]
pub(crate) struct VolumeNames {
    /// The bytes in a line of the volume that a user names.
    ///
    /// # Errors
    /// What a name must look like, to be put behind `--volume NAME: `.
    pub parse: fn(&str) -> Result<Vec<u8>, String>,
    /// The name of the volume with these bytes.
    pub show: fn(&[u8]) -> String,
}

impl VolumeNames {
    /// Lines contain the name itself, which may be any text.
    pub const AS_WRITTEN: VolumeNames = VolumeNames {
        parse: |name| Ok(name.into()),
        show: |bytes| String::from_utf8_lossy(bytes).into_owned(),
    };
}

/// The requests that are taken.
enum Choice {
    /// Those of one volume: the one that the user chose, or the first one.
    One {
        volume: Option<Vec<u8>>,
        /// Whether the user chose it; requests of other volumes are then left out, not refused.
        asked: bool,
        /// Whether a request of the volume was found.
        found: bool,
        /// The first few other volumes, until a request of the volume is found.
        others: Vec<Vec<u8>>,
    },
    /// Those of all volumes, which are numbered in the order of their first requests.
    All {
        numbers: HashMap<Vec<u8>, u32>,
        last: (Vec<u8>, u32),
    },
}

/// Admits the requests of one volume, or numbers the volumes.
pub(crate) struct Volumes {
    choice: Choice,
    show: fn(&[u8]) -> String,
    /// The names of the volumes so far, by number.
    names: Vec<String>,
}

impl Volumes {
    /// Admits `asked`, or the first volume if `asked` is `None`.
    pub fn one(asked: Option<Vec<u8>>, names: VolumeNames) -> Self {
        let choice = Choice::One {
            asked: asked.is_some(),
            volume: asked,
            found: false,
            others: Vec::new(),
        };
        Self::of(choice, names)
    }

    /// Admits and numbers all volumes.
    pub fn all(names: VolumeNames) -> Self {
        let choice = Choice::All {
            numbers: HashMap::new(),
            last: (Vec::new(), u32::MAX),
        };
        Self::of(choice, names)
    }

    fn of(choice: Choice, names: VolumeNames) -> Self {
        Self {
            choice,
            show: names.show,
            names: Vec::new(),
        }
    }

    /// The names of the volumes from which requests were taken, by number.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Whether volumes are numbered.
    pub const fn numbered(&self) -> bool {
        matches!(self.choice, Choice::All { .. })
    }

    /// The number of the volume of a request, or `None` with the reason why the request is left out.
    ///
    /// # Errors
    /// A second volume, although the user chose none.
    pub fn number(&mut self, volume: &[u8]) -> Result<Result<u32, &'static str>, String> {
        match &mut self.choice {
            Choice::All { numbers, last } => {
                if last.0 != volume || last.1 == u32::MAX {
                    let next = self.names.len() as u32;
                    if next == MOST && !numbers.contains_key(volume) {
                        return Err(format!(
                            "found {} as volume number {next}; a trace has at most {MOST} volumes",
                            shown(self.show, volume)
                        ));
                    }
                    let number = *numbers.entry(volume.to_owned()).or_insert(next);
                    if number == next {
                        self.names.push((self.show)(volume));
                    }
                    last.0.clear();
                    last.0.extend_from_slice(volume);
                    last.1 = number;
                }
                Ok(Ok(last.1))
            }
            Choice::One {
                volume: taken,
                asked,
                found,
                others,
            } => {
                let taken = &*taken.get_or_insert_with(|| volume.to_owned());
                if taken == volume {
                    if !*found {
                        self.names.push((self.show)(volume));
                        *found = true;
                    }
                    return Ok(Ok(0));
                }
                if !*asked {
                    let [first, second] = [taken, volume].map(|volume| shown(self.show, volume));
                    return Err(format!(
                        "a second volume, found {second} after {first}; choose one of them with --volume"
                    ));
                }
                if !*found && others.len() < NAMED && !others.iter().any(|other| other == volume) {
                    others.push(volume.to_owned());
                }
                Ok(Err(skip::VOLUMES))
            }
        }
    }

    /// A message with the volumes of the trace, if the chosen volume is not among them.
    pub fn missing(&self) -> Option<String> {
        let Choice::One {
            volume: Some(volume),
            found: false,
            others,
            ..
        } = &self.choice
        else {
            return None;
        };
        if others.is_empty() {
            return None;
        }
        let name = |volume: &Vec<u8>| shown(self.show, volume);
        let more = if others.len() < NAMED {
            ""
        } else {
            ", perhaps others"
        };
        let others: Vec<_> = others.iter().map(name).collect();
        Some(format!(
            "no request of volume {}; the trace has {}{more}; choose one of them with --volume",
            name(volume),
            others.join(", ")
        ))
    }
}

/// The name of a volume for a message.
fn shown(show: fn(&[u8]) -> String, volume: &[u8]) -> String {
    quoted(show(volume).as_bytes())
}
