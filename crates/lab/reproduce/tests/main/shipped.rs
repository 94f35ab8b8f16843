//! The built-in studies.

use std::fs;
use std::path::{Path, PathBuf};

use ssdlab_reproduce::description::{Figure, Kind};
use ssdlab_reproduce::statement::Statement;
use ssdlab_reproduce::{Descriptions, Paper};
use ssdlab_sim::Lab;
use ssdlab_theory::{Class, Spare, classes, d_choices, fifo, greedy, with_discards};

fn in_repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../..")
        .join(path)
}

fn text(path: &str) -> String {
    fs::read_to_string(in_repository(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The studies in the repository, sorted; those with one of these files.
fn studies(files: &[&str]) -> Vec<String> {
    let folder = in_repository("crates/lab/reproduce/studies");
    let folders = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path());
    let described = folders.filter(|folder| files.iter().any(|file| folder.join(file).is_file()));
    let name = |folder: PathBuf| folder.file_name().expect("a name").display().to_string();
    let mut names: Vec<String> = described.map(name).collect();
    names.sort();
    names
}

fn papers() -> Vec<String> {
    studies(&["paper.toml"])
}

// planted bugs: a study that the program does not contain; a kind of description that is not searched for
#[test]
fn all_are_found() {
    let names = Descriptions::BuiltIn.names();
    let kinds = [
        "paper.toml",
        "contest.toml",
        "measured.toml",
        "theory.toml",
        "times.toml",
        "fills.toml",
        "equal.toml",
        "learned.toml",
    ];
    assert!(kinds.iter().all(|kind| !studies(&[kind]).is_empty()));
    assert_eq!(names, studies(&kinds));
    for name in names {
        let study = Descriptions::BuiltIn
            .read(&name, &Lab::new())
            .expect("a valid description");
        assert_eq!(study.name(), name);
    }
}

fn paper(name: &str) -> Paper {
    let paper = Paper::read(&Descriptions::BuiltIn, name, &Lab::new());
    paper.expect("a valid description")
}

/// The statements of a figure, each with the cells of its line on the page.
fn lines<'a>(page: &'a str, figure: &'a Figure) -> Vec<(Vec<&'a str>, &'a Statement)> {
    let start = format!("| [{}](#{}) | ", figure.number(), figure.anchor());
    let lines = page.lines().filter(|line| line.starts_with(&start));
    let cells: Vec<Vec<&str>> = lines.map(|line| line.split(" | ").collect()).collect();
    assert_eq!(cells.len(), figure.statement.len(), "{start}");
    cells.into_iter().zip(&figure.statement).collect()
}

// planted bugs: a figure without a substitute missing on the page; a statement without its verdict; a cause without its
// run
#[test]
fn a_page_names_every_figure_statement_and_cause() {
    for name in papers() {
        let page = text(&format!("reproduce/{name}/README.md"));
        for figure in &paper(&name).description.figure {
            let heading = format!("<summary>{}: {}</summary>\n", figure.name(), figure.title);
            assert_eq!(page.matches(&heading).count(), 1, "{heading}");
            for (cells, statement) in lines(&page, figure) {
                let [_, says, _, _, _, verdict, why] = cells[..] else {
                    panic!("{name}: {cells:?}");
                };
                assert_eq!(says, statement.says.get_ref());
                assert!(verdict.len() > 2, "{says}");
                assert_eq!(verdict == "no stand-in", figure.missing.is_some(), "{says}");
                assert_eq!(
                    verdict == "cannot be tested",
                    statement.missing.is_some(),
                    "{says}"
                );
                for cause in &statement.because {
                    assert!(why.contains(cause.says.get_ref()), "{says}");
                }
                let has_chart = why.contains("([chart](");
                assert_eq!(has_chart, statement.sweep.is_some(), "{says}");
            }
        }
    }
}

// planted bugs: a result that differs, and nobody asked why; one opponent that differs among others; other traces, or a
// value that the paper gives, as a cause
#[test]
fn what_differs_has_a_proven_cause_or_says_what_was_tried() {
    let (mut proven, mut open) = (0, 0);
    for name in papers() {
        let page = text(&format!("reproduce/{name}/README.md"));
        for figure in &paper(&name).description.figure {
            for (cells, statement) in lines(&page, figure) {
                let words = [
                    "no difference",
                    "in part",
                    "opposite",
                    "far less",
                    "far more",
                ];
                if !words.iter().any(|words| cells[5].contains(words)) {
                    continue;
                }
                let says = statement.says.get_ref();
                if cells[6].contains("**Open.**") {
                    open += 1;
                    assert!(!statement.is_explained(), "{name}: {says}");
                    let tried = statement.because.len() + usize::from(statement.sweep.is_some());
                    assert!(tried >= 2, "{name}: {says}");
                } else {
                    proven += 1;
                    assert!(statement.is_explained(), "{name}: {says}");
                    assert!(cells[6].contains("**Cause:**"), "{name}: {says}");
                }
            }
        }
    }
    assert!(proven > 0 && open > 0, "{proven} {open}");
}

/// Figure 19 is a photograph; the figures before 7 explain the policy.
#[test]
fn bplru_has_all_figures_of_results() {
    let paper = paper("bplru-2008");
    let figures = paper.description.figure.iter();
    let figures = figures.filter(|figure| figure.kind != Kind::Experiment);
    let ids: Vec<&str> = figures.map(|figure| figure.id.get_ref().as_str()).collect();
    let expected = (7..=18).chain([20]).map(|id: u32| id.to_string());
    assert_eq!(ids, expected.collect::<Vec<_>>());
}

// planted bugs: a page without a main result, or with a verdict on it that its statements do not have; statements that make
// the paper left out, or all of them on top
#[test]
fn a_page_begins_with_the_main_result_and_what_makes_the_paper() {
    for name in papers() {
        let page = text(&format!("reproduce/{name}/README.md"));
        let top = page.split("<details>").next().expect("a top");
        let description = paper(&name).description;
        let main = description.main.expect("a main result");
        for line in [
            format!("**The paper:** {}\n", main.paper),
            format!("**Here:** {}\n", main.here.get_ref()),
            format!(":** {}\n", main.why),
        ] {
            assert!(top.contains(&line), "{name}: {line}");
        }
        let statements = || {
            description
                .figure
                .iter()
                .flat_map(|figure| &figure.statement)
        };
        assert!(statements().any(|statement| statement.main), "{name}");
        let chosen: Vec<&str> = statements().filter_map(|s| s.brief.as_deref()).collect();
        assert!((6..=8).contains(&chosen.len()), "{name}: {}", chosen.len());
        for brief in chosen {
            assert_eq!(
                top.matches(&format!("\n| {brief} | ")).count(),
                1,
                "{name}: {brief}"
            );
        }
        assert!(!statements().any(|s| s.main && s.brief.is_none()), "{name}");
    }
}

// planted bug: numbers in the list of pages that differ from those of the page
#[test]
fn the_list_says_what_the_pages_say() {
    let list = text("docs/papers.md");
    let list: Vec<&str> = list.split_whitespace().collect();
    let list = list.join(" ");
    for name in Descriptions::BuiltIn.names() {
        let page = text(&format!("reproduce/{name}/README.md"));
        let study = Descriptions::BuiltIn.read(&name, &Lab::new());
        let sentence = study.expect("a valid description").result().or_else(|| {
            let mut lines = page.lines();
            let bold = lines.find_map(|line| line.strip_prefix("**")?.strip_suffix("**"));
            bold.map(str::to_owned)
        });
        let sentence = sentence.expect("a main result, or a sentence in bold");
        let link = format!("(../reproduce/{name}/README.md)");
        assert!(list.contains(&link), "{link}");
        assert!(list.contains(&sentence), "{name}: {sentence}");
    }
}

/// The cells that `docs/semantics.md` lists: spare factors and formulas.
fn demanded() -> Vec<(f64, u32, String, f64)> {
    let spare = |share: f64| Spare::new(share).expect("between 0 and 1");
    let mut cells = Vec::new();
    for share in [0.05, 0.1, 0.15, 0.2, 0.3] {
        cells.push((share, 64, "fifo".into(), fifo(spare(share))));
        for pages in [16, 64, 256] {
            cells.push((share, pages, "greedy".into(), greedy(spare(share), pages)));
        }
        for d in [2, 10] {
            let known = d_choices(spare(share), 64, d);
            cells.push((share, 64, format!("d-choices with d = {d}"), known));
        }
    }
    let hot_and_cold = [(0.8, 0.2), (0.2, 0.8)].map(|(writes, data)| Class { writes, data });
    for share in [0.1, 0.2, 0.3] {
        let known = classes(spare(share), &hot_and_cold);
        cells.push((share, 64, "fifo with 80/20".into(), known));
    }
    for q in [0.1, 0.2, 0.3] {
        let left = with_discards(spare(0.11), q).expect("below one half");
        cells.push((0.11, 64, format!("fifo with q = {q}"), fifo(left)));
    }
    cells
}

// planted bugs: a simulator whose cleaning costs too much; a missing cell; a figure beside the wrong theory
#[test]
fn the_simulator_meets_theory_within_one_percent() {
    let csv = text("reproduce/theory/cells.csv");
    let lines: Vec<Vec<&str>> = csv
        .lines()
        .skip(1)
        .map(|l| l.split(',').collect())
        .collect();
    let demanded = demanded();
    assert_eq!(lines.len(), demanded.len());
    for (share, pages, cleaning, known) in demanded {
        let cell = [share.to_string(), pages.to_string(), cleaning];
        let mut found = lines.iter().filter(|line| line[1..4] == cell);
        let (Some(line), None) = (found.next(), found.next()) else {
            panic!("{cell:?} is not there once");
        };
        let [theory, simulator] = [4, 5].map(|at| line[at].parse::<f64>().expect("a number"));
        assert!((theory - known).abs() < 1e-6, "{cell:?}: {theory} {known}");
        let deviation = simulator / theory - 1.0;
        assert!(deviation.abs() <= 0.01, "{cell:?}: {deviation}");
    }
}
