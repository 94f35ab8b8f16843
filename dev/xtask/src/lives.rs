//! `cargo xtask lives`: random lives of virtual SSDs, for a given time.

use std::error::Error;
use std::time::{Duration, Instant};

use ssdlab_lives::{Failure, Plan, Search, Seen, Summary, lived};

/// Runs lives: `--minutes M`, `--seed S`, `--threads T`, `--all`; or one, `--life N`.
pub fn run(options: &[&str]) -> Result<(), Box<dyn Error>> {
    let options = Options::of(options)?;
    if let Some(seed) = options.life {
        return one(seed);
    }
    let begun = Instant::now();
    let search = Search {
        seed: options.seed.unwrap_or_else(random),
        lives: u64::MAX,
        until: Some(begun + Duration::from_secs(60 * options.minutes)),
        threads: options.threads,
        all: options.all,
    };
    println!("lives from {} on", search.seed);
    let summary = search.run();
    print(&summary, begun.elapsed());
    for (promise, (failure, count)) in &summary.broken {
        println!("\n{count} of these lives: {promise}");
        println!("{}", failure.shrunk());
    }
    if summary.broken.is_empty() {
        Ok(())
    } else {
        Err("a drive did not keep what it promised".into())
    }
}

/// Repeats one life.
fn one(seed: u64) -> Result<(), Box<dyn Error>> {
    match lived(&Plan::of(seed), &mut Seen::new()) {
        Ok(()) => Ok(()),
        Err(broken) => {
            println!("{}", Failure { seed, broken }.shrunk());
            Err("this life breaks a promise".into())
        }
    }
}

fn print(summary: &Summary, time: Duration) {
    for (what, count) in &summary.seen {
        let rate = *count as f64 / time.as_secs_f64();
        println!("{count:12} {rate:12.1} a second  {what}");
    }
}

struct Options {
    minutes: u64,
    seed: Option<u64>,
    threads: usize,
    life: Option<u64>,
    all: bool,
}

impl Options {
    fn of(words: &[&str]) -> Result<Self, Box<dyn Error>> {
        let mut options = Self {
            minutes: 1,
            seed: None,
            threads: 2,
            life: None,
            all: false,
        };
        let mut rest = words.iter();
        while let Some(option) = rest.next() {
            if *option == "--all" {
                options.all = true;
                continue;
            }
            let text = rest
                .next()
                .ok_or_else(|| format!("{option} needs a number"))?;
            let number: u64 = text
                .parse()
                .map_err(|_| format!("{text:?} is not a whole number"))?;
            match *option {
                "--minutes" => options.minutes = number,
                "--seed" => options.seed = Some(number),
                "--threads" => options.threads = number as usize,
                "--life" => options.life = Some(number),
                _ => return Err(format!("no option {option}").into()),
            }
        }
        Ok(options)
    }
}

/// A random number that is short enough to type.
fn random() -> u64 {
    fastrand::u64(..1 << 40)
}
