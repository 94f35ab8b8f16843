//! The colours and markers of curves, in the order in which the curves appear on a page: the style of the report, its
//! scripts, and pictures in all formats read them here.
//!
//! A slot is the name of a CSS variable. The first colours are chosen by hand, the others computed: each is the one that is
//! most distinct from those before it, also with the common kinds of colour blindness. Markers and labels at the curves
//! distinguish them without colour.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::distinct::Chosen;
use crate::marker::{self, Marker};

const STYLE: &str = include_str!("../assets/report.css");
/// What begins the dark scheme in the style.
const DARK: &str = "@media screen and (prefers-color-scheme: dark)";

/// The curves with a colour of their own; the closest two are as distinct as the closest of [`FIRST`].
pub(crate) const CURVES: usize = 52;

/// The first colours in the light and the dark scheme.
const FIRST: [[&str; 2]; 15] = [
    ["#0072b2", "#56b4e9"],
    ["#d55e00", "#f0803c"],
    ["#008a5e", "#1fbf8f"],
    ["#a531e6", "#b04ff5"],
    ["#6e2a06", "#b8f53a"],
    ["#9783fc", "#7a6bd0"],
    ["#4f0a5e", "#fbd98a"],
    ["#a8783c", "#a8694a"],
    ["#2f12a0", "#2a8585"],
    ["#123d22", "#7ff5f0"],
    ["#000000", "#ffaa00"],
    ["#994400", "#ffffbb"],
    ["#555555", "#b4b4b4"],
    ["#c71585", "#c8c8ff"],
    ["#6b6b00", "#ff8fb0"],
];

/// All colours of curves in both schemes.
static ALL: LazyLock<Vec<[String; 2]>> = LazyLock::new(|| {
    let of_scheme = |scheme: usize| {
        let mut chosen = Chosen::on(colours("card")[scheme]);
        FIRST.iter().for_each(|colours| chosen.add(colours[scheme]));
        let others = (FIRST.len()..CURVES).map(|_| chosen.next());
        let first = FIRST.iter().map(|colours| colours[scheme].to_owned());
        first.chain(others.collect::<Vec<_>>()).collect::<Vec<_>>()
    };
    let [light, dark] = [0, 1].map(of_scheme);
    light
        .into_iter()
        .zip(dark)
        .map(<[String; 2]>::from)
        .collect()
});

/// The slot of the curve with this many curves before it on the page. Once all slots are taken, they are used again in
/// turn.
pub fn slot(place: usize) -> String {
    format!("policy-{}", 1 + place % CURVES)
}

/// The place of a slot of a curve; `None` for another variable.
fn place(slot: &str) -> Option<usize> {
    let number: usize = slot.strip_prefix("policy-")?.parse().ok()?;
    number.checked_sub(1)
}

/// The marker of a slot; that of the first curve for another variable.
pub(crate) fn marker(slot: &str) -> Marker {
    Marker::of(place(slot).unwrap_or(0))
}

/// The colour of a slot, or of another variable, in the light and the dark scheme.
///
/// # Panics
/// If the report's style has no colour of this name.
pub fn colours(slot: &str) -> [&'static str; 2] {
    if let Some(place) = place(slot) {
        return ALL[place].each_ref().map(String::as_str);
    }
    let name = format!("--{slot}: ");
    let (light, dark) = STYLE.split_once(DARK).expect("two schemes");
    [light, dark].map(|scheme| {
        let value = scheme
            .split_once(&name)
            .and_then(|(_, rest)| rest.split_once(';'));
        value
            .unwrap_or_else(|| panic!("--{slot} has a colour in both schemes"))
            .0
    })
}

/// The style of every page, with the colours of all curves.
pub(crate) fn style() -> String {
    let of_scheme = |scheme: usize| -> String {
        let each = ALL.iter().enumerate();
        each.map(|(place, colours)| format!("--{}: {};", slot(place), colours[scheme]))
            .collect()
    };
    let [light, dark] = [0, 1].map(of_scheme);
    format!("{STYLE}\n:root {{{light}}}\n{DARK} {{ :root:not(.printing) {{{dark}}} }}\n")
}

/// The markers, for scripts: how many slots there are, and the markers in turn.
pub(crate) fn script() -> String {
    let markers = marker::script();
    format!("const CURVES = {CURVES};\nconst MARKERS = {markers};\n")
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
    use crate::distinct::closest;

    // planted bugs: both colours from the light scheme; a slot without a colour; computed colours that a colour-blind
    // reader takes for others
    #[test]
    fn curves_are_as_distinct_as_the_first_ones() {
        assert_eq!(colours(&slot(0)), ["#0072b2", "#56b4e9"]);
        assert_eq!(colours(&slot(9)), ["#123d22", "#7ff5f0"]);
        for scheme in [0, 1] {
            let all: Vec<&str> = (0..CURVES)
                .map(|place| colours(&slot(place))[scheme])
                .collect();
            let first = closest(&all[..FIRST.len()]);
            assert!(
                first > 2.5 && closest(&all) >= first,
                "{first} {}",
                closest(&all)
            );
        }
        assert_eq!(slot(CURVES), slot(0));
    }

    // planted bugs: a colour in one scheme only; one of the dark scheme for both
    #[test]
    fn each_colour_is_in_both_schemes() {
        let style = style();
        let (light, dark) = style
            .split_once("prefers-color-scheme: dark")
            .expect("two schemes");
        let names = |scheme: &str| {
            let (_, rules) = scheme.split_once(":root").expect("colours");
            let (block, _) = rules.split_once('}').expect("its end");
            let lines = block
                .lines()
                .filter_map(|line| line.trim().strip_prefix("--"));
            let names = lines.filter_map(|line| Some(line.split_once(':')?.0.to_owned()));
            names.collect::<Vec<_>>()
        };
        let (light, dark) = (names(light), names(dark));
        assert!(light.len() > 30, "{light:?}");
        assert_eq!(light, dark);
        assert_eq!(colours("card"), ["#ffffff", "#171b22"]);
        let last = format!("--{}: ", slot(CURVES - 1));
        assert_eq!(style.matches(&last).count(), 2);
    }
}
