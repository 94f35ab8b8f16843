//! The tables and sentences of a contest, its page, and its points.

use std::collections::HashSet;

use ssdlab_words::{bytes, decimal, markdown_table, size_value};
use toml::Spanned;

use super::Contest;
use super::cell::Cell;
use super::chart::{gain, regret};
use crate::error::ReproduceError;
use crate::study::Report;

/// The name of a part of the page, whether it is about the generated workloads, and what it says.
type Part = (&'static str, bool, fn(&Contest, &[Cell]) -> String);

pub const PARTS: [Part; 9] = [
    ("result", false, |contest, cells| {
        format!("**{}**\n", result(contest, cells))
    }),
    ("policies", false, policies),
    ("devices", false, devices),
    ("workloads", false, workloads),
    ("short", false, short),
    ("variants", false, variants),
    ("halves", false, halves),
    ("generated", true, workloads),
    ("variants on generated", true, variants),
];

/// If a line is a mark, the part for which it stands, if there is one.
pub fn part(line: &str) -> Option<Option<&'static Part>> {
    let name = line.strip_prefix("<!-- measured:")?;
    let name = name.trim().trim_end_matches("-->").trim_end();
    Some(PARTS.iter().find(|part| part.0 == name))
}

/// The page, the points as CSV, the pictures, and the table for a terminal.
pub fn report(contest: &Contest, cells: &[Cell]) -> Result<Report, ReproduceError> {
    let traces = cells.partition_point(|cell| !cell.is_generated);
    let (traces, generated) = cells.split_at(traces);
    let files = [
        ("README.md", page(contest, traces, generated)),
        ("points.csv", csv(contest, cells)),
        ("regret.svg", regret(contest, traces)),
        ("gain.svg", gain(contest, traces)),
    ];
    Ok(Report {
        files: files.map(|(name, text)| (name.to_owned(), text)).into(),
        header: &HEADER,
        words: 1,
        rows: ranked(contest, traces),
        sentence: result(contest, traces),
    })
}

/// The text written by hand, with each part in the place of its mark.
fn page(contest: &Contest, traces: &[Cell], generated: &[Cell]) -> String {
    let mut page = format!(
        "<!-- written by `ssdlab reproduce {}`; change {} and {} instead -->\n\n# {}\n\n",
        contest.name,
        Contest::DESCRIPTION,
        Contest::PAGE,
        contest.description.title
    );
    for line in contest.page.text.lines() {
        page += &match part(line).flatten() {
            Some((_, true, says)) => says(contest, generated),
            Some((_, false, says)) => says(contest, traces),
            None => format!("{line}\n"),
        };
    }
    page
}

/// A heading and a line for each point.
fn csv(contest: &Contest, cells: &[Cell]) -> String {
    let (rivals, name) = (in_words(contest.competitor_at()), contest.competitor());
    let mut text = format!(
        "workload,ftl,flushes,replay,size,fastest of {rivals},s,{name} s,{name} / fastest,erases,{name} erases\n"
    );
    for cell in cells {
        text += &format!(
            "{},{},{},{},{},{},{:.3},{:.3},{:.3},{},{}\n",
            cell.workload.replace(',', ""),
            cell.device.replace(',', ""),
            cell.flushes,
            cell.replay,
            size_value(cell.size),
            contest.description.rivals[cell.best()].get_ref(),
            cell.time(cell.best()) / 1e9,
            cell.time(cell.competitor) / 1e9,
            cell.ratio(cell.competitor),
            cell.runs[cell.best()].erases,
            cell.runs[cell.competitor].erases,
        );
    }
    text
}

/// A number as in text.
pub fn in_words(number: usize) -> String {
    let small = "none one two three four five six seven eight nine ten eleven twelve";
    let word = small.split(' ').nth(number);
    word.map_or(number.to_string(), str::to_owned)
}

/// The mean of ratios: the root of their product. No number without any.
pub fn mean(ratios: impl Iterator<Item = f64>) -> f64 {
    let logs: Vec<f64> = ratios.map(f64::ln).collect();
    (logs.iter().sum::<f64>() / logs.len() as f64).exp()
}

