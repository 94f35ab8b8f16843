//! The page as Markdown, and its numbers.

use ssdlab_words::{capital, listed, markdown_table, signed};

use super::description::{Statement, Then};
use super::judged::{Figure, Judged, Kind};
use super::{Measured, Results, chart};
use crate::error::ReproduceError;
use crate::study::Report;

/// The headings of the table of a terminal.
const HEADER: [&str; 7] = [
    "point",
    "system",
    "of",
    "published",
    "simulator",
    "deviation",
    "verdict",
];

/// The difference that makes one figure less than another.
const LESS: f64 = 0.98;

/// The page with its pictures, the figures as CSV, and the table for a terminal.
pub fn report(study: &Measured, tables: &[Results]) -> Result<Report, ReproduceError> {
    let mut files = vec![
        ("README.md".to_owned(), String::new()),
        ("cells.csv".to_owned(), csv(tables)),
    ];
    let mut page = head(study, tables);
    for results in tables {
        let pictures = chart::all(results)?;
        let names: Vec<&str> = pictures.iter().map(|file| file.0.as_str()).collect();
        page += &section(results, &names);
        files.extend(pictures);
    }
    files[0].1 = page + &how(study);
    let judged = |results: &Results| {
        let figures = all(results).filter(|(_, figure)| figure.agrees().is_some());
        let rows = figures.map(|(one, figure)| row(results, one, figure));
        rows.collect::<Vec<_>>()
    };
    Ok(Report {
        files,
        header: &HEADER,
        words: 3,
        rows: tables.iter().flat_map(judged).collect(),
        sentence: sentence(tables),
    })
}

fn all<'a>(results: &'a Results) -> impl Iterator<Item = (&'a Judged<'a>, &'a Figure)> {
    let figures = |one: &'a Judged<'a>| one.figures.iter().map(move |figure| (one, figure));
    results.judged.iter().flat_map(figures)
}

fn names<'a>(results: &'a Results, one: &Judged) -> [&'a str; 2] {
    let (table, cell) = (results.table, one.cell);
    let point = table.point[cell.point].at.get_ref();
    [point, table.series[cell.series].name.get_ref()]
}

fn row(results: &Results, one: &Judged, figure: &Figure) -> Vec<String> {
    let [point, series] = names(results, one).map(str::to_owned);
    let [published, deviation] = match figure.kind {
        Kind::Rms => ["–".into(), "–".into()],
        Kind::Window | Kind::Handle => [
            figure.published.map_or("–".into(), |value| format!("{value:.3}")),
            figure
                .deviation()
                .map_or("–".into(), |share| signed(100.0 * share, 1) + " %"),
        ],
    };
    let verdict = match figure.agrees() {
        Some(true) => "agrees",
        Some(false) => "differs",
        None => "–",
    };
    vec![
        point,
        series,
        figure.of.clone(),
        published,
        format!("{:.3}", figure.found),
        deviation,
        verdict.into(),
    ]
}

/// How many of the judged figures agree, and the statements.
fn sentence(tables: &[Results]) -> String {
    let verdicts = tables.iter().flat_map(all).filter_map(|(_, figure)| figure.agrees());
    let verdicts: Vec<bool> = verdicts.collect();
    let agree = verdicts.iter().filter(|&&agrees| agrees).count();
    let mut sentence = format!("{agree} of {} figures are within the tolerance stated for them", verdicts.len());
    let statements = tables.iter().flat_map(|results| {
        let each = results.table.statement.iter();
        each.map(move |statement| compared(results, statement).holds())
    });
    let statements: Vec<bool> = statements.collect();
    if !statements.is_empty() {
        let hold = statements.iter().filter(|&&holds| holds).count();
        sentence += &format!("; {hold} of {} statements hold at every point", statements.len());
    }
    sentence + "."
}

fn csv(tables: &[Results]) -> String {
    let mut text = "table,point,system,of,published,simulator\n".to_owned();
    for results in tables {
        let id = results.table.id.get_ref();
        for (one, figure) in all(results) {
            let [point, series] = names(results, one);
            let published = figure.published.map_or(String::new(), |value| value.to_string());
            text += &format!("{id},{point},{series},{},{published},{:.6}\n", figure.of, figure.found);
        }
    }
    text
}

fn head(study: &Measured, tables: &[Results]) -> String {
    let (name, header) = (&study.name, &study.description.measured);
    let mut head = format!(
        "<!-- written by `ssdlab reproduce {name}`; change {} instead -->\n\n# {}\n\n{} `ssdlab reproduce {name}` runs all \
         loads in the simulator, and writes this page.\n\n**{}**\n\nSource: {}. A positive deviation means that the simulator \
         writes more. [`cells.csv`](cells.csv) has all figures with more digits.\n",
        Measured::DESCRIPTION,
        header.title,
        header.about.trim(),
        sentence(tables),
        header.source,
    );
    let loads = study.description.load.iter();
    let rows = loads.map(|(name, load)| {
        let words = format!("`{}`", load.words.get_ref());
        vec![format!("**{name}**"), load.about.clone(), words]
    });
    head += &format!("\n{}", markdown_table("lll", "Load | | `ssdlab trace generate`", rows));
    head
}

