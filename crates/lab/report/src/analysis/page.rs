//! One page of all that an analysis shows.

use maud::{Markup, PreEscaped, Render, html};
use ssdlab_analysis::{Analysis, AnalysisError, Field, Ruling};
use ssdlab_device::results::{Better, Figure};
use ssdlab_words::{capital, listed, shell_line, thousands};

use super::contests::Contests;
use super::pareto::{lacking, undominated};
use super::plot::{Kind, Plot, PlotOptions, plot};
use super::rows::{MOST, PLAIN, Rows};
use crate::escape::script_json;
use crate::figures::text;
use crate::template::{fill, shared, shown, warnings};

const PAGE: &str = include_str!("../../assets/analysis.html");
const SCRIPT: &str = include_str!("../../assets/analysis.js");

/// The most configurations of the table of those that none dominates.
const UNDOMINATED: usize = 50;

/// The figures of a page where none is named, if they vary.
const USUAL: [&str; 5] = ["waf", "throughput", "p99", "erases", "life"];
/// The figures of fronts beside them.
const FRONT: [&str; 5] = ["throughput", "device_ram", "erases", "waf", "life"];
/// The pairs of fronts that are drawn, if both vary.
const PAIRS: [[&str; 2]; 4] = [
    ["device_ram", "waf"],
    ["device_ram", "throughput"],
    ["device_ram", "life"],
    ["waf", "throughput"],
];

/// What a page says of itself.
#[derive(Clone, Debug, Default)]
pub struct AnalysisAbout {
    /// The figures; empty: those of the usual ones that vary.
    pub figures: Vec<String>,
    /// The command that made it, for options that follow: `ssdlab report sweep.parts`.
    pub command: String,
    /// The version of the program.
    pub version: String,
}

/// The page of an analysis; the same input gives the same bytes.
///
/// # Errors
/// A figure is unknown.
pub fn analysis_html(analysis: &Analysis, about: &AnalysisAbout) -> Result<String, AnalysisError> {
    let figures = figures(analysis, about)?;
    let rows = Rows::of(analysis, &figures);
    let mut hints = Vec::new();
    let contests = contests(analysis, &figures);
    let curves = pictures(analysis, about, &figures, Kind::Curves, &mut hints);
    let maps = pictures(analysis, about, &figures, Kind::Heat, &mut hints);
    let spreads = pictures(analysis, about, &figures, Kind::Spread, &mut hints);
    let fronts = fronts(analysis, about, &mut hints);
    let page = fill(PAGE, |place| {
        let made = match place {
            "data" => return script_json(&rows.data()),
            "script" => return SCRIPT.into(),
            "title" => title(analysis).render(),
            "kicker" => kicker(analysis).render(),
            "facts" => facts(analysis),
            "warnings" => warnings(&told(analysis)),
            "winners" => winners(&contests),
            "curves" => section("curves", "Figures over an axis", &curves),
            "maps" => section("maps", "Maps", &maps),
            "fronts" => {
                html! { (section("fronts", "Pareto fronts", &fronts)) (front_table(analysis)) }
            }
            "spreads" => section("spreads", "Spread over traces and seeds", &spreads),
            "hints" => left_out(&hints),
            "limits" => limits(analysis).render(),
            "table" => rows.markup(),
            "files" => files(analysis),
            "command" => about.command.render(),
            "version" => about.version.render(),
            other => return shared(other, &[]),
        };
        // pictures are made by us, and have apostrophes in texts only
        shown(&made)
    });
    Ok(page)
}

fn figures(
    analysis: &Analysis,
    about: &AnalysisAbout,
) -> Result<Vec<(Figure, Field)>, AnalysisError> {
    if !about.figures.is_empty() {
        return about
            .figures
            .iter()
            .map(|name| analysis.figure(name))
            .collect();
    }
    let usual = USUAL.iter().filter_map(|name| analysis.figure(name).ok());
    let usual: Vec<_> = usual.collect();
    let varied: Vec<_> = usual
        .iter()
        .filter(|(_, field)| varies(analysis, field))
        .cloned()
        .collect();
    Ok(if varied.is_empty() { usual } else { varied })
}

