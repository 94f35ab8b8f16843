//! What a plan says. `docs/sweeps.md` defines it.

use std::collections::HashSet;
use std::path::PathBuf;

use ssdlab_sim::{Axis, Replay, System};
use ssdlab_words::{either, parse_bytes};
use toml_edit::{Item, TableLike, Value};

use super::file::{Entry, File, Placed, literal, word};
use crate::error::SweepError;

/// The replays of `repeat = "steady"`, at most.
const STEADY: u32 = 50;

/// A plan as it is written.
#[derive(Clone, Debug, Default)]
pub struct Description {
    pub traces: Vec<TraceEntry>,
    pub preset: Option<Placed<String>>,
    pub config: Option<Placed<PathBuf>>,
    pub scale_to: Option<Placed<(u64, String)>>,
    /// Assignments in the syntax of `--set`.
    pub device: Vec<Placed<String>>,
    /// Values as they stand behind `=`.
    pub axes: Vec<Axis<Placed<String>>>,
    pub systems: Vec<System<Placed<String>>>,
    pub without: Vec<Filter>,
    pub replay: Replay,
    /// Whether combinations that the device refuses are left out instead of ending the plan.
    pub leaves_out_refused: bool,
}

/// Traces: files, or a workload.
#[derive(Clone, Debug)]
pub struct TraceEntry {
    pub at: usize,
    pub what: What,
    pub set: Option<Placed<String>>,
    pub licence: Option<String>,
    /// Options of reading, as words of a command line.
    pub options: Vec<Placed<String>>,
}

/// What a trace is made of.
#[derive(Clone, Debug)]
pub enum What {
    /// Files that fit a pattern.
    Files(String),
    /// A workload in the words of `trace generate`, once for each seed.
    Generated { words: String, seeds: Vec<u64> },
}

/// What is left out: runs for which each of these keys has one of its values.
#[derive(Clone, Debug)]
pub struct Filter {
    pub keys: Vec<(Placed<String>, Vec<Placed<String>>)>,
}

/// The keys of a plan.
const KEYS: [&str; 12] = [
    "traces", "preset", "config", "scale-to", "device", "axes", "systems", "without", "repeat",
    "wrap", "compact", "refused",
];

impl Description {
    pub fn parse(file: &File) -> Result<Self, SweepError> {
        let document = file.document()?;
        let mut plan = Description::default();
        for entry in file.entries(document.as_table()) {
            plan.read(file, &entry)?;
        }
        if plan.traces.is_empty() {
            return Err(file.refuse(
                0,
                "no traces; a plan needs a list such as traces = [\"traces/*.csv.zst\"]",
            ));
        }
        Ok(plan)
    }

    fn read(&mut self, file: &File, entry: &Entry) -> Result<(), SweepError> {
        match &*entry.key {
            "traces" => self.traces = traces(file, entry)?,
            "preset" => self.preset = Some(file.text(entry)?),
            "config" => {
                let Placed { value, at } = file.text(entry)?;
                let value = PathBuf::from(value);
                self.config = Some(Placed { value, at });
            }
            "scale-to" => {
                let Placed { value, at } = file.text(entry)?;
                let size = parse_bytes(&value).filter(|size| *size > 0);
                let wrong = || {
                    file.refuse(
                        at,
                        format!("scale-to = {value:?}: must be a size above 0, such as \"16GiB\""),
                    )
                };
                let value = (size.ok_or_else(wrong)?, value.clone());
                self.scale_to = Some(Placed { value, at });
            }
            "device" => self.device = settings(file, file.table(entry)?)?,
            "axes" => {
                let leaves = file.leaves(file.table(entry)?);
                let axes = leaves.iter().map(|entry| axis(file, entry));
                self.axes = axes.collect::<Result<_, _>>()?;
            }
            "systems" => {
                for entry in file.entries(file.table(entry)?) {
                    let set = settings(file, file.table(&entry)?)?;
                    let name = Placed {
                        value: entry.key.into_owned(),
                        at: entry.at,
                    };
                    self.systems.push(System { name, set });
                }
            }
            "without" => self.without = filters(file, entry)?,
            "repeat" => self.repeat(file, entry)?,
            "wrap" => self.replay.wrap = switch(file, entry)?,
            "compact" => self.replay.compact = switch(file, entry)?,
            "refused" => {
                self.leaves_out_refused = match file.text(entry)?.value.as_str() {
                    "stop" => false,
                    "leave-out" => true,
                    other => {
                        let why = format!("refused = {other:?}: must be \"stop\" or \"leave-out\"");
                        return Err(file.refuse(entry.at, why));
                    }
                }
            }
            other => {
                let why = format!("unknown key {other}; must be {}", either(&KEYS));
                return Err(file.refuse(entry.at, why));
            }
        }
        Ok(())
    }

