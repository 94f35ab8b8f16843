//! Rates and latencies of loads, and what they tell of the clocks: each number from one figure, and the others predicted.
//!
//! The loads run on a small drive with all dies and units of the large one.

use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use ssdlab_host::{Op, Request};
use ssdlab_sim::{RunOptions, SimError, Trace, run_loaded};
use ssdlab_words::shown_text;
use toml::Spanned;

use crate::calibration::Spare;
use crate::configuration::configuration;
use crate::drive::Drive;
use crate::error::CalibrateError;
use crate::file::{File, bytes};

/// Lines of the small drive, each of so many units on a die.
const LINES: u64 = 240;
const UNITS: u64 = 4;
/// Seconds of an open load, and requests of a saturated one.
const SECONDS: f64 = 2.0;
const REQUESTS: u64 = 300_000;
/// The spare shares that may explain a saturated rate, and the steps of a search.
const SPARES: [f64; 2] = [0.02, 2.0];
const HALVINGS: usize = 8;
/// Steps of difference, in which a time of the clocks approaches a percentile.
const STEPS: usize = 4;
/// Reads are fitted only where they wait for programs and for nothing else, µs.
const LONGEST: f64 = 1000.0;
/// The p99 of writes that wait for the processor: more than so many p50, and less than so many µs.
const TAIL: f64 = 3.0;
const PROCESSOR: f64 = 100.0;

/// A table `[[load]]`, as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Described {
    fio: Option<Spanned<String>>,
    name: Option<String>,
    writes: Option<Spanned<f64>>,
    reads: Option<Spanned<f64>>,
    outstanding: Option<Spanned<u32>>,
    read_us: Option<Percentiles>,
    write_us: Option<Percentiles>,
}

/// Latencies in µs.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Percentiles {
    /// The median.
    pub p50: Option<f64>,
    /// 75 %.
    pub p75: Option<f64>,
    /// 99 %.
    pub p99: Option<f64>,
    /// 99.9 %.
    pub p99_9: Option<f64>,
}

/// A load that was measured.
#[derive(Clone, Debug)]
pub(crate) struct Loaded {
    name: String,
    /// Of 4 KiB, a second.
    writes: f64,
    reads: f64,
    /// Saturated by so many requests in flight; `None`: the load was offered.
    outstanding: Option<u32>,
    read_us: Percentiles,
    write_us: Percentiles,
}

/// What loads tell of the clocks.
#[derive(Debug, Serialize)]
pub struct Clocks {
    /// Keys that were fitted.
    pub fitted: Vec<FittedKey>,
    /// What cannot be fitted, and why.
    pub notes: Vec<String>,
    /// The loads beside what the configuration predicts.
    pub loads: Vec<LoadCompared>,
}

/// A key of the configuration that was fitted to one figure.
#[derive(Clone, Debug, Serialize)]
pub struct FittedKey {
    /// Its path.
    pub key: String,
    /// Its value.
    pub value: f64,
    /// The figure that it is from.
    pub from: String,
}

/// A load beside its prediction.
#[derive(Debug, Serialize)]
pub struct LoadCompared {
    /// Its name.
    pub name: String,
    /// Whether keys were fitted to it.
    pub fitted: bool,
    /// Writes a second, if requests in flight saturated the drive: measured and predicted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writes: Option<[f64; 2]>,
    /// Latencies of reads: measured and predicted.
    pub read_us: [Percentiles; 2],
    /// Latencies of writes.
    pub write_us: [Percentiles; 2],
}

impl Described {
    /// The loads that it describes: one, or those of a file of fio.
    pub fn checked(&self, file: &File) -> Result<Vec<Loaded>, CalibrateError> {
        if let Some(fio) = &self.fio {
            let own = [self.writes.is_some(), self.reads.is_some()];
            if own.contains(&true) || self.read_us.is_some() || self.write_us.is_some() {
                return Err(file.refuse(fio, "fio: has all figures of its loads; state no others"));
            }
            return of_fio(&file.beside(fio.get_ref()));
        }
        let number = |value: &Option<Spanned<f64>>, name: &str| match value {
            None => Ok(0.0),
            Some(value) if (0.0..=1e9).contains(value.get_ref()) => Ok(*value.get_ref()),
            Some(value) => Err(file.refuse(
                value,
                format!("{name}: must be a number a second, up to 1e9"),
            )),
        };
        let Some(writes) = &self.writes else {
            let at = self.reads.clone().unwrap_or(Spanned::new(0..0, 0.0));
            return Err(file.refuse(
                &at,
                "load: must have writes, a number a second, or fio, a file",
            ));
        };
        let found = Loaded {
            writes: number(&self.writes, "writes")?,
            reads: number(&self.reads, "reads")?,
            outstanding: self.outstanding.as_ref().map(|count| *count.get_ref()),
            name: String::new(),
            read_us: self.read_us.unwrap_or_default(),
            write_us: self.write_us.unwrap_or_default(),
        };
        if found.writes < 1.0 {
            return Err(file.refuse(writes, "writes: must be at least one a second"));
        }
        if let Some(count) = &self.outstanding
            && !(1..=65536).contains(count.get_ref())
        {
            return Err(file.refuse(count, "outstanding: must be 1 to 65536 requests in flight"));
        }
        let name = self.name.clone().unwrap_or_else(|| found.words());
        Ok(vec![Loaded { name, ..found }])
    }
}

