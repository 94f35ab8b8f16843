//! What a figure is: declared once, and shown by every table, report and page.

use std::ops::Deref;

use serde::{Serialize, Serializer};
use ssdlab_words::{amount, decimal_bytes, decimals, duration, fixed, percent, thousands};

use super::Results;
use super::figures::{FIGURES, THROUGHPUT};

/// Two values that differ by less than this share of the larger one are level: neither is better. Percentages are level
/// if they differ by less than this many points.
pub const LEVEL: f64 = 0.01;

/// A figure of a run.
///
/// A system of another crate declares its figures like the built-in ones, and registers them: see
/// [`Registry::add_figure`](crate::Registry::add_figure).
#[derive(Clone, Copy, Debug)]
pub struct Figure {
    /// Its name in options, files and scripts: `waf`.
    pub key: &'static str,
    /// Further names that options take.
    pub also: &'static [&'static str],
    /// Its heading in pages: `Write amplification`.
    pub title: &'static str,
    /// Its heading in narrow tables: `write amp.`.
    pub heading: &'static str,
    /// Its name within a sentence.
    pub words: &'static str,
    /// The same three names where blocks are erased in lines; `None`: they do not speak of blocks.
    pub of_lines: Option<[&'static str; 3]>,
    /// What it is measured in.
    pub unit: Unit,
    /// The decimals that pages show of it.
    pub decimals: usize,
    /// Which values are better.
    pub better: Better,
    /// Its value in the base of its unit; `None` where it has no meaning.
    pub value: fn(&Results) -> Option<f64>,
    /// How far the value may be from the true one, as a share of it; 0: it is exact.
    pub resolution: f64,
    /// How tables compare it with the baseline.
    pub compared: Compared,
    /// The bounds that limit it.
    pub bound: Bound,
    /// What explains its differences.
    pub explained: Explained,
    /// The clocks of the parallel model measure it; under the serial model it is unknown.
    pub of_clocks: bool,
    /// It depends on the size of a buffer even where nothing else does, so tables show each size.
    pub of_size: bool,
    /// Under timed replay the trace sets it, not the device, so no value is better there.
    pub set_by_trace: bool,
    /// Where it is shown without being asked for.
    pub shown: Shown,
    /// How a sentence says the value of a winner, `{}`, perhaps with the name, `{words}`; by default the name and the value.
    pub says: &'static str,
    /// How a sentence says that it is better, and than what: `faster`, `than`.
    pub leads: [&'static str; 2],
}

/// What a figure is measured in. Values are in the base: nanoseconds, bytes, a share of 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// 10^6 bytes per second.
    MbPerS,
    /// A ratio.
    Times,
    /// Erase blocks.
    Blocks,
    /// Lines: a block on each chip, which are erased together.
    Lines,
    /// Pages.
    Pages,
    /// A number of events.
    Count,
    /// Nanoseconds, in pages milliseconds.
    Ms,
    /// Nanoseconds, in pages seconds.
    S,
    /// A share of 1, in pages percent.
    Percent,
    /// 10^12 bytes.
    Tb,
    /// Bytes, in pages 10^9.
    Bytes,
    /// Bytes of RAM, in pages MiB.
    Ram,
    /// Joules.
    Joules,
    /// Years.
    Years,
    /// Drive writes per day.
    PerDay,
    /// Program/erase cycles.
    Cycles,
}

/// Which values of a figure are better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// Large ones.
    More,
    /// Small ones.
    Less,
    /// Neither: it cannot rank runs.
    Neither,
}

/// How tables compare a figure with the baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compared {
    /// Not at all.
    No,
    /// By the ratio: 0.1 is a tenth more.
    Ratio,
    /// By the difference: 0.1 is ten percentage points more.
    Points,
}

/// The bounds that limit a figure, where no compared policy is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// None.
    No,
    /// An unbounded buffer.
    Buffer,
    /// An unbounded buffer and an ideal FTL.
    Any,
}

/// What explains the differences of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Explained {
    /// The time of the device by cause.
    ByTime,
    /// The bytes to flash by cause.
    ByBytes,
}

/// Where a figure is shown without being asked for, besides the places where it ranks the runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// In the table of `compare`.
    pub table: bool,
    /// In the report, if a run has a value that is not 0.
    pub report: bool,
    /// In the report, even if it is 0 in all runs.
    pub always: bool,
    /// As a chart of the report.
    pub chart: bool,
}

