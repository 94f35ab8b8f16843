//! The page of a paper, as Markdown, and its charts.

use ssdlab_sim::{Row, RowKind, bytes, thousands};

use super::cause::cause;
use super::chart;
use super::checked::Paper;
use super::claim::percent;
use super::description::{Figure, Metric, Origin, Requests};
use super::panel::{Panel, busy, metric};
use super::run::{Results, left_out};
use super::summary::{Line, sentence, summary};
use crate::error::ReproduceError;

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
            charts.push((
                file(figure, panel),
                chart::svg(&panel.comparison, &paper.description.paper.charts)?,
            ));
        }
    }
    Ok([("README.md".to_owned(), page)]
        .into_iter()
        .chain(charts)
        .collect())
}

/// The file of a chart.
fn file(figure: &Figure, panel: &Panel) -> String {
    format!("{}-{}.svg", figure.anchor(), panel.trace)
}

/// The title, the source and the summary.
fn head(paper: &Paper, lines: &[Line]) -> String {
    let header = &paper.description.paper;
    let (title, name) = (&header.title, &paper.name);
    let mut text = format!(
        "<!-- written by `ssdlab reproduce {name}`; change paper.toml instead -->\n\n# Reproduced: {title}\n\n{}, \
         *{title}*, {}. This page runs the figures of the paper on the traces of this repository and compares each claim \
         with our result. `ssdlab reproduce {name}` makes it, with the preset `{}`.\n\n**{}**\n\n",
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
            "| [{}](#{}) | {says} | {paper} | {ours} | {verdict} |\n",
            line.figure.number(),
            line.figure.anchor()
        );
    }
    text += &format!(
        "\nEach number is the difference between the two rows of a claim, in percent: {}.\n\n",
        metrics(lines)
    );
    for note in &header.notes {
        text += &format!("- {note}\n");
    }
    text
}

/// The metrics that these claims compare.
fn metrics(lines: &[Line]) -> String {
    let tests = lines.iter().filter_map(|line| line.claim.test.as_ref());
    let mut metrics: Vec<Metric> = tests.map(|test| test.metric).collect();
    metrics.sort();
    metrics.dedup();
    let words: Vec<&str> = metrics.iter().map(|metric| metric.words()).collect();
    match words.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => "none can be tested".into(),
    }
}

/// Every claim under other readings of the paper's open points.
fn variants(paper: &Paper, lines: &[Line]) -> String {
    let variants = &paper.description.variant;
    if variants.is_empty() {
        return String::new();
    }
    let mut text =
        "\n## Open points of the paper\n\nThe paper leaves these points open. We tested the same claims under other \
         readings:\n\n"
            .to_owned();
    for (i, variant) in variants.iter().enumerate() {
        let same = |line: &&Line| {
            let here = line.judged.as_ref().map(|judged| judged.holds);
            here == line.variants[i].map(|judged| judged.holds)
        };
        let tested = lines.iter().filter(|line| line.judged.is_some());
        let holds = |line: &&Line| line.variants[i].is_some_and(|judged| judged.holds);
        let (all, same) = (tested.clone().count(), tested.clone().filter(same).count());
        let hold = tested.filter(holds).count();
        let (name, about) = (&variant.name, &variant.about);
        let trace = variant.trace.as_ref().map_or_else(String::new, |trace| {
            let about = &paper.description.trace[trace.get_ref()].about;
            format!(" Its trace: {about}.")
        });
        text += &format!(
            "- **{name}**: {hold} of {all} claims have the same shape; {same} verdicts are those of our reading. \
             {about}{trace}\n"
        );
    }
    let names = variants
        .iter()
        .map(|variant| format!(" {} |", variant.name));
    let rules = variants.iter().map(|_| " --- |");
    text += &format!(
        "\n| Figure | The paper says | our reading |{}\n| --- | --- | --- |{}\n",
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
            line.figure.number(),
            cells.collect::<String>()
        );
    }
    text + "\nA cell shows one size: the largest size if the claim holds, else the size at which it fails most.\n"
}

