//! Roots of increasing functions.

/// The point from `low` on where an increasing function changes from negative to positive.
pub(crate) fn root_above(low: f64, f: impl Fn(f64) -> f64) -> f64 {
    let mut high = 2.0 * low.max(1.0);
    while f(high) < 0.0 && high.is_finite() {
        high *= 2.0;
    }
    root_between(low, high, f)
}

/// The root of a smooth increasing function, to the precision of doubles, in some ten calls: the secant between two points
/// around it (Illinois: a point that stays counts half).
pub(crate) fn root_of_smooth(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    /// Far more than it takes.
    const MOST: usize = 200;
    let (mut below, mut above) = (f(low), f(high));
    let mut last = f64::NAN;
    for _ in 0..MOST {
        let next = low - below * (high - low) / (above - below);
        let value = f(next);
        if value == 0.0 || (next - last).abs() <= 2.0 * f64::EPSILON * next.abs() {
            return next;
        }
        let was_below = last == low;
        let was_above = last == high;
        if value < 0.0 {
            (low, below) = (next, value);
            above *= if was_below { 0.5 } else { 1.0 };
        } else {
            (high, above) = (next, value);
            below *= if was_above { 0.5 } else { 1.0 };
        }
        last = next;
    }
    last
}

/// The point where an increasing function changes from negative to positive, to the precision of doubles.
pub(crate) fn root_between(low: f64, high: f64, f: impl Fn(f64) -> f64) -> f64 {
    let (low, high) = around(low, high, f);
    0.5 * (low + high)
}

/// The two doubles between which an increasing function changes from negative to positive.
pub(crate) fn around(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> (f64, f64) {
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return (low, high);
        }
        if f(middle) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
}
