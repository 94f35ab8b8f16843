//! Dates.

/// The days from 1 January 1970 to a day of the Gregorian calendar, up to the year 9999; `None` if there is no such day.
pub fn days_since_1970(year: u64, month: u64, day: u64) -> Option<i64> {
    let leaps = |year: u64| year / 4 - year / 100 + year / 400;
    let before = |year: u64| year * 365 + leaps(year - 1);
    if !(1..10_000).contains(&year) {
        return None;
    }
    let february = 28 + leaps(year) - leaps(year - 1);
    let lengths = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let month = usize::try_from(month).ok()?.checked_sub(1)?;
    if !(1..=*lengths.get(month)?).contains(&day) {
        return None;
    }
    let days = before(year) + lengths[..month].iter().sum::<u64>() + day - 1;
    Some(days as i64 - before(1970) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    // planted bugs: a leap day in 1900, none in 2000; months from 0; a day that the month does not have
    #[test]
    fn days_are_those_of_the_calendar() {
        for ((year, month, day), days) in [
            ((1970, 1, 1), Some(0)),
            ((1969, 12, 31), Some(-1)),
            ((1601, 1, 1), Some(-134_774)),
            ((1900, 3, 1), Some(-25_508)),
            ((2000, 2, 29), Some(11_016)),
            ((2026, 11, 28), Some(20_785)),
            ((1900, 2, 29), None),
            ((2026, 13, 1), None),
            ((2026, 0, 1), None),
            ((2026, 4, 31), None),
            ((0, 1, 1), None),
            ((u64::MAX, 1, 1), None),
        ] {
            assert_eq!(
                days_since_1970(year, month, day),
                days,
                "{year}-{month}-{day}"
            );
        }
    }
}
