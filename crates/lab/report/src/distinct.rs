//! Colours that people tell apart, whatever colours they see.

/// Red, green and blue as people see them: with all cones, and without those for long, middle and short waves (Machado,
/// Oliveira and Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency", 2009).
const SEEN: [[[f64; 3]; 3]; 4] = [
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
];

/// The values of red, green and blue among which colours are looked for.
const LEVELS: [u8; 8] = [0, 36, 73, 109, 146, 182, 219, 255];

/// The least contrast with the ground, as that of graphics in WCAG 2.2.
const CONTRAST: f64 = 3.0;

/// A colour in CIELAB for each kind of sight.
type Seen = [[f64; 3]; 4];

/// The linear parts of a colour `#rrggbb`.
fn linear(hex: &str) -> [f64; 3] {
    [1, 3, 5].map(|at| {
        let part = u8::from_str_radix(&hex[at..at + 2], 16).unwrap_or_default();
        let part = f64::from(part) / 255.0;
        match part {
            dark if dark <= 0.04045 => dark / 12.92,
            light => ((light + 0.055) / 1.055).powf(2.4),
        }
    })
}

fn luminance([red, green, blue]: [f64; 3]) -> f64 {
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

fn seen(hex: &str) -> Seen {
    let parts = linear(hex);
    let weighed = |row: [f64; 3]| {
        row.iter()
            .zip(parts)
            .map(|(weight, part)| weight * part)
            .sum()
    };
    SEEN.map(|kind| lab(kind.map(|row| f64::clamp(weighed(row), 0.0, 1.0))))
}

/// CIELAB with the white D65.
fn lab([red, green, blue]: [f64; 3]) -> [f64; 3] {
    let root = |value: f64| match value {
        large if large > 0.008856 => large.cbrt(),
        small => 7.787 * small + 16.0 / 116.0,
    };
    let x = root((0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047);
    let y = root(luminance([red, green, blue]));
    let z = root((0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883);
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

/// The distance of two colours for those who tell them apart least.
fn apart(one: &Seen, other: &Seen) -> f64 {
    let of_kind = |(one, other): (&[f64; 3], &[f64; 3])| {
        let square = one.iter().zip(other).map(|(a, b)| (a - b).powi(2));
        square.sum::<f64>().sqrt()
    };
    one.iter()
        .zip(other)
        .map(of_kind)
        .fold(f64::INFINITY, f64::min)
}

/// Colours that were chosen so far, and those that may be.
pub(crate) struct Chosen {
    /// Each with the distance to the closest one that was chosen.
    others: Vec<(String, Seen, f64)>,
}

impl Chosen {
    /// None yet, on a ground of this colour.
    pub fn on(ground: &str) -> Self {
        let ground = luminance(linear(ground));
        let contrast = |hex: &str| {
            let own = luminance(linear(hex));
            (own.max(ground) + 0.05) / (own.min(ground) + 0.05)
        };
        let mut others = Vec::new();
        for red in LEVELS {
            for green in LEVELS {
                for blue in LEVELS {
                    let hex = format!("#{red:02x}{green:02x}{blue:02x}");
                    if contrast(&hex) >= CONTRAST {
                        let seen = seen(&hex);
                        others.push((hex, seen, f64::INFINITY));
                    }
                }
            }
        }
        Self { others }
    }

    /// Chooses a colour.
    pub fn add(&mut self, hex: &str) {
        let chosen = seen(hex);
        for (_, seen, distance) in &mut self.others {
            *distance = distance.min(apart(seen, &chosen));
        }
    }

    /// Chooses the colour that is farthest from all chosen ones.
    pub fn next(&mut self) -> String {
        let mut best = (String::new(), 0.0);
        for (hex, _, distance) in &self.others {
            // the last digits may differ between machines
            if *distance > best.1 + 1e-6 {
                best = (hex.clone(), *distance);
            }
        }
        self.add(&best.0);
        best.0
    }
}

/// The distance of the closest two colours.
#[cfg(test)]
pub(crate) fn closest(colours: &[&str]) -> f64 {
    let seen: Vec<Seen> = colours.iter().map(|hex| seen(hex)).collect();
    let pairs = (0..seen.len()).flat_map(|one| (0..one).map(move |other| (one, other)));
    let distances = pairs.map(|(one, other)| apart(&seen[one], &seen[other]));
    distances.fold(f64::INFINITY, f64::min)
}
