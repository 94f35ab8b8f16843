//! A comparison as the page asks it, and what the page shows of it.

use std::io::Cursor;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::Deserialize;
use serde_json::{Value, json};
use ssdlab_arguments::ReadArgs;
use ssdlab_config::Resolver;
use ssdlab_report::{Cells, Look, cells, charts, csv, json as as_json};
use ssdlab_results::{Compared as Rows, Origin, Schema};
use ssdlab_sim::{
    Axis, Choices, CompareOptions, Comparison, Figure, Lab, Lines, Replay, Row, Trace, WAF,
    compare, how_long, how_replayed, what_helps, without_clocks,
};
use ssdlab_trace::Watch;

use crate::Told;
use crate::said;

/// What to compare: the options of `ssdlab compare`, under their names. A value of an option is a text as it stands on the
/// command line.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Compare {
    /// A workload in words, as `ssdlab trace generate` takes it; or else a file is read.
    pub workload: Option<String>,
    /// The name of the file with the trace.
    pub file: Option<String>,
    /// The options of reading it.
    pub read: Vec<String>,
    pub preset: Option<String>,
    pub set: Vec<String>,
    pub scale_to: Option<String>,
    pub buffer: Vec<String>,
    pub all: bool,
    pub size: Vec<String>,
    pub ftl: Vec<String>,
    pub vary: Vec<String>,
    pub baseline: Option<String>,
    pub by: Option<String>,
    pub no_bounds: bool,
    pub settled: bool,
    pub no_advice: bool,
    pub wrap: bool,
    pub compact: bool,
    pub loops: Option<u32>,
}

/// What a comparison can be saved as. The report of the command line is not among them: its library of charts would be a fifth of the page.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    Csv,
    Json,
}

/// A comparison that has run.
pub struct Compared {
    comparison: Comparison,
    origin: Origin,
    catalogue: Arc<ssdlab_device::Catalogue>,
    facts: Vec<(String, String)>,
}

impl Compare {
    /// The layers of the configuration.
    fn resolver(&self, lab: &Lab) -> Result<Resolver, String> {
        resolver(
            lab,
            self.preset.as_deref(),
            &self.set,
            self.scale_to.as_deref(),
        )
    }

    fn replay(&self) -> Replay {
        Replay {
            wrap: self.wrap,
            compact: self.compact,
            loops: self.loops.unwrap_or(1).max(1),
            steady: false,
        }
    }

    fn options(&self, lab: &Lab) -> Result<CompareOptions, String> {
        let axis = |text: &String| Axis::parse(text).map_err(|why| format!("--vary {text}: {why}"));
        let choices = Choices {
            buffers: self.buffer.clone(),
            all_buffers: self.all,
            sizes: self.size.clone(),
            ram_total: Vec::new(),
            ftls: self.ftl.clone(),
            vary: self.vary.iter().map(axis).collect::<Result<_, _>>()?,
            baseline: self.baseline.clone(),
        };
        let options = CompareOptions::new(lab, self.resolver(lab)?).or_today(&choices);
        let mut options = options.as_configured().map_err(|error| error.to_string())?;
        options.replay = self.replay();
        options.resolver.fit_capacity(!self.wrap);
        options
            .choose(&choices)
            .map_err(|error| error.to_string())?;
        let figures = lab.figures();
        options.by = match &self.by {
            None => None,
            Some(name) => {
                let names: Vec<&str> = figures.ranking().map(|figure| figure.key).collect();
                let known = figures.named(name);
                Some(known.ok_or_else(|| {
                    format!(
                        "--by {name}: is no figure; must be one of {}",
                        names.join(", ")
                    )
                })?)
            }
        };
        options.bounds = !self.no_bounds;
        options.advice = !self.no_advice;
        options.settled |= self.settled;
        Ok(options)
    }

