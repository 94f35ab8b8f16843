//! `ssdlab theory`.

use serde::Serialize;
use ssdlab_theory::{
    BadPools, Class, Cleaning, Pool, Pools, Spare, Split, classes, d_choices, fifo, greedy,
    with_discards,
};

use crate::failure::Failure;
use crate::output;
use crate::screen::{Screen, Table};

#[derive(clap::Args)]
pub struct Args {
    /// Share of the physical pages without data, from 1e-6 to below 1 (S_f); commas separate several values
    #[arg(
        long,
        value_name = "SHARE",
        value_delimiter = ',',
        required_unless_present = "over_provisioning"
    )]
    #[arg(value_parser = spare)]
    spare: Vec<Spare>,
    /// Alternative: physical pages beyond the logical ones, as a fraction of the logical pages
    #[arg(
        long,
        value_name = "FRACTION",
        value_delimiter = ',',
        conflicts_with = "spare"
    )]
    #[arg(value_parser = over_provisioning)]
    over_provisioning: Vec<Spare>,
    /// Pages of a block, or of a line of blocks, for greedy and d-choices; up to 4194304
    #[arg(
        long,
        value_name = "PAGES",
        value_delimiter = ',',
        default_value = "64"
    )]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1 << 22))]
    block: Vec<u32>,
    /// Number of blocks that d-choices draws
    #[arg(long, value_name = "N", value_delimiter = ',', default_value = "10")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=65535))]
    d: Vec<u32>,
    /// Hot data: X % of the writes go to Y % of the data, for the fifo policy
    #[arg(long, value_name = "X/Y", value_parser = hot)]
    hot: Option<[Class; 2]>,
    /// Data apart on flash, cleaned apart: X % of the writes go to Y % of the data, which have blocks of their own; X/Y/seq is
    /// written in order. All X and all Y sum to 100
    #[arg(long, value_name = "X/Y,X/Y/seq...", value_parser = pools)]
    pools: Option<Pools>,
    /// Percent of the physical pages of each pool, in their order; without it, the spare is in proportion to the data
    #[arg(
        long,
        value_name = "PERCENT",
        value_delimiter = ',',
        requires = "pools"
    )]
    #[arg(value_parser = percent)]
    split: Vec<f64>,
    /// Share of the requests that discard a page, from 0 to below 0.5; the others write
    #[arg(long, value_name = "SHARE", default_value = "0", value_parser = ssdlab_workload::share_of_discards)]
    discards: f64,
    /// Print one JSON array instead of a table
    #[arg(long)]
    json: bool,
}

/// One line: a spare factor and the write amplification of each policy.
#[derive(Serialize)]
struct Line {
    /// S_f before discards.
    spare: f64,
    /// The effective S_f with discards.
    effective_spare: f64,
    fifo: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    hot_and_cold: Option<f64>,
    /// Fifo within each pool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pools: Option<OfPools>,
    blocks: Vec<OfBlock>,
}

/// Data apart on flash: with the split of `--split`, and with the best one.
#[derive(Serialize)]
struct OfPools {
    given: OfSplit,
    optimal: OfSplit,
}

#[derive(Serialize)]
struct OfSplit {
    /// For each pool, its share of the physical pages.
    shares: Vec<f64>,
    /// For each pool, its own.
    each: Vec<f64>,
    write_amplification: f64,
}

/// The policies whose result depends on the size of a block.
#[derive(Serialize)]
struct OfBlock {
    pages_per_block: u32,
    greedy: f64,
    /// Greedy within each pool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pools: Option<OfPools>,
    d_choices: Vec<OfChoices>,
}

#[derive(Serialize)]
struct OfChoices {
    d: u32,
    write_amplification: f64,
}

impl OfPools {
    fn both(&self) -> [f64; 2] {
        [&self.given, &self.optimal].map(|split| split.write_amplification)
    }
}

impl From<Split> for OfSplit {
    fn from(split: Split) -> Self {
        Self {
            shares: split.shares,
            each: split.each,
            write_amplification: split.amplification,
        }
    }
}

pub fn theory(args: Args) -> Result<(), Failure> {
    let spares = args.spare.iter().chain(&args.over_provisioning);
    let lines = spares.map(|&spare| line(&args, spare));
    let lines = lines.collect::<Result<Vec<Line>, Failure>>()?;
    if args.json {
        return output::print_json(&lines);
    }
    output::print(&format!("{}\n", table(&lines).trim_end()))
}

fn line(args: &Args, spare: Spare) -> Result<Line, Failure> {
    let left = with_discards(spare, args.discards).unwrap_or(spare);
    let of_block = |&pages_per_block: &u32| -> Result<OfBlock, Failure> {
        Ok(OfBlock {
            pages_per_block,
            greedy: greedy(left, pages_per_block),
            pools: of_pools(args, left, Cleaning::Greedy(pages_per_block))?,
            d_choices: args
                .d
                .iter()
                .map(|&d| OfChoices {
                    d,
                    write_amplification: d_choices(left, pages_per_block, d),
                })
                .collect(),
        })
    };
    Ok(Line {
        spare: spare.share(),
        effective_spare: left.share(),
        fifo: fifo(left),
        hot_and_cold: args.hot.map(|hot| classes(left, &hot)),
        pools: of_pools(args, left, Cleaning::Fifo)?,
        blocks: args.block.iter().map(of_block).collect::<Result<_, _>>()?,
    })
}

