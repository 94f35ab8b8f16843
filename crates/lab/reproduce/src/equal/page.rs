//! The page as Markdown, and what each run counted.

use ssdlab_words::{bytes, fixed, listed, markdown_table, thousands};

use super::description::{Description, Figure, History, Select, What};
use super::{Equal, Judged, Ran};
use crate::study::Report;

/// The headings of the table of statements.
const HEADER: [&str; 4] = ["statement", "points", "values", "verdict"];

/// The groups of competitors whose best runs stand side by side.
const GROUPS: [(&str, What, &str); 4] = [
    ("page, short list", What::Split, ""),
    ("page, list and cache", What::List, ""),
    ("bast", What::Logs, "bast"),
    ("fast", What::Logs, "fast"),
];

pub fn report(study: &Equal, ran: &[Ran], judged: &[Judged]) -> Report {
    let sentence = sentence(study, ran, judged);
    Report {
        files: vec![
            ("README.md".into(), page(study, ran, judged, &sentence)),
            ("rows.csv".into(), csv(ran)),
        ],
        header: &HEADER,
        words: 1,
        rows: judged.iter().map(row).collect(),
        sentence,
    }
}

fn row(judged: &Judged) -> Vec<String> {
    let values = judged.points.iter().map(|point| point.value);
    let least = values.clone().fold(f64::INFINITY, f64::min);
    let most = values.fold(f64::NEG_INFINITY, f64::max);
    let [from, to] = judged.statement.between;
    vec![
        judged.statement.says.clone(),
        match judged.apart() {
            apart if apart.is_empty() => format!("all {}", judged.points.len()),
            apart => format!(
                "{} of {}: not {apart}",
                judged.agreeing(),
                judged.points.len()
            ),
        },
        format!("{} to {} ({from} to {to})", fixed(least, 2), fixed(most, 2)),
        if judged.agrees() {
            "confirmed"
        } else {
            "refuted"
        }
        .into(),
    ]
}

fn sentence(study: &Equal, ran: &[Ran], judged: &[Judged]) -> String {
    let confirmed = judged.iter().filter(|judged| judged.agrees()).count();
    let exact: Vec<&Ran> = ran.iter().filter(|ran| ran.is_exact()).collect();
    let equal = exact.iter().filter(|ran| ran.is_equal()).count();
    let others: Vec<f64> = ran.iter().filter(|ran| !ran.is_exact()).map(off).collect();
    let within = study.description.within_percent;
    let near = others.iter().filter(|off| **off <= within).count();
    format!(
        "{confirmed} of {} statements of the first trials are confirmed. Of {} runs with a map in flash {equal} have each count of the \
         map as another program had it; of {} over log blocks {near} are within {within} % of its write amplification.",
        judged.len(),
        exact.len(),
        others.len()
    )
}

/// How far the write amplification of a run is from that of the other program, in per cent.
fn off(ran: &Ran) -> f64 {
    100.0 * (ran.waf() / ran.row.waf - 1.0).abs()
}

fn page(study: &Equal, ran: &[Ran], judged: &[Judged], sentence: &str) -> String {
    let (name, all) = (&study.name, &study.description);
    let mut page = format!(
        "<!-- written by `ssdlab reproduce {name}`; change {} instead -->\n\n# {}\n\n{}\n\n**{sentence}**\n\nWhat was found before is from {}. So agreement says that two programs follow the \
         same rules on the same traces, and nothing of real drives. `ssdlab reproduce {name}` \
         runs all of it again, and writes this page and [`rows.csv`](rows.csv), which has each run.\n\n## What was found before, and what is \
         found here\n\nThe bounds, in brackets behind the least and the greatest value, were set before the run. A value is that of the best run of \
         its kind (the least write amplification), or the quotient of two of these; a point is a trace with so much RAM.\n\n",
        Equal::DESCRIPTION,
        all.title,
        all.about.trim(),
        all.source.trim()
    );
    page += &markdown_table(
        "lrrl",
        "Statement | Points that agree | Values (bounds) | Verdict",
        judged.iter().map(row),
    );
    for history in &all.history {
        page += &format!(
            "\n## The best of each kind, on a drive {}\n\nWrite amplification, and what gave it. `dftl 12 KiB` is the cache, with the \
             entries of the list behind it if it is longer than a block; RAM is that of the small drive, in brackets that of {} which it stands for.\n\n",
            history.about,
            bytes(all.stands_for.get_ref().0)
        );
        page += &best(all, history, ran);
    }
    page += &buffers(all, ran);
    page += &differences(ran);
    page += "\n## How it is run\n\n";
    for history in &all.history {
        page += &format!(
            "- *{}*: {}, {}; {}.\n",
            history.name.get_ref(),
            history.about,
            settings(history.set.iter().map(|set| set.get_ref())),
            match history.replays.get() {
                1 => "the trace runs once".to_owned(),
                replays => format!("the last of {replays} replays counts"),
            }
        );
    }
    page += &format!(
        "- All drives: {}. Capacities: {}.\n",
        settings(all.set.iter().map(|set| set.get_ref())),
        listed(
            &all.trace
                .iter()
                .map(|trace| format!("{} for `{}`", bytes(trace.capacity.0), trace.name.get_ref()))
                .collect::<Vec<_>>()
        )
    );
    for note in &all.notes {
        page += &format!("- {note}\n");
    }
    page
}

