//! A sweep: a plan with the facts of its traces.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

use serde::Serialize;
use sha2::{Digest, Sha256};
use ssdlab_config::Config;
use ssdlab_results::Schema;
use ssdlab_sim::{Lab, Replay, StopFlag, Threads};
use ssdlab_words::{bytes, shown_path, thousands};

use crate::cost;
use crate::error::SweepError;
use crate::facts::Facts;
use crate::folder::{Folder, Frozen};
use crate::plan::{
    Combination, Combinations, Description, File, Kind, Source, combinations, sources,
};
use crate::shard::{Shard, divide};

/// The refused runs that an error lists.
const LISTED: usize = 20;

/// The largest plan, bytes.
const LARGEST: u64 = 16 << 20;

/// All that a sweep runs.
pub struct Sweep {
    pub(crate) lab: Lab,
    pub(crate) schema: Schema,
    pub(crate) version: String,
    pub(crate) plan: Description,
    pub(crate) folder_of_plan: PathBuf,
    text: String,
    /// SHA-256 of the plan.
    pub hash: String,
    /// The traces in the order of the plan.
    pub sources: Vec<Source>,
    /// What is known of each trace.
    pub facts: Vec<Facts>,
    pub(crate) combinations: Combinations,
    /// What is to be done, traces that take long first.
    pub shards: Vec<Shard>,
}

/// A plan on its way to a sweep.
pub struct Planned {
    file: File,
    plan: Description,
    folder: PathBuf,
    sources: Vec<Source>,
    combinations: Combinations,
    lab: Lab,
    version: String,
}

/// What a sweep is, in numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Explained {
    /// Traces.
    pub traces: usize,
    /// Configurations with an effect of their own.
    pub configurations: usize,
    /// Combinations that set nothing else than another one in all that is read.
    pub alike: usize,
    /// Combinations that the plan leaves out.
    pub left_out: usize,
    /// Combinations that are left out because the device refuses them, with the first reason.
    pub refused: usize,
    /// The first refused combination, and why.
    pub first_refused: Option<String>,
    /// Runs.
    pub runs: usize,
    /// Shards.
    pub shards: usize,
    /// Estimated seconds of one core, decoding included.
    #[serde(rename = "core_seconds")]
    pub seconds: f64,
    /// Estimated seconds of the longest shard, decoding included.
    #[serde(rename = "longest_shard_seconds")]
    pub longest: f64,
    /// The most memory that a run takes, with the requests of its trace, bytes.
    #[serde(rename = "memory_bytes")]
    pub memory: u64,
}

impl Planned {
    /// Reads a plan and makes its combinations; reads no trace.
    ///
    /// # Errors
    /// The plan cannot be read, or says what cannot be.
    pub fn read(path: &Path, lab: &Lab, version: &str) -> Result<Self, SweepError> {
        let unreadable = |error| SweepError::unreadable(path, error);
        if path.metadata().map_err(unreadable)?.len() > LARGEST {
            return Err(SweepError::folder(
                path,
                "is larger than 16 MiB, which no plan is",
            ));
        }
        let text = std::fs::read_to_string(path).map_err(unreadable)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        Self::of(&shown_path(path), text, folder, lab, version)
    }

    /// Takes the text of a plan, whose paths begin in `folder`; `name` is for messages.
    ///
    /// # Errors
    /// The plan says what cannot be.
    pub fn of(
        name: &str,
        text: String,
        folder: &Path,
        lab: &Lab,
        version: &str,
    ) -> Result<Self, SweepError> {
        Self::unless(&StopFlag::default(), name, text, folder, lab, version)
    }

    /// As [`Planned::of`], until the flag is set; then reading a trace ends with an error, too.
    ///
    /// # Errors
    /// The plan says what cannot be; [`SweepError::Stopped`].
    pub fn unless(
        stop: &StopFlag,
        name: &str,
        text: String,
        folder: &Path,
        lab: &Lab,
        version: &str,
    ) -> Result<Self, SweepError> {
        let name = name.to_owned();
        let file = File { name, text };
        let plan = Description::parse(&file)?;
        // the paths of found files have no `.` before them
        let folder = folder
            .components()
            .filter(|part| *part != Component::CurDir);
        let folder: PathBuf = folder.collect();
        let combinations = combinations(&file, &plan, &folder, lab.systems(), stop)?;
        if !plan.leaves_out_refused && !combinations.refused.is_empty() {
            let refused = &combinations.refused;
            let lines = refused.iter().take(LISTED);
            let lines = lines.map(|(words, error)| {
                let message = error.to_string();
                let message = message.strip_prefix("--set ").unwrap_or(&message);
                format!("{}: {words}: {message}", file.name)
            });
            return Err(too_many(lines.collect(), refused.len()));
        }
        let mut sources = sources(&file, &plan, &folder)?;
        for source in &mut sources {
            if let Kind::File { read, .. } = &mut source.kind {
                read.watch = read.watch.clone().stopped_by(stop.clone());
            }
        }
        Ok(Self {
            file,
            plan,
            folder,
            sources,
            combinations,
            lab: lab.clone(),
            version: version.to_owned(),
        })
    }