/// The jobs of fio's JSON, each a load.
fn of_fio(path: &std::path::Path) -> Result<Vec<Loaded>, CalibrateError> {
    let refuse = |why: String| CalibrateError::Log {
        path: path.to_owned(),
        why,
    };
    let json: Value = serde_json::from_slice(&bytes(path)?)
        .map_err(|error| refuse(format!("is no JSON of fio (--output-format=json): {error}")))?;
    let jobs = json["jobs"].as_array().filter(|jobs| !jobs.is_empty());
    let jobs = jobs.ok_or_else(|| {
        refuse("has no jobs; must be what fio --output-format=json prints".into())
    })?;
    let mut loads = Vec::new();
    for job in jobs {
        let name = job["jobname"].as_str().unwrap_or("job");
        let option = |key: &str| {
            let own = &job["job options"][key];
            let given = if own.is_null() {
                &json["global options"][key]
            } else {
                own
            };
            given.as_str().map(str::to_owned)
        };
        let count = |key: &str| option(key).and_then(|text| text.parse::<u32>().ok());
        let rate = |op: &str| job[op]["iops"].as_f64().unwrap_or(0.0);
        let of = |op: &str| of_fio_op(&job[op]);
        let found = Loaded {
            name: shown_text(name),
            writes: rate("write"),
            reads: rate("read"),
            outstanding: match option("rate_iops") {
                Some(_) => None,
                None => Some(count("iodepth").unwrap_or(1) * count("numjobs").unwrap_or(1)),
            },
            read_us: of("read"),
            write_us: of("write"),
        };
        if found.writes < 1.0 {
            return Err(refuse(format!(
                "job {name:?}: write.iops is {}; must be at least one a second",
                found.writes
            )));
        }
        loads.push(found);
    }
    Ok(loads)
}

/// The latencies of reads or of writes, in µs.
fn of_fio_op(op: &Value) -> Percentiles {
    let known = ["lat_ns", "clat_ns"].map(|name| &op[name]["percentile"]);
    let Some(all) = known.iter().find_map(|map| map.as_object()) else {
        return Percentiles::default();
    };
    let mut points: Vec<[f64; 2]> = all
        .iter()
        .filter_map(|(share, ns)| Some([share.parse().ok()?, ns.as_f64()? / 1e3]))
        .collect();
    points.sort_by(|a, b| a[0].total_cmp(&b[0]));
    // on the straight line between those that there are
    let at = |share: f64| {
        let behind = points.iter().position(|point| point[0] >= share)?;
        let [next, ns] = points[behind];
        if next == share || behind == 0 {
            return (next == share).then_some(ns);
        }
        let [before, least] = points[behind - 1];
        Some(least + (ns - least) * (share - before) / (next - before))
    };
    Percentiles {
        p50: at(50.0),
        p75: at(75.0),
        p99: at(99.0),
        p99_9: at(99.9),
    }
}

impl Loaded {
    fn words(&self) -> String {
        match self.outstanding {
            Some(count) => format!("saturated, {count} in flight"),
            None => format!("{:.0} writes/s", self.writes),
        }
    }

    fn share_of_reads(&self) -> f64 {
        self.reads / (self.reads + self.writes)
    }
}

/// What a small drive did.
struct Simulated {
    writes: f64,
    read_us: Percentiles,
    write_us: Percentiles,
}

