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
pub(crate) fn size_range(first: u64, last: u64) -> String {
    let (from, to) = (bytes(first), bytes(last));
    let unit = |text: &str| text.split_once(' ').map(|(_, unit)| unit.to_owned());
    match from.split_once(' ') {
        _ if first == last => to,
        Some((number, _)) if unit(&from) == unit(&to) => format!("{number}–{to}"),
        _ => format!("{from}–{to}"),
    }
}

/// An integer with a comma before every third digit from the right.
pub fn thousands(value: u64) -> String {
    let digits = value.to_string();
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().collect();
    let groups = groups.iter().map(|group| String::from_utf8_lossy(group));
    groups.collect::<Vec<_>>().join(",")
}

/// Nanoseconds in the largest unit in which the value is at least 1.
pub fn duration(ns: f64) -> String {
    let units = [(1e9, "s"), (1e6, "ms"), (1e3, "µs")];
    match units.iter().find(|&&(size, _)| ns >= size) {
        Some((size, unit)) => {
            let tenths = (ns / size * 10.0).round() as u64;
            format!("{}.{} {unit}", thousands(tenths / 10), tenths % 10)
        }
        None => format!("{ns:.0} ns"),
    }
}