    /// The traces.
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// Reads each trace once, on `jobs` threads; not those whose facts the folder has, if their files have not changed.
    /// Calls `progress` for each trace.
    ///
    /// # Errors
    /// A trace cannot be read.
    pub fn sweep(
        self,
        folder: Option<&Path>,
        jobs: usize,
        progress: impl Fn() + Sync,
    ) -> Result<Sweep, SweepError> {
        let known = match folder {
            Some(folder) => Folder(folder.to_owned()).frozen()?,
            None => None,
        };
        let known = known.as_ref().map(Frozen::by_name).unwrap_or_default();
        let facts = |source: &Source| {
            let old = known.get(source.name.as_str());
            let facts = match old.filter(|facts| facts.still_hold(source)) {
                Some(facts) => (*facts).clone(),
                None => Facts::of(source)?,
            };
            progress();
            Ok::<_, SweepError>(facts)
        };
        let threads = Threads::start(jobs, self.sources.len(), None)?;
        let facts = threads.each(&self.sources, |_| 0, facts, |_| ())?;
        Ok(self.with(facts))
    }

    /// The sweep that the folder has, whose traces are not read.
    ///
    /// # Errors
    /// The folder has none, or another one.
    pub fn frozen(self, folder: &Path) -> Result<Sweep, SweepError> {
        let at = folder;
        let frozen = Folder(folder.to_owned()).frozen()?.ok_or_else(|| {
            SweepError::folder(
                at,
                "has no planned sweep; plan it first, with sweep plan --out",
            )
        })?;
        let facts = frozen.by_name();
        let known = self
            .sources
            .iter()
            .map(|source| facts.get(source.name.as_str()).map(|&facts| facts.clone()));
        let known: Option<Vec<Facts>> = known.collect();
        let known = known.filter(|known| known.len() == frozen.traces.len());
        match known {
            Some(known)
                if frozen.plan == hash(&self.file.text) && frozen.version == self.version =>
            {
                Ok(self.with(known))
            }
            _ => Err(SweepError::folder(
                at,
                "has a sweep of another plan, of other traces or of another version of ssdlab; plan it again with sweep \
                 plan --out, or choose another folder",
            )),
        }
    }

    fn with(self, facts: Vec<Facts>) -> Sweep {
        let shards = divide(&facts, &self.combinations, &self.plan.replay, &self.version);
        Sweep {
            schema: Schema::of(&self.lab.systems().catalogue()),
            hash: hash(&self.file.text),
            text: self.file.text,
            lab: self.lab,
            version: self.version,
            plan: self.plan,
            folder_of_plan: self.folder,
            sources: self.sources,
            facts,
            combinations: self.combinations,
            shards,
        }
    }
}

fn hash(text: &str) -> String {
    ssdlab_words::hexadecimal(&Sha256::digest(text.as_bytes()))
}

fn too_many(mut lines: Vec<String>, all: usize) -> SweepError {
    if lines.len() < all {
        lines.push(format!(
            "… and {} more",
            thousands((all - lines.len()) as u64)
        ));
    }
    lines.push(
        "leave them out with [[without]], or all that is refused with refused = \"leave-out\""
            .into(),
    );
    SweepError::Refused(lines)
}

