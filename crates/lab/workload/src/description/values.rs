//! Values of options.

use crate::synthetic::Probe;

/// By how much the sum of shares may differ from 1.
const ROUNDED: f64 = 0.001;
/// Some thirteen days.
const MOST_GAP_NS: u64 = 1 << 50;
/// Requests a second.
const LEAST_RATE: f64 = 0.001;
const MOST_RATE: f64 = 1e9;

pub(super) fn size(text: &str) -> Result<u64, String> {
    let bytes = ssdlab_words::parse_bytes(text).filter(|&bytes| bytes > 0 && bytes <= 1 << 52);
    bytes.ok_or_else(|| "must be from 1 to 4096TiB, such as 4KiB, 4K or 1GiB".to_owned())
}

/// A size that may be zero, written `0`.
pub(super) fn size_or_none(text: &str) -> Result<u64, String> {
    if text == "0" { Ok(0) } else { size(text) }
}

/// The size of a unit: the largest one fits in a request.
pub(super) fn unit(text: &str) -> Result<u64, String> {
    let bytes = ssdlab_words::parse_bytes(text).filter(|&bytes| bytes > 0 && bytes <= 1 << 45);
    bytes.ok_or_else(|| "must be from 1 to 32TiB, such as 4KiB, 4K or 1GiB".to_owned())
}

/// A number of requests, such as `500`, `100k` or `2M`: thousands and millions.
pub(super) fn count(text: &str) -> Result<u64, String> {
    ssdlab_words::parse_count(text)
        .ok_or_else(|| "must be a number such as 500, 100k or 2M (1000s)".to_owned())
}

/// A number of requests, at least 1, such as `500`, `100k` or `2M`: thousands and millions.
///
/// # Errors
/// No such number.
pub fn positive_count(text: &str) -> Result<u64, String> {
    match count(text)? {
        0 => Err("must be at least 1".to_owned()),
        count => Ok(count),
    }
}

pub(super) fn share(text: &str) -> Result<f64, String> {
    number(text, 0.0, 1.0)
}

pub(super) fn share_above_zero(text: &str) -> Result<f64, String> {
    let share = text.parse().ok();
    let share = share.filter(|share| *share > 0.0 && *share <= 1.0);
    share.ok_or_else(|| "must be a number above 0, at most 1".to_owned())
}

/// A share of discards, below one half: with one half, no unit would keep data.
///
/// # Errors
/// No such number.
pub fn share_of_discards(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| (0.0..0.5).contains(share));
    share.ok_or_else(|| "must be a number from 0 to below 0.5".to_owned())
}

pub(super) fn theta(text: &str) -> Result<f64, String> {
    number(text, 0.0, 10.0)
}

/// The exponent of fio's Zipf.
pub(super) fn theta_of_fio(text: &str) -> Result<f64, String> {
    match theta(text)? {
        1.0 => Err("must not be 1, for which fio has no formula, such as 0.99".to_owned()),
        theta => Ok(theta),
    }
}

/// A shape of the beta distribution.
pub(super) fn beyond_zero(text: &str) -> Result<f64, String> {
    number(text, 0.01, 1000.0)
}

fn number(text: &str, least: f64, most: f64) -> Result<f64, String> {
    let number = text.parse().ok();
    let number = number.filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| format!("must be a number from {least} to {most}"))
}

/// Two percentages, as shares.
pub(super) fn percentages(text: &str) -> Result<(f64, f64), String> {
    let percentage = |text: &str| {
        let percent = text.parse::<f64>().ok()?;
        (percent > 0.0 && percent < 100.0).then_some(percent / 100.0)
    };
    let both = text.split_once('/');
    both.and_then(|(data, accesses)| Some((percentage(data)?, percentage(accesses)?)))
        .ok_or_else(|| "must be two percentages above 0 and below 100, such as 20/80".to_owned())
}

/// The size of a burst and the time behind it, ns.
pub(super) fn bursts(text: &str) -> Result<(u64, u64), String> {
    let both = text.split_once('/').and_then(|(requests, gap)| {
        let requests = positive_count(requests).ok()?;
        let gap_ns = ssdlab_words::parse_duration(gap).filter(|ns| *ns < MOST_GAP_NS)?;
        Some((requests, gap_ns))
    });
    both.ok_or_else(|| {
        "must be a number of requests and a time below 13 days, such as 64/10ms (ns, us, ms, s, min, h, d)"
            .to_owned()
    })
}

/// Microseconds between requests.
pub(super) fn interval(text: &str) -> Result<u32, String> {
    let interval = text.parse().ok();
    interval.ok_or_else(|| {
        "must be a whole number of microseconds, up to 4294967295; --rate has others, such as 3M"
            .to_owned()
    })
}

/// Requests in a second.
pub(super) fn rate(text: &str) -> Result<f64, String> {
    let (digits, factor) = match text.as_bytes().last() {
        Some(b'k') => (&text[..text.len() - 1], 1e3),
        Some(b'M') => (&text[..text.len() - 1], 1e6),
        _ => (text, 1.0),
    };
    let rate = digits.parse().ok().map(|rate: f64| rate * factor);
    let rate = rate.filter(|rate| (LEAST_RATE..=MOST_RATE).contains(rate));
    rate.ok_or_else(|| {
        "must be requests a second, from 0.001 to 1e9, such as 20000, 20k or 0.5".to_owned()
    })
}

/// The rate of a probe and the share of its requests that are writes.
pub(super) fn probe(text: &str) -> Result<Probe, String> {
    let (per_second, writes) = text.split_once(':').unwrap_or((text, "0.5"));
    match (rate(per_second), share(writes)) {
        (Ok(rate), Ok(writes)) => Ok(Probe { rate, writes }),
        _ => Err(
            "must be requests a second, 0.001 to 1e9, and perhaps the share of writes, 0 to 1, such as 10k:0.5"
                .to_owned(),
        ),
    }
}

/// Checks that shares are all; they are rounded.
///
/// # Errors
/// Their sum.
pub(super) fn all(shares: impl IntoIterator<Item = f64>, what: &str) -> Result<(), String> {
    let sum: f64 = shares.into_iter().sum();
    if (sum - 1.0).abs() <= ROUNDED {
        return Ok(());
    }
    let shown = (sum * 1e6).round() / 1e6;
    Err(format!("{what} sum to {shown}, must sum to 1"))
}

/// The parts of a list with the places of their first characters, from 1. Blanks, commas and plus signs are between them.
pub(super) fn parts(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let between = |c: char| c.is_whitespace() || c == ',' || c == '+';
    let parts = text.split(between);
    let place = move |part: &str| {
        let before = part.as_ptr() as usize - text.as_ptr() as usize;
        text[..before].chars().count() + 1
    };
    parts
        .filter(|part| !part.is_empty())
        .map(move |part| (place(part), part))
}
