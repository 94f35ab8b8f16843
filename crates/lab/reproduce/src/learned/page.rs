//! The page as Markdown, and what was learned in each run.

use ssdlab_words::{bytes, fixed, listed, markdown_table, thousands};

use super::description::{Figure, Over};
use super::{ENTRY, Found, Judged, Learned};
use crate::study::Report;

/// The headings of the table of statements.
const HEADER: [&str; 4] = ["statement", "traces", "values", "verdict"];

pub fn report(study: &Learned, found: &[Found], judged: &[Judged]) -> Report {
    let sentence = sentence(judged);
    Report {
        files: vec![
            ("README.md".into(), page(study, found, judged, &sentence)),
            ("rows.csv".into(), csv(found)),
        ],
        header: &HEADER,
        words: 1,
        rows: judged.iter().map(row).collect(),
        sentence,
    }
}

fn sentence(judged: &[Judged]) -> String {
    let judged = judged.iter().filter(|judged| !judged.values.is_empty());
    let agree = judged.clone().filter(|judged| judged.agrees()).count();
    format!(
        "{agree} of {} published figures are within the tolerance stated for them.",
        judged.count()
    )
}

/// A value of a figure: shares in per cent.
fn value(figure: Figure, value: f64) -> String {
    match figure {
        Figure::Approximate | Figure::Wrong => format!("{} %", fixed(100.0 * value, 1)),
        _ => fixed(value, 2),
    }
}

fn row(judged: &Judged) -> Vec<String> {
    let statement = judged.statement;
    let said = |number| value(statement.figure, number);
    let values = || judged.values.iter().map(|(_, value)| *value);
    let [least, most] = [
        values().fold(f64::INFINITY, f64::min),
        values().fold(f64::NEG_INFINITY, f64::max),
    ];
    let [from, to] = statement.between;
    let mean = match statement.over {
        Over::Mean => format!("mean {}; ", said(judged.mean())),
        Over::Traces => String::new(),
    };
    let (all, apart) = (judged.values.len(), judged.apart());
    vec![
        format!("{} ({})", statement.says, statement.section),
        match &apart[..] {
            [] if all == 0 => "–".into(),
            [] => format!("all {all}"),
            apart => format!("{} of {all}: not {}", all - apart.len(), listed(apart)),
        },
        match all {
            0 => "–".into(),
            _ => format!(
                "{mean}{} to {} ({} to {})",
                said(least),
                said(most),
                said(from),
                said(to)
            ),
        },
        match judged.agrees() {
            _ if all == 0 => "not judged",
            true => "within",
            false => "not within",
        }
        .into(),
    ]
}

fn page(study: &Learned, found: &[Found], judged: &[Judged], sentence: &str) -> String {
    let (name, all) = (&study.name, &study.description);
    let mut page = format!(
        "<!-- written by `ssdlab reproduce {name}`; change {} instead -->\n\n# {}\n\n{}\n\n**{sentence}**\n\n`ssdlab reproduce {name}` \
         runs all of it, and writes this page and [`rows.csv`](rows.csv), which has each run.\n\n## What is published, and what is \
         found here\n\nThe tolerance, in brackets behind the least and the greatest value, was set before the run. A statement about a mean is \
         judged by it, any other agrees if two thirds of the traces do.\n\n",
        Learned::DESCRIPTION,
        all.title,
        all.about.trim()
    );
    page += &markdown_table(
        "lrrl",
        "Statement | Traces that agree | Values (tolerance) | Verdict",
        judged.iter().map(row),
    );
    page += &format!(
        "\n## What is learned of each trace\n\nPages with a place; the bytes of a plain table, {ENTRY} for each of them; of a table of runs; and \
         of what is learned with each bound γ, with the plain table over it in brackets.\n\n"
    );
    let heads: Vec<String> = all
        .gammas
        .iter()
        .map(|gamma| format!("γ = {gamma}"))
        .collect();
    let here = |trace: usize| {
        found
            .chunks(all.gammas.len())
            .nth(trace)
            .unwrap_or_default()
    };
    let names = || all.trace.iter().enumerate();
    let rows = names().map(|(at, trace)| {
        let (of, first) = (here(at), &here(at)[0]);
        let mut row = vec![
            trace.name.get_ref().clone(),
            thousands(first.map.pages),
            thousands(first.plain()),
            thousands(first.runs()),
        ];
        row.extend(of.iter().map(|one| {
            let times = one.plain() as f64 / one.map.bytes as f64;
            format!("{} ({})", thousands(one.map.bytes), fixed(times, 1))
        }));
        row
    });
    page += &markdown_table(
        "lr",
        &format!("Trace | Pages | Plain | Runs | {}", heads.join(" | ")),
        rows,
    );
    page += "\nPages for each segment, the share of approximate segments, and that of reads whose place was predicted wrong.\n\n";
    let rows = names().map(|(at, trace)| {
        let mut row = vec![trace.name.get_ref().clone()];
        row.extend(here(at).iter().map(|one| {
            let figure = |figure| {
                let found = one.of(figure, &here(at)[0], all.least_reads);
                found.map_or("–".into(), |found| value(figure, found))
            };
            let parts = [Figure::Pages, Figure::Approximate, Figure::Wrong].map(figure);
            parts.join(", ")
        }));
        row
    });
    page += &markdown_table("lr", &format!("Trace | {}", heads.join(" | ")), rows);
    let set: Vec<String> = all
        .set
        .iter()
        .map(|set| format!("`{}`", set.get_ref()))
        .collect();
    let capacities: Vec<String> = all
        .trace
        .iter()
        .map(|trace| format!("{} for `{}`", bytes(trace.capacity.0), trace.name.get_ref()))
        .collect();
    page += &format!(
        "\n## How it is run\n\n- All drives: {}. Capacities: {}. Flush commands are left out.\n- The share of wrong predictions is given with at \
         least {} reads of flash.\n",
        listed(&set),
        listed(&capacities),
        thousands(all.least_reads)
    );
    for note in &all.notes {
        page += &format!("- {note}\n");
    }
    page
}

/// Each run: what was learned, and what was predicted wrong.
fn csv(found: &[Found]) -> String {
    let mut text =
        "trace,gamma,pages,plain_bytes,runs_bytes,learned_bytes,segments,approximate,reads,mispredictions\n"
            .to_owned();
    for one in found {
        let numbers = [
            one.map.pages,
            one.plain(),
            one.runs(),
            one.map.bytes,
            one.map.segments,
            one.map.approximate,
            one.reads(),
            one.counters.map_mispredictions,
        ];
        let numbers = numbers.map(|number| number.to_string());
        let name = one.trace.name.get_ref();
        text += &format!("{name},{},{}\n", one.gamma, numbers.join(","));
    }
    text
}
