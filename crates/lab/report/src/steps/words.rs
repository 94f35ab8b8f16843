//! What a step did, in words.

use ssdlab_sim::{Context, Event, Lpn, MergeKind, Step, Trigger};
use ssdlab_words::{decimal, listed, thousands};

use super::ink::{Ink, Row};

/// The most runs of pages that a line names.
const RUNS: usize = 12;

/// A step in lines: the request with its hits, and what it caused.
///
/// `all` is the number of logical pages.
pub fn lines(step: &Step, all: u32) -> Vec<Row> {
    let (told, caused) = match (step.request, step.events.split_last()) {
        (Some(_), Some((last, others))) => (Some(last), others),
        _ => (None, step.events.as_slice()),
    };
    let mut rows = vec![head(step, told, all)];
    let mut events = caused.iter().peekable();
    while let Some((context, event)) = events.next() {
        let text = match event {
            Event::Merge { .. } | Event::Clean { .. } => {
                let mut own = vec![event];
                while let Some((_, next)) = events.next_if(|(_, next)| goes_on(next)) {
                    own.push(next);
                }
                work(&own)
            }
            _ => alone(context, event),
        };
        rows.push(Row::of(line(context, &text), Ink::Work));
    }
    if step.left_out > 0 {
        let left_out = format!("   ... {} more events", thousands(step.left_out));
        rows.push(Row::of(left_out, Ink::Plain));
    }
    rows
}

/// Whether an event belongs to the merge or the cleaning before it.
fn goes_on(event: &Event) -> bool {
    matches!(
        event,
        Event::Erase { .. } | Event::MergeEnd { .. } | Event::Merged { .. }
    )
}

fn line(context: &Context, text: &str) -> String {
    let chip = context.chip;
    let chip = chip.map_or(String::new(), |chip| format!("chip {chip}: "));
    let when = match context.cause {
        Trigger::Idle => "in the gap before: ",
        Trigger::Ageing => "because of age: ",
        _ => "",
    };
    format!("   {when}{chip}{text}")
}

/// The request, and how many of its pages a buffer held.
fn head(step: &Step, told: Option<&(Context, Event)>, all: u32) -> Row {
    let Some((number, request)) = step.request else {
        return Row::of("end of the trace", Ink::Head);
    };
    let mut row = Row::of(format!("{number}. {}", request.op().name()), Ink::Head);
    let Some((_, event)) = told else {
        return row;
    };
    match event {
        Event::Write {
            lpn,
            pages,
            hits,
            misses,
        }
        | Event::Read {
            lpn,
            pages,
            hits,
            misses,
        } => {
            row.add(format!(" {}", extent(lpn.0, *pages, all)), Ink::Head);
            row.add(format!(": {}", found(*pages, *hits, *misses)), Ink::Plain);
        }
        Event::Discard { lpn, pages } if *pages > 0 => {
            row.add(format!(" {}", extent(lpn.0, *pages, all)), Ink::Head);
        }
        Event::Discard { .. } => row.add(" of no whole page", Ink::Head),
        _ => {}
    }
    row
}

/// `page 3`, `pages 3-7`, or `pages 253-255 and 0-4` where page numbers begin again.
fn extent(first: u32, pages: u64, all: u32) -> String {
    let (first, all) = (u64::from(first), u64::from(all));
    match first + pages - 1 {
        last if last == first => format!("page {first}"),
        last if last < all => format!("pages {first}-{last}"),
        last => format!("pages {first}-{} and 0-{}", all - 1, last - all),
    }
}

fn found(pages: u64, hits: u64, misses: u64) -> String {
    match (pages, hits) {
        (1, 0) => "miss".to_owned(),
        (1, _) => "hit".to_owned(),
        _ => format!("{}, {misses} missed", counted(hits, "hit", "hits")),
    }
}

