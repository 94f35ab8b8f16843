//! The tables, sentences and pictures of the document.

use std::collections::HashSet;
use std::error::Error;

use ssdlab_report::chart::{Curve, Legend, Plot, curves};
use ssdlab_report::slot;
use ssdlab_words::markdown_table;

use super::grid::{Cell, FTLS, NINE, OWN, SIZES, VARIANTS, place};

/// Begin and end of a measured part.
const BEGIN: &str = "<!-- measured: ";
const END: &str = "<!-- end of measured -->";

/// The document with all its measured parts.
pub fn fill(document: &str, shipped: &[Cell], generated: &[Cell]) -> Result<String, String> {
    let mut filled = String::new();
    let mut rest = document;
    while let Some((before, part)) = rest.split_once(BEGIN) {
        let name_and_rest = part.split_once(" -->\n");
        let (name, after) = name_and_rest.ok_or("a measured part has no name")?;
        let (_, after) = after
            .split_once(END)
            .ok_or_else(|| format!("{name}: the end is missing"))?;
        let text = match name {
            "result" => result(shipped),
            "policies" => policies(shipped),
            "devices" => devices(shipped),
            "workloads" => workloads(shipped),
            "short" => short(shipped),
            "variants" => variants(shipped),
            "halves" => halves(shipped),
            "generated" => workloads(generated),
            "variants on generated" => variants(generated),
            _ => return Err(format!("{name} is no measured part")),
        };
        filled += &format!("{before}{BEGIN}{name} -->\n\n{text}\n{END}");
        rest = after;
    }
    Ok(filled + rest)
}

/// The measured parts of a document alone.
pub fn measured(document: &str) -> String {
    let parts = document.split(BEGIN).skip(1);
    parts
        .filter_map(|part| part.split_once(END))
        .map(|(part, _)| part)
        .collect()
}

/// The pictures by their names.
pub fn pictures(shipped: &[Cell]) -> Result<Vec<(&'static str, String)>, Box<dyn Error>> {
    Ok(vec![
        ("regret.svg", regret(shipped)?),
        ("gain.svg", gain(shipped)?),
    ])
}

/// The geometric mean of ratios; 1 if there are none.
fn mean(ratios: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0);
    for ratio in ratios {
        sum += ratio.ln();
        count += 1;
    }
    (sum / f64::from(count.max(1))).exp()
}

/// The greatest ratio.
fn worst(ratios: impl Iterator<Item = f64>) -> f64 {
    ratios.fold(0.0, f64::max)
}

fn merging(cell: &&Cell) -> bool {
    !cell.is_page_mapped
}

fn cleaning(cell: &&Cell) -> bool {
    cell.is_page_mapped
}

/// Mean and worst time of a competitor over the best of the nine.
fn mean_and_worst<'a>(cells: impl Iterator<Item = &'a Cell> + Clone, at: usize) -> [f64; 2] {
    [
        mean(cells.clone().map(|cell| cell.ratio(at))),
        worst(cells.map(|cell| cell.ratio(at))),
    ]
}

/// How often a competitor takes over 2 % longer than the best of the nine, in percent.
fn behind<'a>(cells: impl Iterator<Item = &'a Cell>, at: usize) -> f64 {
    let (mut behind, mut all) = (0, 0);
    for cell in cells {
        behind += u32::from(cell.ratio(at) > 1.02);
        all += 1;
    }
    100.0 * f64::from(behind) / f64::from(all.max(1))
}

fn result(cells: &[Cell]) -> String {
    let [logs, logs_worst] = mean_and_worst(cells.iter().filter(merging), OWN);
    let [page, page_worst] = mean_and_worst(cells.iter().filter(cleaning), OWN);
    let erases = mean(
        cells
            .iter()
            .filter(merging)
            .filter_map(|cell| cell.erases(OWN)),
    );
    let to_lru = |cell: &Cell| cell.runs[OWN].ns as f64 / cell.runs[place("lru")].ns as f64;
    let lru = worst(cells.iter().filter(cleaning).map(to_lru));
    format!(
        "Over {} points, `cbb` takes {logs:.3} of the time of the best of the nine on log-block FTLs (geometric mean; at \
         worst {logs_worst:.2}), with {erases:.3} of its erases, and {page:.3} on page mapping (at worst {page_worst:.2}; \
         against `lru` alone at worst {lru:.2}). At {:.0} % of all points it takes over 2 % longer than the best of the \
         nine there.\n",
        cells.len(),
        behind(cells.iter(), OWN),
    )
}

