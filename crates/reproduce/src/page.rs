//! The page of a paper, as Markdown, and its charts.

use ssdlab_sim::{Row, RowKind, bytes, thousands};

use crate::cause::cause;
use crate::chart;
use crate::claim::percent;
use crate::description::{Figure, Requests};
use crate::error::ReproduceError;
use crate::library::Paper;
use crate::run::{Panel, Results, left_out};
use crate::summary::{Line, sentence, summary};

/// The files of a paper's folder, names and contents, the page first.
///
/// # Errors
/// A chart that cannot be drawn.
pub fn pages(paper: &Paper, results: &Results) -> Result<Vec<(String, String)>, ReproduceError> {
    let lines = summary(paper, results);
    let mut page = head(paper, &lines);
    page += &variants(paper, &lines);
    let mut charts = Vec::new();
    let figures = paper.description.figure.iter().zip(&results.figures);
    for (figure, panels) in figures {
        page += &section(paper, figure, panels, &lines);
        for panel in panels {
            charts.push((file(figure, panel), chart::svg(&panel.comparison)?));
        }
    }
    Ok([("README.md".to_owned(), page)]
        .into_iter()
        .chain(charts)
        .collect())
}

/// The file of a chart.
fn file(figure: &Figure, panel: &Panel) -> String {
    format!("figure-{}-{}.svg", figure.id.get_ref(), panel.trace)
}

/// What the paper is, and the summary.
fn head(paper: &Paper, lines: &[Line]) -> String {
    let header = &paper.description.paper;
    let (title, name) = (&header.title, &paper.name);
    let mut text = format!(
        "<!-- written by `ssdlab reproduce {name}`; change paper.toml instead -->\n\n# Reproduced: {title}\n\n{}, \
         *{title}*, {}. Its figures on the traces of this repository, each claim and ours side by side. Made by \
         `ssdlab reproduce {name}` with the preset `{}`.\n\n**{}**\n\n",
        header.authors,
        header.venue,
        header.preset.get_ref(),
        sentence(lines)
    );
    text +=
        "| Figure | The paper says | Paper | Ours | Verdict |\n| --- | --- | --- | --- | --- |\n";
    for line in lines {
        let says = line.claim.says.get_ref();
        let (paper, ours, verdict) = (line.paper(), line.ours(), line.verdict());
        text += &format!(
            "| [{0}](#figure-{0}) | {says} | {paper} | {ours} | {verdict} |\n",
            line.figure
        );
    }
    text += "\nNumbers are differences between the two rows that a claim names: how much more MB/s or how many more \
             erases.\n\n";
    for note in &header.notes {
        text += &format!("- {note}\n");
    }
    text
}

/// Every claim under other readings of what the paper leaves open.
fn variants(paper: &Paper, lines: &[Line]) -> String {
    let variants = &paper.description.variant;
    if variants.is_empty() {
        return String::new();
    }
    let mut text =
        "\n## What the paper leaves open\n\nThe same claims under other readings:\n\n".to_owned();
    for (i, variant) in variants.iter().enumerate() {
        let same = |line: &&Line| {
            let here = line.judged.as_ref().map(|judged| judged.holds);
            here == line.variants[i].map(|judged| judged.holds)
        };
        let tested = lines.iter().filter(|line| line.judged.is_some());
        let (all, same) = (tested.clone().count(), tested.filter(same).count());
        let (name, about) = (&variant.name, &variant.about);
        text += &format!("- **{name}**: {same} of {all} verdicts are the same. {about}\n");
    }
    let names = variants
        .iter()
        .map(|variant| format!(" {} |", variant.name));
    let rules = variants.iter().map(|_| " --- |");
    text += &format!(
        "\n| Figure | The paper says | as above |{}\n| --- | --- | --- |{}\n",
        names.collect::<String>(),
        rules.collect::<String>()
    );
    for line in lines.iter().filter(|line| line.judged.is_some()) {
        let judged = std::iter::once(line.judged.as_ref()).chain(line.variants.iter().copied());
        let cells = judged.flatten().map(|judged| {
            let difference = percent(judged.points[judged.telling].difference);
            match judged.holds {
                true => format!(" {difference} |"),
                false => format!(" {difference}, differs |"),
            }
        });
        let says = line.claim.says.get_ref();
        text += &format!(
            "| {} | {says} |{}\n",
            line.figure,
            cells.collect::<String>()
        );
    }
    text + "\nA cell shows one size: the largest if the claim holds, or else the one that fails it most.\n"
}

