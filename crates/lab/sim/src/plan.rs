//! The runs of a comparison; all are checked before the first one starts.

use std::collections::BTreeMap;
use std::sync::Arc;

use ssdlab_config::{Config, ConfigError, FORBIDDEN, Kind, Resolver};
use ssdlab_device::registry::NO_BUFFER;
use ssdlab_device::{Cause, Family, Figure, WORKLOAD};
use ssdlab_ftl::page::MapConfig;

use crate::compact::Compaction;
use crate::comparison::Varied;
use crate::error::SimError;
use crate::extremes::{CLAIRVOYANT, IDEAL, UNBOUNDED, is_bound};
use crate::input::Trace;
use crate::key::{
    BUFFER_AWARE, CAPACITY, FTL, GRANULARITY, MAP_CACHE, POLICY, PRECONDITION, RAM, SIZE,
};
use crate::lab::Lab;
use crate::row::{Row, RowKind, sized_label};
use crate::run::{PreparedRun, Replay, StopFlag};
use crate::space::{Axis, Choice, System, choices, too_many};
use ssdlab_words::bytes;

/// The options of a comparison.
#[derive(Clone)]
pub struct CompareOptions {
    /// The buffers, FTLs and policies by name; the resolver must know the same.
    pub lab: Lab,
    /// The base configuration; the options below vary it.
    pub resolver: Resolver,
    /// Names of buffer policies.
    pub buffers: Vec<String>,
    /// The number of those that the user did not ask for.
    pub further_buffers: usize,
    /// A drive of today that was taken because nothing names a device: its options on the command line.
    pub today: Vec<String>,
    /// It becomes as small as the traces.
    pub fits_today: bool,
    /// Further competitors with their own names.
    pub systems: Vec<System>,
    /// Buffer sizes, bytes; empty: the configured size.
    pub sizes: Vec<u64>,
    /// The key of the sizes: `buffer.size` or another buffer in RAM.
    pub size_key: String,
    /// The sizes are those of all RAM, tables included: each run gets as buffer what its other parts leave, whatever
    /// `size_key` says.
    pub share_ram: bool,
    /// Further keys with their values; every combination runs.
    pub vary: Vec<Axis>,
    /// The label, or the policy, of the baseline row; by default `lru`, if it is compared, or else the first policy.
    pub baseline: Option<String>,
    /// The figure that ranks the runs; by default the throughput, or the p99 of writes if all runs are under timed
    /// replay with the parallel model.
    pub by: Option<Figure>,
    /// Whether to run the bounds too: an unbounded buffer, a clairvoyant one and an ideal FTL.
    pub bounds: bool,
    /// Whether to try what would lessen the writes to flash of the winner, in a few further runs.
    pub advice: bool,
    /// Whether to record, under the parallel model, what happens over time: for the pictures of a report.
    pub record: bool,
    /// Whether the trace ages each device that cleans, unless the configuration says what was before it; the comparison then has
    /// the [`Spread`](crate::Spread) of its winner and its baseline.
    pub settled: bool,
    /// How the trace is replayed.
    pub replay: Replay,
    /// Threads; 0: one for each core.
    pub jobs: usize,
    /// The memory, in bytes, that the devices of all runs may take at a time; a device that takes more is an error. `None`:
    /// what is free.
    pub memory: Option<u64>,
    /// Warnings about these options.
    pub notes: Vec<String>,
    /// Once set, no run starts, and unfinished runs end and are left out.
    pub stop: Option<StopFlag>,
    /// Runs each run, on the thread of the run.
    pub within: Option<Within>,
    /// Receives the row of each run as it ends, not yet compared with others.
    pub told: Option<Told>,
}

/// Receives a row, on the thread of its run.
pub type Told = Arc<dyn Fn(&Row) + Send + Sync>;

/// Does something around a run with this configuration, such as taking a lock that its systems need all the time. It must
/// call the function once.
pub type Within = Arc<dyn Fn(&Config, &mut dyn FnMut()) + Send + Sync>;

