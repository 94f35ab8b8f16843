//! The picture of all handles and regions: a bar for each.

use ssdlab_words::{fixed, thousands};

use super::{Owner, Part, System};
use crate::picture::{Axis, Legend, Mark, Names, Panel, Picture, Spoken};

/// The most runs of a picture.
const RUNS: usize = 8;
/// The most bars of a picture, shared by its runs.
const BARS: usize = 64;
/// The fewest and the most bars of handles or regions of a run, without that of the others.
const EACH: (usize, usize) = (7, 16);
/// Runs share an axis unless the longest bar of one would be shorter than this share of it.
const SHORT: f64 = 0.05;
/// The bar of common copies is cut if it is this much longer than those of handles, to this multiple of the longest.
const CUT: (f64, f64) = (4.0, 2.0);
/// The axis is longer than its longest bar by this factor: room for a label.
const ROOM: f64 = 1.32;

/// The colours of pages of the host, pages copied out and pages copied in.
const KINDS: [(&str, &str); 3] = [
    ("written by the host", "part-host"),
    ("copied out by cleaning", "part-cleaning"),
    ("copied in by cleaning", "part-copied"),
];
const HOST: usize = 0;
const OUT: usize = 1;
const INTO: usize = 2;

/// A picture with what a reader must know.
pub struct NotedPicture {
    pub picture: Picture,
    pub notes: Vec<String>,
}

/// A handle or region, or the mean of several.
#[derive(Debug, PartialEq)]
struct Bar {
    owner: Owner,
    name: String,
    host: f64,
    out: f64,
    into: Option<f64>,
    label: String,
    tip: String,
}

impl Bar {
    /// The mean of some parts: of one, itself.
    fn of(parts: &[&Part]) -> Option<Self> {
        let [first, others @ ..] = parts else {
            return None;
        };
        let mut sum = (*first).clone();
        for part in others {
            sum.host += part.host;
            sum.out += part.out;
            sum.into = sum.into.zip(part.into).map(|(sum, into)| sum + into);
            sum.victims += part.victims;
        }
        let count = parts.len();
        let (name, together) = match count {
            1 => (sum.name.clone(), ""),
            _ => (format!("mean of {count} others"), " together"),
        };
        let waf = sum.waf().filter(|_| sum.owner == Owner::Handle);
        let label = match waf {
            Some(waf) => format!("WAF {}", fixed(waf, 2)),
            None => format!("{} copied out{together}", thousands(sum.out)),
        };
        let tip = [
            Some(format!("host {}", thousands(sum.host))),
            Some(format!("copied out {}", thousands(sum.out))),
            sum.into
                .map(|into| format!("copied in {}", thousands(into))),
            waf.map(|waf| format!("write amplification {}", fixed(waf, 3))),
        ];
        let tip: Vec<String> = tip.into_iter().flatten().collect();
        let mean = |pages: u64| pages as f64 / count as f64;
        Some(Self {
            owner: sum.owner,
            host: mean(sum.host),
            out: mean(sum.out),
            into: sum.into.map(mean),
            label,
            tip: match count {
                1 => format!("{name}: {}", tip.join(", ")),
                _ => format!("{count} others together: {}", tip.join(", ")),
            },
            name,
        })
    }

    fn length(&self) -> f64 {
        (self.host + self.out).max(self.into.unwrap_or(0.0))
    }
}

fn pages(part: &Part) -> u64 {
    part.host + part.out + part.into.unwrap_or(0)
}

/// The heaviest parts in their order, the mean of the others, and the common copies. What has no pages is left out.
fn bars(parts: &[Part], most: usize) -> Vec<Bar> {
    let written = || parts.iter().filter(|part| pages(part) > 0);
    let mut heaviest: Vec<&Part> = written()
        .filter(|part| part.owner != Owner::Common)
        .collect();
    heaviest.sort_by_key(|part| std::cmp::Reverse(pages(part)));
    // one other is shown itself
    let kept = match heaviest.len() {
        all if all <= most + 1 => all,
        _ => most,
    };
    let others = heaviest.split_off(kept);
    let is_kept = |part: &&Part| heaviest.iter().any(|kept| std::ptr::eq(*kept, *part));
    let each = written().filter(is_kept).map(|part| vec![part]);
    let common = written().filter(|part| part.owner == Owner::Common);
    let common = common.map(|part| vec![part]);
    let all = each.chain([others]).chain(common);
    all.filter_map(|parts| Bar::of(&parts)).collect()
}