    fn repeat(&mut self, file: &File, entry: &Entry) -> Result<(), SweepError> {
        let replay = &mut self.replay;
        let times = entry
            .item
            .as_integer()
            .and_then(|times| u32::try_from(times).ok());
        match (entry.item.as_str(), times) {
            (Some("steady"), _) => (replay.steady, replay.loops) = (true, STEADY),
            (Some("once"), _) => {}
            (None, Some(times @ 1..=100_000)) => replay.loops = times,
            _ => {
                let found = entry.item.as_value().map(literal).unwrap_or_default();
                let why = format!(
                    "repeat = {found}: must be \"once\", \"steady\" or a number from 1 to 100000"
                );
                return Err(file.refuse(entry.at, why));
            }
        }
        Ok(())
    }
}

fn switch(file: &File, entry: &Entry) -> Result<bool, SweepError> {
    let wrong = || file.refuse(entry.at, format!("{}: must be true or false", entry.key));
    entry.item.as_bool().ok_or_else(wrong)
}

/// The assignments of a table of keys, which may be nested.
fn settings(file: &File, table: &dyn TableLike) -> Result<Vec<Placed<String>>, SweepError> {
    let setting = |entry: Entry| match entry.item.as_value() {
        Some(value) => Ok(Placed {
            value: format!("{}={}", entry.key, literal(value)),
            at: entry.at,
        }),
        None => Err(file.refuse(entry.at, format!("{}: must be one value", entry.key))),
    };
    file.leaves(table).into_iter().map(setting).collect()
}

fn axis(file: &File, entry: &Entry) -> Result<Axis<Placed<String>>, SweepError> {
    // a list of lists is a list of values that are lists
    let values = file.list(entry)?.into_iter().map(|value| Placed {
        value: literal(value.value),
        at: value.at,
    });
    let values: Vec<Placed<String>> = values.collect();
    let mut known = HashSet::new();
    for value in &values {
        if !known.insert(&value.value) {
            let why = format!("{} = {}: is there twice", entry.key, value.value);
            return Err(file.refuse(value.at, why));
        }
    }
    let key = Placed {
        value: entry.key.to_string(),
        at: entry.at,
    };
    Ok(Axis { key, values })
}

fn filters(file: &File, entry: &Entry) -> Result<Vec<Filter>, SweepError> {
    let wrong = || {
        let why = "without: must be a list of tables, [[without]], each with keys and the values that are left out together";
        file.refuse(entry.at, why)
    };
    let tables: Vec<&dyn TableLike> = match entry.item {
        Item::ArrayOfTables(tables) => tables.iter().map(|table| table as &dyn TableLike).collect(),
        Item::Value(Value::Array(list)) => {
            let tables = list.iter().map(Value::as_inline_table);
            let tables: Option<Vec<_>> = tables.collect();
            let tables = tables.ok_or_else(wrong)?.into_iter();
            tables.map(|table| table as &dyn TableLike).collect()
        }
        _ => return Err(wrong()),
    };
    let filter = |table: &dyn TableLike| {
        let entries = file.leaves(table);
        let at = entries.first().map_or(entry.at, |entry| entry.at);
        let keys = entries.iter().map(|entry| {
            let values = file.list(entry)?.into_iter().map(|value| Placed {
                value: word(value.value),
                at: value.at,
            });
            let key = Placed {
                value: entry.key.to_string(),
                at: entry.at,
            };
            Ok((key, values.collect()))
        });
        let keys: Vec<_> = keys.collect::<Result<_, SweepError>>()?;
        if keys.is_empty() {
            return Err(file.refuse(at, "without: an empty table would leave out everything"));
        }
        Ok(Filter { keys })
    };
    tables.into_iter().map(filter).collect()
}