fn settings<'a>(all: impl Iterator<Item = &'a String>) -> String {
    listed(&all.map(|set| format!("`{set}`")).collect::<Vec<_>>())
}

/// What a run divides its RAM into.
fn shape(ran: &Ran) -> String {
    let row = ran.row;
    let mut text = match row.log_blocks {
        Some(logs) => format!("{logs} logs"),
        None => format!("{} {}", row.ftl, bytes(row.cache.unwrap_or(0))),
    };
    if let Some(list) = row.list.filter(|_| row.what == What::List) {
        text += &format!(", list {}", thousands(list));
    }
    match row.buffer_pages {
        Some(0) => {}
        Some(pages) => text += &format!(", {} {pages} pages", row.buffer),
        None => text += &format!(", {}", row.buffer),
    }
    text
}

/// For each trace and size of RAM the best run of each group.
fn best(all: &Description, history: &History, ran: &[Ran]) -> String {
    let here = ran
        .iter()
        .filter(|ran| ran.row.history == *history.name.get_ref());
    let mut sizes: Vec<u64> = here.clone().filter_map(|ran| ran.row.ram_mib).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let mut rows = Vec::new();
    for trace in &all.trace {
        let name = trace.name.get_ref();
        for size in &sizes {
            let here = here
                .clone()
                .filter(|ran| ran.row.trace == *name && ran.row.ram_mib == Some(*size));
            let group = |&(_, what, ftl): &(&str, What, &str)| {
                let of = here
                    .clone()
                    .filter(|ran| ran.row.what == what && (ftl.is_empty() || ran.row.ftl == ftl));
                let best = of.min_by(|a, b| a.waf().total_cmp(&b.waf()));
                best.map_or("–".into(), |best| {
                    format!("{} ({})", fixed(best.waf(), 2), shape(best))
                })
            };
            let ram = here
                .clone()
                .find_map(|ran| ran.of)
                .map_or(String::new(), bytes);
            let mut row = vec![name.clone(), format!("{ram} ({size} MiB)")];
            row.extend(GROUPS.iter().map(group));
            rows.push(row);
        }
    }
    let heads: Vec<&str> = GROUPS.iter().map(|group| group.0).collect();
    markdown_table("llr", &format!("Trace | RAM | {}", heads.join(" | ")), rows)
}

