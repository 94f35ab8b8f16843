//! The tables of docs/sampling.md: what a spatial sample of a trace says of the whole one.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use ssdlab_convert::{Rate, Sample, Sampled, Target, TraceWriter};
use ssdlab_sim::{CompareOptions, Lab, System, Trace, WAF, WRITE_HIT_RATIO};
use ssdlab_trace::ReadOptions;
use ssdlab_words::{bytes, decimal, fixed, markdown_table, thousands};

const PAGE: &str = "docs/sampling.md";
/// Before and behind what is measured.
const BEGIN: &str = "<!-- measured: cargo xtask sampling -->";
const END: &str = "<!-- end -->";

/// Shipped traces that write much more than the spare flash.
const SHIPPED: [&str; 5] = [
    "w4-ext4-random-4k",
    "w9-fat16-postmark",
    "w12-ext3-pc-day",
    "w21-ext4-postgres",
    "w22-xfs-fileserver",
];
/// Generated traces: names and the words of `ssdlab trace generate`.
const GENERATED: [(&str, &str); 2] = [
    ("uniform", "uniform --capacity 1GiB --requests 300k"),
    (
        "Zipf 0.9",
        "zipf --theta 0.9 --shuffle --capacity 1GiB --requests 300k",
    ),
];

const RATES: [u64; 6] = [2, 4, 8, 16, 32, 64];
const SEEDS: [u64; 5] = [1, 2, 3, 4, 5];
/// The default of `ssdlab trace sample`.
const GROUP: u64 = 1 << 20;
/// Other sizes of groups, and the rates that they are measured at.
const OTHER_GROUPS: [u64; 3] = [64 << 10, 256 << 10, 4 << 20];
const OTHER_RATES: [u64; 2] = [4, 16];
const PAGE_SIZE: u64 = 2 << 10;
/// The erase block of the device: small, so that a sixty-fourth of the spare flash is still some blocks.
const BLOCK: u64 = 64 << 10;

const FTLS: [(&str, &[&str]); 4] = [
    ("page, greedy", &["ftl.kind=page", "ftl.cleaning=greedy"]),
    (
        "page, cost-benefit",
        &["ftl.kind=page", "ftl.cleaning=cost-benefit"],
    ),
    ("bast", &["ftl.kind=bast"]),
    ("fast", &["ftl.kind=fast"]),
];
const BUFFERS: [&str; 4] = ["none", "lru", "fab", "bplru"];
/// Of the whole device, as shares of its capacity.
const SPARE: f64 = 0.07;
const LOG: f64 = 1.0 / 16.0;
const BUFFER: f64 = 1.0 / 64.0;

/// Measures all, and writes the tables.
pub fn make(root: &Path) -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let mut traces: Vec<(String, PathBuf)> = Vec::new();
    for name in SHIPPED {
        let path = root.join("traces").join(format!("{name}.csv.zst"));
        traces.push((format!("`{name}`"), path));
    }
    for (name, words) in GENERATED {
        let path = folder.path().join(format!("{}.csv", &name[..4]));
        generate(words, &path)?;
        traces.push((name.to_owned(), path));
    }
    let mut all = Vec::new();
    for (name, path) in &traces {
        all.push(OnTrace::measure(
            name,
            path,
            &folder.path().join("sample.csv"),
        )?);
    }
    let page = root.join(PAGE);
    let text = fs::read_to_string(&page)?;
    fs::write(
        page,
        filled(&text, &tables(&all)).ok_or("no place for the tables")?,
    )?;
    Ok(())
}

/// The text with other tables.
fn filled(text: &str, tables: &str) -> Option<String> {
    let (before, rest) = text.split_once(BEGIN)?;
    let (_, behind) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n\n{tables}\n{END}{behind}"))
}

fn generate(words: &str, path: &Path) -> Result<(), Box<dyn Error>> {
    let file = fs::File::create(path)?;
    let mut writer = TraceWriter::new(file, Target::PLAIN, Default::default())?;
    for request in ssdlab_workload::requests(words)? {
        writer
            .add(&request, None)
            .map_err(|error| format!("{error:?}"))?;
    }
    writer.finish(&Default::default())?;
    Ok(())
}

/// The results of a system.
#[derive(Clone, Copy, Debug)]
struct Measured {
    waf: f64,
    /// `None` without a buffer.
    hits: Option<f64>,
}

/// What a sample says of the whole trace.
#[derive(Clone, Debug)]
struct Compared {
    group: u64,
    rate: u64,
    /// Groups.
    kept: u64,
    /// Of each system: the difference of write amplification, relative to the whole.
    waf: Vec<f64>,
    /// The same of the hit ratio of writes, in points.
    hits: Vec<f64>,
    /// Kendall's tau of the systems by write amplification.
    tau: f64,
    /// How much more the system that is best on the sample writes than the best one, on the whole trace.
    regret: f64,
}

