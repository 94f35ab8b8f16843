//! Sizes and counts in the forms that people write.

/// A size as the user wrote it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Bytes. A larger value becomes the maximum of `i64`, which is out of every range.
    pub bytes: i64,
    /// In a decimal unit (1000s), such as `128GB`. Such sizes are rarely whole numbers of blocks.
    pub decimal: bool,
}

/// The prefixes; each is 1024 or 1000 times the one before it.
const PREFIXES: &str = "KMGT";

/// The bytes of a text such as `16MiB`, `16M`, `1.92 TB` or `4096`. `K`, `M`, `G`, `T` and `KiB` … are 1024s, `KB` …
/// are 1000s. Small letters are allowed, except that a small `b` after a capital letter (`Mb`) means bits and is
/// refused. A fraction must give whole bytes.
pub fn parse_size(text: &str) -> Option<Size> {
    let (number, unit) = split(text)?;
    let (factor, decimal) = factor(unit)?;
    Some(Size {
        bytes: i64::try_from(scaled(number, factor)?).unwrap_or(i64::MAX),
        decimal,
    })
}

/// Like [`parse_size`], but returns only the bytes.
pub fn parse_bytes(text: &str) -> Option<u64> {
    u64::try_from(parse_size(text)?.bytes).ok()
}

/// A number of requests or files, such as `500`, `100k` or `1.5M`; the units are always 1000s.
pub fn parse_count(text: &str) -> Option<u64> {
    let (number, unit) = split(text)?;
    let factor = match unit {
        "" => 1,
        _ => 1000_u64.pow(power(unit)?),
    };
    u64::try_from(scaled(number, factor)?).ok()
}

/// The nanoseconds of a time with a unit, such as `500us`, `1.5 ms`, `2s`, `10min`, `3h` or `1d`.
pub fn parse_duration(text: &str) -> Option<u64> {
    let (number, unit) = split(text)?;
    let factor = match unit {
        "ns" => 1,
        "us" | "µs" => 1000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "min" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        "d" => 86_400_000_000_000,
        _ => return None,
    };
    u64::try_from(scaled(number, factor)?).ok()
}

/// Splits a text into the number and the unit, without the blanks between them.
fn split(text: &str) -> Option<(&str, &str)> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.');
    let (number, unit) = text.split_at(end.unwrap_or(text.len()));
    (!number.is_empty()).then(|| (number, unit.trim_start()))
}

/// The bytes of a unit, and whether it is decimal (1000s).
fn factor(unit: &str) -> Option<(u64, bool)> {
    let bits = unit.len() == 2
        && unit.ends_with('b')
        && unit.starts_with(|c: char| c.is_ascii_uppercase());
    if bits {
        return None;
    }
    let upper = unit.to_ascii_uppercase();
    if upper.is_empty() || upper == "B" {
        return Some((1, false));
    }
    let (prefix, rest) = upper.split_at_checked(1)?;
    let power = power(prefix)?;
    match rest {
        "" | "IB" => Some((1024_u64.pow(power), false)),
        "B" => Some((1000_u64.pow(power), true)),
        _ => None,
    }
}

/// 1 for K, 2 for M and so on.
fn power(prefix: &str) -> Option<u32> {
    let prefix = prefix.to_ascii_uppercase();
    let place = PREFIXES.find(&prefix)?;
    (prefix.len() == 1).then_some(place as u32 + 1)
}

/// A number without sign and exponent, times the factor; none unless the result is whole. Larger results become the
/// maximum of `u128`.
fn scaled(number: &str, factor: u64) -> Option<u128> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let fraction = if digits(fraction) {
        fraction.trim_end_matches('0')
    } else {
        return None;
    };
    if !digits(whole) || fraction.len() > 12 {
        return None;
    }
    let whole = whole
        .parse()
        .unwrap_or(u128::MAX)
        .saturating_mul(factor.into());
    let parts = fraction.parse().unwrap_or(0) * u128::from(factor);
    let unit = 10_u128.pow(fraction.len() as u32);
    (parts % unit == 0).then(|| whole.saturating_add(parts / unit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::size_value;

    // planted bugs: KB as 1024; K as 1000; a fraction that is cut off; Mb as bytes
    #[test]
    fn sizes_as_people_write_them() {
        for (text, bytes) in [
            ("4096", 4096),
            ("512B", 512),
            ("4k", 4096),
            ("4K", 4096),
            ("4KiB", 4096),
            ("4kib", 4096),
            ("16 MiB", 16 << 20),
            ("1.5GiB", 3 << 29),
            ("2T", 2 << 40),
        ] {
            let size = Some(Size {
                bytes,
                decimal: false,
            });
            assert_eq!(parse_size(text), size, "{text}");
        }
        for (text, bytes) in [
            ("4KB", 4000),
            ("4kB", 4000),
            ("4kb", 4000),
            ("128GB", 128_000_000_000),
            ("1.92TB", 1_920_000_000_000),
        ] {
            let size = Some(Size {
                bytes,
                decimal: true,
            });
            assert_eq!(parse_size(text), size, "{text}");
        }
        for text in [
            "", "K", "4Mb", "4Kb", "-1K", "1e3", "4 K B", "4P", "4KMB", "0.3B", "1.0001K", ".5K",
            "5.K", "1.2.3K", "4µ", "4iB",
        ] {
            assert_eq!(parse_size(text), None, "{text}");
        }
        assert_eq!(
            parse_bytes("99999999999999999999999999999999999999999T"),
            Some(i64::MAX as u64)
        );
    }

    // planted bug: a count of 1k is 1024
    #[test]
    fn counts_are_thousands() {
        for (text, count) in [
            ("7", 7),
            ("100k", 100_000),
            ("1K", 1000),
            ("1.5M", 1_500_000),
            ("2g", 2_000_000_000),
        ] {
            assert_eq!(parse_count(text), Some(count), "{text}");
        }
        for text in ["", "k", "1KB", "1Ki", "0.5", "-1", "1e3"] {
            assert_eq!(parse_count(text), None, "{text}");
        }
        assert_eq!(parse_count("99999999999999T"), None);
    }

    // planted bugs: a minute of 100 s; a number without a unit
    #[test]
    fn times_have_a_unit() {
        for (text, ns) in [
            ("7ns", 7),
            ("1.5us", 1500),
            ("500µs", 500_000),
            ("2 ms", 2_000_000),
            ("0.5s", 500_000_000),
            ("1min", 60_000_000_000),
            ("2h", 7_200_000_000_000),
            ("1d", 86_400_000_000_000),
        ] {
            assert_eq!(parse_duration(text), Some(ns), "{text}");
        }
        for text in [
            "",
            "5",
            "s",
            "0.5ns",
            "-1s",
            "1e3s",
            "1 m",
            "99999999999999d",
        ] {
            assert_eq!(parse_duration(text), None, "{text}");
        }
    }

    // planted bug: a size printed in a unit that does not divide it
    #[test]
    fn a_printed_size_is_read_again() {
        for bytes in [
            0,
            1,
            511,
            1024,
            1025,
            4000,
            1 << 20,
            3 << 29,
            1 << 40,
            4096 << 40,
        ] {
            let text = size_value(bytes as u64);
            assert_eq!(
                parse_size(&text),
                Some(Size {
                    bytes,
                    decimal: false
                }),
                "{text}"
            );
        }
    }
}
