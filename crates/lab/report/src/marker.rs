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
    /// Its corners, x and y, for a radius of 1; without corners, it is a circle.
    corners: &'static [[f64; 2]],
}

/// The first five are filled, then hollow; then come the others.
const HOLLOW: usize = 5;

const SHAPES: [Shape; 10] = [
    Shape {
        glyphs: ['●', '○'],
        pgf: ["*", "o"],
        charts: ("circle", 0),
        corners: &[],
    },
    Shape {
        glyphs: ['■', '□'],
        pgf: ["square*", "square"],
        charts: ("rect", 0),
        corners: &[[-0.85, -0.85], [0.85, -0.85], [0.85, 0.85], [-0.85, 0.85]],
    },
    Shape {
        glyphs: ['▲', '△'],
        pgf: ["triangle*", "triangle"],
        charts: ("triangle", 0),
        corners: &[[0.0, -1.15], [1.05, 0.8], [-1.05, 0.8]],
    },
    Shape {
        glyphs: ['◆', '◇'],
        pgf: ["diamond*", "diamond"],
        charts: ("diamond", 0),
        corners: &[[0.0, -1.25], [1.05, 0.0], [0.0, 1.25], [-1.05, 0.0]],
    },
    Shape {
        glyphs: ['▼', '▽'],
        pgf: [
            "triangle*, mark options={rotate=180}",
            "triangle, mark options={rotate=180}",
        ],
        charts: ("triangle", 180),
        corners: &[[0.0, 1.15], [1.05, -0.8], [-1.05, -0.8]],
    },
    filled('✚', "+", &PLUS),
    filled('★', "star", &STAR),
    filled('✕', "x", &CROSS),
    filled('✦', "asterisk", &SPARK),
    filled('⬟', "pentagon*", &PENTAGON),
];

const PLUS: [[f64; 2]; 12] = [
    [-0.46, -1.15],
    [0.46, -1.15],
    [0.46, -0.46],
    [1.15, -0.46],
    [1.15, 0.46],
    [0.46, 0.46],
    [0.46, 1.15],
    [-0.46, 1.15],
    [-0.46, 0.46],
    [-1.15, 0.46],
    [-1.15, -0.46],
    [-0.46, -0.46],
];
const STAR: [[f64; 2]; 10] = [
    [0.0, -1.25],
    [0.3, -0.38],
    [1.25, -0.35],
    [0.5, 0.23],
    [0.78, 1.13],
    [0.0, 0.6],
    [-0.78, 1.13],
    [-0.5, 0.23],
    [-1.25, -0.35],
    [-0.3, -0.38],
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
const SPARK: [[f64; 2]; 8] = [
    [0.0, -1.25],
    [0.38, -0.38],
    [1.25, 0.0],
    [0.38, 0.38],
    [0.0, 1.25],
    [-0.38, 0.38],
    [-1.25, 0.0],
    [-0.38, -0.38],
];
const PENTAGON: [[f64; 2]; 5] = [
    [0.0, -1.15],
    [1.15, -0.28],
    [0.71, 1.15],
    [-0.71, 1.15],
    [-1.15, -0.28],
];

const fn filled(glyph: char, pgf: &'static str, corners: &'static [[f64; 2]]) -> Shape {
    Shape {
        glyphs: [glyph; 2],
        pgf: [pgf; 2],
        charts: ("", 0),
        corners,
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
    pub fn corners(self) -> &'static [[f64; 2]] {
        self.shape.corners
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
                let corners = self.shape.corners.iter().map(|[x, y]| format!("{x},{y}"));
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
