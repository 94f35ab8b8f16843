//! `precondition`: the text of the key, and the device that it describes.

use crate::layer::Layer;
use ssdlab_device::{Ageing, Precondition};
use ssdlab_policy::{Key, Kind, Setting, Settings};

/// `precondition`.
pub(crate) const PRECONDITION: Key = Key::new(
    "precondition",
    Kind::Pattern {
        fits: |text| read(text).is_some(),
        words: "full, empty, a filled share such as 0.6, random:2 (overwrites / capacity), or 0.6,random:2",
    },
    Some(Setting::Text("full")),
    "before the trace: all pages written once, none, a part of them, then overwritten at random",
);

/// `precondition_size`.
pub(crate) const PRECONDITION_SIZE: Key = Key::new(
    "precondition_size",
    Kind::Size {
        min: 0,
        max: ssdlab_policy::MAX_BYTES,
        step: 1,
        auto: false,
    },
    Some(Setting::Int(0)),
    "bytes of each random overwrite of precondition, rounded up to pages; 0: one page",
)
.if_value("precondition", overwrites);

/// The most times that the capacity is overwritten.
const MOST: f64 = 1000.0;

/// The precondition of a configuration.
pub(crate) fn of(layer: &Layer) -> Precondition {
    let read = read(layer.text(PRECONDITION.path)).expect("a checked text");
    match read {
        Precondition::Aged(ageing) => Precondition::Aged(Ageing {
            size: layer.int(PRECONDITION_SIZE.path),
            ..ageing
        }),
        other => other,
    }
}

/// Whether pages are overwritten.
fn overwrites(settings: &dyn Settings) -> bool {
    let Some(Setting::Text(text)) = settings.value(PRECONDITION.path) else {
        return false;
    };
    matches!(read(text), Some(Precondition::Aged(ageing)) if ageing.overwrites > 0.0)
}

/// `full`, `empty`, `SHARE`, `random:TIMES`, or `SHARE,random:TIMES`; no overwrites are left out.
fn read(text: &str) -> Option<Precondition> {
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
        "empty" => return random.is_none().then_some(Precondition::Empty),
        "full" => 1.0,
        share => number(share, 0.0, 1.0)?,
    };
    Some(if filled == 1.0 && overwrites == 0.0 {
        Precondition::Full
    } else {
        Precondition::Aged(Ageing {
            filled,
            overwrites,
            size: 0,
        })
    })
}

/// A number above `above`, up to `most`.
fn number(text: &str, above: f64, most: f64) -> Option<f64> {
    let number: f64 = text.trim().parse().ok()?;
    (number > above && number <= most).then_some(number)
}
