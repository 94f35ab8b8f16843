//! Times of the day, dates, and times beyond 64 bits.

use ssdlab_words::days_since_1970;

use crate::text::{quoted, whole_number};
use crate::time_unit::TimeUnit;

const DAY_NS: u64 = 86_400 * 1_000_000_000;

/// Makes successive times of the times of a day.
#[derive(Default)]
pub(crate) struct Clock {
    /// Nanoseconds of the days before this one.
    days: u64,
    last: u64,
    /// What is taken off each time, so that its nanoseconds need 64 bits.
    base: Option<u128>,
}

/// Nanoseconds for times before the first one: 146 years.
const ROOM: u128 = 1 << 62;

impl Clock {
    /// The nanoseconds of seconds or of a time of the day.
    ///
    /// # Errors
    /// A message that names `field`.
    pub fn decode(&mut self, field: &str, found: &[u8]) -> Result<u64, String> {
        if !found.contains(&b':') {
            return TimeUnit::Second.decode(field, found);
        }
        let time = time_of_day(found).ok_or_else(|| {
            let found = quoted(found);
            format!(
                "{field} is no time of the day, found {found}; it must be seconds, or as 14:07:31.25 or 2:07:31 PM"
            )
        })?;
        self.at(time)
    }

    /// The nanoseconds of a time of which only the difference to others counts, if they are fewer than 2^64: times that begin
    /// above that are told from a time before the first one. What is still earlier becomes 0.
    pub fn since(&mut self, ns: u128) -> Option<u64> {
        let is_large = ns > u128::from(u64::MAX);
        let base = *self
            .base
            .get_or_insert(if is_large { ns - ROOM } else { 0 });
        u64::try_from(ns.saturating_sub(base)).ok()
    }

    /// The nanoseconds of a date and a time, or of a time of the day; `None`: the text looks like neither.
    ///
    /// # Errors
    /// A message that names `field`.
    pub fn date(&mut self, field: &str, found: &[u8]) -> Option<Result<u64, String>> {
        let text = std::str::from_utf8(found).ok()?;
        if !is_date(text) {
            return None;
        }
        if let Some(ns) = date_and_time(text) {
            return Some(Ok(ns));
        }
        Some(match time_of_day(found) {
            Some(time) => self.at(time),
            None => Err(format!(
                "{field} is no date with a time, found {}; it must be as 2024-05-01 14:07:31.25, perhaps with T between them and a \
                 zone (Z or +02:00) behind them, from 1970 on, or a time of the day, as 14:07:31.25",
                quoted(found)
            )),
        })
    }

    /// The time of a line whose time of the day is `time` nanoseconds: a day begins where it jumps back by half a day.
    ///
    /// # Errors
    /// So many days that their nanoseconds need more than 64 bits.
    fn at(&mut self, time: u64) -> Result<u64, String> {
        if time + DAY_NS / 2 < self.last {
            self.days = self.days.saturating_add(DAY_NS);
        }
        self.last = time;
        let sum = self.days.checked_add(time);
        sum.ok_or_else(|| {
            "the clock jumps back for the 213504th day; the times last more than 584 years".into()
        })
    }
}

/// Whether a text looks like a date or a time of the day: digits with something of a date between them.
pub(crate) fn is_date(text: &str) -> bool {
    let digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    let bytes = text.as_bytes();
    let between = bytes.iter().skip(1).position(|byte| b"-/:".contains(byte));
    digit(bytes.first())
        && between.is_some_and(|at| {
            bytes[..=at].iter().all(u8::is_ascii_digit) && digit(bytes.get(at + 2))
        })
}

/// The nanoseconds since 1970 of `yyyy-mm-dd[( |T)hh:mm:ss[.fraction][ ][Z|UTC|±hh[:]mm]]`; `/` may stand for `-`.
fn date_and_time(text: &str) -> Option<u64> {
    let (date, time) = match text.split_once([' ', 'T']) {
        Some((date, time)) => (date, time.trim_start()),
        None => (text, "00:00:00"),
    };
    let between = if date.contains('-') { '-' } else { '/' };
    let mut parts = date.split(between);
    let mut part = |length: usize| {
        let part = parts.next()?;
        let number = whole_number("", part.as_bytes()).ok()?;
        (part.len() == length).then_some(number)
    };
    let (year, month, day) = (part(4)?, part(2)?, part(2)?);
    let days = days_since_1970(year, month, day).filter(|_| parts.next().is_none())?;
    let (time, zone) = match time.find(['Z', 'U', '+', '-']) {
        Some(at) => (time[..at].trim_end(), &time[at..]),
        None => (time, ""),
    };
    let ns = i128::from(days) * i128::from(DAY_NS)
        + i128::from(time_of_day(time.replace(',', ".").as_bytes())?)
        - i128::from(zone_seconds(zone)?) * i128::from(TimeUnit::Second.ns());
    u64::try_from(ns).ok()
}

