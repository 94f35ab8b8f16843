//! What the counters say of two rows.

use ssdlab_sim::{Row, causes};
use ssdlab_words::bytes;

use super::judged::Point;
use super::panel::{self, Panel};

/// Sentences on a point: the causes of the difference in time, the mean eviction, and under the parallel model how busy
/// the parts of the device were. `None` without two rows.
pub fn from_counters(point: &Point, panels: &[Panel]) -> Option<String> {
    let panel = panels.iter().find(|panel| panel.trace == point.trace)?;
    let one = panel.row(&point.row, point.size)?;
    let other = panel.row(&point.against, point.against_size)?;
    let mut place = match panels {
        [_] => String::new(),
        _ => format!("{}, ", panel.trace),
    };
    let one_size = point.size == point.against_size;
    if one_size && point.size > 0 {
        place += &format!("{}, ", bytes(point.size));
    }
    let name = |row: &Row| {
        if one_size {
            row.label.clone()
        } else {
            row.sized_label()
        }
    };
    let (a, b) = (name(one), name(other));
    let why = causes(one, other).unwrap_or_else(|| "all counters are equal".into());
    let mut text = format!("{place}`{a}` against `{b}`: {why}.");
    let evictions: Vec<String> = [one, other].into_iter().filter_map(eviction).collect();
    if !evictions.is_empty() {
        text += &format!(" Mean eviction: {}.", evictions.join("; "));
    }
    let busy: Vec<String> = [(a, one), (b, other)]
        .into_iter()
        .filter_map(|(name, row)| Some(format!("`{name}` {}", busy(row)?)))
        .collect();
    if !busy.is_empty() {
        text += &format!(" Busy: {}.", busy.join("; "));
    }
    Some(text)
}

/// How long it took, and how busy the parts of the device were; `None` under the serial model.
fn busy(row: &Row) -> Option<String> {
    let [chips, channels, bus] = panel::busy(row)?;
    let seconds = row.outcome.counters.elapsed_ns as f64 / 1e9;
    Some(format!(
        "{seconds:.1} s, chips {chips:.0} %, channels {channels:.0} %, bus {bus:.0} %"
    ))
}

/// The pages that leave the buffer at once and the merges that this causes, on average.
fn eviction(row: &Row) -> Option<String> {
    let c = &row.outcome.counters;
    let mean = |count: u64| count as f64 / c.evictions as f64;
    let padding = match c.padding_reads {
        0 => String::new(),
        pages => format!(" and {:.1} padding reads", mean(pages)),
    };
    let pages = mean(c.evicted_dirty_pages);
    let merges = mean(c.switch_merges + c.partial_merges + c.full_merges);
    // page mapping never merges; the evictions of a read buffer write nothing
    let read_buffer = row.outcome.config["read_buffer"]["policy"].as_str();
    let mixed = read_buffer.is_some_and(|policy| policy != "none");
    (c.evictions > 0 && row.ftl != "page" && !mixed).then(|| {
        format!(
            "`{}` {pages:.1} pages{padding}, {merges:.2} merges",
            row.label
        )
    })
}
