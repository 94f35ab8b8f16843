//! The page as Markdown, and its numbers.

use ssdlab_words::{capital, listed, markdown_table, signed};

use super::cell::{Requests, limited};
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
        let pictures = chart::all(results);
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
            figure
                .published
                .map_or("–".into(), |value| format!("{value:.3}")),
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
    let verdicts = tables
        .iter()
        .flat_map(all)
        .filter_map(|(_, figure)| figure.agrees());
    let verdicts: Vec<bool> = verdicts.collect();
    let agree = verdicts.iter().filter(|&&agrees| agrees).count();
    let statements = tables.iter().flat_map(|results| {
        let each = results.table.statement.iter();
        each.map(move |statement| compared(results, statement).holds())
    });
    let statements: Vec<bool> = statements.collect();
    let hold = statements.iter().filter(|&&holds| holds).count();
    let fits = tables.iter().flat_map(all);
    let fits = fits.filter(|(_, figure)| figure.is_fit()).count();
    let parts = [
        (!verdicts.is_empty()).then(|| {
            format!(
                "{agree} of {} figures are within the tolerance stated for them",
                verdicts.len()
            )
        }),
        (fits > 0).then(|| format!("{fits} more, from which numbers were found, are not judged")),
        (!statements.is_empty()).then(|| {
            format!(
                "{hold} of {} statements hold at every point",
                statements.len()
            )
        }),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    parts.join("; ") + "."
}

fn csv(tables: &[Results]) -> String {
    let mut text = "table,point,system,of,published,simulator\n".to_owned();
    for results in tables {
        let id = results.table.id.get_ref();
        for (one, figure) in all(results) {
            let [point, series] = names(results, one);
            let published = figure
                .published
                .map_or(String::new(), |value| value.to_string());
            text += &format!(
                "{id},{point},{series},{},{published},{:.6}\n",
                figure.of, figure.found
            );
        }
    }
    text
}

fn head(study: &Measured, tables: &[Results]) -> String {
    let (name, header) = (&study.name, &study.description.measured);
    let mut head = format!(
        "<!-- written by `ssdlab reproduce {name}`; change {} instead -->\n\n# {}\n\n{} `ssdlab reproduce {name}` runs all \
         loads in the simulator, and writes this page.\n\n**{}**\n\nSource: {}. All figures are write amplification; where one was \
         published, it stands first, then that of the simulator, with the deviation: positive means that the simulator writes \
         more, bold that the tolerance is exceeded. [`cells.csv`](cells.csv) has all figures with more digits.\n",
        Measured::DESCRIPTION,
        header.title,
        header.about.trim(),
        sentence(tables),
        header.source,
    );
    let loads = study.description.load.iter();
    let rows = loads.map(|(name, load)| {
        let made = load
            .words
            .as_ref()
            .map(|words| format!("`{}`", words.get_ref()));
        let replayed = load
            .trace
            .as_ref()
            .map(|file| format!("[{file}](../../traces/README.md)", file = file.get_ref()));
        let requests = made.or(replayed).unwrap_or_default();
        vec![
            format!("**{name}**"),
            load.about.get_ref().clone(),
            requests,
        ]
    });
    head += &format!(
        "\n{}",
        markdown_table(
            "lll",
            "Load | Its requests | Arguments of `ssdlab trace generate`, or trace",
            rows
        )
    );
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
    text += &format!("\n{}", matrix(results, &[Kind::Window, Kind::Rms]));
    let handles = matrix(results, &[Kind::Handle]);
    if !handles.is_empty() {
        text += &format!(
            "\nBy handle, pages programmed for each page that came to it, in the last quarter of the run. To the common \
             copies come those from the handles' units.\n\n{handles}"
        );
    }
    if let Some(remark) = &table.remark {
        text += &format!("\n{}\n", remark.trim());
    }
    text += &statements(results);
    text += &causes(results);
    text + &commands(results)
}

