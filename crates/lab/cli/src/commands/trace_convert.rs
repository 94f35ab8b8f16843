//! `ssdlab trace convert`.

use std::fs;
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde::Serialize;
use ssdlab_convert::{Convert, Converted, Fit, GATHERED, Select, Target, file_name};
use ssdlab_host::Op;
use ssdlab_output::make_folder;
use ssdlab_sim::{left_out, trace_warnings};
use ssdlab_trace::{ReadOptions, Watch};
use ssdlab_words::{fixed, shown_path, shown_text, thousands};

use super::trace_args::TraceArgs;
use super::trace_output::{Out, out_failed, said, target};
use crate::failure::Failure;
use crate::output::Files;
use crate::progress::Progress;
use crate::screen::Screen;
use crate::{message, output};
use ssdlab_arguments::values;

#[derive(clap::Args)]
pub struct Args {
    /// Write to this file; its ending says the format: .csv, .parquet, .fio or .iolog, .mqsim, .blkparse, all but .parquet
    /// also with .zst or .gz. `-` is standard output
    #[arg(
        long,
        short,
        value_name = "FILE",
        required_unless_present = "split_by_volume"
    )]
    output: Option<PathBuf>,
    /// Format of the output, plain, parquet, fio, mqsim or blkparse, or an ending such as csv.gz [default: by the name of
    /// the output; parquet with --split-by-volume]
    #[arg(long, value_name = "FORMAT", value_parser = Target::named)]
    to: Option<Target>,
    /// Write each volume to a file of its own in this folder
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["output", "volume"])]
    split_by_volume: Option<PathBuf>,
    /// Only requests of these kinds, such as R,W: reads, writes, flushes and discards are R, W, F and D
    #[arg(long, value_name = "LETTERS", value_delimiter = ',', value_parser = ops())]
    only: Option<Vec<Op>>,
    /// Only requests from this time after the first one on, such as 90s or 2h; it becomes time 0
    #[arg(long, value_name = "TIME", value_parser = values::time, default_value = "0s")]
    from: u64,
    /// Only requests before this time after the first one
    #[arg(long, value_name = "TIME", value_parser = values::time)]
    until: Option<u64>,
    /// Only what lies in these bytes, such as 1GiB..3GiB or 1GiB..; requests that reach beyond are cut, flushes stay
    #[arg(long, value_name = "FROM..TO", value_parser = range)]
    range: Option<(u64, u64)>,
    /// Move addresses so that they fit a device of this size: the blocks that are read or written are packed
    #[arg(long, value_name = "SIZE", value_parser = values::sectors)]
    scale_to: Option<u64>,
    /// With --scale-to: neighbours within blocks of this size stay neighbours
    #[arg(long, value_name = "SIZE", default_value = "1MiB", value_parser = values::sectors, requires = "scale_to")]
    block: u64,
    /// With --scale-to: take addresses modulo SIZE instead
    #[arg(long, requires = "scale_to", conflicts_with = "block")]
    wrap: bool,
    /// mqsim and blkparse, which count sectors of 512 bytes: round requests that begin or end inside a sector
    #[arg(long)]
    whole_sectors: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    trace: TraceArgs,
}

fn ops() -> impl TypedValueParser<Value = Op> {
    let letters = Op::ALL.map(|op| &*op.letter().to_string().leak());
    PossibleValuesParser::new(letters).try_map(|letter| {
        let mut all = Op::ALL.into_iter();
        let op = all.find(|op| letter == op.letter().to_string());
        op.ok_or("no such operation")
    })
}

fn range(text: &str) -> Result<(u64, u64), String> {
    let (from, to) = values::range(text)?;
    Ok((from, to.unwrap_or(u64::MAX)))
}

impl Args {
    fn how(&self) -> Convert {
        let fit = self.scale_to.map(|size| {
            if self.wrap {
                Fit::Wrapped { size }
            } else {
                let group = self.block;
                Fit::Packed { size, group }
            }
        });
        Convert {
            select: Select {
                only: self.only.clone(),
                from_ns: self.from,
                until_ns: self.until,
                range: self.range,
            },
            fit,
            whole_sectors: self.whole_sectors,
        }
    }

    /// The options of reading, with all volumes if the output has a place for them.
    fn options(&self, to: Target, watch: Watch) -> ReadOptions {
        let options = self.trace.options(watch);
        let has_place = self.split_by_volume.is_some() || to.to.has_volumes();
        ReadOptions {
            all_volumes: has_place && options.volume.is_none(),
            ..options
        }
    }

    /// The progress of the passes over the trace.
    fn progress(&self) -> (Progress, Watch) {
        let twice = self.scale_to.is_some() && !self.wrap;
        Progress::of_passes("converting", Some(if twice { 2 } else { 1 }))
    }
}

pub fn convert(args: &Args) -> Result<(), Failure> {
    let to_stdout = args.split_by_volume.is_none()
        && args
            .output
            .as_deref()
            .is_none_or(|path| path == Path::new("-"));
    if args.json && to_stdout {
        return Err(json_beside_the_trace());
    }
    if args.until.is_some_and(|until| until <= args.from) {
        return Err(Failure::Input(
            "--until must be later than --from; no request lies between them".into(),
        ));
    }
    let mut files = Files::default();
    files.input("the trace", args.trace.path())?;
    match (&args.split_by_volume, &args.output) {
        (Some(folder), _) => split(args, files, folder),
        (None, output) => whole(args, files, output.as_deref().unwrap_or(Path::new("-"))),
    }
}