/// The seconds by which a zone is ahead.
fn zone_seconds(zone: &str) -> Option<i64> {
    let digits = zone.trim_start_matches(['+', '-']).replace(':', "");
    match zone {
        "" | "Z" | "UTC" => Some(0),
        _ if !zone.starts_with(['+', '-']) || !matches!(digits.len(), 2 | 4) => None,
        _ => {
            let number = |part: &str| whole_number("", part.as_bytes()).ok();
            let minutes = if digits.len() == 2 {
                "0"
            } else {
                digits.get(2..)?
            };
            let (hours, minutes) = (number(digits.get(..2)?)?, number(minutes)?);
            let seconds = i64::try_from((hours * 60 + minutes) * 60).ok()?;
            (hours < 24 && minutes < 60).then_some(if zone.starts_with('-') {
                -seconds
            } else {
                seconds
            })
        }
    }
}

/// The nanoseconds of `[h]h:mm:ss[.fraction][ AM| PM]` since midnight.
fn time_of_day(found: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(found).ok()?;
    let (text, afternoon) = match text.split_once(' ') {
        None => (text, None),
        Some((text, "AM" | "am")) => (text, Some(false)),
        Some((text, "PM" | "pm")) => (text, Some(true)),
        _ => return None,
    };
    let mut parts = text.split(':');
    let (hour, minute, second) = (parts.next()?, parts.next()?, parts.next()?);
    let part = |text: &str| {
        whole_number("", text.as_bytes())
            .ok()
            .filter(|_| text.len() <= 2)
    };
    let hour = match (part(hour)?, afternoon) {
        (hour @ 0..24, None) => hour,
        (hour @ 1..=12, Some(afternoon)) => hour % 12 + 12 * u64::from(afternoon),
        _ => return None,
    };
    let minute = part(minute).filter(|minute| *minute < 60)?;
    let second = TimeUnit::Second.decode("", second.as_bytes()).ok()?;
    let within = second < 61 * TimeUnit::Second.ns() && parts.next().is_none();
    within.then(|| (hour * 60 + minute) * 60 * TimeUnit::Second.ns() + second)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Planted bugs: a century without a leap day; a zone of the wrong sign; a day that its month does not have; a time beyond
    /// 64 bits that wraps around.
    #[test]
    fn dates_are_nanoseconds_since_1970() {
        let ns = |text: &str| Clock::default().date("t", text.as_bytes());
        // as `date -u -d TEXT +%s%N` says
        for (text, expected) in [
            ("1970-01-01", 0),
            ("1970-01-01 00:00:00.000000001", 1),
            ("2000-02-29T12:00:00Z", 951_825_600_000_000_000),
            ("2100-03-01 00:00:00 UTC", 4_107_542_400_000_000_000),
            ("2024-05-01 12:00:00.5+02:00", 1_714_557_600_500_000_000),
            ("2024-05-01T12:00:00,25-0330", 1_714_577_400_250_000_000),
            ("2024/12/31 11:59:59 PM", 1_735_689_599_000_000_000),
            ("14:07:31.25", 50_851_250_000_000),
        ] {
            assert_eq!(ns(text), Some(Ok(expected)), "{text}");
        }
        for text in [
            "2023-02-29 00:00:00",
            "2100-02-29",
            "2024-13-01",
            "2024-00-01",
            "2024-05-00",
            "24-05-01 12:00:00",
            "05/01/2024 12:00:00",
            "2024-05-01 24:00:00",
            "2024-05-01 12:00:00 CEST",
            "2024-05-01 12:00:00+2",
            "2024-05-01 12:00:00+aa",
            "2024-05-01x",
            "1969-12-31 23:59:59",
            "9999-12-31",
            "12:60:00",
        ] {
            assert!(ns(text).unwrap().is_err(), "{text}");
        }
        for text in ["", "1.5", "-1", "1e-5", "0x10", "W", "a-1", "1-"] {
            assert_eq!(ns(text), None, "{text}");
        }
        let mut clock = Clock::default();
        let ticks = 63_800_000_000_000_000_000_u128;
        let first = clock.since(ticks).unwrap();
        assert_eq!(clock.since(ticks + 1_000_000), Some(first + 1_000_000));
        assert_eq!(clock.since(ticks - 1_000_000), Some(first - 1_000_000));
        assert_eq!((clock.since(0), clock.since(u128::MAX)), (Some(0), None));
    }
}
