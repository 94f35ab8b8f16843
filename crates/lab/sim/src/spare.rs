//! Life and write amplification over spare space, and where more of it gains little.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::row::{Row, RowKind};
use crate::settled::State;
use ssdlab_words::{amount, bytes};

/// The key of the spare space.
pub const SPARE: &str = ssdlab_ftl::OVER_PROVISIONING.key.path;
/// The knee: one point more of spare space gains less than this share of the life.
const LITTLE: f64 = 0.02;

/// The runs that differ in spare space only.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SpareCurve {
    /// The policy.
    pub name: String,
    /// The other keys that distinguish the curves, with their values.
    pub variant: BTreeMap<String, String>,
    /// Buffer size in bytes.
    pub size: Option<u64>,
    /// The runs, by ascending spare space.
    pub points: Vec<SparePoint>,
    /// The first spare space from which one percentage point more gains less than 2 % of life, on the straight line to
    /// the next point; `None` if there is none among the points.
    pub knee: Option<f64>,
    /// Why the points are not those of a settled state, if any is not.
    #[serde(skip)]
    pub doubt: Option<State>,
}

/// A run with some spare space.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SparePoint {
    /// The spare blocks as a share of the logical ones.
    pub spare: f64,
    /// Terabytes until the mean block is worn out.
    pub tb_until_worn: f64,
    /// Write amplification.
    pub waf: f64,
    /// The share of the life that one percentage point more gains; `None` at the last point.
    pub gain: Option<f64>,
}

impl SpareCurve {
    /// The policy with its other varied keys and the size: `lru (cleaning fifo) 4 MiB`.
    pub fn label(&self) -> String {
        let leaf = |key: &String| key.rsplit('.').next().unwrap_or_default().to_owned();
        let keys = self.variant.iter();
        let keys: Vec<String> = keys
            .map(|(key, value)| format!("{} {value}", leaf(key)))
            .collect();
        let keys = if keys.is_empty() {
            String::new()
        } else {
            format!(" ({})", keys.join(", "))
        };
        let size = self.size.map(|size| format!(" {}", bytes(size)));
        format!("{}{keys}{}", self.name, size.unwrap_or_default())
    }

    /// Whether a row is the run of the knee.
    pub fn is_knee(&self, row: &Row) -> bool {
        let same = |(key, value): (&String, &String)| row.variant.get(key) == Some(value);
        let at_knee = |spare| self.knee == Some(spare);
        row.kind == RowKind::Policy
            && row.name == self.name
            && row.size == self.size
            && self.variant.iter().all(same)
            && row.outcome.config["ftl"]["over_provisioning"]
                .as_f64()
                .is_some_and(at_knee)
    }

    /// The life at both ends, and the knee.
    pub fn in_words(&self) -> String {
        let label = self.label();
        let [first, .., last] = self.points.as_slice() else {
            return label;
        };
        let of = |point: &SparePoint| {
            format!(
                "{} TB until worn out at {}",
                amount(point.tb_until_worn),
                point.spare
            )
        };
        let knee = match self.knee {
            Some(knee) => format!("the knee is at {knee}: one point more gains less than 2 %"),
            None => "no knee: one point more gains 2 % or more everywhere".into(),
        };
        let doubt = self
            .doubt
            .map_or(String::new(), |doubt| format!("; {}", doubt.of()));
        format!("{label}: {}, {}; {knee}{doubt}", of(first), of(last))
    }
}

/// The curves of a comparison, in the order of its rows; none unless spare space varies.
pub(crate) fn curves(rows: &[Row]) -> Vec<SpareCurve> {
    let mut curves: Vec<SpareCurve> = Vec::new();
    for row in rows.iter().filter(|row| row.kind == RowKind::Policy) {
        let Some((variant, point)) = point(row) else {
            continue;
        };
        let same = |curve: &&mut SpareCurve| {
            curve.name == row.name && curve.size == row.size && curve.variant == variant
        };
        let doubt = row.outcome.steady_state.doubt();
        match curves.iter_mut().find(same) {
            Some(curve) => {
                curve.points.push(point);
                curve.doubt = doubt.or(curve.doubt);
            }
            None => curves.push(SpareCurve {
                name: row.name.clone(),
                size: row.size,
                points: vec![point],
                variant,
                knee: None,
                doubt,
            }),
        }
    }
    curves.retain(|curve| curve.points.len() > 1);
    // a key that is the same everywhere tells no curve from another
    let first = curves.first().map(|curve| curve.variant.clone());
    for (key, value) in first.unwrap_or_default() {
        let same = |curve: &SpareCurve| curve.variant.get(&key) == Some(&value);
        if curves.iter().all(same) {
            curves.iter_mut().for_each(|curve| {
                curve.variant.remove(&key);
            });
        }
    }
    for curve in &mut curves {
        let points = &mut curve.points;
        points.sort_by(|a, b| a.spare.total_cmp(&b.spare));
        for at in 1..points.len() {
            points[at - 1].gain = gain(&points[at - 1], &points[at]);
        }
        let flat = |point: &&SparePoint| point.gain.is_some_and(|gain| gain < LITTLE);
        curve.knee = points.iter().find(flat).map(|point| point.spare);
    }
    curves
}