impl CompareOptions {
    /// All registered policies that compete, at 1, 2, 4, 8 and 16 MiB.
    pub fn new(lab: &Lab, resolver: Resolver) -> Self {
        let entries = resolver.catalogue().entries(Family::Buffer).into_iter();
        let names = entries
            .map(|entry| entry.name)
            .filter(|&name| !is_bound(name));
        Self {
            lab: lab.clone(),
            buffers: names.map(str::to_owned).collect(),
            further_buffers: 0,
            today: Vec::new(),
            fits_today: false,
            resolver,
            systems: Vec::new(),
            sizes: [1, 2, 4, 8, 16].map(|mib| mib << 20).to_vec(),
            size_key: SIZE.into(),
            share_ram: false,
            vary: Vec::new(),
            baseline: None,
            by: None,
            bounds: true,
            advice: false,
            record: true,
            settled: false,
            replay: Replay::default(),
            jobs: 0,
            memory: None,
            notes: Vec::new(),
            stop: None,
            within: None,
            told: None,
        }
    }
}

impl CompareOptions {
    /// The keys with more than one value.
    pub(crate) fn varied(&self) -> Vec<Varied> {
        let names = self
            .buffers
            .iter()
            .chain(self.systems.iter().map(|s| &s.name));
        let key = if self.systems.is_empty() {
            POLICY
        } else {
            "system"
        };
        let sizes = self.sizes.iter().map(u64::to_string).collect();
        let size_key = if self.share_ram {
            RAM_TOTAL
        } else {
            self.size_key.as_str()
        };
        let named_axes = [(key, names.cloned().collect()), (size_key, sizes)];
        let axes = self.vary.iter();
        let axes = axes.map(|axis| (axis.key.as_str(), axis.values.clone()));
        let keys = ssdlab_config::keys(self.resolver.catalogue());
        let is_size = |path: &str| {
            let key = keys.iter().find(|key| key.path == path);
            path == RAM_TOTAL || key.is_some_and(|key| matches!(key.kind, Kind::Size { .. }))
        };
        let all = named_axes
            .into_iter()
            .chain(axes)
            .map(|(key, values)| Varied {
                is_size: is_size(key),
                key: key.to_owned(),
                values,
            });
        all.filter(|varied| varied.values.len() > 1).collect()
    }
}

/// What varies instead of the size of a buffer, if that is what the tables leave of all RAM.
const RAM_TOTAL: &str = "ram_total";

/// A planned run.
#[derive(Clone)]
pub(crate) struct Plan {
    pub label: String,
    /// The label without the variant.
    pub name: String,
    pub kind: RowKind,
    pub policy: String,
    /// The varied keys that this run reads, with their values.
    pub variant: Vec<(String, String)>,
    pub size: Option<u64>,
    /// What is set beside the base configuration.
    pub settings: Vec<String>,
    /// Its capacity is that of the trace, because its configuration gives none.
    pub is_fitted: bool,
    pub run: PreparedRun,
}

/// A configuration that can be chosen.
#[derive(Clone)]
pub struct Candidate {
    /// `lru`, `lru + bast (log_blocks 7)`.
    pub label: String,
    /// What varies, by key: the policy or system, the size of the buffer, further keys that it reads.
    pub choices: BTreeMap<String, String>,
    /// What it sets beside the base configuration, in the syntax of `--set`.
    pub settings: Vec<String>,
    /// The device, with the capacity for its trace.
    pub config: Config,
    /// An upper bound of the memory of its device, bytes.
    pub memory: u64,
}