impl Sweep {
    /// Keeps what was planned in a folder, for workers.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn freeze(&self, folder: &Path) -> Result<(), SweepError> {
        let folder = Folder(folder.to_owned());
        let frozen = Frozen {
            version: self.version.clone(),
            plan: self.hash.clone(),
            traces: self.facts.clone(),
        };
        if folder.frozen()?.as_ref() == Some(&frozen) {
            return Ok(());
        }
        folder.freeze(&frozen)
    }

    /// The text of the plan.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The version of ssdlab, and the commit if the build knows it.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The folder in which the paths of the plan begin.
    pub fn folder_of_plan(&self) -> &Path {
        &self.folder_of_plan
    }

    /// The file of the device as the plan names it, if it does.
    pub fn config_file(&self) -> Option<&Path> {
        let config = self.plan.config.as_ref();
        config.map(|config| config.value.as_path())
    }

    /// How the traces are replayed.
    pub fn replay(&self) -> &Replay {
        &self.plan.replay
    }

    /// A combination.
    pub fn combination(&self, number: usize) -> &Combination {
        &self.combinations.all[number]
    }

    /// The device of a run: with the capacity that its trace gives, unless only replaying tells it (`compact`).
    pub(crate) fn config(&self, trace: usize, run: usize) -> Result<Cow<'_, Config>, String> {
        let config = &self.combinations.all[run].config;
        if self.plan.replay.compact {
            return Ok(Cow::Borrowed(config));
        }
        let facts = &self.facts[trace];
        // a million clones take minutes
        let config = match config.is_auto() {
            false => Cow::Borrowed(config),
            true => Cow::Owned(config.clone().with_capacity(facts.end).map_err(|error| {
                let message = error.to_string();
                message
                    .strip_prefix("--set ")
                    .unwrap_or(&message)
                    .to_owned()
            })?),
        };
        if !self.plan.replay.wrap && facts.end > config.flash.capacity {
            return Err(format!(
                "the trace ends at byte {}, behind flash.capacity, {}; leave flash.capacity out, or set wrap or compact",
                thousands(facts.end),
                bytes(config.flash.capacity)
            ));
        }
        if config.is_timed() && facts.latest == facts.earliest && facts.requests > 1 {
            return Err(
                "all requests have the same time, which replay = \"timed\" cannot use".into(),
            );
        }
        Ok(config)
    }

    /// Checks every run against its trace, and says what the sweep is.
    ///
    /// # Errors
    /// Runs that their traces make impossible, unless the plan leaves them out.
    pub fn explain(&self) -> Result<Explained, SweepError> {
        self.explain_unless(&StopFlag::default())
    }

    /// As [`Sweep::explain`], until the flag is set.
    ///
    /// # Errors
    /// As `explain`; [`SweepError::Stopped`].
    pub fn explain_unless(&self, stop: &StopFlag) -> Result<Explained, SweepError> {
        let refused = &self.combinations.refused;
        let mut explained = Explained {
            traces: self.sources.len(),
            configurations: self.combinations.all.len(),
            alike: self.combinations.alike,
            left_out: self.combinations.left_out,
            refused: refused.len() * self.sources.len(),
            first_refused: refused
                .first()
                .map(|(words, error)| format!("{words}: {error}")),
            shards: self.shards.len(),
            ..Explained::default()
        };
        let mut lines = Vec::new();
        let mut all = 0;
        for shard in &self.shards {
            let facts = &self.facts[shard.trace];
            let decoding = cost::decoding(facts);
            explained.seconds += shard.cost + decoding;
            explained.longest = explained.longest.max(shard.cost + decoding);
            for &run in &shard.runs {
                SweepError::unless(stop)?;
                match self.config(shard.trace, run) {
                    Ok(config) => {
                        explained.runs += 1;
                        let device = match config.is_auto() {
                            true => 0,
                            false => self.lab.systems().memory(&config),
                        };
                        let trace = facts.requests.saturating_mul(24);
                        explained.memory = explained.memory.max(device.saturating_add(trace));
                    }
                    Err(why) => {
                        all += 1;
                        if lines.len() < LISTED {
                            lines.push(format!("{}: {why}", self.words(shard.trace, run)));
                        }
                    }
                }
            }
        }
        if !self.plan.leaves_out_refused && all > 0 {
            return Err(too_many(lines, all));
        }
        explained.refused += all;
        explained.first_refused = explained.first_refused.or_else(|| lines.into_iter().next());
        Ok(explained)
    }

    /// A run in words, for messages.
    pub(crate) fn words(&self, trace: usize, run: usize) -> String {
        let combination = &self.combinations.all[run];
        let name = combination.system.iter().cloned();
        let all: Vec<String> = name.chain(combination.set.iter().cloned()).collect();
        format!("{}, {}", self.sources[trace].name, all.join(", "))
    }
}
