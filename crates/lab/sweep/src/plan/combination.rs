//! Every combination of the values of a plan.

use std::collections::HashMap;
use std::path::Path;

use glob::Pattern;
use ssdlab_config::{Config, ConfigError, Resolver, Value};
use ssdlab_sim::{Axis, StopFlag, System, Systems, choices, identity, too_many};

use super::description::Description;
use super::file::{File, Placed};
use crate::error::SweepError;

/// One configuration of a sweep; the trace may still give its capacity.
#[derive(Clone)]
pub struct Combination {
    /// The name of its settings, if the plan names some.
    pub system: Option<String>,
    /// What it sets, in the syntax of `--set`, beside what all have.
    pub set: Vec<String>,
    /// The device.
    pub config: Config,
    /// The same for configurations that must have the same results.
    pub id: [u8; 16],
    /// The traces that it is left out on: indices of filters.
    filters: Vec<usize>,
}

/// The configurations of a sweep.
pub struct Combinations {
    /// Those that run, each with an effect of its own.
    pub all: Vec<Combination>,
    /// Combinations that set the same as an earlier one in all that is read.
    pub alike: usize,
    /// Combinations that filters leave out on every trace.
    pub left_out: usize,
    /// Combinations that the device refuses, with the reasons.
    pub refused: Vec<(String, ConfigError)>,
    /// Patterns of traces, for the filters that name some.
    patterns: Vec<Vec<Pattern>>,
}

impl Combinations {
    /// Whether a combination runs on the trace of this name.
    pub fn runs_on(&self, combination: &Combination, trace: &str) -> bool {
        let matches = |filter: &usize| self.patterns[*filter].iter().any(|p| p.matches(trace));
        !combination.filters.iter().any(matches)
    }
}

/// A combination of a plan.
type Choice<'a> = ssdlab_sim::Choice<'a, Placed<String>>;

fn words(choice: &Choice) -> String {
    let system = choice.system.map(|system| system.name.value.clone());
    let values = choice.values.iter();
    let values = values.map(|(key, value)| format!("{} = {}", key.value, value.value));
    let words: Vec<String> = system.into_iter().chain(values).collect();
    match words.is_empty() {
        true => "the device".into(),
        false => words.join(", "),
    }
}

