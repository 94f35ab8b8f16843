//! The state of a device before the trace, and the text that describes it.

/// The most times that the capacity is overwritten.
const MOST: f64 = 1000.0;

/// The state of the flash before the trace (`precondition`).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Precondition {
    /// Every logical page was written once, in order, without cost.
    #[default]
    Full,
    /// No page is mapped.
    Empty,
    /// Like `Full`, and then used as the [`Ageing`] says.
    Aged(Ageing),
}

/// How a full device was used before the trace, without cost: pages are discarded, then others are overwritten.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ageing {
    /// The share of the logical pages that stay mapped, from the first one on; 0 to 1. The others are discarded.
    pub filled: f64,
    /// The bytes written at random places of the mapped pages, divided by the capacity; not negative.
    pub overwrites: f64,
    /// The bytes of each of these writes, rounded up to pages; 0 is one page. A write begins at a multiple of its size.
    pub size: u64,
}

impl Precondition {
    /// `full`, `empty`, `SHARE`, `random:TIMES`, or `SHARE,random:TIMES`; no overwrites are left out. None for another
    /// text.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (state, random) = match text.split_once(',') {
            Some((state, random)) => (state.trim(), Some(random.trim())),
            None if text.trim().starts_with("random") => ("full", Some(text.trim())),
            None => (text.trim(), None),
        };
        let times = |random: &str| number(random.strip_prefix("random:")?, 0.0, MOST);
        let overwrites = match random {
            Some(random) => times(random)?,
            None => 0.0,
        };
        let filled = match state {
            "empty" => return random.is_none().then_some(Self::Empty),
            "full" => 1.0,
            share => number(share, 0.0, 1.0)?,
        };
        Some(if filled == 1.0 && overwrites == 0.0 {
            Self::Full
        } else {
            Self::Aged(Ageing {
                filled,
                overwrites,
                size: 0,
            })
        })
    }

    /// Whether pages are overwritten.
    pub(crate) fn overwrites(self) -> bool {
        matches!(self, Self::Aged(ageing) if ageing.overwrites > 0.0)
    }

    /// The same, with overwrites of this many bytes.
    pub(crate) fn in_writes_of(self, size: u64) -> Self {
        match self {
            Self::Aged(ageing) => Self::Aged(Ageing { size, ..ageing }),
            other => other,
        }
    }
}

/// A number above `above`, up to `most`.
fn number(text: &str, above: f64, most: f64) -> Option<f64> {
    let number: f64 = text.trim().parse().ok()?;
    (number > above && number <= most).then_some(number)
}