/// A figure: charts, verdicts, causes, numbers.
fn section(paper: &Paper, figure: &Figure, panels: &[Panel], lines: &[Line]) -> String {
    let id = figure.id.get_ref();
    let mut text = format!(
        "\n<a id=\"figure-{id}\"></a>\n\n## Figure {id}: {}\n",
        figure.title
    );
    for words in [&figure.missing, &figure.about].into_iter().flatten() {
        text += &format!("\n{words}\n");
    }
    for panel in panels {
        let about = &paper.description.trace[&panel.trace].about;
        let (trace, file) = (&panel.trace, file(figure, panel));
        text += &format!(
            "\n**{trace}**: {about}.\n\n![Throughput and erases over the buffer size, {trace}]({file})\n"
        );
    }
    text += "\n";
    let mut causes: Vec<String> = Vec::new();
    for line in lines.iter().filter(|line| line.figure == id) {
        let (says, section) = (line.claim.says.get_ref(), &line.claim.section);
        let numbers = [("paper", line.paper()), ("ours", line.ours())];
        let numbers: Vec<String> = numbers
            .into_iter()
            .filter(|(_, number)| !number.is_empty())
            .map(|(whose, number)| format!("; {whose} {number}"))
            .collect();
        text += &format!(
            "- **{}**: {says} (section {section}){}.\n",
            line.verdict(),
            numbers.concat()
        );
        let why = line.claim.test.as_ref().zip(line.judged.as_ref());
        causes.extend(why.and_then(|(test, judged)| cause(test, judged, panels)));
    }
    if !causes.is_empty() {
        causes.dedup();
        text += &format!("\nFrom the counters:\n\n- {}\n", causes.join("\n- "));
    }
    if let Some(remark) = &figure.remark {
        text += &format!("\n{remark}\n");
    }
    if !panels.is_empty() {
        text += &numbers(panels);
        text += &command(paper, figure);
    }
    text
}

/// A heading and the number of a row under it.
type Column = (&'static str, fn(&Row) -> String);

const COLUMNS: [Column; 8] = [
    ("MB/s", |row| {
        decimal(row.outcome.derived.throughput_mb_s, 3)
    }),
    ("Erases", |row| thousands(row.outcome.counters.erases)),
    ("Write amp.", |row| decimal(row.outcome.derived.waf, 2)),
    ("Switch", |row| {
        thousands(row.outcome.counters.switch_merges)
    }),
    ("Partial", |row| {
        thousands(row.outcome.counters.partial_merges)
    }),
    ("Full", |row| thousands(row.outcome.counters.full_merges)),
    ("Padding reads", |row| {
        thousands(row.outcome.counters.padding_reads)
    }),
    ("Evictions", |row| thousands(row.outcome.counters.evictions)),
];

fn decimal(value: Option<f64>, digits: usize) -> String {
    value.map_or("–".into(), |value| format!("{value:.digits$}"))
}

/// All rows, folded away.
fn numbers(panels: &[Panel]) -> String {
    let mut text = "\n<details><summary>Numbers</summary>\n".to_owned();
    for panel in panels {
        let titles: Vec<&str> = COLUMNS.iter().map(|column| column.0).collect();
        text += &format!(
            "\n| {} | Buffer | {} |\n| --- | --- |{}\n",
            panel.trace,
            titles.join(" | "),
            " ---: |".repeat(titles.len())
        );
        let rows = panel.comparison.rows.iter();
        for row in rows.filter(|row| row.kind == RowKind::Policy) {
            let cells: Vec<String> = COLUMNS.iter().map(|column| column.1(row)).collect();
            let size = row.size.map_or("–".into(), bytes);
            text += &format!("| {} | {size} | {} |\n", row.label, cells.join(" | "));
        }
    }
    text + "\n</details>\n"
}

/// The commands that count the same.
fn command(paper: &Paper, figure: &Figure) -> String {
    let header = &paper.description.paper;
    let mut options = format!("--preset {}", header.preset.get_ref());
    for kind in left_out(paper, figure, None) {
        options += match kind {
            Requests::Reads => " --drop-reads",
            Requests::Flushes => " --drop-flushes",
        };
    }
    let join = |names: &[toml::Spanned<String>]| {
        let names: Vec<&str> = names.iter().map(|name| name.get_ref().as_str()).collect();
        names.join(",")
    };
    let buffers = figure.buffers.as_ref().unwrap_or(&header.buffers);
    options += &format!(" --buffer {}", join(buffers));
    for (key, values) in &figure.vary {
        options += &format!(" --vary {key}={}", join(values));
    }
    let command = |trace: &toml::Spanned<String>| {
        let file = paper.description.trace[trace.get_ref()].file.get_ref();
        format!("ssdlab compare traces/{file} {options}\n")
    };
    let commands: String = figure.traces.iter().map(command).collect();
    format!("\n```sh\n{commands}```\n")
}
