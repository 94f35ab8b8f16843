//! The part of a page about one figure: charts, what the counters say, numbers, commands.

use ssdlab_sim::key;
use ssdlab_words::{NOTHING, bytes, capital, markdown_table, size_value};

use super::checked::Paper;
use super::counters::from_counters;
use super::description::{Figure, Origin};
use super::job::left_out;
use super::panel::Panel;
use super::picture::Picture;
use super::run::FigureResults;
use super::sweep;
use super::terms::{Metric, Requests};

/// The file of a chart.
pub fn file(figure: &Figure, panel: &Panel) -> String {
    format!("{}-{}.svg", figure.anchor(), panel.trace)
}

/// The file of the picture of a trace.
pub fn picture_file(figure: &Figure, picture: &Picture) -> String {
    format!("{}-{}.svg", figure.anchor(), picture.trace)
}

/// The file of the chart of a statement, counted from 0, over an open parameter.
pub fn sweep_file(figure: &Figure, statement: usize) -> String {
    format!("{}-over-{}.svg", figure.anchor(), statement + 1)
}

/// A figure, folded: charts, what the counters say, numbers, commands.
pub fn section(paper: &Paper, figure: &Figure, results: &FigureResults) -> String {
    let panels = &results.panels;
    let mut text = format!(
        "\n<a id=\"{}\"></a>\n\n<details><summary>{}: {}</summary>\n",
        figure.anchor(),
        figure.name(),
        figure.title
    );
    for words in [&figure.missing, &figure.about].into_iter().flatten() {
        text += &format!("\n{words}\n");
    }
    for panel in panels {
        let (trace, file) = (&panel.trace, file(figure, panel));
        text += &format!(
            "\n**{trace}**\n\n![{}, {trace}]({file})\n",
            alternative(paper, figure)
        );
    }
    for picture in &results.pictures {
        let (trace, file) = (&picture.trace, picture_file(figure, picture));
        text += &format!(
            "\n**{trace}**\n\n![Addresses over time, {trace}]({file})\n\n{}",
            picture.table
        );
    }
    let mut counters: Vec<String> = Vec::new();
    let statements = figure.statement.iter().zip(&results.statements).enumerate();
    for (i, (statement, results)) in statements {
        if let Some(open) = &statement.sweep {
            let says = statement.says.get_ref();
            let file = sweep_file(figure, i);
            let sentence = sweep::sentence(figure, statement, open, &results.sweep);
            text += &format!(
                "\n{says}? {sentence}\n\n![{says}: the difference over {}]({file})\n",
                open.over
            );
        }
        let telling = results.judged.as_ref().and_then(|judged| judged.telling());
        counters.extend(telling.and_then(|point| from_counters(point, panels)));
    }
    if !counters.is_empty() {
        counters.dedup();
        text += &format!("\nFrom the counters:\n\n- {}\n", counters.join("\n- "));
    }
    if let Some(remark) = &figure.remark {
        text += &format!("\n{remark}\n");
    }
    if figure.served.is_some() {
        text += &served(figure, panels);
    }
    if !panels.is_empty() {
        text += &numbers(paper, figure, panels);
        text += &command(paper, figure);
    }
    text + "\n</details>\n"
}

/// The alternative text of a chart.
fn alternative(paper: &Paper, figure: &Figure) -> String {
    let charts = paper.description.paper.charts.iter();
    let titles: Vec<&str> = charts.map(|metric| metric.figure.title).collect();
    let text = capital(&titles.join(" and ").to_lowercase());
    match figure.sizes(&paper.description.paper) {
        [_, _, ..] => format!("{text} over the {} size", figure.memory()),
        _ => text,
    }
}

/// The seconds of the simulated and of the served rows: a check of `ssdlab serve`, which says nothing about the paper.
fn served(figure: &Figure, panels: &[Panel]) -> String {
    let mut labels: Vec<&String> = Vec::new();
    for row in panels.iter().flat_map(Panel::policies) {
        if !labels.contains(&&row.label) {
            labels.push(&row.label);
        }
    }
    let both = |panel: &Panel, label: &String| {
        let served = figure.seconds.get(&(panel.trace.clone(), label.clone()));
        let row = panel.policies().find(|row| row.label == *label);
        let simulated = row.map(|row| row.outcome.counters.elapsed_ns as f64 / 1e9);
        simulated.zip(served.copied())
    };
    let mut deviation: f64 = 0.0;
    let rows: Vec<Vec<String>> = (panels.iter())
        .map(|panel| {
            let cells = labels.iter().map(|label| match both(panel, label) {
                Some((simulated, served)) => {
                    deviation = deviation.max((served / simulated - 1.0).abs());
                    format!("{simulated:.2} / {served:.2}")
                }
                None => NOTHING.to_owned(),
            });
            [panel.trace.clone()].into_iter().chain(cells).collect()
        })
        .collect();
    let labels: Vec<&str> = labels.iter().map(|label| label.as_str()).collect();
    let header = format!("Seconds, simulated / served | {}", labels.join(" | "));
    format!(
        "\nA check of `ssdlab serve`, which says nothing about the paper: served, the requests take at most {:.1} % more or \
         less time than simulated.\n\n{}",
        100.0 * deviation,
        markdown_table("l", &header, rows)
    )
}

