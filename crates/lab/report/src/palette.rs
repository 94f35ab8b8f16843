//! The colours of curves, in the order in which the curves appear on a page.
//!
//! A slot is the name of a CSS variable of `assets/report.css` and of a marker in `assets/look.js`. The colours of the
//! policies remain distinct under the common kinds of colour blindness; markers and labels at the curves distinguish
//! them without colour.

use std::collections::BTreeMap;

const STYLE: &str = include_str!("../assets/report.css");

/// As many as competing write buffers.
const ALL: usize = 15;

/// The slot of the curve with this many curves before it on the page. Once all slots are taken, they are used again in
/// turn.
pub fn slot(place: usize) -> String {
    format!("policy-{}", 1 + place % ALL)
}

/// The colour of a slot, or of another variable, in the light and the dark scheme.
///
/// # Panics
/// If the report's style has no colour of this name.
pub fn colours(slot: &str) -> [&'static str; 2] {
    let name = format!("--{slot}: ");
    let mut values = STYLE.split(&name).skip(1);
    [(); 2].map(|()| {
        let value = values.next().and_then(|rest| rest.split_once(';'));
        value.expect("a colour in both schemes").0
    })
}

/// The colours that a picture uses: the light ones, each with its dark counterpart.
#[derive(Default)]
pub(crate) struct Used(BTreeMap<String, &'static str>);

impl Used {
    /// The light colour of a slot, or of another variable.
    pub fn hex(&mut self, name: &str) -> &'static str {
        let [light, dark] = colours(name);
        self.0.insert(light.to_uppercase(), dark);
        light
    }

    /// A style sheet that replaces the light colours in the dark scheme, so that a page needs only one file.
    pub fn dark_style(&self) -> String {
        let rule = |(light, dark): (&String, &&str)| {
            format!("[fill=\"{light}\"]{{fill:{dark}}}[stroke=\"{light}\"]{{stroke:{dark}}}")
        };
        let rules: String = self.0.iter().map(rule).collect();
        format!("<style>@media (prefers-color-scheme: dark){{{rules}}}</style>")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ssdlab_device::{Family, registry::built_in};
    use ssdlab_sim::is_bound;

    // Planted bugs: `policy-1` read from the line of `policy-10`; both colours from the light scheme; a slot without a
    // colour; a comparison of all buffers with two curves in one.
    #[test]
    fn colours_are_those_of_the_style() {
        assert_eq!(colours(&slot(0)), ["#0072b2", "#56b4e9"]);
        assert_eq!(colours(&slot(9)), ["#123d22", "#7ff5f0"]);
        let mut all: Vec<_> = (0..ALL).map(|place| colours(&slot(place))).collect();
        all.sort();
        all.dedup();
        assert_eq!((all.len(), slot(ALL)), (ALL, slot(0)));
        let buffers = built_in(Family::Buffer).iter().map(|entry| entry.name);
        assert!(buffers.filter(|name| !is_bound(name)).count() <= ALL);
    }
}
