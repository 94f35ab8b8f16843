//! Times of the day.

use crate::text::{quoted, whole_number};
use crate::time_unit::TimeUnit;

const DAY_NS: u64 = 86_400 * 1_000_000_000;

/// Makes successive times of the times of a day.
#[derive(Default)]
pub(crate) struct Clock {
    /// Nanoseconds of the days before this one.
    days: u64,
    last: u64,
}

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