fn policies(cells: &[Cell]) -> String {
    let mut rows: Vec<(usize, &str)> = NINE.into_iter().enumerate().chain([(OWN, "cbb")]).collect();
    let of = |at| mean_and_worst(cells.iter().filter(merging), at);
    rows.sort_by(|a, b| of(a.0)[0].total_cmp(&of(b.0)[0]));
    let named = |name: &str| if name == "cbb" { "**cbb**" } else { name }.to_owned();
    by_mapping(
        "policy",
        cells,
        rows.into_iter().map(|(at, name)| (named(name), at)),
    )
}

/// A table of competitors: mean, worst and share behind, on log-block FTLs and on page mapping.
fn by_mapping(of: &str, cells: &[Cell], rows: impl Iterator<Item = (String, usize)>) -> String {
    let header = format!(
        "{of} | log-block FTLs: mean | worst | over 2 % behind | page mapping: mean | worst | over 2 % behind"
    );
    let rows = rows.map(|(name, at)| {
        let columns = [merging, cleaning].into_iter().flat_map(move |is_on| {
            let cells = cells.iter().filter(is_on);
            let [mean, worst] = mean_and_worst(cells.clone(), at);
            let behind = behind(cells, at);
            [
                format!("{mean:.3}"),
                format!("{worst:.2}"),
                format!("{behind:.0} %"),
            ]
        });
        [name].into_iter().chain(columns)
    });
    markdown_table("lr", &header, rows)
}

/// A size as in text: `4 MiB`.
fn spaced(size: &str) -> String {
    size.replace("MiB", " MiB")
}

/// A table with a column for each buffer size: mean and worst of the rows.
fn by_size(of: &str, rows: &[(String, Vec<&Cell>)]) -> String {
    let header = format!("{of} | {}", SIZES.map(spaced).join(" | "));
    let rows = rows.iter().map(|(name, cells)| {
        let of_size = |size| {
            let cells = cells.iter().copied().filter(|cell| cell.size == size);
            let [mean, worst] = mean_and_worst(cells, OWN);
            format!("{mean:.2} (to {worst:.2})")
        };
        [name.clone()].into_iter().chain(SIZES.map(of_size))
    });
    markdown_table("lr", &header, rows)
}

fn devices(cells: &[Cell]) -> String {
    let row = |ftl: &'static str, flushes: &str| {
        let cells = cells
            .iter()
            .filter(|cell| cell.ftl == ftl && cell.flushes() == flushes);
        (format!("{ftl}, flushes {flushes}"), cells.collect())
    };
    let rows = FTLS
        .iter()
        .flat_map(|ftl| [row(ftl.name, "honoured"), row(ftl.name, "ignored")]);
    by_size("FTL", &rows.collect::<Vec<_>>())
}

fn names(cells: &[Cell]) -> Vec<&str> {
    let mut names: Vec<&str> = cells.iter().map(|cell| cell.workload.as_str()).collect();
    names.dedup();
    names
}

fn workloads(cells: &[Cell]) -> String {
    let mut rows = Vec::new();
    for name in names(cells) {
        for (is_on, what) in [
            (merging as fn(&&Cell) -> bool, "log-block FTLs"),
            (cleaning, "page"),
        ] {
            let of = cells
                .iter()
                .filter(|cell| cell.workload == name)
                .filter(is_on);
            rows.push((format!("{name}, {what}"), of.collect()));
        }
    }
    by_size("workload", &rows)
}

/// The points at which `cbb` is furthest behind, one for each workload and FTL.
fn short(cells: &[Cell]) -> String {
    let mut sorted: Vec<&Cell> = cells.iter().collect();
    sorted.sort_by(|a, b| b.ratio(OWN).total_cmp(&a.ratio(OWN)));
    let mut seen = HashSet::new();
    sorted.retain(|cell| seen.insert((&cell.workload, cell.ftl)));
    let header = "trace | FTL | buffer | flushes | replay | best of the nine | cbb over it";
    let rows = sorted.into_iter().take(12).map(|cell| {
        [
            cell.workload.clone(),
            cell.ftl.to_owned(),
            spaced(cell.size),
            cell.flushes().to_owned(),
            cell.replay.to_string(),
            NINE[cell.best()].to_owned(),
            format!("{:.2}", cell.ratio(OWN)),
        ]
    });
    markdown_table("llrlrlr", header, rows)
}

