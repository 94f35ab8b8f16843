//! Workers: they take shards, run them, and write parts.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use ssdlab_results::{Origin, Run, Table};
use ssdlab_sim::{Room, RunOptions, SimError, StopFlag, Threads, Trace, free_memory};

use crate::error::SweepError;
use crate::folder::Folder;
use crate::plan::Kind;
use crate::shard::Shard;
use crate::sweep::Sweep;

/// Bytes of a request in memory.
const REQUEST: u64 = 24;

/// How workers of one process work.
pub struct Work {
    /// The folder of the parts.
    pub folder: PathBuf,
    /// Threads.
    pub jobs: usize,
    /// Bytes that traces and devices may take together; `None`: what is free.
    pub memory: Option<u64>,
    /// Once set, no shard begins, and those that run end as usual.
    pub finish: StopFlag,
    /// Once set, runs end at once, and their shards are lost.
    pub stop: Option<StopFlag>,
}

/// What happens while workers work.
#[derive(Clone, Copy, Debug)]
pub enum WorkEvent<'a> {
    /// A run ended.
    Ran {
        /// Its share of the estimated seconds of its shard.
        cost: f64,
    },
    /// A part is damaged, and is made again.
    Damaged {
        /// Its file, and what is wrong.
        why: &'a str,
    },
    /// A part is complete.
    Part {
        /// Its shard.
        shard: &'a Shard,
        /// Seconds of this thread: decoding the trace (0 if another shard had), the runs, and writing.
        decode: f64,
        /// Running.
        run: f64,
        /// Writing the part.
        write: f64,
    },
}

/// The shards of the worker `number` of `all`, from 1: neighbours, so that few traces are decoded, of about equal cost.
pub fn chosen(shards: &[Shard], number: usize, all: usize) -> std::ops::Range<usize> {
    let total: f64 = shards.iter().map(|shard| shard.cost).sum();
    let mut done = 0.0;
    let mut first = shards.len();
    let mut end = shards.len();
    for (at, shard) in shards.iter().enumerate() {
        // the worker in whose share its middle lies
        let middle = (done + shard.cost / 2.0) / total.max(f64::MIN_POSITIVE);
        let worker = ((middle * all as f64) as usize).min(all - 1) + 1;
        if worker >= number && first == shards.len() {
            first = at;
        }
        if worker > number {
            end = at;
            break;
        }
        done += shard.cost;
    }
    first..end.max(first)
}

/// A trace that several shards share, while some of them are left.
struct Shared {
    trace: Mutex<Option<Arc<Trace>>>,
    left: AtomicUsize,
}

/// The rows of a shard.
pub(crate) struct ShardRows<'a> {
    pub shard: &'a Shard,
    pub table: Table,
    /// Seconds for decoding the trace.
    decode: f64,
    /// Seconds for the runs.
    run: f64,
}

/// What runs share.
struct Means {
    room: Room,
    /// Bytes of each run at a time.
    of_run: u64,
    stop: Option<StopFlag>,
}

impl Means {
    fn of(memory: u64, jobs: usize, stop: Option<StopFlag>) -> Self {
        Self {
            room: Room::new(memory),
            of_run: memory / jobs.max(1) as u64,
            stop,
        }
    }
}