/// The times of a competitor over those of the best rival: mean, worst, and the percentage of points at which it takes
/// over 2 % longer. No numbers without points.
fn standing(cells: &[&Cell], at: usize) -> [f64; 3] {
    let ratios = cells.iter().map(|cell| cell.ratio(at));
    let behind = ratios.clone().filter(|&ratio| ratio > 1.02);
    let behind = 100.0 * behind.count() as f64 / cells.len() as f64;
    let worst = ratios.clone().fold(f64::NAN, f64::max);
    [mean(ratios), worst, behind]
}

/// Those of the cells.
fn those(cells: &[Cell], is_one: impl Fn(&Cell) -> bool) -> Vec<&Cell> {
    cells.iter().filter(|cell| is_one(cell)).collect()
}

/// Those on devices that clean, or on those that merge.
pub fn on(cells: &[Cell], cleans: bool) -> Vec<&Cell> {
    those(cells, |cell| cell.cleans == cleans)
}

fn result(contest: &Contest, cells: &[Cell]) -> String {
    let (at, name) = (contest.competitor_at(), contest.competitor());
    let rivals = in_words(at);
    let baseline = &contest.description.baseline;
    let ratio = |cell: &&Cell| cell.time(at) / cell.time(contest.place(baseline));
    let alone = on(cells, true).iter().map(ratio).fold(f64::NAN, f64::max);
    let erases = |cell: &&Cell| {
        let [erases, best] = [at, cell.best()].map(|at| cell.runs[at].erases as f64);
        (best > 0.0).then_some(erases / best)
    };
    let erases = mean(on(cells, false).iter().filter_map(erases));
    let [_, logs, logs_worst, _, page, page_worst, _] = row(cells, name, at);
    let [_, _, behind] = standing(&those(cells, |_| true), at);
    format!(
        "Over {} points, `{name}` takes {logs} of the time of the best of the {rivals} on log-block FTLs (geometric mean; at \
         worst {logs_worst}), with {} of its erases, and {page} on page mapping (at worst {page_worst}; against `{}` \
         alone at worst {}). At {behind:.0} % of all points it takes over 2 % longer than the best of the {rivals} there.",
        cells.len(),
        decimal(erases, 3),
        baseline.get_ref(),
        decimal(alone, 2),
    )
}

/// The headings of the table of policies.
const HEADER: [&str; 7] = [
    "policy",
    "log-block FTLs: mean",
    "worst",
    "over 2 % behind",
    "page mapping: mean",
    "worst",
    "over 2 % behind",
];

/// A row of a competitor.
fn row(cells: &[Cell], name: &str, at: usize) -> [String; HEADER.len()] {
    let [logs, page] = [false, true].map(|cleans| {
        let [mean, worst, behind] = standing(&on(cells, cleans), at);
        [
            decimal(mean, 3),
            decimal(worst, 2),
            decimal(behind, 0) + " %",
        ]
    });
    let ([a, b, c], [d, e, f]) = (logs, page);
    [name.to_owned(), a, b, c, d, e, f]
}

/// The rows of all policies, the best on log-block FTLs first.
fn ranked(contest: &Contest, cells: &[Cell]) -> Vec<Vec<String>> {
    let logs = on(cells, false);
    let mut policies: Vec<_> = contest.policies().enumerate().collect();
    policies.sort_by(|a, b| standing(&logs, a.0)[0].total_cmp(&standing(&logs, b.0)[0]));
    let row = |(at, name): (_, &Spanned<String>)| row(cells, name.get_ref(), at).into();
    policies.into_iter().map(row).collect()
}

fn policies(contest: &Contest, cells: &[Cell]) -> String {
    let name = contest.competitor();
    let table = markdown_table("lr", &HEADER.join(" | "), ranked(contest, cells));
    table.replacen(&format!("| {name} |"), &format!("| **{name}** |"), 1)
}

fn variants(contest: &Contest, cells: &[Cell]) -> String {
    let variants = contest.description.variants.iter();
    let variants = variants.map(|v| format!("{} (`{}`)", v.name.get_ref(), v.set.get_ref()));
    let names = ["nothing changed".to_owned()].into_iter().chain(variants);
    let rows = names.zip(contest.competitor_at()..);
    let rows = rows.map(|(name, at)| row(cells, &name, at));
    let (name, header) = (contest.competitor(), HEADER[1..].join(" | "));
    markdown_table("lr", &format!("{name} with … | {header}"), rows)
}

