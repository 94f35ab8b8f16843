//! What a picture shows.

/// A label and the slot of its colour.
#[derive(Clone, Debug, PartialEq)]
pub struct Legend {
    /// The label.
    pub label: String,
    /// The slot, as [`slot`](crate::slot) gives it, or another colour of the style.
    pub slot: String,
}

/// Panels with a common legend.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// The curves, or other kinds of marks.
    pub legend: Vec<Legend>,
    /// The panels, line by line.
    pub panels: Vec<Panel>,
    /// What its numbers are called in CSV.
    pub names: Names,
    /// What it says to those who do not see it.
    pub spoken: Spoken,
}

/// A picture in words; empty where the text around it says what it shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spoken {
    /// What it shows.
    pub title: String,
    /// Its numbers.
    pub text: String,
}

/// The names of the columns of the numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// What distinguishes the panels.
    pub panel: String,
    /// What distinguishes the curves.
    pub series: String,
    /// The values from left to right; a figure with its unit.
    pub x: String,
    /// The values from the bottom up, or those of cells; a figure with its unit.
    pub y: String,
}

/// One plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// Its title.
    pub title: String,
    /// From left to right.
    pub x: Axis,
    /// From the bottom up; words from the top down.
    pub y: Axis,
    /// What it shows, in the order of drawing.
    pub marks: Vec<Mark>,
}

/// An axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// What it shows, with the unit.
    pub title: String,
    /// How values become places.
    pub scale: Scale,
    /// Its ends.
    pub range: (f64, f64),
    /// Values that have a tick each, if they are few.
    pub at: Vec<f64>,
    /// Whether values are sizes in bytes.
    pub is_size: bool,
}

/// How values become places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scale {
    /// In proportion.
    Linear,
    /// In proportion to their logarithms.
    Log,
    /// One place for each word, from 0 on.
    Words(Vec<String>),
}

/// A value with its spread.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// From left to right.
    pub x: f64,
    /// The median.
    pub y: f64,
    /// The lower and the upper quartile.
    pub quartiles: (f64, f64),
    /// The number of runs.
    pub runs: usize,
    /// What it says on hover.
    pub tip: String,
}

/// Something in a panel; a series is a place in the legend.
#[derive(Clone, Debug, PartialEq)]
pub enum Mark {
    /// Points in order, joined by lines.
    Curve {
        /// Its place in the legend.
        series: usize,
        /// Whether it is in the background.
        faint: bool,
        /// Its points.
        points: Vec<Point>,
    },
    /// The staircase through the points of a front.
    Front(Vec<(f64, f64)>),
    /// A point that stands alone.
    Dot {
        /// Its place in the legend.
        series: usize,
        /// Whether another point is better.
        faint: bool,
        /// Where it is.
        point: Point,
        /// Its label; empty for none.
        label: String,
    },
    /// A field of a map; x and y are numbers of words.
    Cell {
        /// Where it is, and its value; `runs` and `tip` belong to it.
        point: Point,
        /// The value; `None`: there is no run.
        value: Option<f64>,
        /// The value within the range of its panel, from 0, the best, to 1.
        share: f64,
        /// The value as text.
        text: String,
    },
    /// Values with their quartiles, in a row.
    Spread {
        /// Its place in the legend.
        series: usize,
        /// The row.
        row: usize,
        /// The values.
        values: Vec<f64>,
        /// The lower quartile, the median and the upper quartile.
        quartiles: [f64; 3],
        /// Whether it wins beyond the spread.
        wins: bool,
        /// What it says on hover.
        tip: String,
    },
    /// Areas of one kind.
    Boxes {
        /// Its place in the legend.
        series: usize,
        /// Two opposite corners of each, the lower left one first.
        corners: Vec<[(f64, f64); 2]>,
    },
    /// A part of the x axis, behind everything else.
    Band {
        /// Its ends; what is beyond the axis is not drawn.
        from: f64,
        /// The other one.
        to: f64,
        /// Whether it differs from the ground, as every second band does.
        shaded: bool,
        /// What it is.
        label: String,
    },
    /// Values one after the other from 0 on, in a row.
    Bar {
        /// The row.
        row: usize,
        /// Places in the legend, and values.
        parts: Vec<(usize, f64)>,
        /// A value of its own, as a thin bar below.
        below: Option<(usize, f64)>,
        /// Where it is cut, if it is longer.
        most: f64,
        /// Its label.
        label: String,
        /// What it says on hover.
        tip: String,
    },
}

impl Mark {
    /// Whether it is an area in the colour of its place in the legend.
    pub(super) fn is_area(&self) -> bool {
        matches!(self, Mark::Bar { .. } | Mark::Boxes { .. })
    }
}

impl Axis {
    /// The place of a value between the ends, from 0 to 1.
    pub(crate) fn share(&self, value: f64) -> f64 {
        let (least, most) = self.range;
        match self.scale {
            Scale::Log => (value / least).ln() / (most / least).ln(),
            _ => (value - least) / (most - least),
        }
    }

    /// The words, if it has some.
    pub(crate) fn words(&self) -> Option<&[String]> {
        match &self.scale {
            Scale::Words(words) => Some(words),
            _ => None,
        }
    }

    /// An axis of words.
    pub(crate) fn of_words(title: impl Into<String>, words: Vec<String>) -> Self {
        Self {
            title: title.into(),
            range: (-0.5, words.len() as f64 - 0.5),
            scale: Scale::Words(words),
            at: Vec::new(),
            is_size: false,
        }
    }

    /// An axis from 0 to `most`; to 1, if that is not above 0.
    pub(crate) fn from_zero(title: impl Into<String>, most: f64) -> Self {
        Self {
            title: title.into(),
            range: (0.0, if most > 0.0 { most } else { 1.0 }),
            scale: Scale::Linear,
            at: Vec::new(),
            is_size: false,
        }
    }

    /// An axis for these values. A logarithmic one, if `log` asks for it and all values are above 0; otherwise from 0 on,
    /// if `from_zero` asks for it and no value is below.
    pub fn of(
        title: impl Into<String>,
        values: impl Iterator<Item = f64>,
        log: bool,
        from_zero: bool,
    ) -> Self {
        let values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (least, most) = if least <= most {
            (least, most)
        } else {
            (0.0, 1.0)
        };
        let scale = if log && least > 0.0 && most > least {
            Scale::Log
        } else {
            Scale::Linear
        };
        let pad = 0.06;
        let range = match scale {
            Scale::Log => {
                let by = (most / least).powf(pad);
                (least / by, most * by)
            }
            _ if from_zero && least >= 0.0 && most > 0.0 => (0.0, most * (1.0 + pad)),
            _ if most > least => {
                let by = (most - least) * pad;
                (least - by, most + by)
            }
            // all values are equal
            _ if most == 0.0 => (0.0, 1.0),
            _ => (most - most.abs() * 0.5, most + most.abs() * 0.5),
        };
        Self {
            title: title.into(),
            scale,
            range,
            at: Vec::new(),
            is_size: false,
        }
    }
}