struct OnTrace {
    name: String,
    groups: u64,
    best: String,
    samples: Vec<Compared>,
}

impl OnTrace {
    fn measure(name: &str, path: &Path, sample: &Path) -> Result<Self, Box<dyn Error>> {
        let whole = Trace::load(path, &ReadOptions::default(), u64::MAX)?;
        let capacity = whole.summary.end.next_multiple_of(GROUP);
        let [buffer, logs] = [BUFFER, LOG / BLOCK as f64].map(|share| capacity as f64 * share);
        let (buffer, logs) = (buffer as u64 / 4096 * 4096, logs as u64);
        let of_whole = run(&whole, capacity, buffer, logs)?;
        let mut samples = Vec::new();
        let mut groups = 0;
        let usual = RATES.map(|rate| (GROUP, rate)).into_iter();
        let others = OTHER_GROUPS.into_iter();
        let others = others.flat_map(|group| OTHER_RATES.map(|rate| (group, rate)));
        for (group, rate) in usual.chain(others) {
            for seed in SEEDS {
                let sampled = draw(path, sample, group, rate, seed)?;
                let trace = Trace::load(sample, &ReadOptions::default(), u64::MAX)?;
                let of_sample = run(
                    &trace,
                    sampled.kept.scaled_capacity(capacity),
                    sampled.kept.scaled(buffer, 4096),
                    sampled.kept.scaled(logs, 1).max(2),
                )?;
                if group == GROUP {
                    groups = sampled.kept.groups;
                }
                let compared = Compared {
                    group,
                    rate,
                    kept: sampled.kept.groups_kept,
                    ..Compared::of(&of_whole, &of_sample)
                };
                let worst = compared.waf.iter().map(|error| -error.abs());
                let worst = least(&worst.collect::<Vec<_>>());
                eprintln!(
                    "{name}, groups of {group}, 1/{rate}, seed {seed}: worst {:.3} of {}",
                    compared.waf[worst],
                    systems()[worst].name
                );
                samples.push(compared);
            }
        }
        let wafs: Vec<f64> = of_whole.iter().map(|system| system.waf).collect();
        let best = systems().swap_remove(least(&wafs)).name;
        let name = name.to_owned();
        Ok(Self {
            name,
            groups,
            best,
            samples,
        })
    }
}

fn draw(
    path: &Path,
    to: &Path,
    group: u64,
    rate: u64,
    seed: u64,
) -> Result<Sampled, Box<dyn Error>> {
    let sample = Sample {
        rate: Rate::new(1.0 / rate as f64).ok_or("a rate")?,
        seed,
        group,
    };
    let file = std::io::BufWriter::new(fs::File::create(to)?);
    let (file, sampled) = sample.run(path, &ReadOptions::default(), Target::PLAIN, file)?;
    file.into_inner()?;
    Ok(sampled)
}

/// Every FTL with every buffer.
fn systems() -> Vec<System> {
    let system = |(ftl, set): (&str, &[&str]), buffer: &str| System {
        name: format!("{ftl}; {buffer}"),
        set: (set.iter().map(|&set| set.to_owned()))
            .chain([format!("buffer.policy={buffer}")])
            .collect(),
    };
    let pairs = FTLS
        .iter()
        .flat_map(|ftl| BUFFERS.map(|buffer| (*ftl, buffer)));
    pairs.map(|(ftl, buffer)| system(ftl, buffer)).collect()
}

/// The results of all systems on an aged device.
fn run(
    trace: &Trace,
    capacity: u64,
    buffer: u64,
    logs: u64,
) -> Result<Vec<Measured>, Box<dyn Error>> {
    let lab = Lab::new();
    let mut resolver = lab.resolver();
    for set in [
        format!("flash.pages_per_block={}", BLOCK / PAGE_SIZE),
        format!("flash.page_size={PAGE_SIZE}"),
        format!("flash.capacity={capacity}"),
        format!("buffer.size={buffer}"),
        format!("ftl.log_blocks={logs}"),
        format!("ftl.over_provisioning={SPARE}"),
        // most of the traces are too short to bring a new drive into a steady state
        "precondition=random:2".into(),
    ] {
        resolver.set(&set)?;
    }
    let systems = systems();
    let comparison = lab.compare(
        trace,
        CompareOptions {
            buffers: Vec::new(),
            systems: systems.clone(),
            sizes: Vec::new(),
            bounds: false,
            record: false,
            ..CompareOptions::new(&lab, resolver)
        },
    )?;
    let measured = systems.iter().map(|system| {
        let row = comparison.rows.iter().find(|row| row.name == system.name)?;
        Some(Measured {
            waf: row.figure(&WAF)?,
            hits: row.figure(&WRITE_HIT_RATIO),
        })
    });
    let measured: Option<Vec<_>> = measured.collect();
    Ok(measured.ok_or("a run without a result")?)
}

