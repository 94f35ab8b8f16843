//! The page of a paper, as Markdown, and its charts: on one screen the main result and the statements that make the paper;
//! folded below, all statements, the workloads and the figures.

use ssdlab_words::{NOTHING, capital, either, markdown_table};

use super::chart;
use super::checked::Paper;
use super::example::{Example, Steps};
use super::judged::{Judged, in_a_line};
use super::run::Results;
use super::section::{file, picture_file, section, sweep_file};
use super::standin::StandIn;
use super::statement::{Cause, Then};
use super::summary::{Line, lines, sentence};
use super::sweep;
use super::terms::Metric;
use crate::error::ReproduceError;

/// The files of a paper's folder, names and contents, the page first.
///
/// # Errors
/// A chart that cannot be drawn.
pub fn pages(paper: &Paper, results: &Results) -> Result<Vec<(String, String)>, ReproduceError> {
    let lines = lines(paper, results);
    let mut page = head(paper, &lines);
    page += &folded(&sentence(&lines), &(statements(&lines) + &notes(paper)));
    page += &folded(
        "The device and the workloads",
        &format!(
            "\n{}\n{}{}",
            paper.description.paper.device,
            workloads(paper, results),
            generated(paper)
        ),
    );
    page += &variants(paper, &lines);
    page += &examples(paper, results);
    page += "\n## Figures\n";
    let (mut charts, mut coloured) = (Vec::new(), Vec::new());
    let header = &paper.description.paper;
    for (figure, results) in paper.description.figure.iter().zip(&results.figures) {
        page += &section(paper, figure, results);
        for panel in &results.panels {
            let chart = chart::svg(panel, &header.charts, &mut coloured);
            charts.push((file(figure, panel), chart));
        }
        for picture in &results.pictures {
            charts.push((picture_file(figure, picture), picture.svg.clone()));
        }
        let statements = figure.statement.iter().zip(&results.statements).enumerate();
        for (i, (statement, results)) in statements {
            if let Some(open) = &statement.sweep {
                let chart = sweep::svg(statement, open, &results.sweep);
                charts.push((sweep_file(figure, i), chart));
            }
        }
    }
    Ok([("README.md".to_owned(), page)]
        .into_iter()
        .chain(charts)
        .collect())
}

/// The title, the source, the main result and the statements that make the paper; the count of all without a main result.
fn head(paper: &Paper, lines: &[Line]) -> String {
    let header = &paper.description.paper;
    let (title, name) = (&header.title, &paper.name);
    let main = match &paper.description.main {
        None => format!("**{}**\n", sentence(lines)),
        Some(main) => format!(
            "**The paper:** {}\n\n**Here:** {}\n\n**{}:** {}\n",
            main.paper,
            main.here.get_ref(),
            capital(main.verdict.get_ref().words()),
            main.why
        ),
    };
    let chosen: Vec<[String; 4]> = lines.iter().filter_map(Line::brief).collect();
    let chosen = match &chosen[..] {
        [] => String::new(),
        _ => format!(
            "\n{}",
            markdown_table("l", "What makes the paper | Paper | Ours | Verdict", chosen)
        ),
    };
    format!(
        "<!-- written by `ssdlab reproduce {name}`; change paper.toml instead -->\n\n# Run again: {title}\n\n{}, {}. \
         `ssdlab reproduce {name}` runs its figures on our traces, with the preset `{}`, and writes this page.\n\n\
         {main}{chosen}",
        header.authors,
        header.venue,
        header.preset.get_ref(),
    )
}

/// A part of the page that is closed at first.
fn folded(summary: &str, text: &str) -> String {
    format!("\n<details><summary>{summary}</summary>\n{text}\n</details>\n")
}

