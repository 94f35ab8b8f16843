//! The runs: every competitor on every workload, device and size, flushes honoured or not, in every replay.

use std::path::Path;

use ssdlab_sim::{CompareOptions, Counters, System, cells, key};
use toml::Spanned;

use super::Contest;
use super::description::{Device, Variant};
use crate::error::ReproduceError;
use crate::paper::{description::Origin, load};
use crate::runs::OnTrace;
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

    /// All points. All traces are loaded before the first run.
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
                for flushes in ["honoured", "ignored"] {
                    if flushes == "honoured" || !is_generated {
                        let options = self.options(device, flushes, settings)?;
                        let (runs, _) = cells(&options, &trace)?;
                        comparisons.push((traces.len(), device, flushes, runs, options.sizes));
                    }
                }
            }
            traces.push((name, is_generated, trace));
        }
        let all = comparisons.iter().flat_map(|(at, _, _, runs, _)| {
            let trace = &traces[*at].2;
            runs.iter().map(move |cell| OnTrace { cell, trace })
        });
        let all: Vec<OnTrace> = all.collect();
        let found = settings.values(&self.lab, &all, progress)?;
        let mut found = all.iter().zip(&found);
        let mut points = Vec::new();
        for (at, device, flushes, runs, sizes) in &comparisons {
            let (workload, is_generated, _) = &traces[*at];
            let found: Vec<_> = found.by_ref().take(runs.len()).collect();
            for replay in 1..=self.description.replays.get() as usize {
                for &size in sizes {
                    let run = |label: &Spanned<String>| {
                        let mut found = found.iter();
                        let run = found.find(|(run, _)| run.cell.is(label.get_ref(), size));
                        run.map(|(_, measured)| measured.replays[replay - 1].clone())
                    };
                    let runs: Option<_> = self.labels().map(run).collect();
                    points.push(Cell {
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
        }
        Ok(points)
    }

    /// All competitors at all sizes on one device.
    fn options(
        &self,
        device: &Device,
        flushes: &str,
        settings: &Settings,
    ) -> Result<CompareOptions, ReproduceError> {
        let (description, file) = (&self.description, &self.file);
        let resolver = self.resolver(device)?;
        let protected = format!("{}={}", key::PROTECTED, flushes == "ignored");
        let resolver = file.accepts(&resolver, &device.name, Some(&protected))?;
        let mut options = CompareOptions::new(&self.lab, resolver);
        options.buffers = self.policies().map(|name| name.get_ref().clone()).collect();
        let policy = format!("{}={}", key::POLICY, self.competitor());
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
        options.stop = Some(settings.stop.clone());
        options.replay.loops = description.replays.get();
        Ok(options)
    }
}