fn of_pools(args: &Args, spare: Spare, cleaning: Cleaning) -> Result<Option<OfPools>, Failure> {
    let Some(pools) = &args.pools else {
        return Ok(None);
    };
    let given = match &args.split[..] {
        [] => pools.proportional(spare, cleaning),
        split => pools.split(spare, cleaning, split).map_err(|error| {
            let split: Vec<String> = split.iter().map(|share| of_hundred(*share)).collect();
            let at = match error {
                BadPools::Full { .. } => format!("at S_f = {}, ", spare.share()),
                _ => String::new(),
            };
            let why = in_percent(&error);
            Failure::Input(format!("--split {}: {at}{why}", split.join(",")))
        })?,
    };
    Ok(Some(OfPools {
        given: given.into(),
        optimal: pools.optimal(spare, cleaning).into(),
    }))
}

fn table(lines: &[Line]) -> String {
    let mut header = vec!["spare".to_owned(), "effective".into(), "fifo".into()];
    let Some(first) = lines.first() else {
        return String::new();
    };
    header.extend(first.hot_and_cold.map(|_| "hot and cold, fifo".to_owned()));
    let of_pools =
        |policy: &str| ["pools", "optimal pools"].map(|split| format!("{split}, {policy}"));
    header.extend(first.pools.iter().flat_map(|_| of_pools("fifo")));
    for of_block in &first.blocks {
        let pages = of_block.pages_per_block;
        let policy = format!("greedy, {pages} pages");
        header.push(policy.clone());
        header.extend(of_block.pools.iter().flat_map(|_| of_pools(&policy)));
        let choices = of_block.d_choices.iter();
        header.extend(choices.map(|choices| format!("{}-choices, {pages} pages", choices.d)));
    }
    let mut table = Table::new(&header, 0);
    for line in lines {
        let mut row = vec![line.spare, line.effective_spare, line.fifo];
        row.extend(line.hot_and_cold);
        row.extend(line.pools.iter().flat_map(OfPools::both));
        for of_block in &line.blocks {
            row.push(of_block.greedy);
            row.extend(of_block.pools.iter().flat_map(OfPools::both));
            row.extend(of_block.d_choices.iter().map(|d| d.write_amplification));
        }
        table.add(row.iter().map(|value| format!("{value:.4}")));
    }
    table.fit(&Screen::stdout())
}

fn spare(text: &str) -> Result<Spare, String> {
    let share = text.parse().ok().and_then(Spare::new);
    share.ok_or_else(|| format!("must be a number from {:e} to below 1", Spare::LEAST))
}

fn over_provisioning(text: &str) -> Result<Spare, String> {
    let share = text.parse().ok().and_then(Spare::from_over_provisioning);
    let least = Spare::LEAST;
    share.ok_or_else(|| format!("must be a number that makes a share from {least:e} to below 1"))
}

/// Percentages of the writes and of the data, each above 0 and below 100.
fn hot(text: &str) -> Result<[Class; 2], String> {
    let percentage = |text: &str| {
        let share = percent(text).ok();
        share.filter(|&share| share > 0.0 && share < 1.0)
    };
    let shares = text.split_once('/');
    let class = shares.and_then(|(writes, data)| {
        let (writes, data) = (percentage(writes)?, percentage(data)?);
        Some(Class { writes, data })
    });
    let hot = class.ok_or("must be two percentages above 0 and below 100, such as 80/20")?;
    let cold = Class {
        writes: 1.0 - hot.writes,
        data: 1.0 - hot.data,
    };
    Ok([hot, cold])
}

/// Pools with commas between them.
fn pools(text: &str) -> Result<Pools, String> {
    let pools = text.split(',').enumerate().map(|(at, text)| {
        pool(text).ok_or_else(|| {
            let pool = at + 1;
            format!("pool {pool} is {text:?}, must be two percentages, such as 80/20 or 80/20/seq")
        })
    });
    let pools = pools.collect::<Result<Vec<Pool>, String>>()?;
    Pools::new(&pools).map_err(|error| in_percent(&error))
}

fn pool(text: &str) -> Option<Pool> {
    let (shares, sequential) = match text.strip_suffix("/seq") {
        Some(shares) => (shares, true),
        None => (text, false),
    };
    let (writes, data) = shares.split_once('/')?;
    let (writes, data) = (percent(writes).ok()?, percent(data).ok()?);
    Some(Pool {
        class: Class { writes, data },
        sequential,
    })
}

/// As a share.
fn percent(text: &str) -> Result<f64, String> {
    let percent = text.parse::<f64>().ok().filter(|share| share.is_finite());
    let share = percent.map(|percent| percent / 100.0);
    share.ok_or_else(|| "must be a number, the percent of the physical pages".to_owned())
}

fn in_percent(error: &BadPools) -> String {
    error.in_words(|share| of_hundred(share) + " %")
}

/// Percent, without the digits that rounding has left.
fn of_hundred(share: f64) -> String {
    ((share * 1e8).round() / 1e6).to_string()
}