/// Every combination of a comparison that the device accepts; and those that it refuses, with the reasons.
///
/// # Errors
/// An unreadable trace, or nothing to choose from.
pub fn candidates(
    options: &CompareOptions,
    trace: &Trace,
) -> Result<(Vec<Candidate>, Vec<String>), SimError> {
    let mut planner = Planner::new(options, trace);
    let mut refused = Vec::new();
    for (system, variant, size) in combinations(options) {
        match planner.add(&system, RowKind::Policy, &variant, size) {
            Ok(()) => {}
            Err(
                error @ (SimError::Combination { .. }
                | SimError::LittleRam { .. }
                | SimError::UnknownRam { .. }),
            ) => refused.push(error.to_string()),
            Err(error) => return Err(error),
        }
    }
    let size_key = &options.size_key;
    let candidate = |plan: Plan| {
        let mut choices: BTreeMap<String, String> = plan.variant.into_iter().collect();
        choices.insert(POLICY.into(), plan.name);
        if let Some(size) = plan.size {
            choices.insert(size_key.clone(), bytes(size));
        }
        Candidate {
            label: sized_label(&plan.label, plan.size),
            choices,
            settings: plan.settings,
            memory: plan.run.memory(false),
            config: plan.run.config,
        }
    };
    Ok((planner.plans.into_iter().map(candidate).collect(), refused))
}

/// Whether a device cleans, and the configuration leaves its state open.
fn is_open(config: &Config) -> bool {
    let cleans = config.moves == Cause::Cleaning && config.ftl != IDEAL;
    cleans && !config.gives(PRECONDITION)
}

/// What to say of a trace that should age this device, and cannot.
pub fn ages_no_drive(trace: &Trace, config: &Config) -> Option<String> {
    (is_open(config) && trace.is_streamed()).then(|| {
        format!(
            "{} is larger than --trace-memory allows, so it ages no drive: all figures are of drives as the configuration gives \
             them, not of settled ones",
            trace.summary.name
        )
    })
}

/// Every combination once: for each policy and variant its sizes, the bounds last.
pub(crate) fn plans(options: &CompareOptions, trace: &Trace) -> Result<Vec<Plan>, SimError> {
    let competitors = options.buffers.len() + options.systems.len();
    let sizes = options.sizes.len().max(1);
    if let Some(why) = too_many(competitors.saturating_mul(sizes), &options.vary) {
        return Err(SimError::TooMany(why));
    }
    let mut planner = Planner::new(options, trace);
    for (system, variant, size) in combinations(options) {
        planner.add(&system, RowKind::Policy, &variant, size)?;
    }
    if options.bounds {
        planner.add_bounds(&variants(&options.vary))?;
    }
    Ok(planner.plans)
}

/// A variant: keys and values.
type Variant = Vec<(String, String)>;

/// Every system with every variant and size; size 0 is none.
fn combinations(options: &CompareOptions) -> Vec<(System, Variant, u64)> {
    let sizes = match &options.sizes[..] {
        [] => &[0],
        sizes => sizes,
    };
    let policies = options.buffers.iter().map(|policy| of_policy(policy));
    let systems: Vec<System> = policies.chain(options.systems.iter().cloned()).collect();
    let mut all = Vec::new();
    for choice in choices(&systems, &options.vary) {
        // without policies and systems nothing competes
        if let Some(system) = choice.system {
            let variant = variant(&choice);
            let sized = |&size: &u64| (system.clone(), variant.clone(), size);
            all.extend(sizes.iter().map(sized));
        }
    }
    all
}

/// A device that refuses the buffer of a bound has no such bound.
fn unless_refused(added: Result<(), SimError>) -> Result<(), SimError> {
    match added {
        Err(SimError::Combination { .. } | SimError::LittleRam { .. }) => Ok(()),
        added => added,
    }
}

/// The system that sets only its buffer policy and has the name of the policy.
fn of_policy(policy: &str) -> System {
    System {
        name: policy.into(),
        set: vec![format!("{POLICY}={policy}")],
    }
}

/// The variants of all axes.
fn variants(axes: &[Axis]) -> Vec<Variant> {
    choices(&[], axes).map(|choice| variant(&choice)).collect()
}

fn variant(choice: &Choice) -> Variant {
    let values = choice.values.iter();
    values
        .map(|&(key, value)| (key.clone(), value.clone()))
        .collect()
}