/// What loads tell; `spare` becomes what a saturated rate tells, if nothing else was measured.
pub(crate) fn clocks(drive: &Drive, spare: &mut Spare) -> Result<Option<Clocks>, CalibrateError> {
    if drive.loads.is_empty() {
        return Ok(None);
    }
    let mut clocks = Clocks {
        fitted: Vec::new(),
        notes: Vec::new(),
        loads: Vec::new(),
    };
    let mut used = Vec::new();
    let saturated = drive.loads.iter().find(|load| load.outstanding.is_some());
    if let Some(load) = saturated
        && spare.range.is_none()
    {
        fit_spare(drive, spare, load)?;
        used.push(load.name.clone());
    }
    let saturation = match saturated {
        Some(load) => load.writes,
        None => {
            let most = drive
                .loads
                .iter()
                .map(|load| load.writes)
                .fold(1.0, f64::max);
            let all = Loaded {
                outstanding: Some(512),
                ..drive.loads[0].clone()
            };
            simulate(drive, spare, &[], &all)?.writes.max(most)
        }
    };
    let half = |load: &&Loaded| (load.writes - 0.5 * saturation).abs();
    let open = || drive.loads.iter().filter(|load| load.outstanding.is_none());
    let waits = |load: &&Loaded| load.read_us.p99.is_some_and(|p99| p99 < LONGEST);
    let nearest = open()
        .filter(waits)
        .min_by(|a, b| half(a).total_cmp(&half(b)));
    if let Some(load) = nearest {
        fit_reads(drive, spare, load, &mut clocks)?;
        used.push(load.name.clone());
    } else {
        clocks.notes.push(format!(
            "timing.suspend_us and suspend_window_us are not fitted: no load has a p99 of reads below {LONGEST} µs"
        ));
    }
    if let Some(load) = open().min_by(|a, b| half(a).total_cmp(&half(b))) {
        fit_processor(load, &mut clocks);
    }
    for load in &drive.loads {
        let found = simulate(drive, spare, &clocks.fitted, load)?;
        clocks.loads.push(LoadCompared {
            name: load.name.clone(),
            fitted: used.contains(&load.name),
            writes: load.outstanding.map(|_| [load.writes, found.writes]),
            read_us: [load.read_us, found.read_us],
            write_us: [load.write_us, found.write_us],
        });
    }
    Ok(Some(clocks))
}

/// The spare flash with which a small drive has the rate of a saturated one.
fn fit_spare(drive: &Drive, spare: &mut Spare, load: &Loaded) -> Result<(), CalibrateError> {
    let capacity = drive.sheet.capacity() as f64;
    let [mut low, mut high] = SPARES;
    for _ in 0..HALVINGS {
        let middle = (low * high).sqrt();
        spare.flash = capacity * (1.0 + middle);
        if simulate(drive, spare, &[], load)?.writes < load.writes {
            low = middle;
        } else {
            high = middle;
        }
    }
    let share = (low * high).sqrt();
    spare.flash = capacity * (1.0 + share);
    spare.basis = format!("fitted to {:.0} writes/s ({})", load.writes, load.name);
    Ok(())
}

/// The price of a suspended program, and the rest that is waited for: from the p75 and the p99 of reads.
fn fit_reads(
    drive: &Drive,
    spare: &Spare,
    load: &Loaded,
    clocks: &mut Clocks,
) -> Result<(), CalibrateError> {
    let key = |name: &str, value: f64, of: &str, us: f64| FittedKey {
        key: format!("timing.{name}"),
        value,
        from: format!("{of} of reads at {}, {us} µs", load.name),
    };
    let [mut suspend, mut window] = [50.0_f64, 400.0];
    let mut fitted = Vec::new();
    for _ in 0..STEPS {
        fitted.clear();
        if let Some(p75) = load.read_us.p75 {
            fitted.push(key("suspend_us", suspend, "p75", p75));
        }
        if let Some(p99) = load.read_us.p99 {
            fitted.push(key("suspend_window_us", window, "p99", p99));
        }
        let found = simulate(drive, spare, &fitted, load)?.read_us;
        let step = |value: f64, [measured, found]: [Option<f64>; 2]| match (measured, found) {
            (Some(measured), Some(found)) => {
                ((value + measured - found) * 10.0).round().max(0.0) / 10.0
            }
            _ => value,
        };
        suspend = step(suspend, [load.read_us.p75, found.p75]);
        window = step(window, [load.read_us.p99, found.p99]);
    }
    for one in &mut fitted {
        one.value = if one.key.ends_with("window_us") {
            window
        } else {
            suspend
        };
    }
    if load.read_us.p75.is_none() {
        clocks
            .notes
            .push("timing.suspend_us is not fitted: no load has a p75 of reads".into());
    }
    clocks.fitted.extend(fitted);
    Ok(())
}

