//! The runs: every competitor on every workload, device and size, flushes honoured or not, in every replay.

use std::path::Path;

use ssdlab_sim::{CompareOptions, Counters, System, compare};
use toml::Spanned;

use super::Contest;
use super::description::{Device, Variant};
use crate::error::ReproduceError;
use crate::paper::{description::Origin, load, row};
use crate::study::{Progress, Settings};

/// A point: all competitors under equal conditions.
#[derive(Clone, Debug)]
pub struct Cell {
    pub workload: String,
    pub is_generated: bool,
    pub device: String,
    /// Whether the device cleans instead of merging.
    pub cleans: bool,
    /// `honoured`, or `ignored` because the buffer keeps its pages without power.
    pub flushes: &'static str,
    /// From 1.
    pub replay: usize,
    /// Bytes.
    pub size: u64,
    /// Those of the rivals, of the competitor, and of its variants.
    pub runs: Vec<Counters>,
    /// The place of the competitor among them.
    pub competitor: usize,
}

impl Cell {
    /// The fastest of the rivals, among equals the first.
    pub fn best(&self) -> usize {
        let rivals = 0..self.competitor;
        let time = |&at: &usize| self.runs[at].elapsed_ns;
        rivals.min_by_key(time).unwrap_or(0)
    }

    /// The time of a competitor, nanoseconds.
    pub fn time(&self, at: usize) -> f64 {
        self.runs[at].elapsed_ns as f64
    }

    /// The time of a competitor over that of the best rival.
    pub fn ratio(&self, at: usize) -> f64 {
        self.time(at) / self.time(self.best())
    }
}

impl Contest {
    /// The workloads with their names: the traces, which are named as their files up to the first dot, then the generated
    /// ones.
    pub fn workloads(&self) -> Vec<(String, Origin)> {
        let mut workloads = Vec::new();
        for file in &self.description.traces {
            let name = Path::new(file.get_ref()).file_name().unwrap_or_default();
            let name = name.to_string_lossy();
            let name = name.split('.').next().unwrap_or_default().to_owned();
            workloads.push((
                name,
                Origin::File {
                    file: file.clone(),
                    limit: None,
                },
            ));
        }
        for (name, words) in &self.description.generated {
            workloads.push((name.clone(), Origin::Generated(words.clone())));
        }
        workloads
    }

    /// All points. All traces are loaded before the first run. `progress` is called with the number of comparisons.
    pub fn cells(
        &self,
        settings: &Settings,
        progress: Progress,
    ) -> Result<Vec<Cell>, ReproduceError> {
        let (mut traces, mut comparisons) = (Vec::new(), Vec::new());
        for (name, origin) in self.workloads() {
            let trace = load(&self.file, settings, &name, &origin, &[])?;
            let is_generated = matches!(origin, Origin::Generated(_));
            for device in &self.description.devices {
                comparisons.push((traces.len(), device, "honoured"));
                if !is_generated {
                    comparisons.push((traces.len(), device, "ignored"));
                }
            }
            traces.push((name, is_generated, trace));
        }
        progress(comparisons.len());
        let mut cells = Vec::new();
        for &(at, device, flushes) in &comparisons {
            let (workload, is_generated, trace) = &traces[at];
            let mut options = self.options(device, flushes)?;
            options.jobs = settings.jobs;
            let comparison = compare(trace, &options, |_| {})?;
            for replay in 1..=options.replay.loops as usize {
                for &size in &options.sizes {
                    let run = |label: &Spanned<String>| {
                        let outcome = &row(&comparison, label.get_ref(), size)?.outcome;
                        let loops = outcome.loops.as_ref();
                        let counters = loops.map(|loops| &loops[replay - 1].counters);
                        Some(counters.unwrap_or(&outcome.counters).clone())
                    };
                    let runs: Option<_> = self.labels().map(run).collect();
                    cells.push(Cell {
                        workload: workload.clone(),
                        is_generated: *is_generated,
                        device: device.name.get_ref().clone(),
                        cleans: device.cleans,
                        flushes,
                        replay,
                        size,
                        runs: runs.expect("a row for each label"),
                        competitor: self.competitor_at(),
                    });
                }
            }
            progress(comparisons.len());
        }
        Ok(cells)
    }

    /// All competitors at all sizes on one device.
    fn options(&self, device: &Device, flushes: &str) -> Result<CompareOptions, ReproduceError> {
        let (description, file) = (&self.description, &self.file);
        let resolver = self.resolver(device)?;
        let protected = format!("buffer.protected={}", flushes == "ignored");
        let resolver = file.accepts(&resolver, &device.name, Some(&protected))?;
        let mut options = CompareOptions::new(&self.lab, resolver);
        options.buffers = self.policies().map(|name| name.get_ref().clone()).collect();
        let policy = format!("buffer.policy={}", self.competitor());
        let system = |variant: &Variant| System {
            name: variant.name.get_ref().clone(),
            set: vec![policy.clone(), variant.set.get_ref().clone()],
        };
        options.systems = description.variants.iter().map(system).collect();
        options.sizes = description
            .sizes
            .iter()
            .map(|size| size.get_ref().0)
            .collect();
        options.bounds = false;
        options.record = false;
        options.replay.loops = description.replays.get();
        Ok(options)
    }
}
