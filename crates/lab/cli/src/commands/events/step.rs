//! `ssdlab events step`.

use std::fmt::Write as _;
use std::io::{self, IsTerminal};

use ssdlab_report::steps::{Row, lines};
use ssdlab_sim::{Content, Lab, Step, Steps};
use ssdlab_trace::Watch;

use super::buffer;
use super::walk::{Begin, Walk};
use crate::commands::config_args::ConfigArgs;
use crate::commands::trace_args::TraceArgs;
use crate::failure::Failure;
use crate::output;
use crate::screen::Screen;

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    config: ConfigArgs,
    /// The first request to show, from 1
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = ssdlab_workload::positive_count)]
    from: u64,
    /// The last request to show [default: printed, 1000 requests; in a terminal, all]
    #[arg(long, value_name = "N", value_parser = ssdlab_workload::positive_count)]
    to: Option<u64>,
    /// Print all steps as text, one after the other, in a terminal too
    #[arg(long)]
    plain: bool,
    /// Take page numbers modulo the capacity instead of refusing requests beyond it
    #[arg(long)]
    wrap: bool,
    #[command(flatten)]
    trace: TraceArgs,
}

/// The steps that are printed unless `--to` says otherwise.
const PRINTED: u64 = 1000;

/// The groups of pages that are printed of a buffer: pages, or blocks.
const GROUPS: usize = 24;

/// A step with the buffer behind it.
pub struct View {
    /// The number of the request; one more than the last one for the end.
    pub number: u64,
    pub step: Step,
    /// `None` without a write buffer.
    pub content: Option<Content>,
    pub pages_per_block: u32,
    pub logical_pages: u32,
}

impl View {
    /// The next step, with at most `groups` groups of pages; `None` behind the end.
    pub fn next(steps: &mut Steps, groups: usize) -> Result<Option<Self>, Failure> {
        let Some(step) = steps.step()? else {
            return Ok(None);
        };
        Ok(Some(Self {
            number: step
                .request
                .map_or(steps.served() + 1, |(number, _)| number),
            content: steps.content(groups),
            pages_per_block: steps.pages_per_block(),
            logical_pages: steps.config().logical_pages(),
            step,
        }))
    }

    /// In lines that fit a terminal of this width; elsewhere, only lists of pages are broken.
    pub fn lines(&self, terminal: Option<usize>) -> Vec<Row> {
        /// The width of a list of pages where no terminal says another.
        const USUAL: usize = 100;
        let width = terminal.unwrap_or(usize::MAX);
        let rows = lines(&self.step, self.logical_pages).into_iter();
        let mut rows: Vec<Row> = rows.flat_map(|row| row.broken(width)).collect();
        let width = terminal.unwrap_or(USUAL);
        if let Some(content) = &self.content {
            rows.extend(buffer::lines(content, self.pages_per_block, width));
        }
        rows
    }
}

pub fn step(args: Args, lab: &Lab) -> Result<(), Failure> {
    args.config.files()?.input("the trace", args.trace.path())?;
    if args.to.is_some_and(|to| to < args.from) {
        let why = "--to must not be smaller than --from; no request lies between them";
        return Err(Failure::Input(why.into()));
    }
    let config = args.config.resolver(lab)?.resolve()?;
    let is_file = args.trace.path().is_file();
    let begin = || {
        let read = args.trace.options(Watch::default());
        let systems = lab.systems().clone();
        Steps::begin(config.clone(), args.trace.path(), &read, args.wrap, systems)
    };
    let terminal = io::stdout().is_terminal() && io::stdin().is_terminal();
    let interactive = terminal && !args.plain && args.trace.path().as_os_str() != "-";
    let first = begin()?;
    if interactive {
        let again = || begin().map_err(Failure::from);
        let again: Option<&Begin> = if is_file { Some(&again) } else { None };
        let walk = Walk::new(first, again, args.from, args.to.unwrap_or(u64::MAX));
        return walk.run(&Screen::stdout());
    }
    let to = args.to.unwrap_or(args.from.saturating_add(PRINTED - 1));
    print(first, args.from, to)
}

fn print(mut steps: Steps, from: u64, to: u64) -> Result<(), Failure> {
    let width = Screen::stdout().size().map(|(_, columns)| columns);
    let skipped = steps.skip(from - 1)?;
    if skipped < from - 1 {
        let why = format!("--from {from}: the trace has {skipped} requests");
        return Err(Failure::Input(why));
    }
    let mut text = String::new();
    while steps.served() < to
        && let Some(view) = View::next(&mut steps, GROUPS)?
    {
        for row in view.lines(width) {
            let _ = writeln!(text, "{}", row.text());
        }
        if text.len() > 1 << 16 {
            output::print(&std::mem::take(&mut text))?;
        }
    }
    output::print(&text)
}