/// Where the bars of a run end at most. Common copies are those of all handles, which would leave no room for any.
fn most(bars: &[Bar]) -> f64 {
    let longest = |is_common: bool| {
        let some = bars
            .iter()
            .filter(|bar| (bar.owner == Owner::Common) == is_common);
        some.map(Bar::length).fold(0.0, f64::max)
    };
    let (handles, common) = (longest(false), longest(true));
    match handles > 0.0 && common > CUT.0 * handles {
        true => CUT.1 * handles,
        false => handles.max(common),
    }
}

/// The picture of some runs; `None` if nothing was written in any.
pub fn picture(systems: &[System]) -> Option<NotedPicture> {
    let is_written = |system: &&System| system.parts.iter().any(|part| pages(part) > 0);
    let written: Vec<&System> = systems.iter().filter(is_written).collect();
    let shown = &written[..written.len().min(RUNS)];
    let each = (BARS / shown.len().max(1)).clamp(EACH.0, EACH.1);
    let all: Vec<(&System, Vec<Bar>)> = shown
        .iter()
        .map(|system| (*system, bars(&system.parts, each)))
        .collect();
    let longest = all.iter().map(|(_, bars)| most(bars)).fold(0.0, f64::max);
    let is_shared = all.iter().all(|(_, bars)| most(bars) >= SHORT * longest);
    let panel = |(system, bars): &(&System, Vec<Bar>)| {
        let end = if is_shared { longest } else { most(bars) };
        Panel {
            title: system.title.clone(),
            x: Axis {
                range: (0.0, ROOM * end),
                ..Axis::of("Pages", [end].into_iter(), false, true)
            },
            y: Axis::of_words("", bars.iter().map(|bar| bar.name.clone()).collect()),
            marks: bars
                .iter()
                .enumerate()
                .map(|(row, bar)| mark(row, bar, most(bars)))
                .collect(),
        }
    };
    let panels: Vec<Panel> = all.iter().map(panel).collect();
    let first = panels.first()?;
    let is_into = |bar: &Bar| bar.into.is_some_and(|into| into > 0.0);
    let kinds = match all.iter().flat_map(|(_, bars)| bars).any(is_into) {
        true => &KINDS[..],
        false => &KINDS[..INTO],
    };
    let about = Spoken {
        title: match panels.as_slice() {
            [_] => format!("What each handle and region costs: {}", first.title),
            all => format!("What each handle and region costs, in {} runs", all.len()),
        },
        text: spoken(&all),
    };
    let picture = Picture {
        legend: kinds
            .iter()
            .map(|(label, slot)| Legend {
                label: (*label).to_owned(),
                slot: (*slot).to_owned(),
            })
            .collect(),
        panels,
        names: Names {
            panel: "run".into(),
            series: "pages".into(),
            x: "handle or region".into(),
            y: "count".into(),
        },
        spoken: about,
    };
    let notes = notes(&all, &written, is_shared, kinds.len() > INTO);
    Some(NotedPicture { picture, notes })
}

fn mark(row: usize, bar: &Bar, most: f64) -> Mark {
    let below = bar.into.filter(|into| *into > 0.0);
    Mark::Bar {
        row,
        parts: vec![(HOST, bar.host), (OUT, bar.out)],
        below: below.map(|into| (INTO, into)),
        most,
        label: bar.label.clone(),
        tip: bar.tip.clone(),
    }
}

