//! Zones in words.
//!
//! ```text
//! zones   = zone { zone }
//! zone    = "s" share  "f" share  [ pattern ]
//! pattern = "uniform" | "seq" | "pass" | "zipf" theta
//! ```
//!
//! Blanks are between the words; commas and plus signs do as well.

use super::kind::{Kind, SpreadArgs};
use super::values::{all, parts, share, share_above_zero, theta};

/// Zones side by side, which fill the space.
#[derive(Clone, Debug)]
pub(super) struct Zones(pub Vec<Zone>);

/// One of them.
#[derive(Clone, Debug)]
pub(super) struct Zone {
    /// The share of the space, above 0.
    pub space: f64,
    /// The share of the accesses.
    pub frequency: f64,
    pub kind: Kind,
}

const SPACE: &str = "a zone's share of the space, s and a number above 0, at most 1, such as s0.9";
const FREQUENCY: &str =
    "the zone's share of the accesses, f and a number from 0 to 1, such as f0.1";
const PATTERN: &str =
    "a pattern (uniform, seq, pass, zipf and a number from 0 to 10 such as zipf0.9)";

impl Zones {
    /// # Errors
    /// What is wrong, with its place.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut words = parts(text).peekable();
        let mut zones = Vec::new();
        let refuse = |(at, found): (usize, &str), needed: &str| {
            format!("character {at}: found {found:?}, must be {needed}")
        };
        while let Some(word) = words.next() {
            let space = after(word.1, "s", share_above_zero).ok_or_else(|| match zones.last() {
                Some(_) => refuse(word, &format!("{PATTERN} or {SPACE}")),
                None => refuse(word, SPACE),
            })?;
            let Some(next) = words.next() else {
                return Err(format!(
                    "ends after {:?}, behind it must be {FREQUENCY}",
                    word.1
                ));
            };
            let frequency = after(next.1, "f", share).ok_or_else(|| refuse(next, FREQUENCY))?;
            let kind = words.peek().and_then(|word| pattern(word.1));
            if kind.is_some() {
                words.next();
            }
            zones.push(Zone {
                space,
                frequency,
                kind: kind.unwrap_or(Kind::Uniform { discards: 0.0 }),
            });
        }
        if zones.is_empty() {
            return Err(format!("empty, must begin with {SPACE}"));
        }
        all(
            zones.iter().map(|zone| zone.space),
            "the shares s of the space",
        )?;
        all(
            zones.iter().map(|zone| zone.frequency),
            "the shares f of the accesses",
        )?;
        Ok(Self(zones))
    }

    /// Whether units of a smaller space can stand for theirs.
    pub fn can_be_scaled(&self) -> bool {
        let kind = |zone: &Zone| matches!(zone.kind, Kind::Zipf { .. });
        !self.0.iter().any(kind)
    }
}

/// The number behind a letter.
fn after<T>(word: &str, letter: &str, number: fn(&str) -> Result<T, String>) -> Option<T> {
    number(word.strip_prefix(letter)?).ok()
}

fn pattern(word: &str) -> Option<Kind> {
    Some(match word {
        "uniform" => Kind::Uniform { discards: 0.0 },
        "seq" => Kind::Sequential,
        "pass" => Kind::Pass,
        _ => Kind::Zipf {
            theta: after(word, "zipf", theta)?,
            spread: SpreadArgs {
                shuffle: false,
                shuffle_blocks: None,
            },
            standing_for: None,
            reshuffle: None,
            reshuffled: 0.0,
        },
    })
}