fn traces(file: &File, entry: &Entry) -> Result<Vec<TraceEntry>, SweepError> {
    if let Item::ArrayOfTables(tables) = entry.item {
        let one = |table: &toml_edit::Table| {
            trace(
                file,
                table,
                table.span().map_or(entry.at, |span| span.start),
            )
        };
        return tables.iter().map(one).collect();
    }
    let one = |value: Placed<&Value>| match value.value {
        Value::String(pattern) => Ok(TraceEntry {
            at: value.at,
            what: What::Files(pattern.value().clone()),
            set: None,
            licence: None,
            options: Vec::new(),
        }),
        Value::InlineTable(table) => trace(file, table, value.at),
        other => {
            let why = format!(
                "traces: found {}; must be a path or pattern in double quotes, or a table such as {{ generate = \"zipf\" }}",
                literal(other)
            );
            Err(file.refuse(value.at, why))
        }
    };
    file.list(entry)?.into_iter().map(one).collect()
}

fn trace(file: &File, table: &dyn TableLike, at: usize) -> Result<TraceEntry, SweepError> {
    let (mut files, mut words, mut seeds) = (None, None, None);
    let mut trace = TraceEntry {
        at,
        what: What::Files(String::new()),
        set: None,
        licence: None,
        options: Vec::new(),
    };
    for entry in file.entries(table) {
        match &*entry.key {
            "file" => files = Some(file.text(&entry)?),
            "generate" => words = Some(file.text(&entry)?),
            "seeds" => seeds = Some(numbers(file, &entry)?),
            "set" => trace.set = Some(file.text(&entry)?),
            "licence" => trace.licence = Some(file.text(&entry)?.value),
            _ => {
                let Some(value) = entry.item.as_value() else {
                    let why = format!("{}: must be one value", entry.key);
                    return Err(file.refuse(entry.at, why));
                };
                let word = match value.as_bool() {
                    Some(true) => format!("--{}", entry.key),
                    Some(false) => continue,
                    None => format!("--{}={}", entry.key, word(value)),
                };
                trace.options.push(Placed {
                    value: word,
                    at: entry.at,
                });
            }
        }
    }
    trace.what = match (files, words, seeds) {
        (Some(pattern), None, None) => What::Files(pattern.value),
        (None, Some(words), seeds) => What::Generated {
            words: words.value,
            seeds: seeds.unwrap_or_default(),
        },
        (Some(_), None, Some(_)) => {
            return Err(file.refuse(at, "traces: seeds go with generate, not with file"));
        }
        _ => {
            let why =
                "traces: a table needs file = \"PATTERN\" or generate = \"WORKLOAD\", and not both";
            return Err(file.refuse(at, why));
        }
    };
    if let (What::Generated { .. }, Some(option)) = (&trace.what, trace.options.first()) {
        let why = format!("traces: {} goes with file, not with generate", option.value);
        return Err(file.refuse(option.at, why));
    }
    Ok(trace)
}

fn numbers(file: &File, entry: &Entry) -> Result<Vec<u64>, SweepError> {
    let number = |value: Placed<&Value>| {
        let number = value
            .value
            .as_integer()
            .and_then(|number| u64::try_from(number).ok());
        number.ok_or_else(|| {
            let why = format!(
                "{}: found {}; must be whole numbers from 0",
                entry.key,
                literal(value.value)
            );
            file.refuse(value.at, why)
        })
    };
    let numbers: Vec<u64> = file
        .list(entry)?
        .into_iter()
        .map(number)
        .collect::<Result<_, _>>()?;
    for (at, number) in numbers.iter().enumerate() {
        if numbers[..at].contains(number) {
            return Err(file.refuse(entry.at, format!("{}: {number} is there twice", entry.key)));
        }
    }
    Ok(numbers)
}