fn varies(analysis: &Analysis, field: &Field) -> bool {
    let numbers = analysis.numbers(field);
    let mut known = numbers.iter().flatten();
    let first = known.next();
    known.any(|number| Some(number) != first)
}

fn title(analysis: &Analysis) -> String {
    match analysis.rows() {
        1 => "1 run".into(),
        rows => format!("{} runs", thousands(rows as u64)),
    }
}

fn kicker(analysis: &Analysis) -> String {
    let axes: Vec<String> = analysis
        .axes()
        .iter()
        .map(|field| field.path.clone())
        .collect();
    match axes.as_slice() {
        [] => "nothing varies".into(),
        axes => format!("results over {}", listed(axes)),
    }
}

/// What varies, with its values.
fn facts(analysis: &Analysis) -> Markup {
    let axes = analysis.axes();
    html! {
        div.card {
            h2 { "What varies" }
            @if axes.is_empty() { p { "All rows have one workload and one configuration." } }
            dl {
                @for field in &axes {
                    @let levels = analysis.levels(field);
                    div { dt { code { (field.path) } } dd { (values_of(&levels.labels)) } }
                }
            }
        }
    }
}

fn values_of(labels: &[String]) -> String {
    const SHOWN: usize = 8;
    match labels.len() {
        count if count <= SHOWN => labels.join(", "),
        count => format!(
            "{}, … {} ({} values)",
            labels[..SHOWN - 2].join(", "),
            labels[count - 1],
            thousands(count as u64)
        ),
    }
}

fn files(analysis: &Analysis) -> Markup {
    const SHOWN: usize = 12;
    html! {
        div.card {
            h2 { "Where the rows come from" }
            dl {
                @for source in analysis.sources.iter().take(SHOWN) {
                    div { dt { code { (ssdlab_words::shown_path(&source.path)) } } dd { (thousands(source.rows as u64)) " rows" } }
                }
            }
            @if analysis.sources.len() > SHOWN { p.hint { "And " (thousands((analysis.sources.len() - SHOWN) as u64)) " more files." } }
        }
    }
}

/// What a reader must know before anything else: rows in doubt, rows that were left out, warnings of runs.
fn told(analysis: &Analysis) -> Vec<String> {
    let mut told = Vec::new();
    let count = |number: usize, one: &str, many: &str| match number {
        1 => format!("1 {one}"),
        number => format!("{} {many}", thousands(number as u64)),
    };
    if let Ok(field) = analysis.field("doubt") {
        for (label, rows) in tally(analysis, &field) {
            told.push(format!(
                "{} in doubt: {label}.",
                count(rows, "row is", "rows are")
            ));
        }
    }
    if analysis.repeated > 0 {
        told.push(format!(
            "{} of runs that an earlier row has; each run counts once.",
            count(analysis.repeated, "row is", "rows are")
        ));
    }
    if analysis.bounds > 0 {
        told.push(format!(
            "{} left out, since bounds do not compete.",
            count(
                analysis.bounds,
                "bound of a comparison is",
                "bounds of comparisons are"
            )
        ));
    }
    if let Ok(field) = analysis.field("warnings") {
        for (label, rows) in tally(analysis, &field).into_iter().take(5) {
            told.push(format!(
                "{}: {}",
                count(rows, "row", "rows"),
                label.replace('\n', "; ")
            ));
        }
    }
    told
}