    /// Runs it. Tells the requests that a pass has done, the runs that are done, and the figures of each run as it ends.
    pub fn run(&self, lab: &Lab, file: Vec<u8>, told: &Told) -> Result<Compared, String> {
        let mut options = self.options(lab)?;
        let tell = Arc::clone(told);
        let watch = Watch::new(move |passed| {
            if let Some((done, all)) = passed.at {
                tell(json!({ "passed": [done, all] }));
            }
        });
        let trace = match &self.workload {
            Some(words) => {
                let requests = ssdlab_workload::requests(words)?.collect();
                let mut trace = Trace::made(words, requests);
                trace.watched_by(watch);
                trace
            }
            None => {
                let read = ReadArgs::parse(&self.read)?.options(watch);
                let name = self.file.as_deref().ok_or("no workload, and no file")?;
                let read = Trace::read(name, Cursor::new(file), &read);
                read.map_err(|error| error.to_string())?
            }
        };
        options
            .fit_today(&[&trace])
            .map_err(|error| error.to_string())?;
        let tell = Arc::clone(told);
        let by = options.by;
        options.told = Some(Arc::new(move |row| tell(json!({ "row": live(row, by) }))));
        let done = AtomicU64::new(0);
        let comparison = compare(&trace, &options, |runs| {
            // the first call comes before the first run
            told(json!({ "runs": [done.fetch_add(1, Ordering::Relaxed), runs] }));
        });
        let comparison = comparison.map_err(|error| error.to_string())?;
        let summary = &trace.summary;
        Ok(Compared {
            comparison,
            origin: Origin {
                trace: summary.name.clone(),
                replay: options.replay.clone(),
                version: env!("CARGO_PKG_VERSION").into(),
                command: Some(said::command(self)),
                ..Origin::default()
            },
            catalogue: lab.systems().catalogue(),
            facts: vec![
                (
                    "format".into(),
                    format!("{}: {}", summary.format, summary.format_reason),
                ),
                ("requests".into(), ssdlab_words::thousands(summary.requests)),
            ],
        })
    }

    /// The same as a command line and as Python.
    pub fn said(&self) -> Value {
        json!({ "command": said::command(self), "python": said::python(self) })
    }
}

/// The layers of a configuration.
pub fn resolver(
    lab: &Lab,
    preset: Option<&str>,
    set: &[String],
    scale_to: Option<&str>,
) -> Result<Resolver, String> {
    let mut resolver = lab.resolver();
    if let Some(preset) = preset {
        resolver.preset(preset);
    }
    for setting in set {
        resolver.set(setting).map_err(|error| error.to_string())?;
    }
    if let Some(given) = scale_to {
        let size = ssdlab_words::parse_bytes(given).filter(|size| *size > 0);
        let size = size
            .ok_or_else(|| format!("--scale-to {given}: must be a size above 0, such as 16GiB"))?;
        resolver.scale_to(size, given);
    }
    Ok(resolver)
}

/// What the page shows of a run before all have ended.
fn live(row: &Row, by: Option<Figure>) -> Value {
    let figures = [by.unwrap_or(ssdlab_sim::THROUGHPUT), WAF];
    let figures = figures.iter().map(|figure| {
        let value = row.figure(figure).filter(|_| row.shows(figure));
        json!([figure.heading, value.map(|value| figure.unit.text(value))])
    });
    json!({ "label": row.sized_label(), "figures": figures.collect::<Vec<_>>() })
}

impl Compared {
    /// What the page shows: the table and the texts of the command line, and charts.
    pub fn answer(&self) -> Value {
        let compared = &self.comparison;
        let Cells { header, rows } = cells(compared, &[]);
        let look = |look| match look {
            Look::Plain => "plain",
            Look::Winner => "winner",
            Look::Loss => "loss",
        };
        let rows = rows.iter().map(|row| {
            let row = row.iter().map(|(text, of)| json!([text, look(*of)]));
            row.collect::<Vec<_>>()
        });
        let lines = |lines: Lines| {
            lines
                .into_iter()
                .map(|(label, value)| json!([label, value]))
                .collect::<Vec<_>>()
        };
        let missing = without_clocks(compared, &[]).map(|why| json!(["-", why]));
        let mut how = missing.into_iter().collect::<Vec<_>>();
        how.extend(lines(how_replayed(compared)));
        how.extend(lines(how_long(compared)));
        json!({
            "device": compared.device,
            "header": header,
            "rows": rows.collect::<Vec<_>>(),
            "how": how,
            "sentence": compared.sentence,
            "helps": lines(what_helps(compared)),
            "warnings": compared.warnings,
            "charts": charts(compared),
            "trace": self.facts,
        })
    }

    /// The file of a format.
    pub fn saved(&self, format: Format) -> Result<String, String> {
        let rows = Rows {
            comparison: &self.comparison,
            origin: &self.origin,
            schema: &Schema::of(&self.catalogue),
        };
        match format {
            Format::Csv => csv(&rows),
            Format::Json => as_json(&rows),
        }
    }
}
