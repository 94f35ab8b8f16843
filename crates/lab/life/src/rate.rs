//! Bytes a day, as people say them.

/// Bytes a day of `SIZE/TIME`, such as `20GB/day`, `10MB/s`, `3.1TiB/4d17h`, `640TB/year`.
///
/// # Errors
/// What is wrong, and what is allowed.
pub fn parse_rate(text: &str) -> Result<f64, String> {
    const SHAPE: &str =
        "must be a size and a time, such as 20GB/day, 10MB/s, 3.1TiB/4d17h or 640TB/year";
    let (size, time) = text.split_once('/').ok_or(SHAPE)?;
    let (size, days) = parse_amount(size).zip(days(time)).ok_or(SHAPE)?;
    let rate = size / days;
    if rate.is_finite() && rate > 0.0 {
        Ok(rate)
    } else {
        Err(format!("is {rate}; must be above 0"))
    }
}

/// Less is no size of a drive in bytes, but one whose unit was forgotten.
const BARE: f64 = 1e6;

/// Bytes of a size such as `3.1TiB`, which need not be whole. None below 10^6 without a unit.
pub fn parse_amount(text: &str) -> Option<f64> {
    let text = text.trim();
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let unit = ssdlab_words::parse_bytes(&format!("1{}", unit.trim()))?;
    let number: f64 = number.parse().ok()?;
    let forgotten = unit == 1 && number < BARE;
    (!forgotten).then_some(number * unit as f64)
}

/// Days of `4d17h`, `day`, `s`, `2weeks`.
fn days(text: &str) -> Option<f64> {
    let text = text.trim().to_ascii_lowercase();
    let mut rest = text.as_str();
    let mut sum = 0.0;
    while !rest.is_empty() {
        let end = rest
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(rest.len());
        let (number, after) = rest.split_at(end);
        let end = after
            .find(|c: char| c.is_ascii_digit())
            .unwrap_or(after.len());
        let (unit, next) = after.split_at(end);
        let number: f64 = if number.is_empty() {
            1.0
        } else {
            number.parse().ok()?
        };
        let unit = match unit.trim() {
            "s" | "sec" | "second" | "seconds" => 1.0 / 86400.0,
            "min" | "minute" | "minutes" => 1.0 / 1440.0,
            "h" | "hour" | "hours" => 1.0 / 24.0,
            "d" | "day" | "days" => 1.0,
            "w" | "week" | "weeks" => 7.0,
            "month" | "months" => 365.25 / 12.0,
            "y" | "year" | "years" => 365.25,
            _ => return None,
        };
        sum += number * unit;
        rest = next;
    }
    (sum > 0.0).then_some(sum)
}

/// Days from 1970-01-01 to a date such as `2024-05-01`.
///
/// # Errors
/// It is no date.
pub fn parse_date(text: &str) -> Result<i64, String> {
    let parts: Vec<u64> = text
        .split('-')
        .map_while(|part| part.parse().ok())
        .collect();
    let found = match parts[..] {
        [year @ (1970..), month, day] => ssdlab_words::days_since_1970(year, month, day),
        _ => None,
    };
    found.ok_or_else(|| "must be a date such as 2024-05-01".into())
}