pub(crate) struct Planner<'a> {
    options: &'a CompareOptions,
    trace: &'a Trace,
    compactions: BTreeMap<u64, Arc<Compaction>>,
    plans: Vec<Plan>,
}

impl<'a> Planner<'a> {
    pub fn new(options: &'a CompareOptions, trace: &'a Trace) -> Self {
        Self {
            options,
            trace,
            compactions: BTreeMap::new(),
            plans: Vec::new(),
        }
    }

    /// The base configuration with these settings, and whether the trace gives its capacity.
    ///
    /// # Errors
    /// [`SimError::Config`] if the device or the trace refuses them; an unreadable trace.
    pub fn prepare(&mut self, settings: &[String]) -> Result<(PreparedRun, bool), SimError> {
        let mut resolver = self.options.resolver.clone();
        resolver.yield_units(true);
        for setting in settings {
            resolver.set(setting)?;
        }
        let config = resolver.resolve()?;
        let compaction = self.compaction(&config)?;
        let is_fitted = config.is_auto() && !config.gives(CAPACITY);
        let run = PreparedRun::new(
            self.options.lab.systems().clone(),
            config,
            self.trace,
            &self.options.replay,
            compaction,
        );
        let mut run = run?;
        run.stop = self.options.stop.clone();
        Ok((run, is_fitted))
    }

    /// The same, but a device that cleans is aged by the trace, unless the configuration says what was before it: settings
    /// that take it are added.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare).
    pub fn prepare_settled(
        &mut self,
        settings: &mut Vec<String>,
    ) -> Result<(PreparedRun, bool), SimError> {
        let (run, is_fitted) = self.prepare(settings)?;
        if !self.can_age(&run) || run.systems.foresees(&run.config) {
            return Ok((run, is_fitted));
        }
        settings.push(format!("{PRECONDITION}={WORKLOAD}"));
        self.prepare(settings)
    }

    /// Whether the trace could age the device of this run, which cleans and whose state the configuration leaves open.
    fn can_age(&self, run: &PreparedRun) -> bool {
        is_open(&run.config) && self.trace.in_memory().is_some()
    }

    fn add_bounds(&mut self, variants: &[Vec<(String, String)>]) -> Result<(), SimError> {
        for variant in variants {
            unless_refused(self.add(&of_policy(UNBOUNDED), RowKind::Bound, variant, 0))?;
        }
        let sizes = match &self.options.sizes[..] {
            sizes if self.plans.iter().any(|plan| plan.size.is_some()) => sizes,
            _ => &[0],
        };
        for variant in variants.iter().filter(|_| sizes != [0]) {
            for &size in sizes {
                unless_refused(self.add_clairvoyant(variant, size))?;
            }
        }
        let buffer = if sizes == [0] { NO_BUFFER } else { "lru" };
        for variant in variants {
            let mut variant = variant.clone();
            variant.retain(|(key, _)| key != FTL && key != BUFFER_AWARE);
            variant.push((FTL.into(), IDEAL.into()));
            // an ideal FTL never merges, so no policy may ask the buffer
            variant.push((BUFFER_AWARE.into(), "off".into()));
            for &size in sizes {
                // nor has it an SLC cache
                unless_refused(self.add(&of_policy(buffer), RowKind::Bound, &variant, size))?;
            }
        }
        Ok(())
    }

    /// A clairvoyant buffer: of pages, unless the FTL merges blocks.
    fn add_clairvoyant(&mut self, variant: &[(String, String)], size: u64) -> Result<(), SimError> {
        let mut system = of_policy(CLAIRVOYANT);
        let settings = self.settings(&system, variant, "", 0);
        let ftl = match self.prepare(&settings) {
            // what foresees cannot be aged, and a drive that is not aged is no bound of others that are
            Ok((run, _)) if self.options.settled && self.can_age(&run) => return Ok(()),
            Ok((run, _)) => run.config.ftl,
            // adding it says why
            Err(_) => IDEAL,
        };
        let registered = self.options.lab.systems().catalogue();
        let info = registered.ftl(ftl).filter(|_| ftl != IDEAL);
        let merges = info.is_some_and(|info| info.moves == Cause::Merge);
        let unit = if merges { "block" } else { "page" };
        system.set.push(format!("{GRANULARITY}={unit}"));
        self.add(&system, RowKind::Bound, variant, size)
    }