/// What the traces are like, beside those of the paper.
fn workloads(paper: &Paper, results: &Results) -> String {
    let cells: Vec<_> = results.stand_ins.values().map(StandIn::cells).collect();
    let columns = StandIn::COLUMNS.iter().enumerate();
    let columns: Vec<(usize, &str)> = columns
        .filter(|(i, _)| cells.iter().any(|cells| cells[*i] != NOTHING))
        .map(|(i, column)| (i, *column))
        .collect();
    let mut header = vec!["Workload", "In the paper"];
    header.extend(columns.iter().map(|(_, title)| title));
    let rows = results.stand_ins.keys().zip(&cells).map(|(name, cells)| {
        let source = &paper.description.trace[name];
        let theirs = source.paper.as_deref().unwrap_or("not described");
        let mut row = vec![format!("**{name}**: {}", source.about), theirs.to_owned()];
        row.extend(columns.iter().map(|(i, _)| cells[*i].clone()));
        row
    });
    format!(
        "\n{}\nRewrites are page writes divided by the different pages written. A range covers all runs on the trace.\n",
        markdown_table("llr", &header.join(" | "), rows)
    )
}

/// The options of the generated workloads that the description explains.
fn generated(paper: &Paper) -> String {
    let traces = paper.description.trace.iter();
    let explained = traces.filter(|(_, source)| !source.options.is_empty());
    let tables = explained.map(|(name, source)| {
        let rows = source.options.iter().map(|option| {
            let words = format!("`{}`", option.words);
            [words, option.is.clone(), option.from.clone()]
        });
        format!(
            "\n**{name}** is generated (`ssdlab trace generate {}`):\n\n{}",
            source.origin.text().get_ref(),
            markdown_table("lll", "Option | Meaning | From", rows)
        )
    });
    tables.collect()
}

/// Every statement with its result and its causes.
fn statements(lines: &[Line]) -> String {
    let header = Line::HEADER.map(capital).join(" | ") + " | Why";
    let rows = lines.iter().map(|line| {
        let mut cells = line.cells();
        cells[0] = format!("[{}](#{})", cells[0], line.figure.anchor());
        cells.push(why(line));
        cells
            .iter()
            .map(|cell| cell.replace('\n', "<br>"))
            .collect::<Vec<_>>()
    });
    format!(
        "\n{}\n*Ours* is the difference between two rows in {}; of more than three points, the median, the least and the \
         greatest difference; *elsewhere*: at sizes and on traces of the figure that the paper does not speak of. *Points* \
         counts the points that agree, of those whose runs did what the statement is about, and says where. If two thirds \
         agree, the verdict is the best one that two thirds reach: *in the paper's range* (within a tenth of a single \
         number), *as the paper says* (without a number: equal within a tenth, or within a bound), *within a factor of \
         two* of its number, or the *same direction* by more than 2 %. Otherwise the median decides between *in part* (it \
         agrees), *far less* (the direction, but less than a fifth of the number; less than half of a share, a multiple \
         or a mean), *far more* (more than twice a share or a multiple), *at the limit* (within half a point of 2 %), *no difference* and *opposite*. \
         Where the paper gives a mean, the mean decides. Who has the most or the least of all is beaten nowhere. Each opponent \
         has its verdict, and each trace where the statement is about all of them; a statement agrees if all of them do. Runs \
         without a difference count where the statement is about equality. A *cause* sets one key to a value that the paper \
         leaves open, on the same traces, and the statement then agrees; other runs that agree show *where it holds*; *part of \
         it* closes half of the gap and proves nothing; *too much of it* goes past what the paper says, which refutes \
         nothing.\n",
        markdown_table("l", &header, rows),
        metrics(lines)
    )
}

