//! Roots of increasing functions.

/// The point from `low` on where an increasing function changes from negative to positive.
pub(crate) fn root_above(low: f64, f: impl Fn(f64) -> f64) -> f64 {
    let mut high = 2.0 * low.max(1.0);
    while f(high) < 0.0 && high.is_finite() {
        high *= 2.0;
    }
    root_between(low, high, f)
}

/// The point where an increasing function changes from negative to positive, to the precision of doubles.
pub(crate) fn root_between(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return middle;
        }
        if f(middle) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
}