fn variants(cells: &[Cell]) -> String {
    let variants = VARIANTS
        .iter()
        .map(|(name, set)| format!("{name} (`{set}`)"));
    let rows = ["nothing changed".to_owned()].into_iter().chain(variants);
    by_mapping("cbb with …", cells, rows.zip(OWN..))
}

/// The weights of age: their places among the runs, and their words.
const AGES: [(usize, &str); 4] = [
    (OWN, "age^¾"),
    (OWN + 1, "its root"),
    (OWN + 2, "linear"),
    (OWN + 3, "none"),
];

/// The weight of age that serves one half of the traces best, and what it gives on the other half.
fn halves(cells: &[Cell]) -> String {
    let names = names(cells);
    let half = |which: usize| {
        let names: Vec<&str> = names.iter().copied().skip(which).step_by(2).collect();
        let of = cells
            .iter()
            .filter(|cell| names.contains(&cell.workload.as_str()));
        of.filter(merging).collect::<Vec<_>>()
    };
    let of = |cells: &[&Cell], at: usize| mean(cells.iter().map(|cell| cell.ratio(at)));
    let header = "chosen on | the best age there | its mean there | its mean on the other half | the best age on \
                  that half";
    let row = |which: usize| {
        let (here, there) = (half(which), half(1 - which));
        let best = |cells: &[&Cell]| {
            AGES.into_iter()
                .min_by(|a, b| of(cells, a.0).total_cmp(&of(cells, b.0)))
                .expect("an age")
        };
        let (at, age) = best(&here);
        let (best_there, age_there) = best(&there);
        [
            format!("the {} half", ["first", "second"][which]),
            age.to_owned(),
            format!("{:.3}", of(&here, at)),
            format!("{:.3}", of(&there, at)),
            format!("{age_there} ({:.3})", of(&there, best_there)),
        ]
    };
    markdown_table("llrrl", header, [0, 1].map(row))
}

/// The most that the chart of regret shows.
const MOST: f64 = 2.0;
const TICKS: usize = 11;

/// For each policy, how much longer than the best of the nine it takes at a share of the points.
fn regret(cells: &[Cell]) -> Result<String, Box<dyn Error>> {
    let shown = [
        ("cbb", OWN),
        ("bplru", place("bplru")),
        ("lru", place("lru")),
    ];
    let mut legend: Vec<Legend> = Vec::new();
    for (at, (label, _)) in shown.iter().enumerate() {
        legend.push(Legend {
            label: (*label).into(),
            slot: slot(at),
        });
    }
    legend.push(Legend {
        label: "the other seven".into(),
        slot: "muted".into(),
    });
    let plot = |title: &str, is_on: fn(&&Cell) -> bool| {
        let curve = |at: usize, slot: String, faint: bool| {
            let mut ratios: Vec<f64> = cells
                .iter()
                .filter(is_on)
                .map(|cell| cell.ratio(at))
                .collect();
            ratios.sort_by(f64::total_cmp);
            let value = |tick: usize| ratios[tick * (ratios.len() - 1) / (TICKS - 1)].min(MOST);
            Curve {
                slot,
                faint,
                points: (0..TICKS).map(|tick| (tick, value(tick))).collect(),
            }
        };
        let others = (0..NINE.len()).filter(|at| shown.iter().all(|(_, shown)| shown != at));
        let others = others.map(|at| curve(at, "muted".into(), true));
        let named = shown.iter().enumerate().rev();
        let named = named.map(|(place, &(_, at))| curve(at, slot(place), false));
        let tick = |tick: usize| match tick * 100 / (TICKS - 1) {
            share if share % 20 == 0 => format!("{share} %"),
            _ => String::new(),
        };
        Plot {
            title: title.into(),
            ticks: (0..TICKS).map(tick).collect(),
            curves: others.chain(named).collect(),
        }
    };
    let plots = [
        plot("Time over the best, log-block FTLs", merging),
        plot("Time over the best, page mapping", cleaning),
    ];
    Ok(curves(&legend, &plots)?)
}

