//! `ssdlab calibrate`.

use std::io::Write;
use std::path::PathBuf;

use ssdlab_calibrate::{
    CalibrateError, Calibration, Clocks, Compared, FittedCliff, Overhead, Percentiles, Role,
    TEMPLATE,
};
use ssdlab_sim::Lab;
use ssdlab_words::{decimal, decimal_bytes, known, percent, shown_text};

use crate::failure::Failure;
use crate::output::{self, Files};
use crate::screen::{Screen, Table};

#[derive(clap::Args)]
pub struct Args {
    /// File of the drive (TOML): its sheet and its measurements
    #[arg(value_name = "DRIVE", required_unless_present = "template")]
    drive: Option<PathBuf>,
    /// Write the configuration to a file
    #[arg(short, long, value_name = "FILE", conflicts_with = "template")]
    output: Option<PathBuf>,
    /// Print one JSON object instead of tables
    #[arg(long, conflicts_with_all = ["template", "configuration"])]
    json: bool,
    /// Print the configuration instead of tables
    #[arg(long, conflicts_with_all = ["template", "output"])]
    configuration: bool,
    /// Print a file of a drive to start from
    #[arg(long, conflicts_with = "drive")]
    template: bool,
}

pub fn calibrate(args: &Args, lab: &Lab) -> Result<(), Failure> {
    let Some(drive) = &args.drive else {
        return output::print(TEMPLATE);
    };
    let mut files = Files::default();
    files.input("the drive", drive)?;
    let file = args
        .output
        .as_deref()
        .map(|path| files.create("--output", path));
    let file = file.transpose()?;
    let found = ssdlab_calibrate::calibrate(drive, lab)?;
    if let (Some(mut file), Some(path)) = (file, &args.output) {
        let written = file.write_all(found.configuration.as_bytes());
        written.map_err(|error| Failure::writing(path, &error))?;
        file.finish()?;
    }
    if args.json {
        return output::print_json(&found);
    }
    if args.configuration {
        return output::print(&found.configuration);
    }
    output::print(&text(&found))
}

fn text(found: &Calibration) -> String {
    let screen = Screen::stdout();
    let mut text = screen.wrap(&format!("{}\n", sentence(found)), 0);
    if !found.measurements.is_empty() {
        text += &format!(
            "\n{}\n",
            measurements(&found.measurements).fit(&screen).trim_end()
        );
    }
    for measured in &found.measurements {
        if let Some([host, media]) = &measured.counters {
            let says = format!(
                "{}: {host} of the host, {media} of the flash.",
                shown_text(&measured.name)
            );
            text += &format!("\n{}\n", screen.wrap(&says, 0));
        }
        for warning in &measured.warnings {
            text += &format!(
                "{}\n",
                screen.wrap(&format!("warning: {}", warning.text), 0)
            );
        }
    }
    for measured in found.measurements.iter().filter(|m| !m.parts.is_empty()) {
        text += &format!(
            "\n{}, by equal parts of a pass:\n{}\n",
            shown_text(&measured.name),
            parts(measured).fit(&screen).trim_end()
        );
    }
    if found.explanations.len() > 1 {
        text += &format!("\n{}\n", explanations(found).fit(&screen).trim_end());
    }
    if let Some(clocks) = &found.clocks {
        let mut says: Vec<String> = clocks
            .fitted
            .iter()
            .map(|one| format!("{} = {} is fitted to the {}.", one.key, one.value, one.from))
            .collect();
        says.extend(clocks.notes.iter().map(|note| format!("{note}.")));
        for line in says {
            text += &format!("\n{}", screen.wrap(&line, 0));
        }
        text += &format!("\n\n{}\n", loads(clocks).fit(&screen).trim_end());
    }
    if let Some(cliff) = &found.cliff {
        for key in &cliff.told {
            let says = format!("{} = {} is from {}.", key.key, key.value, key.from);
            text += &format!("\n{}", screen.wrap(&says, 0));
        }
        for note in &cliff.notes {
            text += &format!("\n{}", screen.wrap(&format!("note: {note}."), 0));
        }
        text += &format!("\n\n{}\n", phases(cliff).fit(&screen).trim_end());
    }
    text
}

/// A measured fill beside that of the configuration.
fn phases(cliff: &FittedCliff) -> Table {
    let mut table = Table::new(&["phase", "measured", "predicted"], 1);
    let words = |bytes: f64, mb_s: f64| {
        format!(
            "{} at {} MB/s",
            decimal_bytes(bytes as u64),
            decimal(mb_s, 0)
        )
    };
    let found = &cliff.predicted.phases;
    for place in 0..cliff.measured.len().max(found.len()) {
        let measured = cliff
            .measured
            .get(place)
            .map(|&[bytes, mb_s]| words(bytes, mb_s));
        let predicted = found
            .get(place)
            .map(|phase| words(phase.bytes as f64, phase.mb_s));
        table.add([
            (place + 1).to_string(),
            measured.unwrap_or("-".into()),
            predicted.unwrap_or("-".into()),
        ]);
    }
    let seconds: f64 = cliff
        .measured
        .iter()
        .map(|[bytes, mb_s]| bytes / mb_s / 1e6)
        .sum();
    let bytes: f64 = cliff.measured.iter().map(|[bytes, _]| bytes).sum();
    let mean = |mb_s: f64| format!("{} MB/s", decimal(mb_s, 0));
    table.add([
        "all".into(),
        mean(bytes / seconds / 1e6),
        mean(cliff.predicted.mean_mb_s),
    ]);
    table
}

