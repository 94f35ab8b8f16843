//! Numbers in sentences.

use ssdlab_words::decimal;

/// Two digits: `2,400`, `12`, `6.7`, `0.48`.
pub(crate) fn two(value: f64) -> String {
    if value <= 0.0 {
        return "0".into();
    }
    let of = |value: f64| value.log10().floor() as i32;
    let step = 10_f64.powi(of(value) - 1);
    let rounded = (value / step).round() * step;
    decimal(
        rounded,
        (1 - of(rounded * (1.0 + 1e-12))).clamp(0, 9) as usize,
    )
}

/// All digits before the point: `1,499`, `271`, `6.7`.
pub(crate) fn whole(value: f64) -> String {
    if value < 9.95 {
        two(value)
    } else {
        decimal(value, 0)
    }
}

/// Bytes a day: `724 GB`, `2.1 TB`.
pub(crate) fn amount(bytes: f64) -> String {
    let units = [(1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB")];
    let (size, unit) = units
        .into_iter()
        .find(|(size, _)| bytes >= 0.9995 * size)
        .unwrap_or((1e3, "kB"));
    let value = bytes / size;
    let digits = usize::from(value < 9.95 && (value - value.round()).abs() > 0.05);
    format!("{} {unit}", decimal(value, digits))
}

/// Bytes of all time: `12 TB`, `300 GB`.
pub(crate) fn total(bytes: f64) -> String {
    if bytes < 1e11 {
        format!("{} GB", whole(bytes / 1e9))
    } else {
        format!("{} TB", whole(bytes / 1e12))
    }
}

/// Days in the unit that people would use.
pub(crate) fn time(days: f64) -> String {
    match days {
        _ if days < 0.00138 => format!("{} seconds", two(days * 86400.0)),
        _ if days < 0.0834 => format!("{} minutes", two(days * 1440.0)),
        _ if days < 2.0 => format!("{} hours", two(days * 24.0)),
        _ if days < 700.0 => format!(
            "{} days",
            decimal(days, usize::from(days < 9.95 && days.fract() > 0.05))
        ),
        _ => format!("{} years", two(days / 365.25)),
    }
}
