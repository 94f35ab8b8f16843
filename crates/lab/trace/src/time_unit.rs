//! The units of times in traces.

use crate::text::{fault, quoted};

/// A unit of times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeUnit {
    /// `s`.
    Second,
    /// `ms`.
    Millisecond,
    /// `us`.
    Microsecond,
    /// `100ns`: a tick of Windows.
    Tick,
    /// `ns`.
    Nanosecond,
}

impl TimeUnit {
    /// All units, the longest first.
    pub const ALL: [TimeUnit; 5] = [
        TimeUnit::Second,
        TimeUnit::Millisecond,
        TimeUnit::Microsecond,
        TimeUnit::Tick,
        TimeUnit::Nanosecond,
    ];

    /// The name that a user gives.
    pub const fn name(self) -> &'static str {
        match self {
            TimeUnit::Second => "s",
            TimeUnit::Millisecond => "ms",
            TimeUnit::Microsecond => "us",
            TimeUnit::Tick => "100ns",
            TimeUnit::Nanosecond => "ns",
        }
    }

    /// The unit of that name.
    pub fn named(name: &str) -> Option<TimeUnit> {
        TimeUnit::ALL.into_iter().find(|unit| unit.name() == name)
    }

    /// The number of zeros in the nanoseconds of this unit.
    const fn zeros(self) -> usize {
        match self {
            TimeUnit::Second => 9,
            TimeUnit::Millisecond => 6,
            TimeUnit::Microsecond => 3,
            TimeUnit::Tick => 2,
            TimeUnit::Nanosecond => 0,
        }
    }

    /// Nanoseconds in this unit.
    pub const fn ns(self) -> u64 {
        10u64.pow(self.zeros() as u32)
    }

    /// The nanoseconds of a number of this unit, perhaps with a fraction or an exponent. Parts of a nanosecond are cut off.
    ///
    /// # Errors
    /// A message that names `field`.
    pub(crate) fn decode(self, field: &str, found: &[u8]) -> Result<u64, String> {
        let time = self.wide(found).and_then(|time| time.try_into().ok());
        time.ok_or_else(|| self.no_time(field, found))
    }

    /// The same without an upper bound, for times of which only the differences count.
    pub(crate) fn wide(self, found: &[u8]) -> Option<u128> {
        Some(shifted(found, self.zeros())?.0)
    }

    /// The message for what is no number of this unit.
    pub(crate) fn no_time(self, field: &str, found: &[u8]) -> String {
        let fault = match fault(found) {
            "is not a plain number" if found.contains(&b'-') => "is negative",
            "is not a plain number" => "is too large",
            fault => fault,
        };
        format!(
            "{field} {fault}, found {}; it must be a number from 0 to {}, in {}",
            quoted(found),
            u64::MAX / self.ns(),
            self.name()
        )
    }
}

/// The whole part of a decimal number whose point is moved to the right, and whether it is all of the number. It goes by
/// digits, so that nothing is rounded.
pub(crate) fn shifted(found: &[u8], places: usize) -> Option<(u128, bool)> {
    let exponent = found
        .iter()
        .position(|byte| byte.eq_ignore_ascii_case(&b'e'));
    let (mantissa, exponent) = match exponent {
        None => (found, 0),
        Some(at) => (
            &found[..at],
            std::str::from_utf8(&found[at + 1..])
                .ok()?
                .parse::<i16>()
                .ok()?,
        ),
    };
    let point = mantissa
        .iter()
        .position(|&byte| byte == b'.')
        .unwrap_or(mantissa.len());
    let (whole, fraction) = mantissa.split_at(point);
    let digits = || whole.iter().chain(fraction.iter().skip(1));
    if digits().next().is_none() || !digits().all(u8::is_ascii_digit) {
        return None;
    }
    let kept = (whole.len() + places).saturating_add_signed(isize::from(exponent));
    let zeros = kept.saturating_sub(digits().count());
    let is_whole = digits().skip(kept).all(|&digit| digit == b'0');
    let digits = digits().chain(std::iter::repeat_n(&b'0', zeros)).take(kept);
    let mut value = 0u128;
    for digit in digits {
        value = value
            .checked_mul(10)?
            .checked_add(u128::from(digit - b'0'))?;
    }
    Some((value, is_whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Planted bugs: a value that goes through f64, or is rounded up; a fraction without its leading zeros.
    #[test]
    fn no_digit_is_lost() {
        for (text, ns) in [
            ("0", 0),
            ("1456100000.133000000", 1_456_100_000_133_000_000),
            ("1572000000.57806", 1_572_000_000_578_060_000),
            ("0.000000001", 1),
            ("0.0000000019999", 1),
            (".5", 500_000_000),
            ("5.", 5_000_000_000),
            ("00018446744073.709551615", u64::MAX),
            ("1e-05", 10_000),
            ("2.5E+2", 250_000_000_000),
            ("1.23456789012345678901e3", 1_234_567_890_123),
            ("0e999", 0),
            ("9e-99", 0),
        ] {
            assert_eq!(
                TimeUnit::Second.decode("t", text.as_bytes()),
                Ok(ns),
                "{text}"
            );
        }
        assert_eq!(TimeUnit::Tick.decode("t", b"12.345"), Ok(1234));
        assert_eq!(TimeUnit::Nanosecond.decode("t", b"12.999"), Ok(12));
        for text in [
            "",
            ".",
            "-1",
            "+1",
            "1.2.3",
            "1e",
            "1e99999",
            "e5",
            "1 ",
            "0x1",
            "NaN",
            "inf",
            "1.5s",
            "18446744073.709551616",
            "1e11",
        ] {
            assert!(
                TimeUnit::Second.decode("t", text.as_bytes()).is_err(),
                "{text}"
            );
        }
    }
}
