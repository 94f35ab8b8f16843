//! Why a claim holds or fails, from the counters.

use ssdlab_sim::{Row, bytes, causes};

use super::claim::Judged;
use super::description::Test;
use super::panel::{Panel, row};

/// Two sentences on the most telling point: the causes of the difference in time, and the mean eviction.
pub fn cause(test: &Test, judged: &Judged, panels: &[Panel]) -> Option<String> {
    let point = judged.points.get(judged.telling)?;
    let panel = panels.iter().find(|panel| panel.trace == point.trace)?;
    let find = |label| row(&panel.comparison, label, point.size);
    let (one, other) = (find(test.row.get_ref())?, find(&point.against)?);
    let (a, b) = (&one.label, &other.label);
    let mut place = match panels {
        [_] => String::new(),
        _ => format!("{}, ", panel.trace),
    };
    if point.size > 0 {
        place += &format!("{}, ", bytes(point.size));
    }
    let why = causes(one, other).unwrap_or_else(|| "all counters are equal".into());
    let mut text = format!("{place}`{a}` against `{b}`: {why}.");
    let evictions: Vec<String> = [one, other].into_iter().filter_map(eviction).collect();
    if !evictions.is_empty() {
        text += &format!(" Mean eviction: {}.", evictions.join("; "));
    }
    Some(text)
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
    // page mapping never merges
    (c.evictions > 0 && row.ftl != "page").then(|| {
        format!(
            "`{}` {pages:.1} pages{padding}, {merges:.2} merges",
            row.label
        )
    })
}