fn section(results: &Results, pictures: &[&str]) -> String {
    let table = results.table;
    let mut text = format!("\n## {}\n", table.title);
    if let Some(about) = &table.about {
        text += &format!("\n{}\n", about.trim());
    }
    if let Some(tolerance) = tolerance(results) {
        text += &format!("\nTolerance, stated before the run: {tolerance}.\n");
    }
    for picture in pictures {
        text += &format!("\n![{}]({picture})\n", table.title);
    }
    let heading = [&capital(&table.axis), "system", "of", "published", "simulator", "deviation", "verdict"].join(" | ");
    let rows = |kinds: &[Kind]| {
        let chosen = all(results).filter(|(_, figure)| kinds.contains(&figure.kind));
        let rows = chosen.map(|(one, figure)| row(results, one, figure));
        rows.collect::<Vec<_>>()
    };
    let main = rows(&[Kind::Window, Kind::Rms]);
    text += &format!("\n{}", markdown_table("lllrrrl", &heading, main));
    let handles = rows(&[Kind::Handle]);
    if !handles.is_empty() {
        text += &format!(
            "\nBy handle, pages programmed for each page that came to it, in the last quarter of the run. To the common \
             copies come those from the handles' units.\n\n{}",
            markdown_table("lllrrrl", &heading, handles)
        );
    }
    if let Some(remark) = &table.remark {
        text += &format!("\n{}\n", remark.trim());
    }
    text += &statements(results);
    text += &causes(results);
    text + &commands(results)
}

fn tolerance(results: &Results) -> Option<String> {
    let table = results.table;
    let parts = [
        table.within_percent.map(|percent| format!("{percent} % of the published figure")),
        table.handles_within_percent.map(|percent| format!("{percent} % for single handles")),
        table.within_rms.map(|rms| format!("{rms} for the root mean square of the deviations in the tenths of a pass")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| listed(&parts))
}

/// The ratios of two series at the points of a statement.
struct Compared {
    found: Vec<f64>,
    published: Vec<f64>,
}

impl Compared {
    fn holds(&self) -> bool {
        self.found.iter().all(|&ratio| ratio < LESS)
    }
}

fn compared(results: &Results, statement: &Statement) -> Compared {
    let table = results.table;
    let at = |name: &str, point: usize| {
        let series = table.series.iter().position(|one| one.name.get_ref() == name)?;
        let place = |one: &&Judged| (one.cell.series, one.cell.point) == (series, point);
        results.judged.iter().find(place).map(Judged::last)
    };
    let mut all = Compared {
        found: Vec::new(),
        published: Vec::new(),
    };
    for (point, one) in table.point.iter().enumerate() {
        if !statement.points.is_empty() && !statement.points.contains(&one.at) {
            continue;
        }
        let [less, more] = &statement.less;
        let pair = at(less.get_ref(), point).zip(at(more.get_ref(), point));
        let Some((less, more)) = pair else { continue };
        all.found.push(less.0 / more.0);
        all.published.extend(less.1.zip(more.1).map(|(less, more)| less / more));
    }
    all
}

fn range(ratios: &[f64]) -> String {
    let percent = |ratio: f64| signed(100.0 * (ratio - 1.0), 0) + " %";
    let least = ratios.iter().copied().reduce(f64::min);
    let most = ratios.iter().copied().reduce(f64::max);
    match least.zip(most) {
        None => "–".into(),
        Some((least, most)) if percent(least) == percent(most) => percent(least),
        Some((least, most)) => format!("{} to {}", percent(least), percent(most)),
    }
}

fn statements(results: &Results) -> String {
    if results.table.statement.is_empty() {
        return String::new();
    }
    let row = |statement: &Statement| {
        let compared = compared(results, statement);
        let less = compared.found.iter().filter(|&&ratio| ratio < LESS).count();
        vec![
            statement.says.clone(),
            statement.section.clone(),
            range(&compared.published),
            range(&compared.found),
            format!("{less} of {}", compared.found.len()),
        ]
    };
    let rows = results.table.statement.iter().map(row);
    let heading = "The source says | Where | Published | Simulator | Points";
    format!("\n{}", markdown_table("llrrr", heading, rows))
}

fn causes(results: &Results) -> String {
    let mut text = String::new();
    for (cause, deviations) in results.table.cause.iter().zip(&results.causes) {
        // of an rms the deviation itself, not a share
        let shown = |value: f64| match results.table.within_percent {
            Some(_) => format!("{:.1} %", 100.0 * value),
            None => format!("{value:.3}"),
        };
        let [without, with] = deviations.map(shown);
        let then = match cause.then {
            Then::Worse => "instead of",
            Then::Same => "which hardly differs from",
        };
        let series: Vec<&str> = cause.series.iter().map(|name| name.get_ref().as_str()).collect();
        text += &format!(
            "\n- **{}** {} ({}), the mean deviation is {with}, {then} {without}.",
            cause.says.get_ref(),
            cause.run,
            listed(&series)
        );
    }
    match text.is_empty() {
        true => text,
        false => text + "\n",
    }
}

/// The commands that give the quickest of the judged figures.
fn commands(results: &Results) -> String {
    let runs = results.judged.iter().filter(|one| one.cell.is_judged() && !one.cell.windows.is_empty());
    let Some(one) = runs.min_by_key(|one| one.cell.written()) else {
        return String::new();
    };
    let cell = one.cell;
    let set: Vec<String> = cell.settings.iter().map(|setting| format!("--set {}", ssdlab_words::shell_word(setting))).collect();
    let [from, to] = one.found.requests;
    let [point, series] = names(results, one);
    let words = cell.workload(to);
    format!(
        "\n<details><summary>Commands for one figure: {series}, {point}</summary>\n\nWrite amplification is the growth of \
         `flash_programs` and `flash_copies` from the first run to the second, divided by the growth of \
         `host_write_pages`.\n\n```text\nssdlab trace generate {words} -o load.csv\nssdlab run load.csv --json --limit {from} \
         {set}\nssdlab run load.csv --json {set}\n```\n\n</details>\n",
        set = set.join(" ")
    )
}

fn how(study: &Measured) -> String {
    let header = &study.description.measured;
    let mut text = "\n## What the sources do not say\n\n".to_owned();
    for note in &header.notes {
        text += &format!("- {}\n", note.trim());
    }
    text
}
