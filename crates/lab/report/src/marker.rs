//! The shapes of markers, which tell curves apart without colour.

use serde_json::{Value, json};

/// A shape in all its forms.
struct Shape {
    /// The letters that show it in texts, filled and hollow.
    glyphs: [char; 2],
    /// What pgfplots calls it, filled and hollow.
    pgf: [&'static str; 2],
    /// What ECharts calls it, and by how many degrees it is turned; empty if ECharts draws its corners.
    charts: (&'static str, u16),
    outline: Outline,
}

/// An outline with a radius of 1.
enum Outline {
    Circle,
    /// Its corners, x and y.
    Corners(&'static [[f64; 2]]),
    /// A star of so many spikes, with this radius between them.
    Star(usize, f64),
}

/// The first five are filled, then hollow; then come the others.
const HOLLOW: usize = 5;

const SHAPES: [Shape; 10] = [
    Shape {
        glyphs: ['●', '○'],
        pgf: ["*", "o"],
        charts: ("circle", 0),
        outline: Outline::Circle,
    },
    Shape {
        glyphs: ['■', '□'],
        pgf: ["square*", "square"],
        charts: ("rect", 0),
        outline: Outline::Corners(&[[-0.85, -0.85], [0.85, -0.85], [0.85, 0.85], [-0.85, 0.85]]),
    },
    Shape {
        glyphs: ['▲', '△'],
        pgf: ["triangle*", "triangle"],
        charts: ("triangle", 0),
        outline: Outline::Corners(&[[0.0, -1.15], [1.05, 0.8], [-1.05, 0.8]]),
    },
    Shape {
        glyphs: ['◆', '◇'],
        pgf: ["diamond*", "diamond"],
        charts: ("diamond", 0),
        outline: Outline::Corners(&[[0.0, -1.25], [1.05, 0.0], [0.0, 1.25], [-1.05, 0.0]]),
    },
    Shape {
        glyphs: ['▼', '▽'],
        pgf: [
            "triangle*, mark options={rotate=180}",
            "triangle, mark options={rotate=180}",
        ],
        charts: ("triangle", 180),
        outline: Outline::Corners(&[[0.0, 1.15], [1.05, -0.8], [-1.05, -0.8]]),
    },
    filled('✚', "+", Outline::Star(4, 0.5)),
    filled('★', "star", Outline::Star(5, 0.5)),
    filled('✕', "x", Outline::Corners(&CROSS)),
    filled('✦', "asterisk", Outline::Star(4, 0.35)),
    filled('⬟', "pentagon*", Outline::Star(5, 1.05)),
];

const CROSS: [[f64; 2]; 12] = [
    [-1.1, -0.8],
    [-0.8, -1.1],
    [0.0, -0.3],
    [0.8, -1.1],
    [1.1, -0.8],
    [0.3, 0.0],
    [1.1, 0.8],
    [0.8, 1.1],
    [0.0, 0.3],
    [-0.8, 1.1],
    [-1.1, 0.8],
    [-0.3, 0.0],
];
const fn filled(glyph: char, pgf: &'static str, outline: Outline) -> Shape {
    Shape {
        glyphs: [glyph; 2],
        pgf: [pgf; 2],
        charts: ("", 0),
        outline,
    }
}

/// A shape, filled or hollow.
#[derive(Clone, Copy)]
pub(crate) struct Marker {
    shape: &'static Shape,
    pub is_hollow: bool,
}

/// As many markers as there are.
const MARKERS: usize = SHAPES.len() + HOLLOW;

impl Marker {
    /// That of the curve with this many curves before it; once all are taken, they are used again in turn.
    pub fn of(place: usize) -> Self {
        let (shape, is_hollow) = match place % MARKERS {
            place if place < HOLLOW => (place, false),
            place if place < 2 * HOLLOW => (place - HOLLOW, true),
            place => (place - HOLLOW, false),
        };
        Self {
            shape: &SHAPES[shape],
            is_hollow,
        }
    }

    /// The corners for a radius of 1; none of a circle.
    pub fn corners(self) -> Vec<[f64; 2]> {
        match self.shape.outline {
            Outline::Circle => Vec::new(),
            Outline::Corners(corners) => corners.to_vec(),
            Outline::Star(spikes, inner) => {
                let corner = |n: usize| {
                    let angle = std::f64::consts::PI * n as f64 / spikes as f64;
                    let far = if n.is_multiple_of(2) { 1.25 } else { inner };
                    [far * angle.sin(), -far * angle.cos()]
                };
                (0..2 * spikes).map(corner).collect()
            }
        }
    }

    /// What pgfplots calls it.
    pub fn pgf(self) -> &'static str {
        self.shape.pgf[usize::from(self.is_hollow)]
    }

    /// For scripts: the letter, the symbol of ECharts, its rotation, and whether it is hollow.
    fn script(self) -> Value {
        let glyph = self.shape.glyphs[usize::from(self.is_hollow)];
        let (name, turned) = self.shape.charts;
        let symbol = match name {
            "" => {
                let corner = |[x, y]: [f64; 2]| format!("{x:.2},{y:.2}");
                let corners = self.corners().into_iter().map(corner);
                format!("path://M{}Z", corners.collect::<Vec<_>>().join("L"))
            }
            name => name.to_owned(),
        };
        json!([glyph, symbol, turned, self.is_hollow])
    }
}

/// All markers in turn, for scripts.
pub(crate) fn script() -> Value {
    (0..MARKERS)
        .map(|place| Marker::of(place).script())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    // planted bugs: a hollow marker where a filled one is; two curves with one marker
    #[test]
    fn markers_are_all_different() {
        let mut all: Vec<String> = (0..MARKERS)
            .map(|place| Marker::of(place).script()[0].to_string())
            .collect();
        assert_eq!([&*all[0], &*all[5], &*all[10]], ["\"●\"", "\"○\"", "\"✚\""]);
        all.sort();
        all.dedup();
        assert_eq!(all.len(), MARKERS);
        assert_eq!(Marker::of(5).pgf(), "o");
        assert!(Marker::of(MARKERS).corners().is_empty());
    }
}