/// The place of a row on its curve, and its other varied keys.
fn point(row: &Row) -> Option<(BTreeMap<String, String>, SparePoint)> {
    let mut variant = row.variant.clone();
    variant.remove(SPARE)?;
    let point = SparePoint {
        spare: row.outcome.config["ftl"]["over_provisioning"].as_f64()?,
        tb_until_worn: row.outcome.endurance.tb_until_worn.mean?,
        waf: row.outcome.endurance.waf?,
        gain: None,
    };
    Some((variant, point))
}

/// The share of the life that one percentage point more of spare space gains, on the way to the next point.
fn gain(point: &SparePoint, next: &SparePoint) -> Option<f64> {
    let points = 100.0 * (next.spare - point.spare);
    (points > 0.0).then(|| (next.tb_until_worn / point.tb_until_worn - 1.0) / points)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(lives: &[(f64, f64)]) -> Vec<Row> {
        let row = |&(spare, life): &(f64, f64)| {
            let mut row = Row {
                name: "lru".into(),
                variant: [(SPARE.to_owned(), spare.to_string())].into(),
                ..Row::default()
            };
            row.outcome.config = serde_json::json!({ "ftl": { "over_provisioning": spare } });
            row.outcome.endurance.tb_until_worn.mean = Some(life);
            row.outcome.endurance.waf = Some(2.0);
            row
        };
        lives.iter().map(row).collect()
    }

    fn knee(lives: &[(f64, f64)]) -> Option<f64> {
        curves(&rows(lives))[0].knee
    }

    // Planted bugs: the gain of the whole step instead of one point; the gain of a fraction of 1; the end of the flat
    // part; the first point whatever it gains; exactly 2 % taken for less.
    #[test]
    fn the_knee_is_where_a_point_gains_less_than_two_percent() {
        // 8 points gain 48 % (6 % each), then 13 points 19.5 % (1.5 % each), then 10 points 1 %
        let bent = [(0.07, 100.0), (0.15, 148.0), (0.28, 176.86), (0.38, 178.6)];
        assert_eq!(knee(&bent), Some(0.15));
        // the order of the rows does not matter
        let turned: Vec<_> = bent.into_iter().rev().collect();
        assert_eq!(knee(&turned), Some(0.15));
        assert_eq!(knee(&bent[..2]), None);
        assert_eq!(knee(&[(0.25, 100.0), (0.5, 150.0)]), None);
        assert_eq!(knee(&[(0.25, 100.0), (0.5, 149.0)]), Some(0.25));
        let gains: Vec<_> = curves(&rows(&bent))[0]
            .points
            .iter()
            .map(|p| p.gain)
            .collect();
        assert!(
            (gains[0].expect("not the last") - 0.06).abs() < 1e-9,
            "{gains:?}"
        );
        assert_eq!(gains[3], None);
    }

    // Planted bugs: one curve for all sizes; a curve of one point; a bound among the curves.
    #[test]
    fn runs_with_the_same_other_keys_are_a_curve() {
        let mut all = rows(&[(0.1, 1.0), (0.2, 2.0), (0.1, 3.0), (0.2, 4.0), (0.1, 5.0)]);
        all[2].size = Some(7);
        all[3].size = Some(7);
        all[4].name = "fab".into();
        let sizes: Vec<_> = curves(&all).iter().map(|curve| curve.size).collect();
        assert_eq!(sizes, [None, Some(7)]);
        all.iter_mut().for_each(|row| row.kind = RowKind::Bound);
        assert_eq!(curves(&all), []);
    }
}