fn whole(args: &Args, mut files: Files, path: &Path) -> Result<(), Failure> {
    let out = Out::open(&mut files, path)?;
    let target = target(path, args.to, None)?;
    let (progress, watch) = args.progress();
    let options = args.options(target, watch);
    let converted = args.how().run(args.trace.path(), &options, target, out);
    let (out, converted) =
        converted.map_err(|error| Failure::converting(error, |error| out_failed(path, error)))?;
    drop(progress);
    out.finish()?;
    warn(&converted, path);
    if path == Path::new("-") {
        return Ok(());
    }
    let report = Report {
        output: shown_path(path),
        format: target.to.name(),
        bytes: stored(path),
        files: None,
        converted: &converted,
    };
    report.print(args.json)
}

fn split(args: &Args, files: Files, folder: &Path) -> Result<(), Failure> {
    let parquet = || Target::named("parquet");
    let target = args.to.map_or_else(parquet, Ok).map_err(Failure::Input)?;
    let failed = |error: &std::io::Error| Failure::writing(folder, error);
    let is_new = !folder.exists();
    make_folder(folder).map_err(|error| failed(&error))?;
    let done = split_to(args, files, folder, target);
    if done.is_err() && is_new {
        // only if it is empty
        let _ = fs::remove_dir(folder);
    }
    done
}

fn split_to(args: &Args, mut files: Files, folder: &Path, target: Target) -> Result<(), Failure> {
    let failed = |error: &std::io::Error| Failure::writing(folder, error);
    let spool = tempfile::tempfile_in(folder).map_err(|error| failed(&error))?;
    let (progress, watch) = args.progress();
    let options = args.options(target, watch);
    let split = args
        .how()
        .split(args.trace.path(), &options, target, spool, GATHERED);
    let mut split = split.map_err(|error| Failure::converting(error, failed))?;
    drop(progress);
    let volumes = split.volumes();
    let progress = Progress::of("writing the volumes", volumes.len() as u64);
    let mut bytes = 0;
    for (number, name) in &volumes {
        let path = folder.join(file_name(name) + &target.ending());
        let out = files.create("--split-by-volume", &path)?;
        let written = split.write(*number, out);
        let out = written
            .map_err(|error| Failure::converting(error, |error| Failure::writing(&path, error)))?;
        out.finish()?;
        bytes += stored(&path);
        progress.add(1);
    }
    drop(progress);
    let converted = split.converted();
    warn(converted, folder);
    let report = Report {
        output: shown_path(folder),
        format: target.to.name(),
        bytes,
        files: Some(volumes.len()),
        converted,
    };
    report.print(args.json)
}

/// The bytes of a file; 0 if it is another thing.
fn stored(path: &Path) -> u64 {
    let file = fs::metadata(path).ok().filter(fs::Metadata::is_file);
    file.map_or(0, |file| file.len())
}

/// Warns of what the trace and the format of the output do that nobody asked for.
pub fn warn(converted: &Converted, path: &Path) {
    message::warn(&trace_warnings(&converted.trace));
    message::warn(&said(&converted.by_format, path));
}

/// What a conversion says.
#[derive(Serialize)]
struct Report<'a> {
    output: String,
    format: &'static str,
    /// Of the output as stored.
    bytes: u64,
    /// Files in a folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<usize>,
    #[serde(flatten)]
    converted: &'a Converted,
}

impl Report<'_> {
    fn print(&self, json: bool) -> Result<(), Failure> {
        if json {
            return output::print_json(self);
        }
        let mut facts = vec![
            ("output", format!("{}, {}", self.output, self.format)),
            ("bytes", self.bytes()),
        ];
        if let Some(files) = self.files {
            facts.push(("files", thousands(files as u64)));
        }
        facts.extend(self::facts(self.converted));
        print_facts(&facts)
    }

    fn bytes(&self) -> String {
        let each = self.bytes as f64 / self.converted.requests as f64;
        let bytes = thousands(self.bytes);
        match self.converted.requests {
            0 => bytes,
            _ => format!("{bytes}, {} for each request", fixed(each, 1)),
        }
    }
}

/// The counts of a conversion: label and value.
pub fn facts(converted: &Converted) -> Vec<(&'static str, String)> {
    let (trace, notes) = (&converted.trace, &converted.notes);
    let read = thousands(trace.requests);
    let requests = format!("{} of {read} in the trace", thousands(converted.requests));
    let mut facts = vec![("requests", requests)];
    facts.extend(left_out(trace).map(|what| ("left out", what)));
    for (label, counts) in [("left out", &notes.left_out), ("changed", &notes.changed)] {
        let line = |(reason, count): (&&str, &u64)| format!("{} {reason}", thousands(*count));
        facts.extend(counts.iter().map(|count| (label, line(count))));
    }
    if trace.volumes.len() > 1 {
        let some = ssdlab_words::some_of(&trace.volumes);
        let count = thousands(trace.volumes.len() as u64);
        facts.push(("volumes", format!("{count}: {}", shown_text(&some))));
    }
    facts
}

/// Prints labels and values.
pub fn print_facts(facts: &[(&str, String)]) -> Result<(), Failure> {
    const LABEL: usize = 14;
    output::print(&Screen::stdout().facts(LABEL, facts))
}

/// The refusal of `--json` where the trace goes to standard output.
pub fn json_beside_the_trace() -> Failure {
    let why =
        "--json prints to standard output, where the trace goes, too; give it a file with --output";
    Failure::Input(why.into())
}
