//! Runs of a figure that were served in real time: the same requests, sent to a drive of the same configuration.

use std::collections::BTreeMap;

use ssdlab_words::size_value;

use super::checked::Paper;
use super::description::Figure;
use super::section::{file_of, options};
use crate::error::ReproduceError;
use crate::file::File;

/// The first line of a file of seconds.
const HEADER: &str = "trace,row,seconds";

/// A run to measure.
#[derive(Clone, Debug)]
pub struct ServedRun {
    /// The short name of the trace.
    pub trace: String,
    /// The label of the row.
    pub row: String,
    /// The arguments of `ssdlab drive create` before the image.
    pub create: String,
    /// The arguments of `ssdlab replay` before the target.
    pub replay: String,
}

/// The runs of a figure, and the file of their seconds.
#[derive(Clone, Debug)]
pub struct Served {
    /// The name of the file in the folder of the study.
    pub file: String,
    /// In the order of the file.
    pub runs: Vec<ServedRun>,
}

impl Served {
    /// The file with these seconds, one for each run.
    pub fn text(&self, seconds: &[f64]) -> String {
        let line = |(run, seconds): (&ServedRun, &f64)| {
            format!("{},{},{seconds:.3}\n", run.trace, run.row)
        };
        let lines = self.runs.iter().zip(seconds).map(line);
        format!("{HEADER}\n{}", lines.collect::<String>())
    }
}

impl Paper {
    /// The figures with served runs.
    pub fn served(&self) -> Vec<Served> {
        let figures = self.description.figure.iter();
        let of_figure = |figure: &Figure| {
            let file = figure.served.as_ref()?.get_ref().clone();
            let runs = figure
                .traces
                .iter()
                .flat_map(|trace| self.runs(figure, trace.get_ref()));
            let runs = runs.collect();
            Some(Served { file, runs })
        };
        figures.filter_map(of_figure).collect()
    }

    /// One run for each buffer policy, with the first size.
    fn runs(&self, figure: &Figure, trace: &str) -> Vec<ServedRun> {
        let header = &self.description.paper;
        let size = figure.sizes(header).first();
        let size = size.map(|size| format!(" --set buffer.size={}", size_value(size.0)));
        let size = size.unwrap_or_default();
        let [device, left_out] = options(self, figure);
        let (_, file) = file_of(self, trace);
        let run = |policy: &String| ServedRun {
            trace: trace.to_owned(),
            row: policy.clone(),
            create: format!("{device} --set buffer.policy={policy}{size}"),
            replay: format!("{file}{left_out}"),
        };
        let buffers = figure.buffers(header).iter();
        buffers.map(|policy| run(policy.get_ref())).collect()
    }
}

/// The seconds in a file, by trace and row.
pub(super) fn read(file: &File) -> Result<BTreeMap<(String, String), f64>, ReproduceError> {
    let mut at = 0;
    let mut seconds = BTreeMap::new();
    for line in file.text.lines() {
        let cells: Vec<&str> = line.split(',').collect();
        match (at, &cells[..]) {
            (0, _) if line == HEADER => {}
            (0, _) => return Err(file.refuse_at(0, &format!("must begin with {HEADER}"))),
            (_, [trace, row, value]) => {
                let value: f64 =
                    value
                        .parse()
                        .ok()
                        .filter(|value| *value > 0.0)
                        .ok_or_else(|| {
                            file.refuse_at(at, &format!("{value:?} is not a number of seconds"))
                        })?;
                seconds.insert(((*trace).to_owned(), (*row).to_owned()), value);
            }
            _ => return Err(file.refuse_at(at, "must have a trace, a row and seconds")),
        }
        at += line.len() + 1;
    }
    Ok(seconds)
}