impl Sweep {
    /// Runs the shards with these numbers whose parts are not there. Returns whether all of them are there at the end:
    /// not if `finish` was set.
    ///
    /// # Errors
    /// A run fails, a trace is not the planned one, or a part cannot be written.
    pub fn work(
        &self,
        shards: impl IntoIterator<Item = usize>,
        work: &Work,
        tell: impl Fn(WorkEvent) + Sync,
    ) -> Result<bool, SweepError> {
        let folder = Folder(work.folder.clone());
        folder.make()?;
        let mut todo: Vec<usize> = shards.into_iter().collect();
        let asked: Vec<&Shard> = todo.iter().map(|&number| &self.shards[number]).collect();
        let proven = folder.proven(&asked, work.jobs)?;
        for why in proven.damaged.values() {
            tell(WorkEvent::Damaged { why });
        }
        todo.retain(|&number| !proven.parts.contains(&self.shards[number].name));
        let unfinished = AtomicBool::new(false);
        let is_left = |shard: &Shard| {
            let ends = work.finish.load(Ordering::Relaxed);
            unfinished.fetch_or(ends, Ordering::Relaxed);
            !ends && !folder.has(shard)
        };
        self.tables(&todo, work, is_left, &tell, |made| {
            let written = Instant::now();
            folder.write(made.shard, &self.about(made.shard), &made.table)?;
            tell(WorkEvent::Part {
                shard: made.shard,
                decode: made.decode,
                run: made.run,
                write: written.elapsed().as_secs_f64(),
            });
            Ok(())
        })?;
        Ok(!unfinished.into_inner())
    }

    /// Makes the tables of the shards that are left when their turn comes.
    pub(crate) fn tables(
        &self,
        todo: &[usize],
        work: &Work,
        is_left: impl Fn(&Shard) -> bool + Sync,
        tell: &(impl Fn(WorkEvent) + Sync),
        take: impl Fn(ShardRows) -> Result<(), SweepError> + Sync,
    ) -> Result<(), SweepError> {
        let mut left = vec![0; self.facts.len()];
        for &number in todo {
            left[self.shards[number].trace] += 1;
        }
        let share = |left: usize| Shared {
            trace: Mutex::default(),
            left: left.into(),
        };
        let shared: Vec<Shared> = left.into_iter().map(share).collect();
        let memory = work.memory.or_else(free_memory).unwrap_or(u64::MAX);
        // a quarter for traces, since each thread may hold one
        let of_trace = memory / 4 / work.jobs.max(1) as u64;
        let means = Means::of(memory - memory / 4, work.jobs, work.stop.clone());
        let run = |&number: &usize| {
            let shard = &self.shards[number];
            let shared = &shared[shard.trace];
            if !is_left(shard) {
                self.drop_shared(shared);
                return Ok(());
            }
            let started = Instant::now();
            let trace = self.shared(shared, shard.trace, of_trace)?;
            let decode = started.elapsed().as_secs_f64();
            let table = self.run(shard, &trace, &means, tell)?;
            drop(trace);
            self.drop_shared(shared);
            take(ShardRows {
                shard,
                table,
                decode,
                run: started.elapsed().as_secs_f64() - decode,
            })
        };
        let threads = Threads::start(work.jobs, todo.len(), None)?;
        // each run enters the room alone
        threads.each(todo, |_| 0, run, |_| ()).map(drop)
    }

    /// The rows of one shard: the same for everybody who asks.
    ///
    /// # Errors
    /// A run fails, or the trace is not the planned one.
    pub fn rows(&self, number: usize, stop: Option<StopFlag>) -> Result<Table, SweepError> {
        let shard = &self.shards[number];
        let memory = free_memory().unwrap_or(u64::MAX);
        let trace = self.load(shard.trace, memory / 4)?;
        let means = Means::of(memory - memory / 4, 1, stop);
        self.run(shard, &trace, &means, &|_| ())
    }

    /// Runs one shard and writes its part; `Ok(false)`: the part was there.
    ///
    /// # Errors
    /// As [`Sweep::work`].
    pub fn write(
        &self,
        number: usize,
        folder: &Path,
        stop: Option<StopFlag>,
    ) -> Result<bool, SweepError> {
        let (folder, shard) = (Folder(folder.to_owned()), &self.shards[number]);
        if folder.has(shard) {
            return Ok(false);
        }
        folder.make()?;
        let table = self.rows(number, stop)?;
        folder.write(shard, &self.about(shard), &table)
    }