/// The time of the processor for a program, from the tail of writes.
fn fit_processor(load: &Loaded, clocks: &mut Clocks) {
    let (Some(p50), Some(p99)) = (load.write_us.p50, load.write_us.p99) else {
        return;
    };
    if p99 <= TAIL * p50 {
        return;
    }
    if p99 < PROCESSOR {
        clocks.fitted.push(FittedKey {
            key: "timing.dispatch_us".into(),
            value: ((p99 - p50) * 10.0).round() / 10.0,
            from: format!(
                "p99 less p50 of writes at {}, {p99} and {p50} µs",
                load.name
            ),
        });
    } else {
        clocks.notes.push(format!(
            "timing.dispatch_us is not fitted: at {} the p99 of writes is {p99} µs, so the drive cleans in bursts or throttles, which \
             the model does not do",
            load.name
        ));
    }
}

/// The load on a small drive with these keys.
fn simulate(
    drive: &Drive,
    spare: &Spare,
    fitted: &[FittedKey],
    load: &Loaded,
) -> Result<Simulated, CalibrateError> {
    let failed = |error: SimError| CalibrateError::Simulation {
        name: load.name.clone(),
        error: Box::new(error),
    };
    let refused = |why: String| CalibrateError::Log {
        path: drive.file.clone().into(),
        why,
    };
    let text = configuration(drive, spare, fitted).map_err(refused)?;
    let mut resolver = drive.lab.resolver();
    let configured = |error: ssdlab_config::ConfigError| refused(error.to_string());
    resolver
        .file("the configuration", text.as_bytes())
        .map_err(configured)?;
    let large = resolver.resolve().map_err(configured)?;
    let unit = u64::from(large.timing.today.unit_pages) * u64::from(large.flash.page_size);
    let size = LINES * UNITS * unit * u64::from(large.flash.chips());
    if size < large.flash.capacity {
        resolver.scale_to(size, "the small drive");
    }
    let issue = match load.outstanding {
        Some(count) => format!("queue_depth={count}"),
        None => "replay=timed".into(),
    };
    for set in [
        issue.as_str(),
        "precondition=random:3",
        "buffer.size=64KiB",
        "buffer.flush_age_s=0",
    ] {
        resolver.set(set).map_err(configured)?;
    }
    let config = resolver.resolve().map_err(configured)?;
    let bytes = u64::from(config.logical_pages()) * u64::from(config.flash.page_size);
    let reads = load.share_of_reads();
    let words = match load.outstanding {
        Some(_) => format!("uniform --reads {reads} --requests {REQUESTS}"),
        None => {
            let rate = load.writes + load.reads;
            let requests = (SECONDS * rate).ceil();
            format!("uniform --reads {reads} --rate {rate} --poisson --requests {requests}")
        }
    };
    let words = format!("{words} --capacity {bytes}");
    let requests = ssdlab_workload::requests(&words).map_err(|why| failed(SimError::Limit(why)))?;
    let requests: Vec<Request> = requests.collect();
    let all = Arc::new(Mutex::new(Vec::with_capacity(requests.len())));
    let seen = all.clone();
    let trace = Trace::made(&load.name, requests);
    let options = RunOptions {
        completions: Some(Box::new(move |done| {
            let mut all = seen.lock().unwrap_or_else(PoisonError::into_inner);
            all.extend_from_slice(done);
        })),
        ..RunOptions::new(&drive.lab)
    };
    run_loaded(config, &trace, options).map_err(failed)?;
    let all = all.lock().unwrap_or_else(PoisonError::into_inner);
    let of = |op: Op| {
        let these = all.iter().filter(|done| done.op == op);
        let mut ns: Vec<u64> = these
            .map(|done| done.completed_ns - done.issued_ns)
            .collect();
        ns.sort_unstable();
        ns
    };
    let last = all.iter().map(|done| done.completed_ns).max().unwrap_or(1);
    let writes = of(Op::Write);
    Ok(Simulated {
        writes: writes.len() as f64 * 1e9 / last as f64,
        read_us: percentiles(&of(Op::Read)),
        write_us: percentiles(&writes),
    })
}

fn percentiles(sorted: &[u64]) -> Percentiles {
    let at = |share: usize| {
        let place = (sorted.len() * share).div_ceil(1000).max(1) - 1;
        sorted.get(place).map(|&ns| ns as f64 / 1e3)
    };
    Percentiles {
        p50: at(500),
        p75: at(750),
        p99: at(990),
        p99_9: at(999),
    }
}