impl Unit {
    /// The symbol of the unit in pages.
    pub const fn symbol(self) -> &'static str {
        match self {
            Unit::MbPerS => "MB/s",
            Unit::Times => "×",
            Unit::Blocks => "blocks",
            Unit::Lines => "lines",
            Unit::Pages => "pages",
            Unit::Count => "count",
            Unit::Ms => "ms",
            Unit::S => "s",
            Unit::Percent => "%",
            Unit::Tb => "TB",
            Unit::Bytes => "GB",
            Unit::Ram => "MiB",
            Unit::Joules => "J",
            Unit::Years => "years",
            Unit::PerDay => "per day",
            Unit::Cycles => "cycles",
        }
    }

    /// Whether a number says little without the unit.
    pub const fn is_needed(self) -> bool {
        !matches!(
            self,
            Unit::Times | Unit::Blocks | Unit::Lines | Unit::Pages | Unit::Count
        )
    }

    /// A value in the unit of pages.
    pub fn shown(self, value: f64) -> f64 {
        match self {
            Unit::Ms => value / 1e6,
            Unit::S | Unit::Bytes => value / 1e9,
            Unit::Percent => 100.0 * value,
            Unit::Ram => value / f64::from(1 << 20),
            _ => value,
        }
    }

    /// A value as a cell of a narrow table.
    pub fn cell(self, value: f64) -> String {
        match self {
            Unit::MbPerS => fixed(value, decimals(value, self.digits(), 2)),
            Unit::Times => fixed(value, 2),
            Unit::Blocks | Unit::Lines | Unit::Pages | Unit::Count => fixed(value, 0),
            Unit::Ms | Unit::S => duration(value),
            Unit::Percent => fixed(100.0 * value, 1) + "%",
            Unit::Tb | Unit::Joules | Unit::Years | Unit::PerDay | Unit::Cycles => amount(value),
            Unit::Bytes => decimal_bytes(value as u64),
            Unit::Ram => format!("{} MiB", amount(self.shown(value))),
        }
    }

    /// The digits that a small value is shown with. Slow devices have tenths of a MB/s.
    pub const fn digits(self) -> u8 {
        match self {
            Unit::MbPerS => 3,
            _ => 2,
        }
    }

    /// Whether such figures are as uncertain as the P/E cycles that flash endures.
    pub const fn is_life(self) -> bool {
        matches!(self, Unit::Tb | Unit::Years | Unit::PerDay)
    }

    /// A value with its unit, within a sentence.
    pub fn text(self, value: f64) -> String {
        match self {
            Unit::MbPerS | Unit::Tb | Unit::Joules | Unit::Years | Unit::PerDay | Unit::Cycles => {
                format!("{} {}", self.cell(value), self.symbol())
            }
            Unit::Blocks | Unit::Lines | Unit::Pages | Unit::Count => thousands(value as u64),
            Unit::Percent => percent(value),
            Unit::Times | Unit::Ms | Unit::S | Unit::Bytes | Unit::Ram => self.cell(value),
        }
    }
}

impl Figure {
    /// A figure that is shown where it is asked for.
    pub const fn new(
        key: &'static str,
        [title, heading, words]: [&'static str; 3],
        unit: Unit,
        better: Better,
        value: fn(&Results) -> Option<f64>,
    ) -> Self {
        let decimals = match unit {
            Unit::Blocks | Unit::Lines | Unit::Pages | Unit::Count => 0,
            Unit::MbPerS
            | Unit::Times
            | Unit::Ms
            | Unit::Joules
            | Unit::Years
            | Unit::PerDay
            | Unit::Ram => 2,
            Unit::S | Unit::Percent | Unit::Tb | Unit::Bytes | Unit::Cycles => 1,
        };
        let higher = match better {
            Better::More => "higher",
            Better::Less | Better::Neither => "lower",
        };
        Self {
            key,
            also: &[],
            title,
            heading,
            words,
            of_lines: None,
            unit,
            decimals,
            better,
            value,
            resolution: 0.0,
            compared: Compared::No,
            bound: Bound::No,
            explained: Explained::ByTime,
            of_clocks: false,
            of_size: false,
            set_by_trace: false,
            shown: Shown {
                table: false,
                report: false,
                always: false,
                chart: false,
            },
            says: "",
            leads: [higher, "than"],
        }
    }

    /// Options take these names, too.
    pub const fn also(self, also: &'static [&'static str]) -> Self {
        Self { also, ..self }
    }

    /// Tables compare it with the baseline.
    pub const fn compared(mut self) -> Self {
        self.compared = match self.unit {
            Unit::Percent => Compared::Points,
            _ => Compared::Ratio,
        };
        self
    }

    /// These bounds limit it.
    pub const fn bounded_by(self, bound: Bound) -> Self {
        Self { bound, ..self }
    }

    /// The bytes to flash explain its differences.
    pub const fn by_bytes(mut self) -> Self {
        self.explained = Explained::ByBytes;
        self
    }

    /// Only the clocks of the parallel model measure it.
    pub const fn of_clocks(mut self) -> Self {
        self.of_clocks = true;
        self
    }

    /// It depends on the size of a buffer even where nothing else does.
    pub const fn of_size(mut self) -> Self {
        self.of_size = true;
        self
    }