    /// The metadata of parts. Plans that share a shard share its part, so the plan is not among them.
    pub(crate) fn about<'a>(&'a self, shard: &'a Shard) -> [(&'a str, &'a str); 2] {
        [
            ("ssdlab.version", &self.version),
            ssdlab_results::about_part(&shard.name),
        ]
    }

    fn shared(&self, shared: &Shared, trace: usize, memory: u64) -> Result<Arc<Trace>, SweepError> {
        let mut slot = shared.trace.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(trace) = &*slot {
            return Ok(Arc::clone(trace));
        }
        let loaded = Arc::new(self.load(trace, memory)?);
        *slot = Some(Arc::clone(&loaded));
        Ok(loaded)
    }

    /// One shard of the trace is done; behind the last one its requests go.
    fn drop_shared(&self, shared: &Shared) {
        if shared.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            *shared.trace.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
    }

    fn load(&self, trace: usize, memory: u64) -> Result<Trace, SweepError> {
        let (source, facts) = (&self.sources[trace], &self.facts[trace]);
        let is_small = facts.requests.saturating_mul(REQUEST) <= memory;
        let loaded = source.load(if is_small { u64::MAX } else { 0 })?;
        let changed = |what: String| SweepError::Changed {
            name: source.name.clone(),
            what,
        };
        if matches!(source.kind, Kind::File { .. }) && loaded.summary.sha256 != facts.sha256 {
            return Err(changed("its SHA-256 differs".into()));
        }
        if loaded.summary.requests != facts.requests {
            let what = format!(
                "{} requests became {}",
                facts.requests, loaded.summary.requests
            );
            return Err(changed(what));
        }
        Ok(loaded)
    }

    fn run(
        &self,
        shard: &Shard,
        trace: &Trace,
        means: &Means,
        tell: &(impl Fn(WorkEvent) + Sync),
    ) -> Result<Table, SweepError> {
        let mut table = self.schema.table();
        for &run in &shard.runs {
            let config = match self.config(shard.trace, run) {
                Ok(config) => config.into_owned(),
                // the plan leaves it out, or explain would have ended
                Err(_) => continue,
            };
            let failed = |error| match error {
                SimError::Stopped => SweepError::Stopped,
                error => SweepError::Run {
                    run: self.words(shard.trace, run),
                    error: Box::new(error),
                },
            };
            let systems = self.lab.systems();
            let device = match config.is_auto() {
                true => 0,
                false => systems.memory(&config),
            };
            // four bytes for each page that is written
            let coming = match systems.foresees(&config) {
                true => self.facts[shard.trace].write_bytes / u64::from(config.flash.page_size) * 4,
                false => 0,
            };
            let _inside = means.room.enter(device.saturating_add(coming));
            let options = RunOptions {
                replay: self.plan.replay.clone(),
                memory: Some(means.of_run),
                stop: means.stop.clone(),
                ..RunOptions::new(&self.lab)
            };
            let outcome = ssdlab_sim::run_loaded(config.clone(), trace, options).map_err(failed)?;
            let config = match &outcome.compact {
                Some(compact) => config
                    .with_capacity(compact.touched_blocks * compact.block_bytes)
                    .map_err(|error| failed(error.into()))?,
                None => config,
            };
            let origin = self.origin(shard.trace, run, &config);
            let row = Run {
                origin: &origin,
                outcome: &outcome,
            };
            table.add(row.cells(&self.schema));
            tell(WorkEvent::Ran {
                cost: shard.cost / shard.runs.len() as f64,
            });
        }
        Ok(table)
    }

    fn origin(&self, trace: usize, run: usize, config: &ssdlab_config::Config) -> Origin {
        let (source, combination) = (&self.sources[trace], &self.combinations.all[run]);
        Origin {
            trace: source.name.clone(),
            set: source.set.clone(),
            licence: source.licence.clone(),
            seed: source.seed,
            system: combination.system.clone(),
            replay: self.plan.replay.clone(),
            version: self.version.clone(),
            command: Some(self.command(source, combination, config)),
        }
    }
}
