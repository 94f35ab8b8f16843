//! Measures what runs cost, and how wrong the estimates of sweeps are:
//! `cargo run --release -p ssdlab-sweep --example run_costs -- [--fit] [--each N] [--seed S] [TRACE ...]`.
//!
//! Replays each trace (all of `traces/`) on N random systems (12), twice unless that takes long, and prints how far the
//! estimates are from the lower CPU time. With `--fit`, it prints prices for `src/prices.rs` that fit these runs.

#[path = "run_costs/fit.rs"]
mod fit;

use std::path::{Path, PathBuf};

use ssdlab_config::Config;
use ssdlab_sim::{Lab, Replay, RunOptions, Trace, cpu_time_ns, run_loaded};
use ssdlab_sweep::{FTLS, Facts, Planned, Settings, Terms, decoding};

/// Runs that take longer are measured once, ns.
const LONG: u64 = 100_000_000;

/// One run.
pub struct Measured {
    /// Its name.
    pub trace: String,
    /// The FTL.
    pub ftl: &'static str,
    /// The buffer policy.
    pub policy: &'static str,
    /// The settings, for the worst ones.
    pub set: String,
    /// Of the replays that it took.
    pub terms: Terms,
    /// As a sweep estimates it, before it runs.
    pub estimate: f64,
    /// CPU time.
    pub seconds: f64,
}

struct Options {
    fit: bool,
    each: u64,
    seed: u64,
    traces: Vec<PathBuf>,
}

fn options() -> Options {
    let mut options = Options {
        fit: false,
        each: 12,
        seed: 1,
        traces: Vec::new(),
    };
    let mut args = std::env::args().skip(1);
    let number = |arg: Option<String>| arg.and_then(|arg| arg.parse().ok()).expect("a number");
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--fit" => options.fit = true,
            "--each" => options.each = number(args.next()),
            "--seed" => options.seed = number(args.next()),
            path => options.traces.push(path.into()),
        }
    }
    if options.traces.is_empty() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../traces");
        let files = folder.read_dir().expect("the shipped traces");
        let files = files.map(|file| file.expect("a file").path());
        options.traces = files
            .filter(|path| path.extension().is_some_and(|e| e == "zst"))
            .collect();
        options.traces.sort();
    }
    options
}

/// Draws settings.
struct Draw(u64);

impl Draw {
    fn of<'a>(&mut self, values: &[&'a str]) -> &'a str {
        self.0 = (self.0)
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        values[(self.0 >> 33) as usize % values.len()]
    }

    fn settings(&mut self) -> Vec<String> {
        let ftl = self.of(&[
            "ideal",
            "block",
            "replacement",
            "bast",
            "bast",
            "fast",
            "fast",
            "superblock",
            "page",
            "page",
        ]);
        let policy = self.of(&[
            "none",
            "fifo",
            "lru",
            "cflru",
            "sof",
            "zone",
            "fab",
            "blru",
            "bplru",
            "plru-br",
            "plru-br-2q",
            "three-region",
            "lb-clock",
            "req-block",
            "cbb",
            "clairvoyant",
            "unbounded",
        ]);
        let shape = self.of(&["2KiB 128", "4KiB 64", "4KiB 256", "16KiB 64"]);
        let (page, per_block) = shape.split_once(' ').expect("two");
        let logs = self.of(&["7", "32", "128", "512"]);
        let mut set = vec![
            format!("ftl.kind={ftl}"),
            format!("buffer.policy={policy}"),
            format!("flash.page_size={page}"),
            format!("flash.pages_per_block={per_block}"),
            format!(
                "buffer.size={}",
                self.of(&["256KiB", "1MiB", "4MiB", "16MiB", "64MiB"])
            ),
            format!("buffer.reads={}", self.of(&["bypass", "cache"])),
            format!(
                "timing.model={}",
                self.of(&["serial", "serial", "serial", "parallel", "parallel"])
            ),
            format!(
                "precondition={}",
                self.of(&[
                    "full", "full", "full", "full", "empty", "random:1", "random:2"
                ])
            ),
            format!("flash.channels={}", self.of(&["1", "1", "1", "4"])),
        ];
        match ftl {
            "page" => {
                set.push(format!(
                    "ftl.over_provisioning={}",
                    self.of(&["0.07", "0.28"])
                ));
                set.push(format!(
                    "ftl.cleaning={}",
                    self.of(&["greedy", "greedy", "cost-benefit", "cat", "fifo"])
                ));
            }
            "block" => set.push(format!("ftl.open_blocks={logs}")),
            _ => set.push(format!("ftl.log_blocks={logs}")),
        }
        set
    }

    /// Most sweeps replay once.
    fn replay(&mut self, is_short: bool) -> Replay {
        let (loops, steady) = match self.of(&[
            "once", "once", "once", "once", "once", "once", "twice", "steady",
        ]) {
            "twice" => (2, false),
            "steady" if is_short => (50, true),
            _ => (1, false),
        };
        Replay {
            loops,
            steady,
            ..Replay::default()
        }
    }
}

