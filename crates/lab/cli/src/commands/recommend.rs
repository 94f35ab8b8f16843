//! `ssdlab recommend`.

use std::path::{Path, PathBuf};

use serde_json::json;
use ssdlab_arguments::ReadArgs;
use ssdlab_recommend::{Answer, Search, recommend as search, within};
use ssdlab_sim::{
    Choices, CompareOptions, Figure, Figures, Lab, SimError, Trace, advised, extremes, free_memory,
};
use ssdlab_trace::Watch;
use ssdlab_words::{percent, shell_line, shown_text, signed, some_of, thousands};

use super::compare::parse_axes;
use super::config_args::ConfigArgs;
use super::replay_args::ReplayArgs;
use crate::failure::Failure;
use crate::message;
use crate::output;
use crate::progress::Progress;
use crate::screen::{Screen, Table};
use crate::signals::Interrupt;

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    config: ConfigArgs,
    /// The most RAM of the device: its tables, and what they leave for the write buffer; half and a quarter of it are
    /// tried too
    #[arg(long, value_name = "SIZE", value_parser = ssdlab_arguments::values::size)]
    ram: u64,
    /// The figure that ranks (`ssdlab list` names all)
    #[arg(long, value_name = "FIGURE", default_value = "waf")]
    by: String,
    /// Buffer policies to choose from, separated by commas [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    buffer: Vec<String>,
    /// FTLs to choose from, separated by commas [default: ftl.kind of the configuration]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    ftl: Vec<String>,
    /// Another key to choose, such as `ftl.cleaning=greedy,cost-benefit`; may be repeated [default: every cleaning policy, if
    /// the FTL cleans]
    #[arg(long, value_name = "KEY=VALUES")]
    vary: Vec<String>,
    /// Run everything on the whole traces instead of searching
    #[arg(long)]
    exhaustive: bool,
    /// Another seed takes other samples
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Threads [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    #[command(flatten)]
    replay: ReplayArgs,
    #[command(flatten)]
    read: ReadArgs,
    /// The traces, in any format that `ssdlab list` names
    #[arg(required = true)]
    traces: Vec<PathBuf>,
}

/// The command, whose option takes the names of these figures.
pub fn with_figures(command: clap::Command, figures: &Figures) -> clap::Command {
    let by = super::compare::figure_names(figures.ranking());
    command.mut_arg("by", |arg| arg.value_parser(by).hide_possible_values(true))
}

pub fn recommend(args: &Args, lab: &Lab) -> Result<(), Failure> {
    if args.traces.iter().any(|path| path == Path::new("-")) {
        let why = "standard input can be read only once; write the trace to a file first";
        return Err(Failure::Input(why.into()));
    }
    let by = lab
        .figures()
        .named(&args.by)
        .expect("a name that clap has checked");
    let interrupt = Interrupt::await_one();
    let options = CompareOptions {
        stop: Some(interrupt.flag()),
        ..options(args, lab)?
    };
    let progress = Progress::of("reading traces", args.traces.len() as u64);
    // a larger trace is read again for each run
    let memory = free_memory().unwrap_or(u64::MAX) / 2 / args.traces.len() as u64;
    let mut traces = Vec::new();
    for path in &args.traces {
        let read = args.read.options(Watch::default());
        traces.push(Trace::load(path, &read, memory)?);
        progress.add(1);
    }
    drop(progress);
    let progress = Progress::of_levels();
    let mut asked = Search {
        options,
        by,
        seed: args.seed,
        exhaustive: args.exhaustive,
    };
    let traces: Vec<&Trace> = traces.iter().collect();
    asked.options.fit_today(&traces)?;
    let answer = search(&traces, &asked, |level, runs| progress.level(level, runs));
    drop(progress);
    let answer = match answer {
        Err(SimError::Stopped) => return Err(Failure::Interrupted),
        answer => answer?,
    };
    let command = command(args, &asked.options, &answer);
    if args.json {
        return output::print_json(&json!({ "answer": answer, "command": command }));
    }
    message::warn(&answer.notes);
    if !answer.refused.is_empty() {
        let what = format!("not tried: {}", some_of(&answer.refused));
        message::complain("note", &what);
    }
    let screen = Screen::stdout();
    output::print(&words(&answer, &by, &command, &screen))
}

/// What there is to choose from.
fn options(args: &Args, lab: &Lab) -> Result<CompareOptions, Failure> {
    let choices = Choices {
        buffers: args.buffer.clone(),
        ram_total: vec![args.ram],
        ftls: args.ftl.clone(),
        vary: parse_axes(&args.vary)?,
        ..Choices::default()
    };
    let options = CompareOptions {
        replay: args.replay.options(),
        jobs: args.jobs.unwrap_or(0).into(),
        ..CompareOptions::new(lab, args.config.resolver(lab)?).or_today(&choices)
    };
    Ok(within(options.as_configured()?, &choices)?)
}