/// A table with a column for each buffer size: mean and worst of the cells with the same label.
fn by_size(contest: &Contest, of: &str, cells: &[Cell], label: fn(&Cell) -> String) -> String {
    let mut labels: Vec<String> = cells.iter().map(label).collect();
    let mut seen = HashSet::new();
    labels.retain(|label| seen.insert(label.clone()));
    let sizes = || {
        contest
            .description
            .sizes
            .iter()
            .map(|size| size.get_ref().0)
    };
    let header = sizes().map(bytes).collect::<Vec<_>>().join(" | ");
    let rows = labels.into_iter().map(|row| {
        let of_row = those(cells, |cell| label(cell) == row);
        let of_size = move |size| {
            let cells = of_row.iter().copied().filter(|cell| cell.size == size);
            let [mean, worst, _] = standing(&cells.collect::<Vec<_>>(), contest.competitor_at());
            format!("{mean:.2} (to {worst:.2})")
        };
        [row].into_iter().chain(sizes().map(of_size))
    });
    markdown_table("lr", &format!("{of} | {header}"), rows)
}

fn devices(contest: &Contest, cells: &[Cell]) -> String {
    let label = |cell: &Cell| format!("{}, flushes {}", cell.device, cell.flushes);
    by_size(contest, "FTL", cells, label)
}

fn workloads(contest: &Contest, cells: &[Cell]) -> String {
    by_size(contest, "workload", cells, |cell| {
        let kind = ["log-block FTLs", "page"][usize::from(cell.cleans)];
        format!("{}, {kind}", cell.workload)
    })
}

/// The points at which the competitor is furthest behind, one for each workload and FTL.
fn short(contest: &Contest, cells: &[Cell]) -> String {
    let (at, mut seen) = (contest.competitor_at(), HashSet::new());
    let mut sorted = those(cells, |_| true);
    sorted.sort_by(|a, b| b.ratio(at).total_cmp(&a.ratio(at)));
    sorted.retain(|cell| seen.insert((&cell.workload, &cell.device)));
    let rows = sorted.into_iter().take(12).map(|cell| {
        [
            cell.workload.clone(),
            cell.device.clone(),
            bytes(cell.size),
            cell.flushes.to_owned(),
            cell.replay.to_string(),
            contest.description.rivals[cell.best()].get_ref().clone(),
            format!("{:.2}", cell.ratio(at)),
        ]
    });
    let (rivals, name) = (in_words(at), contest.competitor());
    let header = "trace | FTL | buffer | flushes | replay | best of the";
    let header = format!("{header} {rivals} | {name} over it");
    markdown_table("llrlrlr", &header, rows)
}

/// The value of a parameter that serves one half of the traces best, and what it gives on the other half.
fn halves(contest: &Contest, cells: &[Cell]) -> String {
    let Some((of, chosen)) = &contest.description.choice else {
        return format!("{} has no `choice`.\n", Contest::DESCRIPTION);
    };
    let chosen = (contest.competitor_at(), chosen);
    let variants = (chosen.0 + 1..).zip(&contest.description.variants);
    let others = variants.filter_map(|(at, variant)| Some((at, variant.value.as_ref()?)));
    let values: Vec<(usize, &String)> = [chosen].into_iter().chain(others).collect();
    let mut names: Vec<&String> = cells.iter().map(|cell| &cell.workload).collect();
    names.dedup();
    let half = |which: usize| {
        let names: Vec<_> = names.iter().skip(which).step_by(2).collect();
        let is_in = |cell: &Cell| names.contains(&&&cell.workload);
        those(cells, |cell| !cell.cleans && is_in(cell))
    };
    let mean = |cells: &[&Cell], at: usize| standing(cells, at)[0];
    let best = |cells: &[&Cell]| {
        let values = values.iter().copied();
        let best = values.min_by(|a, b| mean(cells, a.0).total_cmp(&mean(cells, b.0)));
        best.unwrap_or(chosen)
    };
    let row = |which: usize| {
        let (here, there) = (half(which), half(1 - which));
        let ((at, value), (best_there, value_there)) = (best(&here), best(&there));
        [
            format!("the {} half", ["first", "second"][which]),
            value.clone(),
            decimal(mean(&here, at), 3),
            decimal(mean(&there, at), 3),
            format!("{value_there} ({})", decimal(mean(&there, best_there), 3)),
        ]
    };
    let header = format!(
        "chosen on | the best {of} there | its mean there | its mean on the other half | the best {of} on that half"
    );
    markdown_table("llrrl", &header, [0, 1].map(row))
}

