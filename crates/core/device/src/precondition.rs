//! The state of a device before the trace, and the text that describes it.

use ssdlab_policy::Settings;

use crate::keys::{
    PRECONDITION, PRECONDITION_LIMIT, PRECONDITION_SEED, PRECONDITION_SEGMENT, PRECONDITION_SIZE,
    PRECONDITION_UNSEEN,
};

/// The most times that the capacity is overwritten.
const MOST: f64 = 1000.0;
/// Ageing by the trace.
pub const WORKLOAD: &str = "workload";

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
    /// Instead of overwrites, the trace itself ages the device, through its buffer: whoever has the trace does it.
    pub workload: Option<Resampling>,
}

/// How a trace ages the device on which it then runs: in segments that begin at random places.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Resampling {
    /// The mean requests of a segment; 0 is a sixteenth of the trace.
    pub segment: u64,
    /// The most bytes written, divided by the capacity.
    pub limit: f64,
    /// The seed of places and lengths.
    pub seed: u64,
    /// The share of the pages written that are none of the trace; `None`: as many as a longer trace would bring.
    pub unseen: Option<f64>,
}

impl Precondition {
    /// `full`, `empty`, `SHARE`, `random:TIMES`, `workload`, or `SHARE,` before one of the last two; no overwrites are left out.
    /// None for another text.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (state, used) = match text.split_once(',') {
            Some((state, used)) => (state.trim(), Some(used.trim())),
            None => match text.trim() {
                used if used.starts_with("random") || used == WORKLOAD => ("full", Some(used)),
                state => (state, None),
            },
        };
        let times = |random: &str| number(random.strip_prefix("random:")?, 0.0, MOST);
        let (overwrites, workload) = match used {
            Some(WORKLOAD) => (0.0, Some(Resampling::configure(&()))),
            Some(random) => (times(random)?, None),
            None => (0.0, None),
        };
        let filled = match state {
            "empty" => return used.is_none().then_some(Self::Empty),
            "full" => 1.0,
            share => number(share, 0.0, 1.0)?,
        };
        Some(if filled == 1.0 && used.is_none() {
            Self::Full
        } else {
            Self::Aged(Ageing {
                filled,
                overwrites,
                size: 0,
                workload,
            })
        })
    }

    /// How the trace ages the device, if it does.
    pub fn workload(self) -> Option<Resampling> {
        match self {
            Self::Aged(ageing) => ageing.workload,
            _ => None,
        }
    }

    /// Whether pages are overwritten.
    pub(crate) fn overwrites(self) -> bool {
        matches!(self, Self::Aged(ageing) if ageing.overwrites > 0.0)
    }

    /// The state that these keys describe.
    pub(crate) fn configure(settings: &dyn Settings) -> Self {
        match Self::parse(PRECONDITION.of(settings)).unwrap_or_default() {
            Self::Aged(ageing) => Self::Aged(Ageing {
                size: PRECONDITION_SIZE.of(settings),
                workload: ageing.workload.map(|_| Resampling::configure(settings)),
                ..ageing
            }),
            other => other,
        }
    }
}

impl Resampling {
    fn configure(settings: &dyn Settings) -> Self {
        Self {
            segment: PRECONDITION_SEGMENT.of(settings),
            limit: PRECONDITION_LIMIT.of(settings),
            seed: PRECONDITION_SEED.of(settings),
            unseen: PRECONDITION_UNSEEN.get(settings),
        }
    }
}

/// A number above `above`, up to `most`.
fn number(text: &str, above: f64, most: f64) -> Option<f64> {
    let number: f64 = text.trim().parse().ok()?;
    (number > above && number <= most).then_some(number)
}