/// The supposed causes of a result, each with what its run shows.
fn why(line: &Line) -> String {
    let causes = line.statement.because.iter().zip(&line.results.causes);
    let said = |(cause, judged): (&Cause, &Judged)| {
        let (says, run, ours) = (
            cause.says.get_ref(),
            capital(&cause.run),
            in_a_line(&judged.ours()),
        );
        match cause.then.get_ref() {
            Then::Agrees => match &cause.open {
                Some(open) => format!("**Cause:** {says} {} {run}: {ours}.", open.get_ref()),
                None => format!("Where it holds: {says} {run}: {ours}."),
            },
            Then::Differs => format!("{says} {run}: {ours}."),
            Then::Halves => format!("Part of it: {says} {run}: {ours}."),
            Then::Overshoots => format!("Too much of it: {says} {run}: {ours}."),
            Then::Remains => format!("Refuted: {says} {run}: still {ours}."),
        }
    };
    let mut words: Vec<String> = causes.map(said).collect();
    if line.is_open() {
        words.insert(0, "**Open.**".into());
    }
    words.extend(line.statement.missing.clone());
    if let Some(open) = &line.statement.sweep {
        let sentence = sweep::sentence(line.figure, line.statement, open, &line.results.sweep);
        let file = sweep_file(line.figure, line.place);
        words.push(format!("{sentence} ([chart]({file}))"));
    }
    words.join(" ")
}

/// The metrics that these statements compare.
fn metrics(lines: &[Line]) -> String {
    let tests = lines.iter().filter_map(|line| line.statement.test.as_ref());
    let mut metrics: Vec<Metric> = tests.map(|test| test.metric.clone()).collect();
    metrics.sort_by_key(|metric| metric.place());
    metrics.dedup();
    let words: Vec<&str> = metrics.iter().map(|metric| metric.figure.words).collect();
    if words.is_empty() {
        "nothing".into()
    } else {
        either(&words)
    }
}

fn notes(paper: &Paper) -> String {
    let notes = paper.description.paper.notes.iter();
    let notes: String = notes.map(|note| format!("- {note}\n")).collect();
    if notes.is_empty() {
        notes
    } else {
        format!("\n{notes}")
    }
}

/// The worked examples, folded.
fn examples(paper: &Paper, results: &Results) -> String {
    let examples = paper.description.example.iter().zip(&results.examples);
    let section = |(example, steps): (&Example, &Steps)| {
        let about = example.about.iter();
        let about: String = about.map(|about| format!("\n{about}\n")).collect();
        format!(
            "\n<details><summary>Worked example, {}: {}</summary>\n{about}\nRequests: `{}`\n\n- {}\n\n</details>\n",
            example.id,
            example.title,
            example.requests.get_ref(),
            steps.join("\n- ")
        )
    };
    let text: String = examples.map(section).collect();
    if text.is_empty() {
        return text;
    }
    format!(
        "\n## Worked examples\n\nEach eviction from the buffer in brackets, and what the FTL does about it.\n{text}"
    )
}

/// The verdicts that are others under other readings of the paper's open points.
fn variants(paper: &Paper, lines: &[Line]) -> String {
    let variants = &paper.description.variant;
    if variants.is_empty() {
        return String::new();
    }
    let mut text = "\n".to_owned();
    for (i, variant) in variants.iter().enumerate() {
        let judged = lines.iter().map(|line| {
            let judged = line.results.variants.get(i).and_then(Option::as_ref);
            (line, judged)
        });
        let agree = judged
            .clone()
            .filter(|(_, judged)| judged.is_some_and(Judged::agrees));
        let (agree, all) = (
            agree.count(),
            judged.clone().filter(|(_, j)| j.is_some()).count(),
        );
        text += &format!(
            "- **{}**: {agree} of {all} agree. {}",
            variant.name, variant.about
        );
        let changed = judged.filter_map(|(line, judged)| {
            let [verdict, ours] = [judged?.verdict(), judged?.ours()].map(|text| in_a_line(&text));
            let (number, says) = (line.figure.number(), line.statement.says.get_ref());
            (verdict != in_a_line(&line.verdict()))
                .then(|| format!("{number}, {says}: {verdict}, {ours}"))
        });
        let changed: Vec<String> = changed.collect();
        if !changed.is_empty() {
            text += &format!(" Other verdicts:\n  - {}", changed.join("\n  - "));
        }
        text += "\n";
    }
    folded("Other readings of what the paper leaves open", &text)
}
