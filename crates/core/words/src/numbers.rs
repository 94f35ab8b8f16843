//! Numbers with their units, as a reader wants them.

/// The text for a figure without a meaning.
pub const NOTHING: &str = "–";

/// A figure for a terminal: a dash where it has no meaning.
pub fn known(value: Option<f64>, shown: impl Fn(f64) -> String) -> String {
    value.map_or("-".into(), shown)
}

/// A size in the largest binary unit that divides it: `16 MiB`, `4,097 B`.
pub fn bytes(size: u64) -> String {
    let (count, unit) = in_units(size);
    format!("{} {unit}", thousands(count))
}

/// The same as a configuration or an option has it: `16MiB`, `4097B`.
pub fn size_value(size: u64) -> String {
    let (count, unit) = in_units(size);
    format!("{count}{unit}")
}

fn in_units(size: u64) -> (u64, &'static str) {
    let units = [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")];
    let divides = |&(shift, _): &(u32, _)| size > 0 && size.trailing_zeros() >= shift;
    let (shift, unit) = units.into_iter().find(divides).unwrap_or((0, "B"));
    (size >> shift, unit)
}

/// `4 MiB`, `1–8 MiB`, `512 KiB–8 MiB`.
pub fn size_range(first: u64, last: u64) -> String {
    let (count, unit) = in_units(first);
    let from = match in_units(last) {
        _ if first == last => return bytes(last),
        (_, same) if same == unit => thousands(count),
        _ => bytes(first),
    };
    format!("{from}–{}", bytes(last))
}

/// From here on a number is shown by its first digits and a power of ten: more digits fit no cell.
const SHOWN_IN_FULL: f64 = 1e15;

/// A number with this many decimals; a very large one as `1.23e45`.
pub fn fixed(value: f64, decimals: usize) -> String {
    if value.abs() < SHOWN_IN_FULL {
        format!("{value:.decimals$}")
    } else {
        format!("{value:.2e}")
    }
}

/// The same with a comma before every third digit from the point; [`NOTHING`] for no number.
pub fn decimal(value: f64, decimals: usize) -> String {
    if value.is_nan() {
        return NOTHING.into();
    }
    grouped(fixed(value, decimals))
}

/// An integer with a comma before every third digit from the right.
pub fn thousands(value: u64) -> String {
    grouped(value.to_string())
}

fn grouped(mut number: String) -> String {
    let first = number.find(|c: char| c != '-').unwrap_or(0);
    let mut at = number.find(['.', 'e']).unwrap_or(number.len());
    while at > first + 3 {
        at -= 3;
        number.insert(at, ',');
    }
    number
}

/// The decimals that show so many digits of the smallest number: at least the usual ones, at most four.
pub fn decimals(least: f64, digits: u8, usual: usize) -> usize {
    let needed = f64::from(digits) - 1.0 - f64::from(size_of(least));
    (needed.max(0.0) as usize).clamp(usual, usual.max(4))
}

/// A share in percent: `12.3 %`.
pub fn percent(share: f64) -> String {
    fixed(100.0 * share, 1) + " %"
}

/// A difference with its sign, which is absent if the number rounds to 0.
pub fn signed(value: f64, decimals: usize) -> String {
    let text = decimal(value.abs(), decimals);
    if !text.contains(|c| matches!(c, '1'..='9')) {
        text
    } else if value > 0.0 {
        format!("+{text}")
    } else {
        format!("−{text}")
    }
}

/// A difference in hundredths, with its sign and a unit, and one decimal if it is small: `+146 %`, `−0.4 pp`; `None` if
/// it rounds to 0.
pub fn difference(share: f64, unit: &str) -> Option<String> {
    let percent = 100.0 * share;
    if !percent.is_finite() {
        return Some(NOTHING.into());
    }
    let text = signed(percent, usize::from(percent.abs() < 9.95));
    text.starts_with(['+', '−'])
        .then(|| format!("{text} {unit}"))
}

/// A positive number with three digits that say something, or all digits before the point: `0.00123`, `12.3`, `1,235`.
pub fn amount(value: f64) -> String {
    with_digits(value, 3)
}

/// A positive number with two digits, and zeros before the point: `0.0012`, `12`, `1,200`.
pub fn rough(value: f64) -> String {
    let last = match size_of(value) {
        size if size > 1 && value < SHOWN_IN_FULL => 10f64.powi(size - 1),
        _ => return with_digits(value, 2),
    };
    with_digits((value / last).round() * last, 2)
}

/// The power of ten of a positive number.
fn size_of(value: f64) -> i32 {
    if value > 0.0 {
        value.log10().floor() as i32
    } else {
        0
    }
}

fn with_digits(value: f64, digits: i32) -> String {
    /// Smaller numbers are shown with a power of ten.
    const LEAST: f64 = 1e-9;
    if value > 0.0 && value < LEAST {
        return format!("{value:.2e}");
    }
    decimal(value, (digits - 1 - size_of(value)).clamp(0, 12) as usize)
}

/// A number of bytes in 1000s, as drives are sold: `1.23 TB`.
pub fn decimal_bytes(bytes: u64) -> String {
    let units = [
        (1e15, "PB"),
        (1e12, "TB"),
        (1e9, "GB"),
        (1e6, "MB"),
        (1e3, "kB"),
    ];
    match units.iter().find(|&&(size, _)| bytes as f64 >= size) {
        Some((size, unit)) => format!("{} {unit}", amount(bytes as f64 / size)),
        None => format!("{bytes} B"),
    }
}

/// Bytes such as a hash, two digits each.
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Nanoseconds in the largest unit in which the value is at least 1.
pub fn duration(ns: f64) -> String {
    let units = [(1e9, "s"), (1e6, "ms"), (1e3, "µs")];
    match units.iter().find(|&&(size, _)| ns >= size) {
        Some((size, unit)) => format!("{} {unit}", decimal((ns / size * 10.0).round() / 10.0, 1)),
        None => format!("{ns:.0} ns"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // planted bugs: a small number shown as 0.00; digits after a large number; binary units
    #[test]
    fn numbers_keep_three_digits() {
        let shown = [0.0, 0.001234, 0.5, 12.345, 999.6, 1234.56].map(amount);
        assert_eq!(
            shown,
            ["0.00", "0.00123", "0.500", "12.3", "1,000", "1,235"]
        );
        let shown = [0, 999, 1000, 1 << 20, 3_456_000_000_000].map(decimal_bytes);
        assert_eq!(shown, ["0 B", "999 B", "1.00 kB", "1.05 MB", "3.46 TB"]);
    }

    // planted bugs: 309 digits; a tiny number shown as 0; a number of seconds cut to 64 bits
    #[test]
    fn no_number_is_longer_than_its_cell() {
        let shown = [1e308, f64::MAX, f64::INFINITY, 1e-300, 5e-324].map(amount);
        let expected = ["1.00e308", "1.80e308", "inf", "1.00e-300", "4.94e-324"];
        assert_eq!(shown, expected);
        assert_eq!(
            [999e12, 1e15, -1e300].map(|value| fixed(value, 1)),
            ["999000000000000.0", "1.00e15", "-1.00e300"]
        );
        assert_eq!(
            [1e22, 1e300].map(duration),
            ["10,000,000,000,000.0 s", "1.00e291 s"]
        );
        assert_eq!(decimal_bytes(u64::MAX), "18,447 PB");
    }

    // planted bugs: grouping from the left (`123,4`); a comma in front (`,123`); a comma behind a sign
    #[test]
    fn digits_are_grouped_from_the_point() {
        assert_eq!(
            [0, 999, 1234, 123_456].map(thousands),
            ["0", "999", "1,234", "123,456"]
        );
        assert_eq!(thousands(u64::MAX), "18,446,744,073,709,551,615");
        assert_eq!(decimal(1234.5678, 2), "1,234.57");
        assert_eq!(
            [-123.0, -1234.0].map(|value| decimal(value, 1)),
            ["-123.0", "-1,234.0"]
        );
        assert_eq!(decimal(1999.5, 0), "2,000");
        assert_eq!(
            [1e308, f64::NAN].map(|value| decimal(value, 2)),
            ["1.00e308", NOTHING]
        );
    }

    // planted bugs: a small number shown as 0.00; a sign before 0
    #[test]
    fn differences_have_signs() {
        let least = [0.25, 0.025, 0.00001, 12.0, f64::INFINITY];
        assert_eq!(least.map(|least| decimals(least, 2, 2)), [2, 3, 4, 2, 2]);
        assert_eq!(least.map(|least| decimals(least, 3, 2)), [3, 4, 4, 2, 2]);
        assert_eq!(decimals(0.0, 3, 2), 2);
        let rough = [1587.4, 405.2, 0.0749, 8.06, 99.6, 0.0].map(rough);
        assert_eq!(rough, ["1,600", "410", "0.075", "8.1", "100", "0.0"]);
        let shown = [1.4641, 0.0994, -0.7656].map(|share| difference(share, "%").unwrap());
        assert_eq!(shown, ["+146 %", "+9.9 %", "−77 %"]);
        assert_eq!(
            [-0.0004, 0.0].map(|share| difference(share, "%")),
            [None, None]
        );
        assert_eq!(difference(-0.03, "pp").as_deref(), Some("−3.0 pp"));
        assert_eq!(
            [0.004, -0.004, -0.006].map(|value| signed(value, 2)),
            ["0.00", "0.00", "−0.01"]
        );
        assert_eq!(percent(0.1234), "12.3 %");
    }

    // planted bug: 1.5 MiB rounded to a whole unit
    #[test]
    fn sizes_are_exact() {
        let sizes = [0, 16 << 20, 3 << 19, 1 << 40, 4097];
        assert_eq!(
            sizes.map(bytes),
            ["0 B", "16 MiB", "1,536 KiB", "1 TiB", "4,097 B"]
        );
        assert_eq!(
            sizes.map(size_value),
            ["0B", "16MiB", "1536KiB", "1TiB", "4097B"]
        );
    }
}
