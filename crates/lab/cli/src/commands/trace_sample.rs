//! `ssdlab trace sample`.

use std::path::{Path, PathBuf};

use serde::Serialize;
use ssdlab_convert::{Rate, Sample, Sampled, Target};
use ssdlab_words::{bytes, percent, shown_path, size_value, thousands};

use super::command_line::quoted;
use super::trace_args::TraceArgs;
use super::trace_convert::{facts, json_beside_the_trace, print_facts, warn};
use super::trace_output::{Out, out_failed, target};
use crate::failure::Failure;
use crate::output::Files;
use crate::progress::Progress;
use crate::{message, output};
use ssdlab_arguments::values;

#[derive(clap::Args)]
pub struct Args {
    /// Share of the groups of addresses that is kept, such as 1/64 or 0.05
    #[arg(long, value_name = "SHARE", value_parser = rate)]
    rate: Rate,
    /// Write to this file; its ending says the format, as that of `trace convert` does. `-` is standard output
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// The format of the output [default: as the ending of its name says; plain on standard output]
    #[arg(long, value_name = "FORMAT", value_parser = Target::named)]
    to: Option<Target>,
    /// Bytes of a group: an erase block, or some of them
    #[arg(long, value_name = "SIZE", default_value = "1MiB", value_parser = values::sectors)]
    group: u64,
    /// Another number keeps other groups
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Capacity of the whole device; prints that of the device for the sample
    #[arg(long, value_name = "SIZE", value_parser = values::sectors)]
    capacity: Option<u64>,
    /// Size of its write buffer; prints that for the sample
    #[arg(long, value_name = "SIZE", value_parser = values::sectors)]
    buffer: Option<u64>,
    /// Number of its log blocks; prints that for the sample
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    log_blocks: Option<u64>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    trace: TraceArgs,
}

fn rate(text: &str) -> Result<Rate, String> {
    Rate::parse(text)
        .ok_or_else(|| "must be above 0 and at most 1, such as 1/64, 0.05 or 5%".into())
}

/// Fewer groups say little of the whole trace.
const FEW: u64 = 32;
/// Buffers are whole pages of this size.
const PAGE: u64 = 4096;

pub fn sample(args: &Args) -> Result<(), Failure> {
    let mut files = Files::default();
    files.input("the trace", args.trace.path())?;
    let path = &*args.output;
    if args.json && path == Path::new("-") {
        return Err(json_beside_the_trace());
    }
    let out = Out::open(&mut files, path)?;
    let target = target(path, args.to, None)?;
    let (progress, watch) = Progress::of_passes("sampling", Some(2));
    let sample = Sample {
        rate: args.rate,
        seed: args.seed,
        group: args.group,
    };
    let sampled = sample.run(args.trace.path(), &args.trace.options(watch), target, out);
    let (out, sampled) =
        sampled.map_err(|error| Failure::converting(error, |error| out_failed(path, error)))?;
    drop(progress);
    out.finish()?;
    warn(&sampled.converted, path);
    if sampled.kept.groups_kept < FEW {
        message::warn(&[format!(
            "{}: the sample has {} groups; with fewer than {FEW}, results depend much on --seed",
            shown_path(path),
            sampled.kept.groups_kept
        )]);
    }
    if path == Path::new("-") {
        return Ok(());
    }
    let report = Report {
        output: shown_path(path),
        rate: args.rate.share(),
        seed: args.seed,
        capacity: args.capacity.map(|all| sampled.kept.scaled_capacity(all)),
        buffer: args.buffer.map(|all| sampled.kept.scaled(all, PAGE)),
        log_blocks: args.log_blocks.map(|all| sampled.kept.scaled(all, 1)),
        share: sampled.kept.share(),
        sampled: &sampled,
    };
    if args.json {
        return output::print_json(&report);
    }
    report.print(args)
}

#[derive(Serialize)]
struct Report<'a> {
    output: String,
    rate: f64,
    seed: u64,
    /// Groups kept over groups touched.
    share: f64,
    #[serde(flatten)]
    sampled: &'a Sampled,
    /// For the sample; `None`: that of the whole device is not known.
    capacity: Option<u64>,
    buffer: Option<u64>,
    log_blocks: Option<u64>,
}

impl Report<'_> {
    fn print(&self, args: &Args) -> Result<(), Failure> {
        let kept = self.sampled.kept;
        let groups = format!(
            "{} of {} groups of {}: {} of the addresses",
            thousands(kept.groups_kept),
            thousands(kept.groups),
            bytes(kept.group),
            percent(self.share)
        );
        let mut list = vec![("output", self.output.clone())];
        list.extend(facts(&self.sampled.converted));
        list.push(("kept", groups));
        for (label, scaled, all) in [
            ("capacity", self.capacity, args.capacity),
            ("buffer", self.buffer, args.buffer),
        ] {
            let sizes = scaled.zip(all);
            list.extend(sizes.map(|(scaled, all)| {
                (
                    label,
                    format!("{} instead of {}", bytes(scaled), bytes(all)),
                )
            }));
        }
        let logs = self.log_blocks.zip(args.log_blocks);
        list.extend(logs.map(|(scaled, all)| {
            let numbers = format!("{} instead of {}", thousands(scaled), thousands(all));
            ("log blocks", numbers)
        }));
        let options = self.options();
        if !options.is_empty() {
            list.push((
                "run it",
                format!("ssdlab run{options} {}", quoted(args.output.as_os_str())),
            ));
        }
        print_facts(&list)
    }

    /// The options of a run on the device for the sample.
    fn options(&self) -> String {
        let sizes = [
            ("flash.capacity", self.capacity.map(size_value)),
            ("buffer.size", self.buffer.map(size_value)),
            ("ftl.log_blocks", self.log_blocks.map(|all| all.to_string())),
        ];
        let sets = sizes.into_iter();
        sets.filter_map(|(key, value)| Some(format!(" --set {key}={}", value?)))
            .collect()
    }
}