#[cfg(test)]
mod tests {
    use ssdlab_sim::{Counters, Lab};

    use super::*;
    use crate::descriptions::Descriptions;
    use crate::file::File;

    fn contest() -> Contest {
        let read = Contest::read(&Descriptions::BuiltIn, "own-buffer", &Lab::new());
        read.expect("a valid description")
    }

    /// A point at which the nine take 2, 3 … 10 s, `cbb` so many, and each variant 4 s.
    fn cell(seconds: u64, cleans: bool) -> Cell {
        let seconds = (2..=10).chain([seconds]).chain([4; 7]);
        let run = |s: u64| Counters {
            elapsed_ns: s * 1_000_000_000,
            erases: s,
            ..Counters::default()
        };
        Cell {
            workload: "w".into(),
            is_generated: false,
            device: if cleans { "page" } else { "bast" }.into(),
            cleans,
            flushes: "honoured",
            replay: 1,
            size: 1 << 20,
            runs: seconds.map(run).collect(),
            competitor: 9,
        }
    }

    // Planted bugs: an arithmetic mean; the worst of all points on both sides; the time over `none`, or over the best of
    // all ten; a point at 1.02 counted as behind.
    #[test]
    fn the_result_is_over_the_best_of_the_nine() {
        let cells = [cell(1, false), cell(4, false), cell(2, true), cell(3, true)];
        let text = result(&contest(), &cells);
        for part in [
            "Over 4 points",
            "1.000 of the time",
            "at worst 2.00), with 1.000 of its erases",
            "1.225 on page mapping (at worst 1.50; against `lru` alone at worst 1.00)",
            "At 50 % of all points",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let points: Vec<f64> = cells
            .iter()
            .map(|cell| cell.ratio(cell.competitor))
            .collect();
        assert_eq!(points, [0.5, 2.0, 1.0, 1.5]);
    }

    // Planted bugs: rows in the order of the registry; the worst points at the end; a trace and FTL twice.
    #[test]
    fn rows_are_sorted_and_named() {
        let cells = [cell(1, false), cell(4, false), cell(3, true)];
        let text = policies(&contest(), &cells);
        let cbb = text.find("| **cbb** | 1.000 | 2.00 | 50 %").unwrap();
        let none = text.find("| none | 1.000 | 1.00 | 0 %").unwrap();
        assert!(
            cbb.max(none) < text.find("| lru | 1.500").unwrap(),
            "{text}"
        );
        let short = short(&contest(), &cells);
        let rows: Vec<&str> = short.lines().skip(2).collect();
        assert_eq!(rows.len(), 2, "{short}");
        assert!(rows[0].contains("bast") && rows[0].ends_with("| none | 2.00 |"));
        assert!(rows[1].ends_with("| none | 1.50 |"), "{short}");
    }

    // Planted bugs: text between the parts lost; a mark left in place; traces in the place of generated workloads; a
    // figure where there is no point; a picture that needs both kinds of devices.
    #[test]
    fn parts_are_filled_in_place() {
        let mut contest = contest();
        let marks = ["result", "generated"].map(|name| format!("<!-- measured: {name} -->\n"));
        let text = format!("a\n\n{}\nb\n{}", marks[0], marks[1]);
        contest.page = File::of("page.md".into(), text);
        let cells = [cell(3, true)];
        let report = report(&contest, &cells).unwrap();
        let page = &report.files[0].1;
        let (_, text) = page
            .split_once("\n\n# A write buffer of our own: cbb\n\n")
            .unwrap();
        let (result, rest) = text
            .strip_prefix("a\n\n**")
            .unwrap()
            .split_once("**\n\nb\n")
            .unwrap();
        assert_eq!(result, report.sentence);
        assert!(result.contains("takes – of the time") && result.contains("and 1.500 on page"));
        let table =
            "| workload | 1 MiB | 4 MiB | 16 MiB | 64 MiB |\n| --- | ---: | ---: | ---: | ---: |\n";
        assert_eq!(rest, table);
        assert_eq!(report.files[1].1.lines().count(), 2);
    }
}