/// All numbers of the picture.
fn spoken(all: &[(&System, Vec<Bar>)]) -> String {
    let runs = all.iter().map(|(system, bars)| {
        let tips: Vec<&str> = bars.iter().map(|bar| bar.tip.as_str()).collect();
        format!("{}. {}.", system.title, tips.join("; "))
    });
    runs.collect::<Vec<_>>().join(" ")
}

/// What the bars are, and what is not there.
fn notes(
    all: &[(&System, Vec<Bar>)],
    written: &[&System],
    is_shared: bool,
    has_into: bool,
) -> Vec<String> {
    let bars = || all.iter().flat_map(|(_, bars)| bars);
    let mut what = "A bar has the pages that the host wrote and those that cleaning copied out; WAF is its length over the pages of the host.".to_owned();
    if has_into {
        what += " The thin bar below has the pages that cleaning copied in.";
    }
    let mut notes = vec![what];
    if bars().any(|bar| bar.name.starts_with("mean of ")) {
        notes.push(
            "The heaviest have bars of their own; one bar has the mean of the others.".into(),
        );
    }
    let is_cut = |(_, bars): &(&System, Vec<Bar>)| {
        let most = most(bars);
        bars.iter().any(|bar| bar.length() > most)
    };
    if all.iter().any(is_cut) {
        notes.push("A bar with a gap is longer than shown.".into());
    }
    if !is_shared {
        notes.push("Each run has an axis of its own.".into());
    }
    let empty = all.iter().flat_map(|(system, _)| &system.parts);
    if empty.filter(|part| pages(part) == 0).count() > 0 {
        notes.push("What has no pages has no bar.".into());
    }
    if written.len() > all.len() {
        let runs = thousands(written.len() as u64);
        notes.push(format!(
            "The first {} of {runs} runs are shown; the table has all.",
            all.len()
        ));
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(number: u64, host: u64, owner: Owner) -> Part {
        Part {
            owner,
            name: format!("{number}"),
            host,
            out: 0,
            into: None,
            victims: 0,
        }
    }

    fn names(pages: &[u64], most: usize) -> Vec<String> {
        let parts = (0..).zip(pages);
        let parts: Vec<Part> = parts
            .map(|(number, pages)| part(number, *pages, Owner::Handle))
            .chain([part(99, 1, Owner::Common)])
            .collect();
        bars(&parts, most).into_iter().map(|bar| bar.name).collect()
    }

    // planted bugs: bars in the order of their pages; the mean of one; common copies among the others
    #[test]
    fn the_heaviest_are_shown_in_their_order() {
        assert_eq!(names(&[1, 5, 0, 4, 5], 4), ["0", "1", "3", "4", "99"]);
        assert_eq!(names(&[1, 5, 2, 4, 5], 4), ["0", "1", "2", "3", "4", "99"]);
        let six = names(&[1, 5, 2, 4, 5, 3], 4);
        assert_eq!(six, ["1", "3", "4", "5", "mean of 2 others", "99"]);
        // of equal ones the first
        assert_eq!(names(&[5; 5], 3), ["0", "1", "2", "mean of 2 others", "99"]);
    }

    // planted bugs: the mean of write amplifications; a mean of regions that is named after a handle
    #[test]
    fn the_others_are_their_mean() {
        let of = |host, out, owner| Part {
            out,
            into: (owner == Owner::Region).then_some(30),
            ..part(0, host, owner)
        };
        let handles = [of(10, 0, Owner::Handle), of(30, 60, Owner::Handle)];
        let bar = Bar::of(&[&handles[0], &handles[1]]).expect("a bar");
        assert_eq!((bar.host, bar.out, bar.into), (20.0, 30.0, None));
        assert_eq!((bar.label.as_str(), bar.length()), ("WAF 2.50", 50.0));
        let region = of(10, 4, Owner::Region);
        let bar = Bar::of(&[&region, &region]).expect("a bar");
        assert_eq!(
            (bar.label.as_str(), bar.length()),
            ("8 copied out together", 30.0)
        );
        assert_eq!(
            bar.tip,
            "2 others together: host 20, copied out 8, copied in 60"
        );
    }
}