/// All rows, folded away.
fn numbers(paper: &Paper, figure: &Figure, panels: &[Panel]) -> String {
    let rows = || panels.iter().flat_map(|panel| &panel.rows);
    // page mapping never merges, and only some FTLs ask the buffer
    let says_something = |metric: &Metric| rows().any(|row| metric.value(row) != Some(0.0));
    let mut columns = paper.description.paper.columns();
    columns.retain(|metric| says_something(metric));
    let mut text = String::new();
    for panel in panels {
        let titles: Vec<String> = columns.iter().map(|column| column.heading()).collect();
        let (memory, titles) = (capital(figure.memory()), titles.join(" | "));
        let header = format!("{} | {memory} | {titles}", panel.trace);
        let rows = panel.policies().map(|row| {
            let size = row.size.map_or(NOTHING.into(), bytes);
            let cells = columns.iter().map(|column| column.cell(row));
            [row.label.clone(), size].into_iter().chain(cells)
        });
        text += &format!("\n{}", markdown_table("llr", &header, rows));
    }
    text
}

/// The commands that make the traces and print the numbers of the first one.
fn command(paper: &Paper, figure: &Figure) -> String {
    let options = options(paper, figure).concat();
    let buffers = figure.buffers(&paper.description.paper);
    let files: Vec<(String, String)> = figure
        .traces
        .iter()
        .map(|trace| file_of(paper, trace.get_ref()))
        .collect();
    let mut commands: String = files.iter().map(|(made, _)| made.as_str()).collect();
    let Some(((_, file), others)) = files.split_first() else {
        return String::new();
    };
    if !buffers.is_empty() {
        let (buffers, varied) = (join(buffers), varied(paper, figure));
        commands += &format!("ssdlab compare {file} {options} --buffer {buffers}{varied}\n");
    }
    for system in &figure.system {
        let set = system.set.iter();
        let set: String = set.map(|set| format!(" --set {}", set.get_ref())).collect();
        commands += &format!("ssdlab run {file} {options}{set}\n");
    }
    let also = also_set(paper, figure);
    let mut text = format!("\n```sh\n{commands}```\n{also}");
    if !others.is_empty() {
        let others: Vec<String> = others.iter().map(|(_, file)| format!("`{file}`")).collect();
        text += &format!(
            "\nThe other traces: {} in place of `{file}`.\n",
            others.join(", ")
        );
    }
    text
}

/// The options of all commands of a figure: those of the device, and those of the trace.
pub(super) fn options(paper: &Paper, figure: &Figure) -> [String; 2] {
    let preset = format!("--preset {}", paper.description.paper.preset.get_ref());
    let set = figure.set.iter();
    let set = set.map(|set| format!(" --set {}", set.get_ref()));
    let left_out = left_out(paper, figure);
    let left_out = left_out.iter().map(|kind| match kind {
        Requests::Reads => " --drop-reads",
        Requests::Flushes => " --drop-flushes",
    });
    [preset + &set.collect::<String>(), left_out.collect()]
}

/// The command that makes a trace, if it is made, and its file.
pub(super) fn file_of(paper: &Paper, trace: &str) -> (String, String) {
    match &paper.description.trace[trace].origin {
        Origin::File { file, limit } => {
            let limit = limit.map_or_else(String::new, |limit| format!(" --limit {limit}"));
            (String::new(), format!("traces/{}{limit}", file.get_ref()))
        }
        Origin::Generated(words) => {
            let (words, file) = (words.get_ref(), format!("{trace}.csv"));
            let made = format!("ssdlab trace generate {words} --output {file}\n");
            (made, file)
        }
        Origin::Merged {
            files,
            offset_each,
            stretch_s,
        } => {
            let file = format!("{trace}.csv");
            let files = files
                .iter()
                .map(|file| format!(" traces/{}", file.get_ref()));
            let mut made = format!("ssdlab trace merge{}", files.collect::<String>());
            if let Some(size) = offset_each {
                made += &format!(" --offset-each {}", size_value(size.0));
            }
            if let Some(seconds) = stretch_s {
                made += &format!(" --stretch {seconds}");
            }
            (format!("{made} --output {file}\n"), file)
        }
    }
}

/// The sizes of a figure and the keys that it varies.
fn varied(paper: &Paper, figure: &Figure) -> String {
    let vary = figure.vary.iter();
    let vary = vary.map(|(key, values)| match key.as_str() {
        key::FTL => format!(" --ftl {}", join(values)),
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
    let sizes: Vec<String> = sizes.map(|size| size_value(size.0)).collect();
    if sizes.is_empty() {
        String::new()
    } else {
        format!(" --size {}", sizes.join(","))
    }
}

/// The keys with several values, which the commands of systems leave out.
fn also_set(paper: &Paper, figure: &Figure) -> String {
    if figure.system.is_empty() {
        return String::new();
    }
    let sizes = figure.sizes(&paper.description.paper);
    let size = (sizes.len() > 1).then_some(figure.size_key());
    let keys = figure.vary.keys().map(String::as_str).chain(size);
    let keys: Vec<String> = keys.map(|key| format!("`--set {key}=…`")).collect();
    if keys.is_empty() {
        String::new()
    } else {
        format!("\nFor the other rows, add {}.\n", keys.join(" and "))
    }
}
