//! What an experiment varies: axes and systems, and every combination of them.

use sha2::{Digest, Sha256};
use ssdlab_config::Config;
use ssdlab_words::thousands;

/// A key of the configuration and its values. A text `T` may know its place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis<T = String> {
    /// Its path, such as `ftl.log_blocks`.
    pub key: T,
    /// Values in the syntax of `--set`.
    pub values: Vec<T>,
}

impl Axis {
    /// Reads `KEY=VALUE,VALUE,…`; each value counts once, and one with commas has brackets or double quotes.
    ///
    /// # Errors
    /// No key, or a value that is missing; what must be there.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let (key, values) = text.split_once('=').ok_or("must be KEY=VALUE,VALUE,…")?;
        let mut axis = Axis {
            key: key.trim().into(),
            values: Vec::new(),
        };
        for value in split_values(values) {
            if value.is_empty() {
                return Err("a value is missing; must be KEY=VALUE,VALUE,…");
            }
            if !axis.values.iter().any(|other| other == value) {
                axis.values.push(value.into());
            }
        }
        Ok(axis)
    }
}

/// Splits a text at its commas, except those inside the brackets of a list or inside double quotes, which are taken off.
fn split_values(text: &str) -> impl Iterator<Item = &str> {
    let (mut open, mut quoted) = (0, false);
    let separates = move |c| {
        match c {
            '"' => quoted = !quoted,
            '[' if !quoted => open += 1,
            ']' if !quoted => open -= 1,
            _ => {}
        }
        c == ',' && open <= 0 && !quoted
    };
    text.split(separates).map(|value| {
        let value = value.trim();
        let inside = value
            .strip_prefix('"')
            .and_then(|rest| rest.strip_suffix('"'));
        inside.unwrap_or(value)
    })
}

/// A named combination of settings that competes like a buffer policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct System<T = String> {
    /// Its label.
    pub name: T,
    /// Assignments in the syntax of `--set`. They override the values of axes.
    pub set: Vec<T>,
}

/// One combination: a system, if there are some, and a value of each axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice<'a, T = String> {
    /// The system.
    pub system: Option<&'a System<T>>,
    /// Keys and values, in the order of the axes.
    pub values: Vec<(&'a T, &'a T)>,
}

/// The most combinations that a plan or a comparison may have; each takes about a kilobyte before anything runs.
pub const MOST_COMBINATIONS: u128 = 1_000_000;

/// The number of combinations, if it is more than [`MOST_COMBINATIONS`], in words.
pub fn too_many<T>(systems: usize, axes: &[Axis<T>]) -> Option<String> {
    let lengths = axes.iter().map(|axis| axis.values.len() as u128);
    let all = lengths.fold(systems.max(1) as u128, u128::saturating_mul);
    let shown = u64::try_from(all).map_or_else(|_| "more than 10^19".to_owned(), thousands);
    (all > MOST_COMBINATIONS).then(|| {
        let most = thousands(MOST_COMBINATIONS as u64);
        format!(
            "{shown} combinations; at most {most} can be planned at once: divide them, or vary less"
        )
    })
}

/// The cross product: systems outermost, the last axis changes fastest.
pub fn choices<'a, T>(
    systems: &'a [System<T>],
    axes: &'a [Axis<T>],
) -> impl Iterator<Item = Choice<'a, T>> {
    let lengths = axes.iter().map(|axis| axis.values.len());
    let all = lengths.fold(1, usize::saturating_mul);
    let nth = move |number: usize| {
        let mut rest = number;
        let mut values: Vec<(&T, &T)> = Vec::with_capacity(axes.len());
        for axis in axes.iter().rev() {
            values.push((&axis.key, &axis.values[rest % axis.values.len()]));
            rest /= axis.values.len();
        }
        values.reverse();
        values
    };
    let none = systems.is_empty().then_some(None);
    let systems = none.into_iter().chain(systems.iter().map(Some));
    systems.flat_map(move |system| {
        (0..all).map(move |number| Choice {
            system,
            values: nth(number),
        })
    })
}

impl<T: AsRef<str>> Choice<'_, T> {
    /// What it sets, in the syntax of `--set`.
    pub fn set(&self) -> Vec<String> {
        let values = self.values.iter();
        let values = values.map(|(key, value)| format!("{}={}", key.as_ref(), value.as_ref()));
        let of_system = self.system.into_iter().flat_map(|system| &system.set);
        values
            .chain(of_system.map(|set| set.as_ref().to_owned()))
            .collect()
    }
}

/// The same for configurations that must have the same results: a hash of the keys that the systems read, and their values.
pub fn identity(config: &Config) -> [u8; 16] {
    let mut hash = Sha256::new();
    for (key, value) in config.effective().filter(|(key, _)| key.path != "preset") {
        hash.update(format!("{}={}\n", key.path, value.to_json()));
    }
    let hash: [u8; 32] = hash.finalize().into();
    hash[..16].try_into().expect("16 of 32 bytes")
}

#[cfg(test)]
mod tests {
    use super::*;

    // planted bugs: the first axis changes fastest; axes that override a system; no combination where nothing varies
    #[test]
    fn every_combination_is_there_in_order() {
        let axis = |key, values: &[&'static str]| Axis {
            key,
            values: values.to_vec(),
        };
        let axes = [axis("a", &["1", "2"]), axis("b", &["3", "4", "5"])];
        let system = |name, set: &[&'static str]| System {
            name,
            set: set.to_vec(),
        };
        let systems = [system("x", &[]), system("y", &["b=6"])];
        let set = |choice: Choice<&'static str>| choice.set().join(" ");
        let all: Vec<String> = choices(&systems, &axes).map(set).collect();
        let of_axes = [
            "a=1 b=3", "a=1 b=4", "a=1 b=5", "a=2 b=3", "a=2 b=4", "a=2 b=5",
        ];
        let of_y = of_axes.map(|set| format!("{set} b=6"));
        let expected: Vec<String> = of_axes.map(String::from).into_iter().chain(of_y).collect();
        assert_eq!(all, expected);
        let none: Vec<String> = choices(&[], &[]).map(set).collect();
        assert_eq!(none, [""]);
    }

    // planted bugs: a product that overflows; systems that do not count
    #[test]
    fn combinations_are_counted_before_they_are_made() {
        let axis = |values: usize| Axis {
            key: "a",
            values: vec!["1"; values],
        };
        assert_eq!(too_many(1, &[axis(1000), axis(1000)]), None);
        let why = too_many(2, &[axis(1000), axis(1000)]).unwrap();
        assert!(
            why.starts_with("2,000,000 combinations; at most 1,000,000 "),
            "{why}"
        );
        let why = too_many(0, &vec![axis(1000); 30]).unwrap();
        assert!(why.starts_with("more than 10^19 combinations"), "{why}");
    }
}
