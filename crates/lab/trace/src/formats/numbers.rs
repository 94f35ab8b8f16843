//! How formats whose lines are numbers with blanks between them are told apart.

use crate::head::Head;
use crate::layout::{Fields, Layout};
use crate::text::{quoted, whole_number, words};

/// Whole times that grow by less than this from line to line are no nanoseconds: no device takes 10^7 requests a second.
const FEW: u64 = 100;

/// The times of the first lines, which are their first fields.
#[derive(Clone, Copy)]
enum Times {
    /// Some have a fraction.
    Fractions,
    /// All are whole numbers; how much they grow from line to line on average, if they do.
    Whole { growth: Option<u64> },
}

impl Times {
    fn of(lines: &[Fields]) -> Option<Times> {
        let times = lines.iter().map(|fields| whole_number("", fields[0]).ok());
        let Some(whole) = times.collect::<Option<Vec<_>>>() else {
            return Some(Times::Fractions);
        };
        let span = whole.last()?.saturating_sub(*whole.first()?);
        let growth = (span > 0).then(|| span / (whole.len() as u64 - 1));
        Some(Times::Whole { growth })
    }

    fn reason(self) -> String {
        let times = match self {
            Times::Fractions => "times have fractions, as milliseconds have".into(),
            Times::Whole { growth: None } => "times are whole numbers".into(),
            Times::Whole { growth: Some(by) } => {
                format!("times are whole numbers that grow by {by} from line to line")
            }
        };
        format!("the lines have five numbers, and {times}")
    }
}

/// The reason if the times may be milliseconds.
pub(super) fn in_milliseconds(layout: &Layout, head: Head) -> Option<String> {
    let times = Times::of(&layout.first_lines(head)?)?;
    let grows_fast = matches!(times, Times::Whole { growth: Some(by) } if by >= FEW);
    (!grows_fast).then(|| times.reason())
}

/// The reason if the times may be nanoseconds.
pub(super) fn in_nanoseconds(layout: &Layout, head: Head) -> Option<String> {
    let times = Times::of(&layout.first_lines(head)?)?;
    let may_be =
        matches!(times, Times::Whole { growth } if growth.is_none_or(|growth| growth >= FEW));
    may_be.then(|| times.reason())
}

/// The reason if times have fractions and sizes are bytes.
pub(super) fn midas(layout: &Layout, head: Head) -> Option<String> {
    const SIZE: usize = 3;
    let lines = layout.first_lines(head)?;
    let in_bytes =
        |fields: &Fields| whole_number("", fields[SIZE]).is_ok_and(|size| size.is_multiple_of(512));
    lines.iter().all(in_bytes).then(|| {
        "the lines have a time with a fraction, 0, 1 or 3, a block, and multiples of 512 bytes"
            .into()
    })
}

/// The reason if line 1 is the header of Baleen, or has more fields than are used and a real time.
pub(super) fn baleen(layout: &Layout, head: Head) -> Option<String> {
    let line = head.line();
    let text = String::from_utf8_lossy(line);
    let names = ["io_offset", "io_size", "op_time"];
    if layout.is_header(line, "") && names.iter().all(|name| text.contains(name)) {
        return Some(format!("line 1 is {}", quoted(line)));
    }
    let fields = layout.split(line)?;
    let op_is_number = whole_number("", fields[4]).is_ok();
    let count = words(line).count();
    let fits = count > 5 && op_is_number && layout.fit(0..4, &fields);
    fits.then(|| format!("line 1 has {count} numbers, the fourth is a second since 1970"))
}

/// The reason if line 1 has an operation between two pairs of numbers.
pub(super) fn fiu(layout: &Layout, head: Head) -> Option<String> {
    let fields = layout.split(head.line())?;
    layout.fit(0..layout.fields.len(), &fields).then(|| {
        let op = quoted(fields[5]);
        format!("line 1 has a process and two numbers before {op}, and a device behind it")
    })
}