/// What write buffers do to the reads of map pages.
fn buffers(all: &Description, ran: &[Ran]) -> String {
    let select = Select {
        what: vec![What::Buffers],
        ..Select::default()
    };
    let here = ran.iter().filter(|ran| select.takes(ran.row));
    let mut names: Vec<&str> = Vec::new();
    for ran in here.clone() {
        if !names.contains(&ran.row.buffer.as_str()) {
            names.push(&ran.row.buffer);
        }
    }
    let mut rows = Vec::new();
    for history in &all.history {
        for trace in &all.trace {
            let mut ftls: Vec<&str> = Vec::new();
            let of = |ran: &&Ran| {
                ran.row.trace == *trace.name.get_ref() && ran.row.history == *history.name.get_ref()
            };
            for ran in here.clone().filter(of) {
                if !ftls.contains(&ran.row.ftl.as_str()) {
                    ftls.push(&ran.row.ftl);
                }
            }
            for ftl in ftls {
                let mut row = vec![
                    trace.name.get_ref().clone(),
                    history.about.clone(),
                    ftl.to_owned(),
                ];
                row.extend(names.iter().map(|name| {
                    let mut all = here.clone().filter(of);
                    let found = all.find(|ran| ran.row.ftl == ftl && ran.row.buffer == *name);
                    found.map_or("–".into(), |ran| {
                        format!(
                            "{} ({})",
                            thousands(Figure::MapReads.of(&ran.counters) as u64),
                            fixed(ran.waf(), 2)
                        )
                    })
                }));
                rows.push(row);
            }
        }
    }
    format!(
        "\n## Write buffers before a map in flash\n\nHalf of the RAM is for the cache, the rest for the buffer. Reads of map pages, and the write \
         amplification in brackets.\n\n{}",
        markdown_table(
            "lllr",
            &format!("Trace | Drive | Map | {}", names.join(" | ")),
            rows
        )
    )
}

/// Where another program counted something else.
fn differences(ran: &[Ran]) -> String {
    let mut text = "\n## Beside the other program\n\n".to_owned();
    let others: Vec<&Ran> = ran
        .iter()
        .filter(|ran| ran.is_exact() && !ran.is_equal())
        .collect();
    if others.is_empty() {
        text += "Each count of the map is the same in each run with a map in flash.\n";
    } else {
        let rows = others.iter().map(|ran| {
            let row = ran.row;
            let pair = |found: u64, known: Option<u64>| {
                format!(
                    "{} ({})",
                    thousands(found),
                    known.map_or("–".into(), thousands)
                )
            };
            vec![
                row.trace.clone(),
                row.history.clone(),
                shape(ran),
                format!("{} ({})", fixed(ran.waf(), 4), row.waf),
                pair(ran.counters.table_reads, row.table_reads),
                pair(ran.counters.map_clean_programs, row.map_clean_programs),
                pair(ran.counters.map_dirty_evictions, row.map_dirty_evictions),
            ]
        });
        text += &format!(
            "These runs counted something else; what the other program had is in brackets.\n\n{}",
            markdown_table(
                "lllr",
                "Trace | Drive | Run | Write amp. | Map reads | By cleaning | By evictions",
                rows
            )
        );
    }
    let logs: Vec<f64> = ran.iter().filter(|ran| !ran.is_exact()).map(off).collect();
    let most = logs.iter().copied().fold(0.0, f64::max);
    let over = ran
        .iter()
        .filter(|ran| ran.of.is_some_and(|of| ran.ram > of))
        .count();
    text + &format!(
        "\nOf log blocks the table has only the write amplification; ours is at most {} % away. {over} runs need more RAM here than the drive \
         has, since their list was counted with 8 bytes for an entry, and has 20.\n",
        fixed(most, 1)
    )
}

/// Each run: what it sets, and what it counted.
fn csv(ran: &[Ran]) -> String {
    let mut text = "history,trace,ram_mib,ftl,buffer,cache,log_blocks,list,buffer_pages,ram,waf,map_clean_programs,map_dirty_evictions,\
                    map_sync_programs,table_copies,table_reads,other_waf\n"
        .to_owned();
    let number = |number: Option<u64>| number.map_or(String::new(), |number| number.to_string());
    for ran in ran {
        let (row, c) = (ran.row, &ran.counters);
        let given = [
            row.cache,
            row.log_blocks,
            row.list,
            row.buffer_pages,
            Some(ran.ram),
        ]
        .map(number);
        let counts = [
            c.map_clean_programs,
            c.map_dirty_evictions,
            c.map_sync_programs,
            c.table_copies,
            c.table_reads,
        ];
        text += &format!(
            "{},{},{},{},{},{},{},{},{}\n",
            row.history,
            row.trace,
            number(row.ram_mib),
            row.ftl,
            row.buffer,
            given.join(","),
            fixed(ran.waf(), 6),
            counts.map(|count| count.to_string()).join(","),
            row.waf
        );
    }
    text
}