    /// Adds a run, unless the same run is planned already; `size` 0 is no size.
    fn add(
        &mut self,
        system: &System,
        kind: RowKind,
        variant: &[(String, String)],
        size: u64,
    ) -> Result<(), SimError> {
        let of_system = |key: &str| {
            let mut set = system.set.iter().filter_map(|set| set.split_once('='));
            set.any(|(name, _)| name == key)
        };
        let mut variant = variant.to_vec();
        variant.retain(|(key, _)| !of_system(key));
        self.drop_forbidden(system, &mut variant);
        let refused = |error: SimError| {
            let SimError::Config(error) = error else {
                return error;
            };
            let combination = match size {
                0 => label(&system.name, &variant, &[]),
                size => format!(
                    "{} with {}",
                    label(&system.name, &variant, &[]),
                    bytes(size)
                ),
            };
            SimError::Combination {
                combination,
                error: error.into(),
            }
        };
        let usual_key = self.options.size_key.clone();
        let (size_key, own, cache) = if self.options.share_ram && size > 0 {
            let shared = self.shared(size, system, &variant, of_system);
            let Shared { key, buffer, cache } = shared.map_err(refused)?;
            (key, buffer, cache)
        } else {
            (usual_key.as_str(), size, None)
        };
        let mut settings = self.settings(system, &variant, size_key, own);
        with_cache(&mut settings, cache);
        let prepared = match self.options.settled {
            true => self.prepare_settled(&mut settings),
            false => self.prepare(&settings),
        };
        let (run, is_fitted) = prepared.map_err(refused)?;
        let config = &run.config;
        let fixed_ftl = kind == RowKind::Bound && !is_bound(&system.name);
        let mut read = variant.clone();
        read.retain(|(key, _)| config.reads(key) && !(fixed_ftl && key == FTL));
        let size = (size > 0 && config.reads(size_key) && !of_system(size_key)).then_some(size);
        let name = match (kind, system.name.as_str()) {
            (RowKind::Policy, name) => name,
            (RowKind::Bound, UNBOUNDED) => "unbounded buffer",
            (RowKind::Bound, CLAIRVOYANT) => "clairvoyant buffer",
            (RowKind::Bound, _) => "ideal FTL",
        };
        let label = label(name, &read, &self.options.vary);
        let same = |plan: &Plan| plan.kind == kind && plan.label == label && plan.size == size;
        if !self.plans.iter().any(same) {
            self.plans.push(Plan {
                label,
                name: name.to_owned(),
                kind,
                policy: config.policy.into(),
                variant: read,
                size,
                settings,
                is_fitted,
                run,
            });
        }
        Ok(())
    }

    /// Leaves out the keys that another value of the variant forbids: the run has no such key.
    fn drop_forbidden(&self, system: &System, variant: &mut Variant) {
        loop {
            let mut resolver = self.options.resolver.clone();
            resolver.yield_units(true);
            let settings = self.settings(system, variant, "", 0);
            let resolved = settings
                .iter()
                .try_for_each(|setting| resolver.set(setting).map(drop))
                .and_then(|()| resolver.resolve());
            let Err(ConfigError::Impossible { key, allowed, .. }) = resolved else {
                return;
            };
            let left = variant.len();
            if allowed.starts_with(FORBIDDEN) {
                variant.retain(|(other, _)| other != key);
            }
            if variant.len() == left {
                return;
            }
        }
    }