fn config(lab: &Lab, set: &[String], end: u64) -> Option<Config> {
    let mut resolver = lab.resolver();
    resolver.fit_capacity(true);
    resolver.preset("bplru-2008");
    // the preset's, unless the trace needs another one
    for set in set {
        let _ = resolver.set(set).expect("a setting");
    }
    let _ = resolver.set("flash.capacity=auto").expect("a setting");
    resolver.resolve().ok()?.with_capacity(end).ok()
}

fn measure(lab: &Lab, trace: &Trace, facts: &Facts, draw: &mut Draw) -> Option<Measured> {
    let set = draw.settings();
    let replay = draw.replay(facts.requests < 60_000);
    let config = config(lab, &set, facts.end)?;
    let (mut best, mut replays) = (u64::MAX, 0);
    for _ in 0..2 {
        let options = RunOptions {
            replay: replay.clone(),
            ..RunOptions::new(lab)
        };
        let started = cpu_time_ns();
        let outcome = run_loaded(config.clone(), trace, options).ok()?;
        best = best.min(cpu_time_ns() - started);
        replays = outcome.steady_state.replays;
        if best > LONG {
            break;
        }
    }
    let settings = Settings::of(&config);
    Some(Measured {
        trace: facts.name.clone(),
        ftl: config.ftl,
        policy: config.policy,
        set: set.join(" "),
        terms: Terms::of_replays(facts, &config, &settings, replays.into()),
        estimate: Terms::of(facts, &config, &settings, &replay).seconds(&config),
        seconds: best as f64 / 1e9,
    })
}

/// How often an estimate is too large or too small: median, 90th percentile, worst, and the share below 2.
fn errors(label: &str, runs: &[&Measured]) {
    let mut factors: Vec<f64> = runs
        .iter()
        .map(|run| (run.estimate / run.seconds).max(run.seconds / run.estimate))
        .collect();
    factors.sort_by(f64::total_cmp);
    let at = |share: f64| factors[((factors.len() as f64 * share) as usize).min(factors.len() - 1)];
    let within = factors.iter().filter(|factor| **factor <= 2.0).count();
    println!(
        "| {label} | {} | {:.2} | {:.2} | {:.1} | {:.0} % |",
        factors.len(),
        at(0.5),
        at(0.9),
        at(1.0),
        100.0 * within as f64 / factors.len() as f64
    );
}

/// What a part takes beside its runs: CPU time of its rows and configurations, of its bytes, and of its file.
fn part(lab: &Lab, runs: usize) {
    let folder = std::env::temp_dir().join(format!("run_costs-{}", std::process::id()));
    let sizes: Vec<String> = (1..=runs)
        .map(|size| format!("\"{}KiB\"", 64 * size))
        .collect();
    let plan = format!(
        "traces = [{{ generate = \"uniform --requests 1 --capacity 1MiB\" }}]\n[device]\nflash.page_size = 4096\n\
         flash.capacity = \"4MiB\"\n[axes]\nbuffer.size = [{}]\n",
        sizes.join(", ")
    );
    let planned = Planned::of("plan", plan, Path::new(""), lab, "").expect("a plan");
    let sweep = planned.sweep(None, 1, || ()).expect("a sweep");
    let least = |measure: &dyn Fn() -> u64| (0..20).map(|_| measure()).min().expect("some");
    let took = |what: &mut dyn FnMut()| {
        let started = cpu_time_ns();
        what();
        cpu_time_ns() - started
    };
    let rows = least(&|| took(&mut || drop(sweep.rows(0, None).expect("rows"))));
    let table = sweep.rows(0, None).expect("rows");
    let bytes = least(&|| took(&mut || drop(table.write_parquet(&[], Vec::new()).expect("bytes"))));
    let whole = least(&|| {
        let took = took(&mut || assert!(sweep.write(0, &folder, None).expect("a part")));
        std::fs::remove_dir_all(&folder).expect("removed");
        took
    });
    println!(
        "a part of {runs} runs of 1 request: {:.3} ms a run, and {:.3} ms to write it, of which {:.3} ms make its bytes",
        rows as f64 / 1e6 / runs as f64,
        whole.saturating_sub(rows) as f64 / 1e6,
        bytes as f64 / 1e6
    );
}