/// For each FTL, by how much `cbb` beats the best of the nine at each size.
fn gain(cells: &[Cell]) -> Result<String, Box<dyn Error>> {
    let legend: Vec<Legend> = (FTLS.iter().enumerate())
        .map(|(at, ftl)| Legend {
            label: ftl.name.into(),
            slot: slot(at),
        })
        .collect();
    let plot = |title: &str, protected: bool| Plot {
        title: title.into(),
        ticks: SIZES.map(spaced).to_vec(),
        curves: (FTLS.iter().enumerate())
            .map(|(at, ftl)| {
                let gain = |size: &str| {
                    let here = cells.iter().filter(|cell| {
                        cell.ftl == ftl.name && cell.size == size && cell.protected == protected
                    });
                    100.0 * (1.0 - mean(here.map(|cell| cell.ratio(OWN))))
                };
                Curve {
                    slot: slot(at),
                    faint: false,
                    points: SIZES.into_iter().map(gain).enumerate().collect(),
                }
            })
            .collect(),
    };
    let plots = [
        plot("% less time than the best, flushes honoured", false),
        plot("% less time than the best, flushes ignored", true),
    ];
    Ok(curves(&legend, &plots)?)
}

#[cfg(test)]
mod tests {
    use super::super::grid::Run;
    use super::*;

    /// A point at which the nine take 2, 3 … 10 s, `cbb` so many, and each variant 4 s.
    fn cell(own: u64, is_page_mapped: bool) -> Cell {
        let seconds = (2..=10).chain([own]).chain([4; VARIANTS.len()]);
        let run = |s: u64| Run {
            ns: s * 1_000_000_000,
            erases: s,
        };
        Cell {
            workload: "w".into(),
            ftl: FTLS[if is_page_mapped { 4 } else { 0 }].name,
            is_page_mapped,
            protected: false,
            replay: 1,
            size: SIZES[0],
            runs: seconds.map(run).collect(),
        }
    }

    // Planted bugs: an arithmetic mean; the worst of all points on both sides; the time over `none`, or over the best of
    // all ten; a point at 1.02 counted as behind.
    #[test]
    fn the_result_is_over_the_best_of_the_nine() {
        let cells = [cell(1, false), cell(4, false), cell(2, true), cell(3, true)];
        let text = result(&cells);
        for part in [
            "Over 4 points",
            "1.000 of the time",
            "at worst 2.00), with 1.000 of its erases",
            "1.225 on page mapping (at worst 1.50; against `lru` alone at worst 1.00)",
            "At 50 % of all points",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let points: Vec<f64> = cells.iter().map(|cell| cell.ratio(OWN)).collect();
        assert_eq!(points, [0.5, 2.0, 1.0, 1.5]);
    }

    // Planted bugs: rows in the order of the registry; the worst points at the end; a trace and FTL twice.
    #[test]
    fn rows_are_sorted_and_named() {
        let cells = [cell(1, false), cell(4, false), cell(3, true)];
        let text = policies(&cells);
        let cbb = text.find("| **cbb** | 1.000 | 2.00 | 50 %").unwrap();
        let none = text.find("| none | 1.000 | 1.00 | 0 %").unwrap();
        assert!(
            cbb.max(none) < text.find("| lru | 1.500").unwrap(),
            "{text}"
        );
        let short = short(&cells);
        let rows: Vec<&str> = short.lines().skip(2).collect();
        assert_eq!(rows.len(), 2, "{short}");
        assert!(rows[0].contains("bast") && rows[0].ends_with("| none | 2.00 |"));
        assert!(rows[1].ends_with("| none | 1.50 |"), "{short}");
    }

    // Planted bugs: text between the parts lost, or taken for measured; parts that grow at each update; an unknown part left as it is.
    #[test]
    fn parts_are_filled_in_place() {
        let cells = [cell(1, false), cell(3, true)];
        let document = format!("a\n{BEGIN}result -->\nold\n{END}\nb\n");
        let filled = fill(&document, &cells, &cells).unwrap();
        assert!(filled.starts_with("a\n") && filled.ends_with(&format!("{END}\nb\n")));
        assert!(!filled.contains("old") && filled.contains("Over 2 points"));
        assert_eq!(fill(&filled, &cells, &cells), Ok(filled.clone()));
        assert_eq!(
            measured(&filled),
            format!("result -->\n\n{}\n", result(&cells))
        );
        let unknown = document.replace("result", "other");
        let why = fill(&unknown, &cells, &cells).unwrap_err();
        assert_eq!(why, "other is no measured part");
        let endless = document.replace(END, "");
        assert!(fill(&endless, &cells, &cells).is_err());
    }
}