    /// What this much RAM is for: the cache of a map that has a share of it, and then the buffer in the rest.
    ///
    /// # Errors
    /// [`SimError::LittleRam`] if nothing is left, [`SimError::UnknownRam`] if the FTL does not say what it takes.
    fn shared(
        &mut self,
        total: u64,
        system: &System,
        variant: &[(String, String)],
        is_set: impl Fn(&str) -> bool,
    ) -> Result<Shared, SimError> {
        let name = label(&system.name, variant, &[]);
        let with = |planner: &mut Self, key, size, cache| -> Result<(PreparedRun, u64), SimError> {
            let mut settings = planner.settings(system, variant, key, size);
            with_cache(&mut settings, cache);
            let (run, _) = planner.prepare(&settings)?;
            let bytes = run.config.controller().ram_bytes.total();
            let label = name.clone();
            Ok((run, bytes.ok_or(SimError::UnknownRam { label })?))
        };
        let (mut run, mut usual) = with(self, SIZE, 0, None)?;
        let cache = cache_of(&run.config, total);
        if cache.is_some() {
            (run, usual) = with(self, SIZE, 0, cache)?;
        }
        let config = &run.config;
        let little = |needed| SimError::LittleRam {
            label: name.clone(),
            total,
            tables: config.controller().ram_bytes.of_ftl().unwrap_or(0),
            needed,
        };
        let mut keys = [SIZE, RAM].into_iter();
        let key = keys.find(|key| config.reads(key) && !is_set(key));
        let Some(key) = key else {
            return if usual <= total {
                Ok(Shared {
                    key: SIZE,
                    buffer: 0,
                    cache,
                })
            } else {
                Err(little(usual))
            };
        };
        let page = u64::from(config.flash.page_size);
        // so many pages fit, and so many do not
        let mut fits = 1 + u64::from(config.buffer.count_headers);
        let mut too_many = total / page + 1;
        let (_, least) = with(self, key, fits * page, cache)?;
        if least > total {
            return Err(little(least));
        }
        while too_many - fits > 1 {
            let middle = fits.midpoint(too_many);
            if with(self, key, middle * page, cache)?.1 <= total {
                fits = middle;
            } else {
                too_many = middle;
            }
        }
        let buffer = fits * page;
        Ok(Shared { key, buffer, cache })
    }

    /// The compaction for blocks of this size, if the options ask for one; computed once.
    fn compaction(&mut self, config: &Config) -> Result<Option<Arc<Compaction>>, SimError> {
        if !self.options.replay.compact {
            return Ok(None);
        }
        let block_bytes = config.flash.block_bytes();
        let earlier = self.compactions.get(&block_bytes).cloned();
        if earlier.is_some() {
            return Ok(earlier);
        }
        let compaction = Arc::new(Compaction::of(self.trace, block_bytes)?);
        self.compactions.insert(block_bytes, compaction.clone());
        Ok(Some(compaction))
    }

    /// What a run sets beside the base configuration; what the system sets comes last.
    fn settings(
        &self,
        system: &System,
        variant: &[(String, String)],
        size_key: &str,
        size: u64,
    ) -> Vec<String> {
        let variant = variant.iter().map(|(key, value)| format!("{key}={value}"));
        let size = (size > 0).then(|| format!("{size_key}={size}"));
        variant
            .chain(size)
            .chain(system.set.iter().cloned())
            .collect()
    }
}

/// What RAM is for beside tables.
struct Shared {
    /// The key of the buffer: the write buffer, or else the region of the FTL.
    key: &'static str,
    /// Its bytes; 0 if there is none, or if the system sets it.
    buffer: u64,
    /// The bytes of the cache of a map that has a share.
    cache: Option<u64>,
}