    /// Its value may be this share of it from the true one.
    pub const fn known_to(self, resolution: f64) -> Self {
        Self { resolution, ..self }
    }

    /// Under timed replay the trace sets it.
    pub const fn set_by_trace(mut self) -> Self {
        self.set_by_trace = true;
        self
    }

    /// The same for runs under timed replay: what the trace sets ranks nothing there, and has no bound.
    pub fn under_timed_replay(self) -> Self {
        if !self.set_by_trace {
            return self;
        }
        Self {
            better: Better::Neither,
            bound: Bound::No,
            ..self
        }
    }

    /// Where blocks are erased in lines, it has these names.
    pub const fn named_of_lines(mut self, names: [&'static str; 3]) -> Self {
        self.of_lines = Some(names);
        self
    }

    /// The same for runs on devices that erase lines (`flash.interleave = "line"`).
    pub fn of_lines(self) -> Self {
        let names = [self.title, self.heading, self.words];
        let [title, heading, words] = self.of_lines.unwrap_or(names);
        let unit = match self.unit {
            Unit::Blocks => Unit::Lines,
            unit => unit,
        };
        Self {
            title,
            heading,
            words,
            unit,
            ..self
        }
    }

    /// The table of `compare` has it.
    pub const fn in_table(mut self) -> Self {
        self.shown.table = true;
        self
    }

    /// The report has it, if a run has a value that is not 0.
    pub const fn in_report(mut self) -> Self {
        self.shown.report = true;
        self
    }

    /// The report always has it.
    pub const fn always_in_report(mut self) -> Self {
        self.shown.always = true;
        self
    }

    /// Where the report has it, it also has a chart of it.
    pub const fn charted(mut self) -> Self {
        self.shown.chart = true;
        self
    }

    /// Pages show this many decimals.
    pub const fn with_decimals(self, decimals: usize) -> Self {
        Self { decimals, ..self }
    }

    /// Sentences about a winner say this.
    pub const fn said(mut self, says: &'static str, leads: [&'static str; 2]) -> Self {
        (self.says, self.leads) = (says, leads);
        self
    }

    /// Whether it is a time that requests take or wait, as the clocks measure it: it depends on when they come.
    pub fn is_latency(&self) -> bool {
        self.of_clocks && matches!(self.unit, Unit::Ms | Unit::S)
    }

    /// Whether it has this name.
    pub fn is_named(&self, name: &str) -> bool {
        self.key == name || self.also.contains(&name)
    }

    /// A value with its unit as a clause: `12.34 MB/s`, `write amplification 1.20`.
    pub fn clause(&self, text: &str) -> String {
        match self.says {
            "" => format!("{} {text}", self.words),
            says => says.replace("{}", text).replace("{words}", self.words),
        }
    }

    /// The title with the unit, if a number needs it: `Throughput, MB/s`.
    pub fn title_with_unit(&self) -> String {
        if self.unit.is_needed() {
            format!("{}, {}", self.title, self.unit.symbol())
        } else {
            self.title.to_owned()
        }
    }

    /// How far a value is from that of the baseline; `None` if that is 0 or unknown, or if tables do not compare.
    pub fn relative(&self, value: Option<f64>, base: Option<f64>) -> Option<f64> {
        match self.compared {
            Compared::No => None,
            Compared::Ratio => Some(self.difference(value?, base.filter(|&base| base > 0.0)?)),
            Compared::Points => Some(self.difference(value?, base?)),
        }
    }

    /// How far a value is from another one: as a share of that one (infinite if it is 0), of percentages in points.
    pub fn difference(&self, value: f64, other: f64) -> f64 {
        match self.unit {
            Unit::Percent => value - other,
            _ if value == other => 0.0,
            _ => value / other - 1.0,
        }
    }

    /// The unit of such a difference in hundredths: percent, or percentage points.
    pub const fn unit_of_difference(&self) -> &'static str {
        match self.unit {
            Unit::Percent => "pp",
            _ => "%",
        }
    }

    /// Whether values that are this far apart ([`difference`](Self::difference)) are level: closer than [`LEVEL`], or
    /// than the figure is known. Verdicts, marks and tiles call neither of two level values better.
    pub fn is_level(&self, difference: f64) -> bool {
        let larger = match self.unit {
            Unit::Percent => 1.0,
            _ => (1.0 + difference).max(1.0),
        };
        difference.abs() < LEVEL.max(self.resolution) * larger
    }
}

/// All figures: the built-in ones, and those of systems of other crates.
#[derive(Clone, Debug)]
pub struct Figures(Vec<Figure>);

impl Default for Figures {
    fn default() -> Self {
        Self(FIGURES.to_vec())
    }
}