impl Compared {
    fn of(whole: &[Measured], sample: &[Measured]) -> Self {
        let pairs = || whole.iter().zip(sample);
        let hits = pairs().filter_map(|(whole, sample)| Some((sample.hits? - whole.hits?) * 100.0));
        let [wafs, of_sample] =
            [whole, sample].map(|all| all.iter().map(|system| system.waf).collect::<Vec<_>>());
        Self {
            group: 0,
            rate: 0,
            kept: 0,
            waf: pairs()
                .map(|(whole, sample)| sample.waf / whole.waf - 1.0)
                .collect(),
            hits: hits.collect(),
            tau: tau(&wafs, &of_sample),
            regret: wafs[least(&of_sample)] / wafs[least(&wafs)] - 1.0,
        }
    }
}

/// The index of the least value.
fn least(values: &[f64]) -> usize {
    let all = values.iter().enumerate();
    all.min_by(|a, b| a.1.total_cmp(b.1))
        .map_or(0, |(at, _)| at)
}

/// Kendall's rank correlation, tau-b: 1 if all pairs have the same order, -1 if all have the opposite one.
fn tau(a: &[f64], b: &[f64]) -> f64 {
    let (mut sum, mut of_a, mut of_b) = (0.0, 0.0, 0.0);
    for i in 0..a.len() {
        for j in 0..i {
            let sign = |x: &[f64]| {
                if x[i] == x[j] {
                    0.0
                } else {
                    (x[i] - x[j]).signum()
                }
            };
            sum += sign(a) * sign(b);
            of_a += sign(a).abs();
            of_b += sign(b).abs();
        }
    }
    sum / f64::sqrt(of_a * of_b)
}

/// The value that this share of the values do not exceed.
fn quantile(values: impl IntoIterator<Item = f64>, share: f64) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    let rank = (values.len() as f64 * share).ceil() as usize;
    values[rank.clamp(1, values.len()) - 1]
}

/// `median, up to worst`.
fn spread(values: &[f64], decimals: usize) -> [String; 3] {
    [0.5, 0.9, 1.0].map(|share| fixed(quantile(values.iter().copied(), share), decimals))
}

fn sizes(values: &[f64], factor: f64) -> Vec<f64> {
    values.iter().map(|value| value.abs() * factor).collect()
}

