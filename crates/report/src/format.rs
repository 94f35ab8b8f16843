//! Numbers and sizes as text for people.

use ssdlab_sim::{SHOWN_IN_FULL, fixed};

/// The text for a figure without a meaning.
pub const NOTHING: &str = "–";

/// An integer with thousands separators.
pub fn integer(value: u64) -> String {
    group(&value.to_string())
}

/// A number with `decimals` decimals and thousands separators; a very large one as `1.23e45`.
pub fn decimal(value: f64, decimals: usize) -> String {
    if value.is_nan() {
        return NOTHING.into();
    }
    let text = fixed(value, decimals);
    if value.abs() >= SHOWN_IN_FULL {
        return text;
    }
    match text.split_once('.') {
        Some((whole, fraction)) => format!("{}.{fraction}", group(whole)),
        None => group(&text),
    }
}

/// The decimals that show two digits of the smallest number: at least the usual ones, at most four.
pub fn decimals(least: f64, usual: usize) -> usize {
    let needed = 1.0 - least.log10().floor();
    (needed.max(0.0) as usize).clamp(usual, usual.max(4))
}

/// A difference in percent with its sign: `+146 %`, `−0.4 %`; `=` if it rounds to 0.
pub fn percent(share: f64) -> String {
    signed(share * 100.0, "%")
}

/// The same for a difference between percentages.
pub fn points(share: f64) -> String {
    signed(share * 100.0, "pp")
}

fn signed(value: f64, unit: &str) -> String {
    if value.is_nan() {
        return NOTHING.into();
    }
    let decimals = usize::from(value.abs() < 9.95);
    let text = decimal(value.abs(), decimals);
    match text.trim_matches(['0', '.']).is_empty() {
        true => "=".into(),
        false if value > 0.0 => format!("+{text} {unit}"),
        false => format!("−{text} {unit}"),
    }
}

/// A size in the largest binary unit that divides it.
pub fn size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let steps = match bytes {
        0 => 0,
        _ => (bytes.trailing_zeros() as usize / 10).min(UNITS.len() - 1),
    };
    format!("{} {}", integer(bytes >> (10 * steps)), UNITS[steps])
}

/// Nanoseconds in seconds.
pub fn seconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e9
}

/// Inserts a comma before every third digit from the right; a sign stays in front.
fn group(digits: &str) -> String {
    let (sign, digits) = match digits.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", digits),
    };
    let mut out = String::from(sign);
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    // Planted bug: grouping from the left (`123,4`), or a comma in front (`,123`).
    #[test]
    fn thousands() {
        assert_eq!(integer(0), "0");
        assert_eq!(integer(999), "999");
        assert_eq!(integer(1_234), "1,234");
        assert_eq!(integer(123_456), "123,456");
        assert_eq!(integer(u64::MAX), "18,446,744,073,709,551,615");
        assert_eq!(decimal(1234.5678, 2), "1,234.57");
        assert_eq!(decimal(-123.0, 1), "-123.0");
        assert_eq!(decimal(1999.5, 0), "2,000");
        assert_eq!(decimal(1e308, 2), "1.00e308");
        assert_eq!(decimal(f64::NAN, 2), NOTHING);
    }

    // Planted bugs: a small number shown as 0.00; a sign before 0.
    #[test]
    fn as_many_digits_as_say_something() {
        let shown = [0.25, 0.025, 0.00001, 12.0, f64::INFINITY].map(|least| decimals(least, 2));
        assert_eq!(shown, [2, 3, 4, 2, 2]);
        let percents = [1.4641, 0.0994, -0.7656, -0.0004, 0.0].map(percent);
        assert_eq!(percents, ["+146 %", "+9.9 %", "−77 %", "=", "="]);
        assert_eq!(points(-0.03), "−3.0 pp");
    }

    // Planted bug: rounding 1.5 MiB to a whole unit.
    #[test]
    fn sizes_are_exact() {
        assert_eq!(size(0), "0 B");
        assert_eq!(size(16 << 20), "16 MiB");
        assert_eq!(size(3 << 19), "1,536 KiB");
        assert_eq!(size(1 << 40), "1 TiB");
        assert_eq!(size(4097), "4,097 B");
    }
}
