//! The middle and the spread of values.

/// Values of one figure in several rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// The number of values.
    pub count: usize,
    /// The smallest.
    pub least: f64,
    /// A quarter of the values lies below.
    pub low: f64,
    /// Half of the values lies below.
    pub median: f64,
    /// Three quarters of the values lie below.
    pub high: f64,
    /// The largest.
    pub most: f64,
}

impl Summary {
    /// That of some numbers; `None` of none. Quantiles lie between neighbours, in proportion (type 7 of Hyndman and Fan).
    pub fn of(mut values: Vec<f64>) -> Option<Self> {
        values.retain(|value| !value.is_nan());
        values.sort_by(f64::total_cmp);
        let (&least, &most) = (values.first()?, values.last()?);
        Some(Self {
            count: values.len(),
            least,
            low: quantile(&values, 0.25),
            median: quantile(&values, 0.5),
            high: quantile(&values, 0.75),
            most,
        })
    }
}

/// A quantile of sorted values.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let at = share * (sorted.len() - 1) as f64;
    let (below, above) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
    // infinite neighbours have no difference
    if below == above {
        return below;
    }
    below + (above - below) * at.fract()
}

/// The chance that a fair coin falls at least as unevenly as `wins` to `losses`: the two-sided sign test.
pub(crate) fn sign_test(wins: usize, losses: usize) -> f64 {
    let (all, fewer) = (wins + losses, wins.min(losses));
    // in logarithms, since 2^-all is 0 for many samples
    let mut term = -(all as f64) * std::f64::consts::LN_2;
    let mut sum = 0.0;
    for k in 0..=fewer {
        sum += term.exp();
        term += ((all - k) as f64).ln() - ((k + 1) as f64).ln();
    }
    (2.0 * sum).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    // planted bugs: the nearest value instead of one between neighbours; quartiles swapped
    #[test]
    fn quartiles_lie_between_neighbours() {
        let of = |values: &[f64]| Summary::of(values.to_vec());
        let four = of(&[4.0, 1.0, f64::NAN, 3.0, 2.0]).expect("values");
        assert_eq!((four.count, four.least, four.most), (4, 1.0, 4.0));
        assert_eq!((four.low, four.median, four.high), (1.75, 2.5, 3.25));
        assert_eq!(of(&[7.0]).map(|one| (one.low, one.high)), Some((7.0, 7.0)));
        assert_eq!(of(&[f64::NAN]), None);
        let endless = of(&[f64::INFINITY, f64::INFINITY]).expect("values");
        assert_eq!(endless.median, f64::INFINITY);
    }

    // planted bugs: one-sided; the term of equal halves left out
    #[test]
    fn the_sign_test_is_that_of_the_tables() {
        let near = |(wins, losses): (usize, usize), p: f64| {
            let found = sign_test(wins, losses);
            assert!((found - p).abs() < 1e-9, "{wins} {losses}: {found}");
        };
        near((6, 0), 2.0 / 64.0);
        near((5, 0), 2.0 / 32.0);
        near((7, 1), 2.0 * 9.0 / 256.0);
        near((9, 1), 2.0 * 11.0 / 1024.0);
        near((2, 2), 1.0);
        assert!(sign_test(3000, 0) < 1e-300);
    }
}