/// A filter with parsed values.
struct Parsed {
    systems: Option<Vec<String>>,
    keys: Vec<(&'static str, Vec<Value>)>,
    traces: Option<Vec<Pattern>>,
}

/// Makes all combinations of a plan, whose paths begin in `folder`.
///
/// # Errors
/// A key or value that no combination can have; the flag is set.
pub fn combinations(
    file: &File,
    plan: &Description,
    folder: &Path,
    systems: &Systems,
    stop: &StopFlag,
) -> Result<Combinations, SweepError> {
    let base = base(file, plan, folder, systems)?;
    for axis in &plan.axes {
        check_axis(file, axis, &base, stop)?;
    }
    if let (Some(axis), Some(why)) = (plan.axes.first(), too_many(plan.systems.len(), &plan.axes)) {
        return Err(file.refuse(axis.key.at, format!("axes: {why}")));
    }
    for set in plan.systems.iter().flat_map(|system| &system.set) {
        read(file, &base, set.at, &set.value)?;
    }
    let filters = parsed(file, plan, &base)?;
    // it may be refused alone and accepted with the values of an axis
    let unvaried = base.resolve().ok();
    let mut found = Combinations {
        all: Vec::new(),
        alike: 0,
        left_out: 0,
        refused: Vec::new(),
        patterns: filters
            .iter()
            .map(|f| f.traces.clone().unwrap_or_default())
            .collect(),
    };
    let mut known: HashMap<[u8; 16], usize> = HashMap::new();
    for choice in choices(&plan.systems, &plan.axes) {
        SweepError::unless(stop)?;
        let set = choice.set();
        let given: Vec<(&str, Value)> = set.iter().filter_map(|set| base.read(set).ok()).collect();
        let applies = |filter: &Parsed| is_left_out(filter, &choice, &given, unvaried.as_ref());
        let matching: Vec<usize> = (0..filters.len())
            .filter(|&at| applies(&filters[at]))
            .collect();
        if matching.iter().any(|&at| filters[at].traces.is_none()) {
            found.left_out += 1;
            continue;
        }
        let mut resolver = base.clone();
        let set_all = set.iter().try_for_each(|set| resolver.set(set).map(drop));
        let config = match set_all.and_then(|()| resolver.resolve()) {
            Ok(config) => config,
            Err(error) => {
                found.refused.push((words(&choice), error));
                continue;
            }
        };
        let id = identity(&config);
        // a name of its own makes no other result, but a filter may hold for one of two
        match known.get(&id).map(|&at| &found.all[at]) {
            Some(other) if other.filters == matching => found.alike += 1,
            _ => {
                known.insert(id, found.all.len());
                found.all.push(Combination {
                    system: choice.system.map(|system| system.name.value.clone()),
                    set,
                    config,
                    id,
                    filters: matching,
                });
            }
        }
    }
    Ok(found)
}

/// What all combinations have.
fn base(
    file: &File,
    plan: &Description,
    folder: &Path,
    systems: &Systems,
) -> Result<Resolver, SweepError> {
    let mut resolver = systems.resolver();
    resolver.fit_capacity(true).yield_units(true);
    if let Some(config) = &plan.config {
        let path = folder.join(&config.value);
        let bytes = std::fs::read(&path).map_err(|error| {
            let why = format!("config = {path:?}: cannot be read: {error}");
            file.refuse(config.at, why)
        })?;
        let name = ssdlab_words::shown_path(&path);
        let read = resolver.file(&name, &bytes).map(drop);
        read.map_err(|error| file.refuse(config.at, error.to_string()))?;
    }
    if let Some(preset) = &plan.preset {
        resolver.preset(&preset.value);
        let alone = { systems.resolver() }
            .preset(&preset.value)
            .resolve()
            .map(drop);
        alone.map_err(|error| file.refuse(preset.at, error.to_string()))?;
    }
    for set in &plan.device {
        let set_one = resolver.set(&set.value).map(drop);
        set_one.map_err(|error| refused(file, set.at, &error))?;
    }
    if let Some(scale) = &plan.scale_to {
        let (size, given) = &scale.value;
        resolver.scale_to(*size, given);
    }
    Ok(resolver)
}

/// An error of the configuration at a place of the plan.
fn refused(file: &File, at: usize, error: &ConfigError) -> SweepError {
    let message = error.to_string();
    file.refuse(at, message.strip_prefix("--set ").unwrap_or(&message))
}

fn read(
    file: &File,
    base: &Resolver,
    at: usize,
    assignment: &str,
) -> Result<(&'static str, Value), SweepError> {
    let read = base.read(assignment);
    read.map_err(|error| refused(file, at, &error))
}

fn check_axis(
    file: &File,
    axis: &Axis<Placed<String>>,
    base: &Resolver,
    stop: &StopFlag,
) -> Result<(), SweepError> {
    for value in &axis.values {
        SweepError::unless(stop)?;
        let assignment = format!("{}={}", axis.key.value, value.value);
        read(file, base, value.at, &assignment)?;
    }
    Ok(())
}

fn parsed(file: &File, plan: &Description, base: &Resolver) -> Result<Vec<Parsed>, SweepError> {
    let mut filters = Vec::new();
    for filter in &plan.without {
        let mut parsed = Parsed {
            systems: None,
            keys: Vec::new(),
            traces: None,
        };
        for (key, values) in &filter.keys {
            match key.value.as_str() {
                "system" => {
                    for name in values {
                        let is_named =
                            |system: &System<Placed<String>>| system.name.value == name.value;
                        if !plan.systems.iter().any(is_named) {
                            let why = format!("without: no system is named {:?}", name.value);
                            return Err(file.refuse(name.at, why));
                        }
                    }
                    parsed.systems = Some(values.iter().map(|name| name.value.clone()).collect());
                }
                "trace" => {
                    let pattern = |value: &Placed<String>| {
                        Pattern::new(&value.value).map_err(|error| {
                            file.refuse(value.at, format!("without: {:?}: {error}", value.value))
                        })
                    };
                    parsed.traces = Some(values.iter().map(pattern).collect::<Result<_, _>>()?);
                }
                path => {
                    let mut all = Vec::new();
                    for value in values {
                        let assignment = format!("{path}={}", value.value);
                        all.push(read(file, base, value.at, &assignment)?);
                    }
                    let path = all[0].0;
                    parsed
                        .keys
                        .push((path, all.into_iter().map(|(_, value)| value).collect()));
                }
            }
        }
        filters.push(parsed);
    }
    Ok(filters)
}

/// Whether a filter holds for a choice, whatever the trace. `given` is what the choice sets, `unvaried` what all have.
fn is_left_out(
    filter: &Parsed,
    choice: &Choice,
    given: &[(&str, Value)],
    unvaried: Option<&Config>,
) -> bool {
    let name = choice.system.map(|system| &system.name.value);
    if let Some(systems) = &filter.systems
        && !name.is_some_and(|name| systems.contains(name))
    {
        return false;
    }
    filter.keys.iter().all(|(path, values)| {
        let last = given.iter().rev().find(|(given, _)| given == path);
        let value = match last {
            Some((_, value)) => Some(value),
            None => unvaried.and_then(|config| config.value(path)),
        };
        value.is_some_and(|value| values.contains(value))
    })
}
