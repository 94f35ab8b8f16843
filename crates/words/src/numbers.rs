//! Numbers with their units, as a reader wants them.

/// A size in human units.
pub fn bytes(size: u64) -> String {
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
    match units
        .iter()
        .find(|&&(shift, _)| size >= 1 << shift && size.trailing_zeros() >= shift)
    {
        Some((shift, unit)) => format!("{} {unit}", size >> shift),
        None => format!("{size} B"),
    }
}

/// `4 MiB`, `1–8 MiB`, `512 KiB–8 MiB`.
pub fn size_range(first: u64, last: u64) -> String {
    let (from, to) = (bytes(first), bytes(last));
    let unit = |text: &str| text.split_once(' ').map(|(_, unit)| unit.to_owned());
    match from.split_once(' ') {
        _ if first == last => to,
        Some((number, _)) if unit(&from) == unit(&to) => format!("{number}–{to}"),
        _ => format!("{from}–{to}"),
    }
}

/// From here on a number is shown by its first digits and a power of ten: more digits fit no cell.
pub const SHOWN_IN_FULL: f64 = 1e15;

/// A number with so many decimals; a very large one as `1.23e45`.
pub fn fixed(value: f64, decimals: usize) -> String {
    match value.abs() < SHOWN_IN_FULL {
        true => format!("{value:.decimals$}"),
        false => format!("{value:.2e}"),
    }
}

/// An integer with a comma before every third digit from the right.
pub fn thousands(value: u64) -> String {
    let digits = value.to_string();
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().collect();
    let groups = groups.iter().map(|group| String::from_utf8_lossy(group));
    groups.collect::<Vec<_>>().join(",")
}

/// A positive number with three digits that say something, or all digits before the point: `0.00123`, `12.3`, `1,235`.
pub fn amount(value: f64) -> String {
    /// Smaller numbers are shown with a power of ten.
    const LEAST: f64 = 1e-9;
    if value > 0.0 && value < LEAST {
        return format!("{value:.2e}");
    }
    let size = match value > 0.0 {
        true => value.log10().floor() as i32,
        false => 0,
    };
    let decimals = (2 - size).clamp(0, 12) as usize;
    let text = fixed(value, decimals);
    match text.parse::<u64>() {
        Ok(whole) => thousands(whole),
        Err(_) => text,
    }
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

/// Nanoseconds in the largest unit in which the value is at least 1.
pub fn duration(ns: f64) -> String {
    let units = [(1e9, "s"), (1e6, "ms"), (1e3, "µs")];
    match units.iter().find(|&&(size, _)| ns >= size) {
        Some((size, unit)) if ns / size >= SHOWN_IN_FULL => {
            format!("{} {unit}", fixed(ns / size, 1))
        }
        Some((size, unit)) => {
            let tenths = (ns / size * 10.0).round() as u64;
            format!("{}.{} {unit}", thousands(tenths / 10), tenths % 10)
        }
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
}