/// Each load: rates and percentiles in µs, measured and predicted.
fn loads(clocks: &Clocks) -> Table {
    let header = [
        "load",
        "role",
        "writes/s",
        "reads p50",
        "p75",
        "p99",
        "p99.9",
        "writes p50",
        "p99",
        "p99.9",
    ];
    let mut table = Table::new(&header, 2);
    let pair = |measured: Option<f64>, found: Option<f64>| match (measured, found) {
        (Some(measured), Some(found)) => format!("{measured:.0} / {found:.0}"),
        _ => "-".into(),
    };
    for load in &clocks.loads {
        let role = if load.fitted {
            Role::Fitted
        } else {
            Role::Predicted
        };
        let of = |of: &[Percentiles; 2], get: fn(&Percentiles) -> Option<f64>| {
            pair(get(&of[0]), get(&of[1]))
        };
        let rate = load
            .writes
            .map(|[measured, found]| pair(Some(measured), Some(found)));
        let (reads, writes) = (&load.read_us, &load.write_us);
        table.add([
            load.name.clone(),
            role.name().into(),
            rate.unwrap_or("-".into()),
            of(reads, |all| all.p50),
            of(reads, |all| all.p75),
            of(reads, |all| all.p99),
            of(reads, |all| all.p99_9),
            of(writes, |all| all.p50),
            of(writes, |all| all.p99),
            of(writes, |all| all.p99_9),
        ]);
    }
    table
}

/// The flash, how sure it is, and what it means.
fn sentence(found: &Calibration) -> String {
    let gib = |bytes: u64| {
        let gib = bytes as f64 / f64::from(1 << 30);
        decimal(gib, if gib < 100.0 { 2 } else { 0 })
    };
    let mut text = format!(
        "{}: {} GiB of flash hold data or wait to be cleaned, {} more than the capacity",
        shown_text(&found.name),
        gib(found.flash_bytes),
        percent(found.spare)
    );
    match (found.flash_range, found.spare_range) {
        (Some([least, most]), Some([low, high])) => {
            text += &format!(
                "; from {} to {} GiB, {} to {}",
                gib(least),
                gib(most),
                percent(low),
                percent(high)
            );
        }
        _ if found.cliff.is_some() => {}
        _ => text += "; no measurement confirms it",
    }
    text += &format!(
        " ({}). Uniform writes over all of it have write amplification {:.2}",
        shown_text(&found.basis),
        found.uniform
    );
    if let Some(waf) = found.uniform_by_rates {
        text += &format!("; the rates of the sheet say {waf:.2} or less");
    }
    text + "."
}

fn measurements(all: &[Compared]) -> Table {
    let several = all.iter().filter(|m| m.role == Role::Fitted).count() > 1;
    let mut header = vec![
        "measurement",
        "role",
        "by",
        "used",
        "in order",
        "measured",
        "predicted",
        "difference",
    ];
    header.extend(several.then_some("spare alone"));
    let mut table = Table::new(&header, 3);
    for m in all {
        let difference = format!("{:+.1} %", 100.0 * (m.predicted / m.measured - 1.0));
        let [by, predicted, difference] = match m.role {
            Role::Overhead => ["-".into(), "-".into(), "-".into()],
            _ => [m.by.to_owned(), format!("{:.4}", m.predicted), difference],
        };
        let mut row = vec![
            m.name.clone(),
            m.role.name().into(),
            by,
            decimal_bytes(m.used),
            format!("{:.4}", m.overhead),
            format!("{:.4}", m.measured),
            predicted,
            difference,
        ];
        row.extend(several.then(|| known(m.spare_alone, percent)));
        table.add(row);
    }
    table
}

fn parts(measured: &Compared) -> Table {
    let mut table = Table::new(&["part", "measured", "predicted", "difference"], 0);
    for (number, [found, predicted]) in (1..).zip(&measured.parts) {
        let number = f64::from(number) / measured.parts.len() as f64;
        table.add([
            format!("{number:.2}"),
            format!("{found:.4}"),
            format!("{predicted:.4}"),
            format!("{:+.2}", predicted - found),
        ]);
    }
    table
}

fn explanations(found: &Calibration) -> Table {
    let mut table = Table::new(&["cleaning", "overhead", "spare", "error", "worst"], 2);
    for one in &found.explanations {
        let overhead = match one.overhead {
            None => "-",
            Some(Overhead::Factor) => "factor",
            Some(Overhead::Added) => "added",
        };
        table.add([
            one.cleaning.clone(),
            overhead.into(),
            percent(one.spare),
            format!("{:.1} %", 100.0 * one.error),
            format!("{:+.1} %", 100.0 * one.worst),
        ]);
    }
    table
}

impl From<CalibrateError> for Failure {
    fn from(error: CalibrateError) -> Self {
        Failure::of(error.is_bad_input(), error.to_string())
    }
}