/// A merge or a cleaning with what belongs to it.
fn work(events: &[&Event]) -> String {
    let mut parts = Vec::new();
    let mut erased = Vec::new();
    for event in events {
        match event {
            Event::Merge {
                kind,
                lbn,
                log,
                data,
                to,
                valid,
            } => {
                let kind = match kind {
                    MergeKind::Switch => "switch",
                    MergeKind::Partial => "partial",
                    MergeKind::Full => "full",
                };
                let mut from = vec![format!("{} in log block {}", valid.log, log.0)];
                from.extend(data.map(|data| format!("{} in data block {}", valid.data, data.0)));
                if valid.elsewhere > 0 {
                    from.push(format!("{} elsewhere", valid.elsewhere));
                }
                parts.push(format!(
                    "{kind} merge of block {} into {}: valid pages {}",
                    lbn.0,
                    to.0,
                    listed(&from)
                ));
            }
            Event::Clean { victim, valid } => {
                let pages = counted((*valid).into(), "valid page", "valid pages");
                parts.push(format!("cleaning of block {} with {pages}", victim.0));
            }
            Event::MergeEnd {
                copied,
                from_buffer,
                dropped,
                ..
            } => {
                let moved = [
                    (*copied, "copied"),
                    (*from_buffer, "from the buffer"),
                    (*dropped, "dropped"),
                ];
                let moved = moved.iter().filter(|(pages, _)| *pages > 0);
                let moved: Vec<_> = moved.map(|(pages, how)| format!("{pages} {how}")).collect();
                parts.push(match moved.as_slice() {
                    [] => "none copied".to_owned(),
                    moved => moved.join(", "),
                });
            }
            Event::Merged {
                aware: true,
                benefit_ns: Some(benefit),
                ..
            } => parts.push(format!("predicted benefit {} us", micros(*benefit))),
            Event::Erase { block } => erased.push(block.0.to_string()),
            _ => {}
        }
    }
    if !erased.is_empty() {
        let blocks = if erased.len() == 1 { "block" } else { "blocks" };
        parts.push(format!("erased {blocks} {}", listed(&erased)));
    }
    parts.join("; ")
}

fn micros(ns: u64) -> String {
    decimal(ns as f64 / 1e3, 1)
}

/// An event of its own.
fn alone(context: &Context, event: &Event) -> String {
    match event {
        Event::Evict {
            dirty,
            clean,
            padding,
        } => {
            let all = |pages: &[_], dirty: bool| {
                let pages: Vec<_> = pages.iter().map(|&lpn| (lpn, dirty)).collect();
                runs(&pages)
            };
            let mut out = Vec::new();
            if !dirty.is_empty() {
                out.push(all(dirty, true));
            }
            if !clean.is_empty() {
                out.push(all(clean, false));
            }
            let why = match context.cause {
                Trigger::Room => " to make room",
                _ => "",
            };
            let mut text = format!("evicted {}{why}", listed(&out));
            if !padding.is_empty() {
                text += &format!(", padded with {}", all(padding, true));
            }
            text
        }
        Event::Regions { sizes: [a, b, c] } => format!("regions of {a}, {b} and {c} pages"),
        Event::Merge { .. }
        | Event::Clean { .. }
        | Event::Erase { .. }
        | Event::MergeEnd { .. }
        | Event::Merged { .. } => work(&[event]),
        Event::Write { .. } | Event::Read { .. } | Event::Flush | Event::Discard { .. } => {
            "served".to_owned()
        }
    }
}

/// Ascending pages as runs, clean ones in brackets: `4-6 (7) 9`.
pub fn runs(pages: &[(Lpn, bool)]) -> String {
    let mut runs: Vec<(u32, u32, bool)> = Vec::new();
    for &(Lpn(lpn), dirty) in pages {
        match runs.last_mut() {
            Some((_, last, same)) if *last + 1 == lpn && *same == dirty => *last = lpn,
            _ => runs.push((lpn, lpn, dirty)),
        }
    }
    let run = |&(first, last, dirty): &(u32, u32, bool)| {
        let text = if first == last {
            first.to_string()
        } else {
            format!("{first}-{last}")
        };
        if dirty { text } else { format!("({text})") }
    };
    let mut words: Vec<String> = runs.iter().take(RUNS).map(run).collect();
    if runs.len() > RUNS {
        words.push(format!(
            "... {} pages in all",
            thousands(pages.len() as u64)
        ));
    }
    words.join(" ")
}

fn counted(number: u64, one: &str, several: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { several })
}