fn tables(all: &[OnTrace]) -> String {
    let with = |group: u64, rate: u64| {
        let samples = all.iter().flat_map(|trace| &trace.samples);
        samples.filter(move |sample| (sample.group, sample.rate) == (group, rate))
    };
    let at = |rate: u64| with(GROUP, rate);
    let mut text = String::new();
    let mut table = |title: &str, columns: &str, header: &[&str], rows: Vec<Vec<String>>| {
        text += &format!(
            "{title}\n\n{}\n",
            markdown_table(columns, &header.join(" | "), rows)
        );
    };

    let errors = |group: u64, rate: u64| {
        let of = |values: fn(&Compared) -> Vec<f64>| {
            with(group, rate).flat_map(values).collect::<Vec<_>>()
        };
        let kept: Vec<u64> = with(group, rate).map(|sample| sample.kept).collect();
        let end = |end: Option<&u64>| thousands(end.copied().unwrap_or(0));
        let mut row = vec![format!(
            "{} to {}",
            end(kept.iter().min()),
            end(kept.iter().max())
        )];
        row.extend(spread(&of(|sample| sizes(&sample.waf, 100.0)), 1));
        row.extend(spread(&of(|sample| sizes(&sample.hits, 1.0)), 1));
        row
    };
    let rows = RATES.map(|rate| [vec![format!("1/{rate}")], errors(GROUP, rate)].concat());
    table(
        "Errors over all traces, systems and seeds: median, 90th percentile, worst.",
        "lrrrrrrr",
        &[
            "rate",
            "groups kept",
            "WAF, %: median",
            "90 %",
            "worst",
            "hit ratio, points: median",
            "90 %",
            "worst",
        ],
        rows.into(),
    );

    let rows = RATES.map(|rate| {
        let taus: Vec<f64> = at(rate).map(|sample| -sample.tau).collect();
        let regrets: Vec<f64> = at(rate).map(|sample| sample.regret * 100.0).collect();
        let right = regrets.iter().filter(|regret| **regret < 1.0).count();
        let tau = |share| fixed(-quantile(taus.iter().copied(), share), 2);
        let mut row = vec![format!("1/{rate}"), tau(0.5), tau(0.9), tau(1.0)];
        row.push(format!("{right} of {}", regrets.len()));
        row.push(fixed(quantile(regrets, 1.0), 1));
        row
    });
    table(
        "The order of the 16 systems by write amplification: Kendall's τ between sample and whole trace; and how often the \
         best system of the sample is the best of the whole trace, or within 1 % of it.",
        "lrrrrr",
        &[
            "rate",
            "τ: median",
            "worst tenth",
            "worst",
            "best found",
            "else at most, %",
        ],
        rows.into(),
    );

    let by_ftl = FTLS.iter().enumerate().map(|(ftl, (name, _))| {
        let mut row = vec![(*name).to_owned()];
        row.extend(RATES.map(|rate| {
            let own = ftl * BUFFERS.len()..(ftl + 1) * BUFFERS.len();
            let errors = at(rate).flat_map(|sample| sizes(&sample.waf[own.clone()], 100.0));
            fixed(quantile(errors, 0.5), 1)
        }));
        row
    });
    let rates: Vec<String> = RATES.map(|rate| format!("1/{rate}")).into();
    let header = |first: &'static str| {
        let rates = rates.iter().map(String::as_str);
        [first].into_iter().chain(rates).collect::<Vec<_>>()
    };
    table(
        "Median error of the write amplification by FTL, %.",
        "lrrrrrr",
        &header("FTL"),
        by_ftl.collect(),
    );

    let by_trace = |values: fn(&Compared) -> f64| {
        let row = move |trace: &OnTrace| {
            let mut row = vec![trace.name.clone()];
            row.extend(RATES.map(|rate| {
                let is_own = |sample: &&Compared| (sample.group, sample.rate) == (GROUP, rate);
                let own = trace.samples.iter().filter(is_own);
                let own: Vec<f64> = own.map(values).collect();
                let end = |share| decimal(quantile(own.iter().copied(), share), 1);
                format!("{} to {}", end(0.0), end(1.0))
            }));
            row
        };
        all.iter().map(row).collect::<Vec<_>>()
    };
    table(
        "Mean error of the write amplification of all systems by trace, %: from the best to the worst seed.",
        "lrrrrrr",
        &header("trace"),
        by_trace(|sample| {
            let errors = sizes(&sample.waf, 100.0);
            errors.iter().sum::<f64>() / errors.len() as f64
        }),
    );

    let mut rows = Vec::new();
    for rate in OTHER_RATES {
        let mut groups = [&OTHER_GROUPS[..], &[GROUP]].concat();
        groups.sort_unstable();
        rows.extend(groups.into_iter().map(|group| {
            let first = vec![format!("1/{rate}"), bytes(group)];
            [first, errors(group, rate)].concat()
        }));
    }
    table(
        "Other sizes of groups. An erase block of the device has 64 KiB.",
        "llrrrrrrr",
        &[
            "rate",
            "group",
            "groups kept",
            "WAF, %: median",
            "90 %",
            "worst",
            "hit ratio, points: median",
            "90 %",
            "worst",
        ],
        rows,
    );

    let rows = all.iter().map(|trace| {
        let groups = thousands(trace.groups);
        vec![trace.name.clone(), groups, trace.best.clone()]
    });
    table(
        "The whole traces.",
        "lrl",
        &["trace", "groups touched", "best system"],
        rows.collect(),
    );
    text.trim_end().to_owned() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    // planted bugs: ties that count as agreement; the opposite order that counts as none
    #[test]
    fn rank_correlation_by_hand() {
        assert_eq!(tau(&[1.0, 2.0, 3.0], &[10.0, 20.0, 30.0]), 1.0);
        assert_eq!(tau(&[1.0, 2.0, 3.0], &[3.0, 2.0, 1.0]), -1.0);
        // of three pairs one is exchanged
        assert_eq!(tau(&[1.0, 2.0, 3.0], &[2.0, 1.0, 3.0]), 1.0 / 3.0);
        // of three pairs one is tied in the second list, and the others agree
        let tied = tau(&[1.0, 2.0, 3.0], &[1.0, 1.0, 3.0]);
        assert!((tied - 2.0 / 6.0_f64.sqrt()).abs() < 1e-12);
    }

    // planted bug: the value behind the rank
    #[test]
    fn quantiles_are_values() {
        let values = || (1..=10).map(f64::from);
        assert_eq!(quantile(values(), 0.5), 5.0);
        assert_eq!(quantile(values(), 0.9), 9.0);
        assert_eq!(quantile(values(), 1.0), 10.0);
        assert_eq!(quantile(values(), 0.0), 1.0);
    }

    // planted bug: the end of the old tables stays
    #[test]
    fn tables_are_replaced() {
        let text = format!("a\n{BEGIN}\nold\n{END}\nb\n");
        let once = filled(&text, "new\n").unwrap();
        assert!(once.contains("new") && !once.contains("old") && once.ends_with("b\n"));
        assert_eq!(filled(&once, "new\n").unwrap(), once);
        assert_eq!(filled("a", "new"), None);
    }
}