/// The command that runs what is recommended, on the first trace.
fn command(args: &Args, options: &CompareOptions, answer: &Answer) -> String {
    let mut words: Vec<String> = vec!["ssdlab".into(), "run".into()];
    words.extend(options.today.iter().cloned());
    words.extend(args.config.words());
    for set in &answer.finalists[0].settings {
        words.extend(["--set".into(), set.clone()]);
    }
    words.extend(args.replay.words());
    words.push(args.traces[0].display().to_string());
    shell_line(&words)
}

fn words(answer: &Answer, by: &Figure, command: &str, screen: &Screen) -> String {
    let mut header = vec!["configuration".to_owned()];
    let several = answer.traces.len() > 1;
    header.push(if several {
        format!("{}, mean", by.words)
    } else {
        by.words.to_owned()
    });
    header.push("worse by".into());
    let mut table = Table::new(&header, 1);
    for finalist in answer.finalists.iter().take(8) {
        let mut mean = finalist.mean.map_or("-".into(), |mean| by.unit.cell(mean));
        if let Some([least, most]) = finalist
            .range
            .map(|range| range.map(|one| by.unit.cell(one)))
        {
            mean += &format!(" ({least} to {most})");
        }
        let behind = match finalist.behind {
            Some(0.0) => "best".into(),
            Some(behind) => format!("{} {}", signed(100.0 * behind, 1), by.unit_of_difference()),
            None => "-".into(),
        };
        table.add([finalist.label.clone(), mean, behind]);
    }
    let device = screen.wrap(&format!("device: {}", answer.device), 2);
    let mut text = format!("{device}\n{}\n\n", table.fit(screen));
    if let Some(requests) = &answer.requests {
        text += &format!("{}\n", screen.wrap(&format!("requests: {requests}"), 2));
    }
    let best = &answer.finalists[0];
    let mut says = format!("{} serves ", best.label);
    says += &match several {
        true => format!("these {} traces best", answer.traces.len()),
        false => format!("{} best", shown_text(&answer.traces[0])),
    };
    says += &format!(", by {}", by.words);
    if let [_, second, ..] = &answer.finalists[..] {
        says += &match (answer.is_level(by), several) {
            (true, _) => format!("; {} is level with it", second.label),
            (false, false) => {
                let worse = signed(100.0 * answer.margins[0], 1);
                format!(
                    "; the next, {}, is {worse} {} worse",
                    second.label,
                    by.unit_of_difference()
                )
            }
            (false, true) => {
                let [least, most] = extremes(&answer.margins);
                format!(
                    "; against the next, {}, it is ahead on {} of {} traces ({} to {} {})",
                    second.label,
                    answer.ahead_on,
                    answer.traces.len(),
                    signed(100.0 * least, 1),
                    signed(100.0 * most, 1),
                    by.unit_of_difference()
                )
            }
        };
    }
    text += &format!("{}\n", screen.wrap(&(says + "."), 0));
    for one in &answer.depends_on {
        let others = one.others.iter().take(4);
        let others = others.map(|(value, worse)| {
            format!(
                "{value} {} {}",
                signed(100.0 * worse, 1),
                by.unit_of_difference()
            )
        });
        let others: Vec<String> = others.collect();
        let line = format!(
            "{}: {}; instead, on the samples: {}",
            one.key,
            one.best,
            others.join(", ")
        );
        text += &format!("{}\n", screen.wrap(&line, 2));
    }
    if let Some(aged) = answer.aged() {
        let line = format!(
            "Drives that clean were aged by the trace itself, in random pieces ({aged}), full: with 20 % left unused, add \
             --set precondition=0.8,workload. Ranges are those of pieces of a quarter and of four times the length, and of two \
             other seeds."
        );
        text += &format!("{}\n", screen.wrap(&line, 0));
    }
    for (trace, advice) in &answer.would_help {
        for (label, words) in advised(advice, true) {
            let line = format!("{label}, on {}: {words}", shown_text(trace));
            text += &format!("{}\n", screen.wrap(&line, 2));
        }
    }
    let work = format!(
        "{} configurations, with {} of the work of running all of them",
        thousands(answer.candidates as u64),
        percent(answer.work)
    );
    text += &format!("{}\n", screen.wrap(&work, 0));
    text + &format!("Run it: {command}\n")
}
