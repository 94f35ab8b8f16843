//! The options of `ssdlab report`.

use std::path::PathBuf;

#[derive(clap::Args)]
pub struct Args {
    /// Results: folders of parts, tables of sweep merge (Parquet, CSV), and files of compare --csv and --json and of run --json
    #[arg(value_name = "PATH", required = true)]
    pub(super) paths: Vec<PathBuf>,
    /// The file to write: a page (.html), a picture (.svg, .pdf, .pgf, .csv) or a table (.tex, .md, .csv) [default for a
    /// page: results.html]
    #[arg(long, short, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
    /// Take the rows with one of these values only; may be given several times
    #[arg(long = "where", value_name = "KEY=VALUE,...")]
    pub(super) keep: Vec<String>,
    /// The figures of the page [default: those of waf, throughput, p99, erases and life that vary]
    #[arg(long, value_name = "FIGURE,...", value_delimiter = ',', conflicts_with_all = ["plot", "table"])]
    pub(super) by: Vec<String>,
    /// Write one picture of a figure; a Pareto front is of two
    #[arg(
        long,
        value_name = "FIGURE",
        value_delimiter = ',',
        conflicts_with = "table"
    )]
    pub(super) plot: Vec<String>,
    /// The kind of the picture
    #[arg(long, value_enum, default_value = "curves", requires = "plot")]
    pub(super) kind: KindOf,
    /// The axis from left to right [default: buffer.size, or the key with most numbers]
    #[arg(long, value_name = "KEY", requires = "plot")]
    pub(super) x: Option<String>,
    /// The other axis of a map
    #[arg(long, value_name = "KEY", requires = "plot")]
    pub(super) y: Option<String>,
    /// What distinguishes curves, points or boxes [default: the policies and systems that vary]
    #[arg(long, value_name = "KEY,...", value_delimiter = ',', requires = "plot")]
    pub(super) curves: Vec<String>,
    /// What distinguishes panels; none for one panel [default: trace; of a spread: none]
    #[arg(long, value_name = "KEY,...", value_delimiter = ',', requires = "plot")]
    pub(super) facet: Vec<String>,
    /// A logarithmic axis of the figure
    #[arg(long, requires = "plot")]
    pub(super) log: bool,
    /// The width of the picture in mm; texts keep their size
    #[arg(long, value_name = "MM", default_value = "160", value_parser = parse_width, requires = "plot")]
    pub(super) width: f64,
    /// Write one table of figures
    #[arg(
        long,
        value_name = "FIGURE,...",
        value_delimiter = ',',
        requires = "rows"
    )]
    pub(super) table: Vec<String>,
    /// What distinguishes the rows of the table
    #[arg(
        long,
        value_name = "KEY,...",
        value_delimiter = ',',
        requires = "table"
    )]
    pub(super) rows: Vec<String>,
    /// What distinguishes its columns
    #[arg(
        long,
        value_name = "KEY,...",
        value_delimiter = ',',
        requires = "table"
    )]
    pub(super) columns: Vec<String>,
    /// Where the best value of a figure is bold
    #[arg(long, value_enum, default_value = "column", requires = "table")]
    pub(super) best: BestIn,
}

/// The kinds of pictures.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(super) enum KindOf {
    /// A figure over a numeric axis
    Curves,
    /// A figure over two axes
    Heat,
    /// Two figures, and the configurations that no other one dominates
    Pareto,
    /// Median and quartiles over traces and seeds
    Spread,
}

/// Where the best value is bold.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(super) enum BestIn {
    /// In each column
    Column,
    /// In each row
    Row,
    /// Nowhere
    None,
}

fn parse_width(text: &str) -> Result<f64, String> {
    let width: Option<f64> = text.parse().ok();
    width
        .filter(|width| (40.0..=1000.0).contains(width))
        .ok_or_else(|| "must be a number of mm from 40 to 1000".into())
}