impl Figures {
    /// Adds a figure.
    ///
    /// # Panics
    /// If one of its names is taken.
    pub fn add(&mut self, figure: Figure) {
        let namesake = self.0.iter().find(|other| {
            let names = other.also.iter().chain([&other.key]);
            names.into_iter().any(|name| figure.is_named(name))
        });
        assert!(
            namesake.is_none(),
            "a figure named {:?} is registered already",
            figure.key
        );
        self.0.push(figure);
    }

    /// The figure of this name.
    pub fn named(&self, name: &str) -> Option<Figure> {
        self.0.iter().copied().find(|figure| figure.is_named(name))
    }

    /// The same figures, each changed.
    pub fn map(&self, change: impl Fn(Figure) -> Figure) -> Self {
        Self(self.0.iter().copied().map(change).collect())
    }

    /// The figures that can rank runs.
    pub fn ranking(&self) -> impl Iterator<Item = &Figure> {
        let ranks = |figure: &&Figure| figure.better != Better::Neither;
        self.0.iter().filter(ranks)
    }
}

impl Deref for Figures {
    type Target = [Figure];

    fn deref(&self) -> &[Figure] {
        &self.0
    }
}

/// The figure that ranks runs by default.
impl Default for Figure {
    fn default() -> Self {
        THROUGHPUT
    }
}

impl PartialEq for Figure {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for Figure {}

impl Serialize for Figure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.key)
    }
}

/// A value for each of some figures. Serialised, it is an object with their keys.
#[derive(Clone, Debug, PartialEq)]
pub struct PerFigure<T>(Vec<(Figure, T)>);

impl<T> Default for PerFigure<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Copy> PerFigure<T> {
    /// The value for a figure, if there is one.
    pub fn get(&self, figure: &Figure) -> Option<T> {
        let found = self.0.iter().find(|(other, _)| other == figure);
        found.map(|(_, value)| *value)
    }

    /// All values, with their figures.
    pub fn iter(&self) -> impl Iterator<Item = (Figure, T)> + '_ {
        self.0.iter().copied()
    }
}

impl<T: Copy + PartialEq> PerFigure<Option<T>> {
    /// The values that are equal in both; `None` for the others.
    pub fn common(&self, other: &Self) -> Self {
        let same = |(figure, value): (Figure, Option<T>)| {
            let others = other.get(&figure);
            (figure, value.filter(|_| others == Some(value)))
        };
        self.iter().map(same).collect()
    }
}

impl<T> FromIterator<(Figure, T)> for PerFigure<T> {
    fn from_iter<I: IntoIterator<Item = (Figure, T)>>(values: I) -> Self {
        Self(values.into_iter().collect())
    }
}

impl<T: Serialize> Serialize for PerFigure<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(figure, value)| (figure, value)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::figures::{ERASES, P99, WRITE_HIT_RATIO};
    use super::*;

    // planted bugs: percentage points compared as a ratio; a ratio to nothing
    #[test]
    fn shares_differ_by_points_and_all_else_by_its_ratio() {
        let relative = |figure: Figure, value, base| figure.relative(Some(value), Some(base));
        assert_eq!(relative(WRITE_HIT_RATIO, 0.75, 0.5), Some(0.25));
        assert_eq!(relative(WRITE_HIT_RATIO, 0.75, 0.0), Some(0.75));
        assert_eq!(relative(ERASES, 15.0, 10.0), Some(0.5));
        assert_eq!(relative(ERASES, 15.0, 0.0), None);
        assert_eq!(ERASES.relative(None, Some(1.0)), None);
    }

    // planted bugs: any difference counts; a share of the smaller value; shares level by their ratio; a resolution that
    // does not count
    #[test]
    fn small_differences_are_level() {
        let level = |figure: Figure, value, other| figure.is_level(figure.difference(value, other));
        // 31 ns of 238.3 µs
        assert!(level(P99, 238_331.0, 238_300.0));
        for (value, other, expected) in [
            (1000.0, 991.0, true),
            (1000.0, 990.5, true),
            (1000.0, 989.0, false),
            (0.0, 0.0, true),
            (1.0, 0.0, false),
            (0.0, 1.0, false),
        ] {
            assert_eq!(level(ERASES, value, other), expected, "{value} {other}");
            assert_eq!(level(ERASES, other, value), expected, "{other} {value}");
        }
        assert!(level(WRITE_HIT_RATIO, 0.015, 0.010));
        assert!(!level(WRITE_HIT_RATIO, 0.5, 0.52));
        assert!(level(ERASES.known_to(0.1), 100.0, 95.0));
    }

    // planted bug: two figures of one name
    #[test]
    fn every_name_is_of_one_figure() {
        for (place, figure) in FIGURES.iter().enumerate() {
            let names = figure.also.iter().chain([&figure.key]);
            for name in names {
                let named = FIGURES.iter().position(|other| other.is_named(name));
                assert_eq!(named, Some(place), "{name}");
            }
        }
    }
}