/// The bytes of the cache of a map in flash that has a share of this much RAM, less the tables that the FTL needs anyway.
fn cache_of(config: &Config, total: u64) -> Option<u64> {
    let share = config.map_share.filter(|_| config.reads(MAP_CACHE))?;
    let (inputs, tables) = (config.inputs(), config.controller().ram_bytes.tables?);
    let map = MapConfig::configure(&inputs)?;
    let fixed = tables.mapping + tables.log_blocks + tables.cleaning + tables.updates;
    let ftls = inputs.shape.ftls;
    let of_each = (total.saturating_sub(fixed) as f64 * share) as u64 / ftls;
    Some(ftls * map.cache_in(of_each, u64::from(config.logical_pages()) / ftls))
}

/// Puts the bytes of a cache in the place of its share.
fn with_cache(settings: &mut Vec<String>, cache: Option<u64>) {
    let Some(bytes) = cache else { return };
    settings.retain(|setting| setting.split('=').next() != Some(MAP_CACHE));
    settings.push(format!("{MAP_CACHE}={bytes}"));
}

/// `lru`, `lru + bast`, `lru + bast (log_blocks 7)`: a key with only one value is left out.
fn label(name: &str, variant: &[(String, String)], axes: &[Axis]) -> String {
    let differs = |key: &str| {
        let axis = axes.iter().find(|axis| axis.key == key);
        axis.is_none_or(|axis| axis.values.len() > 1)
    };
    let mut label = name.to_owned();
    let mut others = Vec::new();
    for (key, value) in variant.iter().filter(|(key, _)| differs(key)) {
        match key.as_str() {
            FTL => label += &format!(" + {value}"),
            _ => others.push(format!("{} {value}", short(key, axes))),
        }
    }
    if !others.is_empty() {
        label += &format!(" ({})", others.join(", "));
    }
    label
}