/// A figure: charts, verdicts, causes, numbers.
fn section(paper: &Paper, figure: &Figure, panels: &[Panel], lines: &[Line]) -> String {
    let mut text = format!(
        "\n<a id=\"{}\"></a>\n\n## {}: {}\n",
        figure.anchor(),
        figure.name(),
        figure.title
    );
    for words in [&figure.missing, &figure.about].into_iter().flatten() {
        text += &format!("\n{words}\n");
    }
    for panel in panels {
        let about = &paper.description.trace[&panel.trace].about;
        let (trace, file) = (&panel.trace, file(figure, panel));
        text += &format!(
            "\n**{trace}**: {about}.\n\n![{}, {trace}]({file})\n",
            alternative(paper, figure)
        );
    }
    text += "\n";
    let mut causes: Vec<String> = Vec::new();
    for line in lines
        .iter()
        .filter(|line| std::ptr::eq(line.figure, figure))
    {
        let (says, place) = (line.claim.says.get_ref(), place(&line.claim.section));
        let numbers = [("paper", line.paper()), ("ours", line.ours())];
        let numbers: Vec<String> = numbers
            .into_iter()
            .filter(|(_, number)| !number.is_empty())
            .map(|(whose, number)| format!("; {whose} {number}"))
            .collect();
        text += &format!(
            "- **{}**: {says} ({place}){}.\n",
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
        text += &numbers(paper, figure, panels);
        text += &command(paper, figure);
    }
    text
}

/// `section 4.2`, or the name of a part without a number.
fn place(section: &str) -> String {
    match section.starts_with(|first: char| first.is_ascii_digit()) {
        true => format!("section {section}"),
        false => section.to_owned(),
    }
}

/// A heading and the number of a row under it.
type Column = (&'static str, fn(&Row) -> String);

const ERASES: Column = ("Erases", |row| thousands(row.outcome.counters.erases));
/// In pages, as papers count it.
const WAF: Column = ("Write amp. (pages)", |row| {
    decimal(row.outcome.derived.waf_pages, 2)
});
const PARTIAL: Column = ("Partial", |row| {
    thousands(row.outcome.counters.partial_merges)
});
const FULL: Column = ("Full", |row| thousands(row.outcome.counters.full_merges));

/// For papers whose charts show only time or erases.
const COLUMNS_OF_TIME: [Column; 9] = [
    ("Time, s", |row| decimal(metric(Metric::Time, row), 1)),
    ERASES,
    WAF,
    ("Programs", |row| {
        thousands(row.outcome.counters.flash_programs)
    }),
    ("From the buffer", |row| {
        thousands(row.outcome.counters.merge_programs)
    }),
    ("Copies", |row| {
        let c = &row.outcome.counters;
        thousands(c.flash_copies + c.copy_backs)
    }),
    PARTIAL,
    FULL,
    ("Evictions", |row| thousands(row.outcome.counters.evictions)),
];

const COLUMNS: [Column; 8] = [
    ("MB/s", |row| {
        decimal(row.outcome.derived.throughput_mb_s, 3)
    }),
    ERASES,
    WAF,
    ("Switch", |row| {
        thousands(row.outcome.counters.switch_merges)
    }),
    PARTIAL,
    FULL,
    ("Padding reads", |row| {
        thousands(row.outcome.counters.padding_reads)
    }),
    ("Evictions", |row| thousands(row.outcome.counters.evictions)),
];

/// For papers about reads.
const COLUMNS_OF_READS: [Column; 7] = [
    ("MB/s", |row| {
        decimal(row.outcome.derived.throughput_mb_s, 2)
    }),
    ("Read hits, %", |row| {
        decimal(metric(Metric::ReadHits, row), 1)
    }),
    ("Flash reads", |row| {
        thousands(row.outcome.counters.flash_reads)
    }),
    ("Programs", |row| {
        thousands(row.outcome.counters.flash_programs)
    }),
    ("Copies", |row| {
        let c = &row.outcome.counters;
        thousands(c.flash_copies + c.copy_backs)
    }),
    ERASES,
    ("Chips busy, %", |row| {
        decimal(busy(row).map(|[chips, ..]| chips), 0)
    }),
];

fn decimal(value: Option<f64>, digits: usize) -> String {
    value.map_or("–".into(), |value| format!("{value:.digits$}"))
}

/// The alternative text of a chart.
fn alternative(paper: &Paper, figure: &Figure) -> String {
    let titles = paper.description.paper.charts.iter();
    let titles: Vec<&str> = titles
        .map(|metric| metric.title().split(',').next().unwrap_or_default())
        .collect();
    let text = capital(&titles.join(" and ").to_lowercase());
    match figure.sizes(&paper.description.paper) {
        [_, _, ..] => format!("{text} over the {} size", figure.memory()),
        _ => text,
    }
}

fn capital(text: &str) -> String {
    let mut text = text.to_owned();
    text.get_mut(..1)
        .into_iter()
        .for_each(str::make_ascii_uppercase);
    text
}

/// All rows, folded away.
fn numbers(paper: &Paper, figure: &Figure, panels: &[Panel]) -> String {
    let rows = || panels.iter().flat_map(|panel| &panel.comparison.rows);
    let charts = &paper.description.paper.charts;
    let columns: Vec<&Column> = match charts.contains(&Metric::Throughput) {
        _ if charts.contains(&Metric::ReadHits) => COLUMNS_OF_READS.iter().collect(),
        true => COLUMNS.iter().collect(),
        // page mapping never merges, and only some FTLs ask the buffer
        false => COLUMNS_OF_TIME
            .iter()
            .filter(|(_, cell)| rows().any(|row| cell(row) != "0"))
            .collect(),
    };
    let mut text = "\n<details><summary>Numbers</summary>\n".to_owned();
    for panel in panels {
        let titles: Vec<&str> = columns.iter().map(|column| column.0).collect();
        text += &format!(
            "\n| {} | {} | {} |\n| --- | --- |{}\n",
            panel.trace,
            capital(figure.memory()),
            titles.join(" | "),
            " ---: |".repeat(titles.len())
        );
        let rows = panel.comparison.rows.iter();
        for row in rows.filter(|row| row.kind == RowKind::Policy) {
            let cells: Vec<String> = columns.iter().map(|column| column.1(row)).collect();
            let size = row.size.map_or("–".into(), bytes);
            text += &format!("| {} | {size} | {} |\n", row.label, cells.join(" | "));
        }
    }
    text + "\n</details>\n"
}

/// The commands that print the same numbers.
fn command(paper: &Paper, figure: &Figure) -> String {
    let options = options(paper, figure);
    let buffers = figure.buffers(&paper.description.paper);
    let mut commands = String::new();
    for trace in &figure.traces {
        let (made, file) = file_of(paper, trace.get_ref());
        commands += &made;
        if !buffers.is_empty() {
            let (buffers, varied) = (join(buffers), varied(paper, figure));
            commands += &format!("ssdlab compare {file} {options} --buffer {buffers}{varied}\n");
        }
        for system in &figure.system {
            let set = system.set.iter();
            let set: String = set.map(|set| format!(" --set {}", set.get_ref())).collect();
            commands += &format!("ssdlab run {file} {options}{set}\n");
        }
    }
    format!("\n```sh\n{commands}```\n{}", also_set(paper, figure))
}

/// The options of all commands of a figure.
fn options(paper: &Paper, figure: &Figure) -> String {
    let preset = format!("--preset {}", paper.description.paper.preset.get_ref());
    let left_out = left_out(paper, figure, None);
    let left_out = left_out.iter().map(|kind| match kind {
        Requests::Reads => " --drop-reads",
        Requests::Flushes => " --drop-flushes",
    });
    preset + &left_out.collect::<String>()
}

/// The command that makes a trace, if it is made, and its file.
fn file_of(paper: &Paper, trace: &str) -> (String, String) {
    match &paper.description.trace[trace].origin {
        Origin::File(file) => (String::new(), format!("traces/{}", file.get_ref())),
        Origin::Generated(words) => {
            let (words, file) = (words.get_ref(), format!("{trace}.csv"));
            let made = format!("ssdlab trace generate {words} --output {file}\n");
            (made, file)
        }
        Origin::Mixed(_) => unreachable!("only variants have mixed traces, and no commands"),
    }
}

/// The sizes of a figure and the keys that it varies.
fn varied(paper: &Paper, figure: &Figure) -> String {
    let vary = figure.vary.iter();
    let vary = vary.map(|(key, values)| match key.as_str() {
        "ftl.kind" => format!(" --ftl {}", join(values)),
        _ => format!(" --vary {key}={}", join(values)),
    });
    sizes(paper, figure) + &vary.collect::<String>()
}

fn join(names: &[toml::Spanned<String>]) -> String {
    let names: Vec<&str> = names.iter().map(|name| name.get_ref().as_str()).collect();
    names.join(",")
}

/// `--size`, without which `compare` takes the size of the preset alone.
fn sizes(paper: &Paper, figure: &Figure) -> String {
    let sizes = figure.sizes(&paper.description.paper).iter();
    let sizes: Vec<String> = sizes.map(|size| bytes(size.0).replace(' ', "")).collect();
    match sizes.is_empty() {
        true => String::new(),
        false => format!(" --size {}", sizes.join(",")),
    }
}

/// The keys with several values, which the commands of systems leave out.
fn also_set(paper: &Paper, figure: &Figure) -> String {
    if figure.system.is_empty() {
        return String::new();
    }
    let sizes = figure.sizes(&paper.description.paper);
    let key = figure
        .size_key
        .as_ref()
        .map_or("buffer.size", |key| key.get_ref());
    let size = (sizes.len() > 1).then_some(key);
    let keys = figure.vary.keys().map(String::as_str).chain(size);
    let keys: Vec<String> = keys.map(|key| format!("`--set {key}=…`")).collect();
    match keys.is_empty() {
        true => String::new(),
        false => format!("\nFor the other rows, add {}.\n", keys.join(" and ")),
    }
}