/// The texts of a column with the number of their rows, the most frequent first.
fn tally(analysis: &Analysis, field: &Field) -> Vec<(String, usize)> {
    let levels = analysis.levels(field);
    let mut counts = vec![0; levels.count()];
    levels
        .codes
        .iter()
        .for_each(|code| counts[*code as usize] += 1);
    let pairs = levels.labels.into_iter().zip(counts);
    let mut pairs: Vec<(String, usize)> = pairs
        .filter(|(label, _)| label != ssdlab_words::NOTHING && !label.is_empty())
        .collect();
    pairs.sort_by_key(|(_, rows)| std::cmp::Reverse(*rows));
    pairs
}

fn contests(analysis: &Analysis, figures: &[(Figure, Field)]) -> Vec<Contests> {
    let ranking = figures
        .iter()
        .filter(|(figure, _)| figure.better != Better::Neither);
    let all = ranking.filter_map(|(figure, _)| {
        Contests::of(analysis, &PlotOptions::of(Kind::Spread, &[figure.key])).ok()
    });
    all.filter(|contests| contests.contestants.count() > 1)
        .collect()
}

/// Who wins where; a cell has a name only where somebody wins beyond the spread.
fn winners(all: &[Contests]) -> Markup {
    const PLACES: usize = 24;
    let Some(first) = all.first() else {
        return html! {};
    };
    let places = &first.places.labels;
    let cell = |contests: &Contests, place: usize| {
        let one = contests
            .all
            .iter()
            .find(|one| one.place as usize == place)?;
        let best = one.standings.first()?;
        let name = contests.name(best.contestant).to_owned();
        let sentence = contests.sentence(one);
        Some((one.ruling, name, sentence))
    };
    html! {
        section.card aria-labelledby="winners" {
            h2 #winners { "Who wins" }
            p.hint { "A name in bold wins beyond the spread over traces and seeds. In brackets is who has the smallest median loss where nobody does." }
            div.scroll { table.why {
                thead { tr { th { (first.roles.x.as_ref().map_or(String::new(), super::plot::heading)) } @for contests in all { th { (contests.figure.title) } } } }
                tbody {
                    @for (place, label) in places.iter().enumerate().take(PLACES) {
                        tr {
                            th { (label) }
                            @for contests in all {
                                @match cell(contests, place) {
                                    Some((Ruling::Wins, name, sentence)) => { td title=(sentence) { b { (name) } } }
                                    Some((_, name, sentence)) => { td title=(sentence) { "(" (name) ")" } }
                                    None => { td {} }
                                }
                            }
                        }
                    }
                }
            } }
            @if places.len() > PLACES { p.hint { "And " (places.len() - PLACES) " more." } }
            details.plain { summary { "In words" } ul { @for contests in all { @for one in contests.all.iter().take(PLACES) { li { (capital(&contests.sentence(one))) } } } } }
        }
    }
}

/// A picture with its heading.
struct Shown {
    title: String,
    made: Plot,
    /// How many of its notes the page shows; the others are in the table of winners.
    notes: usize,
    command: String,
}

fn pictures(
    analysis: &Analysis,
    about: &AnalysisAbout,
    figures: &[(Figure, Field)],
    kind: Kind,
    hints: &mut Vec<String>,
) -> Vec<Shown> {
    let mut all = Vec::new();
    for (figure, _) in figures {
        if kind == Kind::Spread && figure.better == Better::Neither {
            continue;
        }
        add(
            analysis,
            about,
            &PlotOptions::of(kind, &[figure.key]),
            &figure.title_with_unit(),
            hints,
            &mut all,
        );
    }
    all
}