fn main() {
    let options = options();
    let lab = Lab::new();
    let mut draw = Draw(options.seed);
    let mut runs: Vec<Measured> = Vec::new();
    let mut decoded = Vec::new();
    for path in &options.traces {
        let name = path.file_name().expect("a file").to_string_lossy();
        let folder = path.parent().expect("a folder");
        let plan = format!("traces = [\"{name}\"]\n");
        let planned = Planned::of("plan", plan, folder, &lab, "").expect("a plan");
        let sweep = planned.sweep(None, 1, || ()).expect("a trace");
        let facts = &sweep.facts[0];
        let mut best = u64::MAX;
        let mut trace = None;
        for _ in 0..3 {
            let started = cpu_time_ns();
            trace = Some(sweep.sources[0].load(u64::MAX).expect("a trace"));
            best = best.min(cpu_time_ns() - started);
        }
        decoded.push((name.to_string(), facts.clone(), best));
        let trace = trace.expect("loaded");
        // larger traces tell as much with fewer runs
        let each = (options.each * 150_000 / facts.requests.max(50_000)).max(options.each.min(5));
        runs.extend((0..each).filter_map(|_| measure(&lab, &trace, facts, &mut draw)));
        eprintln!("{name}: {} runs so far", runs.len());
    }
    println!(
        "| trace | format | requests | decoding: ns / request | estimate |\n| --- | --- | --: | --: | --: |"
    );
    for (name, facts, best) in &decoded {
        let requests = facts.requests as f64;
        println!(
            "| `{name}` | {} | {} | {:.0} | {:.0} |",
            facts.format,
            facts.requests,
            *best as f64 / requests,
            decoding(facts) * 1e9 / requests
        );
    }
    println!();
    [1, 10, 100]
        .into_iter()
        .for_each(|number| part(&lab, number));
    if runs.is_empty() {
        return;
    }
    println!(
        "\n| runs | number | median | 90 % | worst | within 2 |\n| --- | --: | --: | --: | --: | --: |"
    );
    errors("all", &runs.iter().collect::<Vec<_>>());
    let by = |label: &str, is_of: &dyn Fn(&Measured) -> bool| {
        let of: Vec<&Measured> = runs.iter().filter(|run| is_of(run)).collect();
        if !of.is_empty() {
            errors(label, &of);
        }
    };
    for (ftl, _) in FTLS {
        by(&format!("`{ftl}`"), &|run| run.ftl == ftl);
    }
    by("clocks", &|run| run.set.contains("parallel"));
    by("aged", &|run| run.set.contains("random:"));
    for (name, ..) in &decoded {
        by(&format!("`{name}`"), &|run| run.trace == *name);
    }
    let mut worst: Vec<&Measured> = runs.iter().collect();
    worst.sort_by(|a, b| off(b).total_cmp(&off(a)));
    println!("\nthe worst:");
    for run in worst.iter().take(5) {
        println!(
            "{:.2} of {:.4} s: {} {}",
            run.estimate / run.seconds,
            run.seconds,
            run.trace,
            run.set
        );
    }
    if options.fit {
        print!("\n{}", fit::fitted(&runs));
    }
}

fn off(run: &Measured) -> f64 {
    (run.estimate / run.seconds).ln().abs()
}