/// The figures of these kinds, a column for each system; empty if there are none.
fn matrix(results: &Results, kinds: &[Kind]) -> String {
    let table = results.table;
    let mut parts: Vec<&str> = Vec::new();
    for (_, figure) in all(results).filter(|(_, figure)| kinds.contains(&figure.kind)) {
        if !parts.contains(&figure.of.as_str()) {
            parts.push(&figure.of);
        }
    }
    let mut rows = Vec::new();
    for (point, part) in
        (0..table.point.len()).flat_map(|point| parts.iter().map(move |part| (point, *part)))
    {
        let cell = |series: usize| {
            let mut figures = all(results);
            let place = (series, point);
            let figure = figures.find(|(one, figure)| {
                (one.cell.series, one.cell.point) == place
                    && figure.of == part
                    && kinds.contains(&figure.kind)
            });
            figure.map_or(String::new(), |(_, figure)| shown(figure))
        };
        let cells = (0..table.series.len()).map(cell);
        let names = [table.point[point].at.get_ref().clone(), part.into()];
        let row: Vec<String> = names.into_iter().chain(cells).collect();
        if row[2..].iter().any(|cell| !cell.is_empty()) {
            rows.push(row);
        }
    }
    if rows.is_empty() {
        return String::new();
    }
    let series = table
        .series
        .iter()
        .map(|series| series.name.get_ref().clone());
    let heading: Vec<String> = [capital(&table.axis), "of".into()]
        .into_iter()
        .chain(series)
        .collect();
    let columns = "ll".to_owned() + &"r".repeat(table.series.len());
    markdown_table(&columns, &heading.join(" | "), rows)
}

/// Published and found, with the deviation; in bold if it exceeds the tolerance.
fn shown(figure: &Figure) -> String {
    let found = format!("{:.3}", figure.found);
    let text = match (figure.kind, figure.published, figure.deviation()) {
        (Kind::Window | Kind::Handle, Some(published), Some(deviation)) => {
            format!(
                "{published:.3} / {found} ({} %)",
                signed(100.0 * deviation, 1)
            )
        }
        _ => found,
    };
    match figure.agrees() {
        Some(false) => format!("**{text}**"),
        None if figure.is_fit() => format!("{text}, fitted"),
        _ => text,
    }
}

fn tolerance(results: &Results) -> Option<String> {
    let table = results.table;
    let parts = [
        table
            .within_percent
            .map(|percent| format!("{percent} % of the published figure")),
        table
            .handles_within_percent
            .map(|percent| format!("{percent} % for single handles")),
        table.within_rms.map(|rms| {
            format!("{rms} for the root mean square of the deviations in the tenths of a pass")
        }),
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
        let series = table
            .series
            .iter()
            .position(|one| one.name.get_ref() == name)?;
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
        all.published
            .extend(less.1.zip(more.1).map(|(less, more)| less / more));
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
    let heading = "Statement | Where | Published | Simulator | Points";
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
        let series: Vec<&str> = cause
            .series
            .iter()
            .map(|name| name.get_ref().as_str())
            .collect();
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
    let runs = results
        .judged
        .iter()
        .filter(|one| !one.cell.windows.is_empty());
    let Some(one) = runs.min_by_key(|one| (!one.cell.is_judged(), one.cell.written())) else {
        return String::new();
    };
    let cell = one.cell;
    let set: Vec<String> = cell
        .settings
        .iter()
        .map(|setting| format!("--set {}", ssdlab_words::shell_word(setting)))
        .collect();
    let [from, to] = one.found.requests;
    let [point, series] = names(results, one);
    let set = set.join(" ");
    let (how, commands) = match &cell.requests {
        Requests::Generated(words) => (
            "the growth of `flash_programs` and `flash_copies` from the first run to the second, divided by the growth of \
             `host_write_pages`",
            format!(
                "ssdlab trace generate {} -o load.csv\nssdlab run load.csv --json --limit {from} {set}\nssdlab run load.csv \
                 --json {set}",
                limited(words, to)
            ),
        ),
        Requests::Replayed(file, loops) => (
            "the sum of `flash_programs` and `flash_copies`, divided by `host_write_pages`",
            format!(
                "ssdlab run traces/{} --json --compact --loops {loops} {set}",
                file.get_ref()
            ),
        ),
    };
    format!(
        "\n<details><summary>Commands for one figure: {series}, {point}</summary>\n\nWrite amplification is {how}.\n\n```text\n\
         {commands}\n```\n\n</details>\n"
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
