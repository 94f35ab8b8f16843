//! `ssdlab life`.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use ssdlab_counters::{CounterError, Kind, Log, host, readings};
use ssdlab_life::{
    Here, LifeError, Question, Simulated, Use, answer, parse_amount, parse_date, parse_rate,
};
use ssdlab_sim::{Lab, Trace, free_memory};
use ssdlab_trace::ReadOptions;
use ssdlab_words::shown_path;

use crate::failure::Failure;
use crate::output;
use crate::screen::Screen;
use crate::signals::Interrupt;

#[derive(clap::Args)]
pub struct Args {
    /// Logs of one drive: JSON or text of `smartctl -x` or `nvme smart-log`, JSON of `nvme ocp smart-add-log`, `nvme fdp stats` or
    /// `nvme intel smart-log-add`, text of CrystalDiskInfo; - is standard input. Logs of two times show what is written a day
    #[arg(value_name = "LOG")]
    logs: Vec<PathBuf>,
    /// The drive, as it calls itself or in words: `860 EVO 1TB`
    #[arg(long, value_name = "NAME")]
    drive: Option<String>,
    /// Its capacity, such as 1TB
    #[arg(long, value_name = "SIZE", value_parser = amount)]
    capacity: Option<f64>,
    /// How it is attached, for drives that no table names
    #[arg(long, value_name = "KIND", value_parser = ["nvme", "sata"])]
    kind: Option<String>,
    /// What the host has written, instead of a log
    #[arg(long, value_name = "SIZE", value_parser = amount)]
    written: Option<f64>,
    /// Percentage used, as the drive says it, from 0 to 255
    #[arg(long, value_name = "PERCENT", value_parser = used)]
    used: Option<u64>,
    /// What is written: 20GB/day, 10MB/s, 3.1TiB/4d17h, 640TB/year
    #[arg(long, value_name = "SIZE/TIME", value_parser = parse_rate)]
    rate: Option<f64>,
    /// The day from which the drive was used, such as 2024-05-01: its bytes over the calendar are the rate
    #[arg(long, value_name = "DATE", value_parser = parse_date, conflicts_with = "rate")]
    since: Option<i64>,
    /// Where it works: only drives at desks, or only those in servers, stand for it
    #[arg(long = "use", value_name = "WHERE", value_parser = ["desk", "servers"])]
    used_at: Option<String>,
    /// What this system has written to a drive since it started, such as nvme0n1; without a name, to the only one. Needs no root
    #[arg(long, value_name = "DEVICE", num_args = 0..=1)]
    here: Option<Option<String>>,
    /// What a process has written
    #[arg(long, value_name = "PID")]
    pid: Option<u32>,
    /// With --here or --pid: watch for this long instead
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    seconds: Option<u64>,
    /// A trace of what is written, in any format that `ssdlab list` names: what it costs a simulated drive
    #[arg(long, value_name = "TRACE", requires = "preset")]
    trace: Option<PathBuf>,
    /// With --trace: the simulated drive, scaled down to what the trace spans; `ssdlab list` names presets
    #[arg(long, value_name = "NAME", requires = "trace")]
    preset: Option<String>,
    /// More named drives: a CSV file with the columns of drives.csv
    #[arg(long, value_name = "FILE")]
    drives: Option<PathBuf>,
    /// Print one JSON object instead of sentences
    #[arg(long)]
    json: bool,
}

fn amount(text: &str) -> Result<f64, String> {
    let size = parse_amount(text).filter(|size| *size > 0.0 && *size < 1e21);
    size.ok_or_else(|| "must be a size above 0 with its unit, such as 500GB or 1.92TB".into())
}

fn used(text: &str) -> Result<u64, String> {
    let number = text.trim().trim_end_matches('%').trim_end().parse();
    let used = number.ok().filter(|used| *used <= 255);
    used.ok_or_else(|| {
        "must be a whole number from 0 to 255, which is the most that a drive says".into()
    })
}