/// Adds a picture, or the reason why there is none.
fn add(
    analysis: &Analysis,
    about: &AnalysisAbout,
    asked: &PlotOptions,
    title: &str,
    hints: &mut Vec<String>,
    all: &mut Vec<Shown>,
) {
    match plot(analysis, asked) {
        Ok(made) if made.picture.panels.is_empty() => {}
        Ok(made) => {
            let options = shell_line(&made.options);
            let kind = match asked.kind {
                Kind::Curves | Kind::Pareto => "",
                Kind::Heat => "-heat",
                Kind::Spread => "-spread",
            };
            let name = format!("{}{kind}.pdf", asked.figures.join("-"));
            all.push(Shown {
                title: title.to_owned(),
                notes: if asked.kind == Kind::Spread { 1 } else { 3 },
                command: format!("{} {options} -o {name}", about.command),
                made,
            });
        }
        Err(error) => {
            let hint = error.to_string();
            if !hints.contains(&hint) {
                hints.push(hint);
            }
        }
    }
}

fn fronts(analysis: &Analysis, about: &AnalysisAbout, hints: &mut Vec<String>) -> Vec<Shown> {
    let mut all = Vec::new();
    for pair in PAIRS {
        let known = pair.map(|name| analysis.figure(name).ok());
        if let [Some((one, of_one)), Some((other, of_other))] = known
            && varies(analysis, &of_one)
            && varies(analysis, &of_other)
        {
            let title = format!("{} and {}", one.title, other.words);
            add(
                analysis,
                about,
                &PlotOptions::of(Kind::Pareto, &pair),
                &title,
                hints,
                &mut all,
            );
        }
    }
    all
}

/// The configurations that none dominates in all figures together.
fn front_table(analysis: &Analysis) -> Markup {
    let figures: Vec<(Figure, Field)> = FRONT
        .iter()
        .filter_map(|name| analysis.figure(name).ok())
        .filter(|(_, field)| varies(analysis, field))
        .collect();
    if figures.len() < 2 || analysis.settings().is_empty() {
        return html! {};
    }
    let found = undominated(analysis, &figures);
    let best = &found.all;
    let names: Vec<&str> = figures.iter().map(|(figure, _)| figure.words).collect();
    html! {
        div.card {
            h3 { (thousands(best.len() as u64)) " of " (thousands(found.of as u64)) " configurations are not dominated in " (listed(&names)) " together" }
            p.hint { "By the medians over traces and seeds." @if let Some(note) = lacking(found.left_out) { " " (note) } }
            div.scroll.tall { table.why {
                thead { tr { @for heading in &found.headings { th { (heading) } } @for (figure, _) in &figures { th { (figure.title_with_unit()) } } } }
                tbody { @for one in best.iter().take(UNDOMINATED) {
                    tr { @for setting in &one.settings { td.word { (setting) } } @for ((figure, _), value) in figures.iter().zip(&one.values) { td { (text(figure, *value)) } } }
                } }
            } }
            @if best.len() > UNDOMINATED { p.hint { "The first " (UNDOMINATED) " are shown." } }
        }
    }
}

fn section(id: &str, heading: &str, all: &[Shown]) -> Markup {
    html! {
        @if !all.is_empty() {
            section aria-labelledby=(id) {
                h2 id=(id) { (heading) }
                @for one in all {
                    figure.card {
                        figcaption { h3 { (one.title) } @for note in one.made.notes.iter().take(one.notes) { p { (note) } } }
                        (PreEscaped(one.made.picture.inline()))
                        p.command { code { (one.command) } }
                    }
                }
            }
        }
    }
}

fn left_out(hints: &[String]) -> Markup {
    html! {
        @if !hints.is_empty() {
            details { summary { "Pictures that were left out" } ul { @for hint in hints { li { (hint) } } } }
        }
    }
}

/// What of the rows the table shows.
fn limits(analysis: &Analysis) -> String {
    let rows = analysis.rows();
    let mut text = "Click a heading to sort. Type into a field to filter: a part of a text, or >2, <=5, =3 for numbers.".to_owned();
    if rows > MOST {
        text += &format!(
            " The table has the first {} of {} rows; the pictures have all of them.",
            thousands(MOST as u64),
            thousands(rows as u64)
        );
    }
    if rows > PLAIN {
        text += &format!(" Without scripts it shows the first {PLAIN}.");
    }
    text
}