/// The last part of a key's path, unless another varied key ends with the same part.
fn short<'a>(key: &'a str, axes: &[Axis]) -> &'a str {
    let last = |key: &'a str| key.rsplit_once('.').map_or(key, |(_, last)| last);
    let namesakes = axes
        .iter()
        .filter(|axis| axis.key.rsplit('.').next() == Some(last(key)));
    if namesakes.count() > 1 {
        key
    } else {
        last(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> CompareOptions {
        let lab = Lab::new();
        CompareOptions::new(&lab, lab.resolver())
    }

    fn labels(options: &CompareOptions) -> Vec<(String, Option<u64>)> {
        let plans = plans(options, &Trace::made("empty", Vec::new())).expect("a valid comparison");
        plans.into_iter().map(|p| (p.label, p.size)).collect()
    }

    fn axis(key: &str, values: &[&str]) -> Axis {
        Axis {
            key: key.into(),
            values: values.iter().map(|&value| value.into()).collect(),
        }
    }

    // planted bugs: a size for a policy without one; a varied key in the label of a run that never reads it; a run
    // twice
    #[test]
    fn each_run_is_planned_once_and_named_by_what_it_reads() {
        let mut options = all();
        options.buffers = ["none", "lru", "cflru", "lru"].map(String::from).to_vec();
        options.sizes = vec![1 << 20, 2 << 20];
        options.vary = vec![
            axis("buffer.window", &["0.1", "0.5"]),
            axis("ftl.log_blocks", &["7", "14"]),
            axis("drain", &["true"]),
        ];
        let (small, large) = (Some(1 << 20), Some(2 << 20));
        let expected = [
            ("none (log_blocks 7)", None),
            ("none (log_blocks 14)", None),
            ("lru (log_blocks 7)", small),
            ("lru (log_blocks 7)", large),
            ("lru (log_blocks 14)", small),
            ("lru (log_blocks 14)", large),
            ("cflru (window 0.1, log_blocks 7)", small),
            ("cflru (window 0.1, log_blocks 7)", large),
            ("cflru (window 0.1, log_blocks 14)", small),
            ("cflru (window 0.1, log_blocks 14)", large),
            ("cflru (window 0.5, log_blocks 7)", small),
            ("cflru (window 0.5, log_blocks 7)", large),
            ("cflru (window 0.5, log_blocks 14)", small),
            ("cflru (window 0.5, log_blocks 14)", large),
            ("unbounded buffer (log_blocks 7)", None),
            ("unbounded buffer (log_blocks 14)", None),
            ("clairvoyant buffer (log_blocks 7)", small),
            ("clairvoyant buffer (log_blocks 7)", large),
            ("clairvoyant buffer (log_blocks 14)", small),
            ("clairvoyant buffer (log_blocks 14)", large),
            ("ideal FTL", small),
            ("ideal FTL", large),
        ];
        assert_eq!(
            labels(&options),
            expected.map(|(label, size)| (label.to_owned(), size))
        );
    }

    // planted bugs: a bound whose merges ask the buffer, which it does not allow; the same bound once for each way to
    // ask
    #[test]
    fn an_ideal_ftl_asks_no_buffer() {
        let mut options = all();
        options.resolver.preset("bagc-2012");
        options.buffers = vec!["three-region".into()];
        options.sizes = vec![32 << 20];
        let size = Some(32 << 20);
        let bounds = [
            ("unbounded buffer", None),
            ("clairvoyant buffer", size),
            ("ideal FTL", size),
        ];
        let expected = [("three-region", Some(32 << 20))].into_iter().chain(bounds);
        let named = |(label, size): (&str, _)| (label.to_owned(), size);
        assert_eq!(labels(&options), expected.map(named).collect::<Vec<_>>());
        options.vary = vec![axis(BUFFER_AWARE, &["off", "merge"])];
        let labels = labels(&options).into_iter().map(|(label, _)| label);
        let expected = [
            "three-region (buffer_aware off)",
            "three-region (buffer_aware merge)",
            "unbounded buffer (buffer_aware off)",
            "unbounded buffer (buffer_aware merge)",
            "clairvoyant buffer (buffer_aware off)",
            "clairvoyant buffer (buffer_aware merge)",
            "ideal FTL",
        ];
        assert_eq!(labels.collect::<Vec<_>>(), expected);
    }

    // planted bugs: a key of a system is varied or shown; a system without a size runs at each size; unwanted bounds
    #[test]
    fn systems_keep_what_they_set() {
        let mut options = all();
        options.resolver.preset("deb");
        let system = |name: &str, set: &[&str]| System {
            name: name.into(),
            set: set.iter().map(|&setting| setting.into()).collect(),
        };
        options.buffers.clear();
        options.bounds = false;
        options.systems = vec![
            system("log", &["ftl.placement=single", "ftl.cleaning=fifo"]),
            system("DEB", &[]),
            system("DEB, 1 MiB", &["ftl.ram=1MiB"]),
        ];
        options.vary = vec![axis("ftl.cleaning", &["greedy", "cat"])];
        options.size_key = "ftl.ram".into();
        options.sizes = vec![2 << 20, 4 << 20];
        let (small, large) = (Some(2 << 20), Some(4 << 20));
        let expected = [
            ("log", None),
            ("DEB (cleaning greedy)", small),
            ("DEB (cleaning greedy)", large),
            ("DEB (cleaning cat)", small),
            ("DEB (cleaning cat)", large),
            ("DEB, 1 MiB (cleaning greedy)", None),
            ("DEB, 1 MiB (cleaning cat)", None),
        ];
        let named = expected.map(|(label, size)| (label.to_owned(), size));
        assert_eq!(labels(&options), named);
        options.sizes.clear();
        let unsized_labels: Vec<_> = labels(&options).into_iter().map(|(_, size)| size).collect();
        assert_eq!(unsized_labels, [None; 5]);
    }

    // planted bug: both keys shortened to "kind"
    #[test]
    fn a_key_is_shortened_only_if_that_is_clear() {
        let axes = [
            axis(FTL, &["bast", "page"]),
            axis("other.kind", &["a", "b"]),
        ];
        let variant = [
            (FTL.into(), "bast".into()),
            ("other.kind".into(), "a".into()),
        ];
        assert_eq!(label("lru", &variant, &axes), "lru + bast (other.kind a)");
    }
}