pub fn life(args: Args, lab: &Lab) -> Result<(), Failure> {
    if args.seconds.is_some() && args.here.is_none() && args.pid.is_none() {
        return Err(Failure::Input(
            "--seconds: needs --here or --pid, which it watches".into(),
        ));
    }
    let mut logs = Vec::new();
    for path in &args.logs {
        logs.extend(Log::parse(&shown_path(path), &small_file(path)?)?);
    }
    let drives = args.drives.as_ref().map(|path| {
        let text = String::from_utf8(small_file(path)?);
        let text =
            text.map_err(|_| Failure::Input(format!("{}: is not UTF-8", shown_path(path))))?;
        Ok::<_, Failure>((shown_path(path), text))
    });
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |time| time.as_secs());
    let question = Question {
        readings: if logs.is_empty() {
            Vec::new()
        } else {
            readings(logs)?
        },
        here: here(&args)?,
        simulated: simulated(&args, lab)?,
        drive: args.drive,
        capacity: args.capacity.map(|bytes| bytes as u64),
        kind: args.kind.map(|kind| {
            if kind == "nvme" {
                Kind::Nvme
            } else {
                Kind::Sata
            }
        }),
        written: args.written,
        used: args.used,
        rate: args.rate,
        since: args.since,
        now: i64::try_from(now).unwrap_or(i64::MAX),
        used_at: args.used_at.map(|place| {
            if place == "desk" {
                Use::Desk
            } else {
                Use::Servers
            }
        }),
        drives: drives.transpose()?,
    };
    let found = answer(&question)?;
    if args.json {
        return output::print_json(&serde_json::json!({ "life": found }));
    }
    output::print(&Screen::stdout().wrap(&found.to_string(), 11))
}

/// What the system counted, since it started or while it is watched.
fn here(args: &Args) -> Result<Option<Here>, Failure> {
    if args.here.is_none() && args.pid.is_none() {
        return Ok(None);
    }
    let device = args.here.as_ref().map(Option::as_deref);
    let look = || host::look(Path::new("/"), device, args.pid);
    let first = look()?;
    let Some(seconds) = args.seconds else {
        return Ok(Some(Here::of(&first, None)));
    };
    let (began, interrupt) = (Instant::now(), Interrupt::await_one());
    while began.elapsed().as_secs() < seconds {
        if interrupt.flag().load(Ordering::SeqCst) {
            return Err(Failure::Interrupted);
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(Some(Here::of(
        &first,
        Some((&look()?, began.elapsed().as_secs_f64() / 86400.0)),
    )))
}

/// What the trace costs a drive.
fn simulated(args: &Args, lab: &Lab) -> Result<Option<Simulated>, Failure> {
    let Some((path, preset)) = args.trace.as_ref().zip(args.preset.as_ref()) else {
        return Ok(None);
    };
    let read = ReadOptions {
        drop_reads: true,
        ..ReadOptions::default()
    };
    let memory = free_memory().unwrap_or(u64::MAX) / 4;
    let trace = Trace::load(path, &read, memory)?;
    let nothing = || {
        Failure::Input(format!(
            "{}: writes nothing, so it wears nothing",
            shown_path(path)
        ))
    };
    let filled = lab.filled(preset, &trace, None)?.ok_or_else(nothing)?;
    Ok(Some(Simulated {
        trace: trace.summary.name,
        preset: preset.clone(),
        full: filled.full,
        with_room: filled.with_room,
    }))
}

/// The bytes of a log, limited to 4 MiB.
fn small_file(path: &Path) -> Result<Vec<u8>, Failure> {
    const MOST: u64 = 4 << 20;
    let refused = |why: String| Failure::Input(format!("{}: {why}", shown_path(path)));
    let mut bytes = Vec::new();
    let read = match path.to_str() {
        Some("-") => io::stdin().take(MOST + 1).read_to_end(&mut bytes),
        _ => File::open(path).and_then(|file| file.take(MOST + 1).read_to_end(&mut bytes)),
    };
    match read {
        Ok(read) if read as u64 > MOST => Err(refused("more than 4 MiB, which no log has".into())),
        Ok(_) => Ok(bytes),
        Err(error) => Err(refused(format!("cannot be read: {error}"))),
    }
}

impl From<CounterError> for Failure {
    fn from(error: CounterError) -> Self {
        Failure::Input(error.to_string())
    }
}

impl From<LifeError> for Failure {
    fn from(error: LifeError) -> Self {
        Failure::Input(error.to_string())
    }
}
