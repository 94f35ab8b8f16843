//! `paper.toml`: the statements of a paper and how to repeat its runs.
//!
//! The types define the format. Any other key is refused.

use std::collections::BTreeMap;

use serde::Deserialize;
use ssdlab_policy::papers;
use ssdlab_sim::{ERASES, FIGURES, THROUGHPUT, key};
use ssdlab_words::capital;
use toml::Spanned;

use super::example::Example;
use super::statement::Statement;
use super::terms::{Metric, Requests, Size};

/// The whole file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// The paper and the settings that all its figures share.
    pub paper: Header,
    /// Its main result.
    pub main: Option<Main>,
    /// Other interpretations of points that the paper leaves open; each statement is also judged under each of them.
    #[serde(default)]
    pub variant: Vec<Variant>,
    /// The traces by short names, which are part of the charts' file names: letters, digits, `-` and `.`.
    pub trace: BTreeMap<String, Source>,
    /// Worked examples, in the order of the page.
    #[serde(default)]
    pub example: Vec<Example>,
    /// The figures, in the order of the page.
    pub figure: Vec<Figure>,
}

/// The paper and the settings that all its figures share.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// The key of its BibTeX entry, of a paper that ssdlab knows; in place of title, authors and venue.
    pub cite: Option<Spanned<String>>,
    /// Its title.
    #[serde(default)]
    pub title: String,
    /// Its authors.
    #[serde(default)]
    pub authors: String,
    /// Place and year of publication.
    #[serde(default)]
    pub venue: String,
    /// The device.
    pub preset: Spanned<String>,
    /// The buffer policies compared.
    #[serde(default)]
    pub buffers: Vec<Spanned<String>>,
    /// The buffer sizes in the syntax of the configuration; empty: the configured size.
    #[serde(default)]
    pub sizes: Vec<Size>,
    /// The metrics of the charts.
    #[serde(default = "throughput_and_erases")]
    pub charts: Vec<Metric>,
    /// The columns of the tables, if they are not the metrics of the charts and the usual ones.
    #[serde(default)]
    pub columns: Vec<Metric>,
    /// Requests that are left out of the traces.
    pub leave_out: Vec<Requests>,
    /// The device in a sentence or two.
    pub device: String,
    /// Notes for the reader, one paragraph each.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// The main result of a paper, and what became of it. Some statements are `main`: it stands on them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Main {
    /// In the paper's words and numbers, with the place.
    pub paper: String,
    /// Ours, on the workloads nearest to those of the paper, with the numbers of the statements that are `main`.
    pub here: Spanned<String>,
    /// What became of it. `reproduce` fails if the runs show something else.
    pub verdict: Spanned<Outcome>,
    /// Why.
    pub why: String,
}

impl Main {
    /// In one sentence after another, for tables and lists.
    pub fn sentence(&self) -> String {
        let verdict = capital(self.verdict.get_ref().words());
        format!(
            "{verdict}. The paper: {} Here: {}",
            self.paper,
            self.here.get_ref()
        )
    }
}

/// What became of a main result.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
pub enum Outcome {
    /// All its statements are in the paper's range, or as it says.
    #[serde(rename = "reproduced")]
    Reproduced,
    /// All its statements agree.
    #[serde(rename = "in its direction")]
    InItsDirection,
    /// Some of its statements agree.
    #[serde(rename = "reproduced in part")]
    InPart,
    /// None of its statements agrees.
    #[serde(rename = "not reproduced")]
    Not,
}

impl Outcome {
    /// Its words in a description.
    pub fn words(self) -> &'static str {
        match self {
            Outcome::Reproduced => "reproduced",
            Outcome::InItsDirection => "in its direction",
            Outcome::InPart => "reproduced in part",
            Outcome::Not => "not reproduced",
        }
    }
}

impl Header {
    /// Takes title, authors and venue of the paper that `cite` names.
    ///
    /// # Errors
    /// What is wrong: no such paper, both kinds of names, or one that is missing.
    pub fn complete(&mut self) -> Result<(), String> {
        let own = [
            ("title", &mut self.title),
            ("authors", &mut self.authors),
            ("venue", &mut self.venue),
        ];
        let Some(cite) = &self.cite else {
            let missing = own.into_iter().find(|(_, value)| value.is_empty());
            return match missing {
                Some((name, _)) => Err(format!("missing field `{name}`")),
                None => Ok(()),
            };
        };
        if let Some((name, _)) = own.iter().find(|(_, value)| !value.is_empty()) {
            return Err(format!("cite: says {name} too; leave out one of both"));
        }
        let known = || papers::ALL.iter().map(|paper| paper.key);
        let paper = papers::ALL.iter().find(|paper| paper.key == cite.get_ref());
        let paper = paper.ok_or_else(|| {
            let known: Vec<&str> = known().collect();
            format!("cite: no such paper; one of: {}", known.join(", "))
        })?;
        let authors = paper.authors.iter();
        let authors: Vec<String> = authors
            .map(|(given, family)| format!("{given} {family}"))
            .collect();
        self.title = paper.title.into();
        self.authors = authors.join(", ");
        self.venue = match paper.place {
            "" => "place and year not known".into(),
            place => place.into(),
        };
        Ok(())
    }
}

impl Description {
    /// All metrics that it names.
    pub fn metrics(&mut self) -> impl Iterator<Item = &mut Metric> {
        let Header {
            charts, columns, ..
        } = &mut self.paper;
        let statements = self.figure.iter_mut().flat_map(|f| &mut f.statement);
        let tests = statements.filter_map(|statement| statement.test.as_mut());
        let compared = tests.map(|test| &mut test.metric);
        charts.iter_mut().chain(columns).chain(compared)
    }
}

fn throughput_and_erases() -> Vec<Metric> {
    vec![THROUGHPUT.into(), ERASES.into()]
}

impl Header {
    /// The columns of the tables. One that is 0 in all rows of a figure is left out there.
    pub fn columns(&self) -> Vec<Metric> {
        if !self.columns.is_empty() {
            return self.columns.clone();
        }
        let usual = FIGURES.iter().filter(|figure| figure.shown.table);
        let usual = usual.copied().map(Metric::from);
        let others = usual.filter(|metric| !self.charts.contains(metric));
        self.charts.iter().cloned().chain(others).collect()
    }
}

/// Another interpretation of a point that the paper leaves open.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// A short name.
    pub name: String,
    /// The change.
    pub about: String,
    /// Requests to keep although the paper's default leaves them out.
    #[serde(default)]
    pub keep: Vec<Requests>,
    /// Keys of the configuration, in the syntax of `--set`.
    #[serde(default)]
    pub set: Vec<Spanned<String>>,
    /// The short name of a trace on which all figures run, in place of their own ones.
    pub trace: Option<Spanned<String>>,
}

/// A trace.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "SourceKeys")]
pub struct Source {
    /// The source of the trace.
    pub origin: Origin,
    /// The content of the trace, and which trace of the paper it replaces.
    pub about: String,
    /// What the paper says about its own trace: volume, requests, locality.
    pub paper: Option<String>,
    /// The options of a generated workload that the page explains.
    pub options: Vec<WorkloadOption>,
    /// The owners of its streams, from stream 0 on: `of files`, `of the cleaner`.
    pub streams: Vec<String>,
}

/// An option of a generated workload.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkloadOption {
    /// The option with its value, as words of `ssdlab trace generate`.
    pub words: String,
    /// What it sets.
    pub is: String,
    /// Where the value is from.
    pub from: String,
}

/// The source of a trace.
#[derive(Clone, Debug)]
pub enum Origin {
    /// A file of this repository, or its first requests.
    File {
        /// The file.
        file: Spanned<String>,
        /// The number of requests, without those that are left out.
        limit: Option<u64>,
    },
    /// A synthetic workload, as arguments of `ssdlab trace generate`.
    Generated(Spanned<String>),
    /// Files of this repository side by side on one device, as `ssdlab trace merge` puts them.
    Merged {
        /// The files.
        files: Vec<Spanned<String>>,
        /// The distance of two files on the device.
        offset_each: Option<Size>,
        /// The seconds that each file lasts.
        stretch_s: Option<u64>,
    },
}

impl Origin {
    /// The files of traces.
    pub fn files(&self) -> &[Spanned<String>] {
        match self {
            Origin::File { file, .. } => std::slice::from_ref(file),
            Origin::Merged { files, .. } => files,
            Origin::Generated(_) => &[],
        }
    }

    /// The file, the first file, or the arguments.
    pub fn text(&self) -> &Spanned<String> {
        match self {
            Origin::File { file, .. } => file,
            Origin::Generated(text) => text,
            // never empty
            Origin::Merged { files, .. } => &files[0],
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SourceKeys {
    file: Option<Spanned<String>>,
    limit: Option<u64>,
    generate: Option<Spanned<String>>,
    merge: Option<Vec<Spanned<String>>>,
    offset_each: Option<Size>,
    stretch_s: Option<u64>,
    about: String,
    paper: Option<String>,
    #[serde(default)]
    option: Vec<WorkloadOption>,
    #[serde(default)]
    streams: Vec<String>,
}

impl TryFrom<SourceKeys> for Source {
    type Error = String;

    fn try_from(keys: SourceKeys) -> Result<Self, String> {
        let (offset_each, stretch_s) = (keys.offset_each, keys.stretch_s);
        if keys.generate.is_none() && !keys.option.is_empty() {
            return Err("option is for generate".into());
        }
        let origin = match (keys.file, keys.generate, keys.merge) {
            (None, None, Some(files)) if !files.is_empty() => Origin::Merged {
                files,
                offset_each,
                stretch_s,
            },
            _ if offset_each.is_some() || stretch_s.is_some() => {
                return Err("offset_each and stretch_s are for merge".into());
            }
            (Some(file), None, None) => Origin::File {
                file,
                limit: keys.limit,
            },
            _ if keys.limit.is_some() => return Err("limit is for file".into()),
            (None, Some(words), None) => Origin::Generated(with_options(&words, &keys.option)),
            _ => {
                let why = "needs one of file, generate: the words of a workload, and merge: files";
                return Err(why.into());
            }
        };
        Ok(Self {
            origin,
            about: keys.about,
            paper: keys.paper,
            options: keys.option,
            streams: keys.streams,
        })
    }
}

/// The words of a workload with its options behind them.
fn with_options(words: &Spanned<String>, options: &[WorkloadOption]) -> Spanned<String> {
    let options = options.iter().map(|option| format!(" {}", option.words));
    let all = words.get_ref().clone() + &options.collect::<String>();
    Spanned::new(words.span(), all)
}

/// A named combination of settings, in place of a buffer policy.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct System {
    /// The label of its rows.
    pub name: Spanned<String>,
    /// Keys of the configuration, in the syntax of `--set`.
    pub set: Vec<Spanned<String>>,
}

/// A figure or a table of the paper, or an experiment beside it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// Its number in the paper, part of the charts' file names: letters, digits, `-` and `.`.
    pub id: Spanned<String>,
    /// Figure, table or experiment.
    #[serde(default)]
    pub kind: Kind,
    /// Its subject.
    pub title: String,
    /// Short names of its traces.
    #[serde(default)]
    pub traces: Vec<Spanned<String>>,
    /// In place of traces: the reason why it cannot be run.
    pub missing: Option<String>,
    /// Whether it shows the traces themselves, their addresses over time, and runs nothing.
    #[serde(default)]
    pub picture: bool,
    /// Remarks on the runs, if needed.
    pub about: Option<String>,
    /// Buffer policies, if they differ from those of the paper.
    pub buffers: Option<Vec<Spanned<String>>>,
    /// The systems to compare in place of buffer policies.
    #[serde(default)]
    pub system: Vec<System>,
    /// Buffer sizes, if they differ from those of the paper.
    pub sizes: Option<Vec<Size>>,
    /// The key of the sizes, if it is not `buffer.size`.
    pub size_key: Option<Spanned<String>>,
    /// Keys of the configuration, in the syntax of `--set`, in all its runs.
    #[serde(default)]
    pub set: Vec<Spanned<String>>,
    /// Requests to leave out, if they differ from those of the paper.
    pub leave_out: Option<Vec<Requests>>,
    /// Further keys of the configuration with their values; every combination runs.
    #[serde(default)]
    pub vary: BTreeMap<String, Vec<Spanned<String>>>,
    /// A file of this folder with the seconds that rows took when a drive of the same configuration was served in real
    /// time: `trace,row,seconds`. `cargo xtask served` measures them.
    pub served: Option<Spanned<String>>,
    /// The seconds in that file, by trace and row.
    #[serde(skip)]
    pub seconds: BTreeMap<(String, String), f64>,
    /// Results that the counters do not show.
    pub remark: Option<String>,
    /// What the paper says about it.
    #[serde(default)]
    pub statement: Vec<Statement>,
}

/// The kind of a figure.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A figure.
    #[default]
    Figure,
    /// A table.
    Table,
    /// Not in the paper: runs that show why a statement differs.
    Experiment,
}

impl Figure {
    /// `Figure 7`, `Table 2`.
    pub fn name(&self) -> String {
        format!("{:?} {}", self.kind, self.id.get_ref())
    }

    /// `figure-7`, `table-2`: the start of its files' names.
    pub fn anchor(&self) -> String {
        self.name().to_lowercase().replace(' ', "-")
    }

    /// Its name in the line of a table, where figures are the default kind.
    pub fn number(&self) -> String {
        match self.kind {
            Kind::Figure => self.id.get_ref().clone(),
            Kind::Table | Kind::Experiment => self.name(),
        }
    }

    /// The buffer policies that it compares.
    pub fn buffers<'a>(&'a self, header: &'a Header) -> &'a [Spanned<String>] {
        match &self.buffers {
            Some(buffers) => buffers,
            None if self.system.is_empty() => &header.buffers,
            None => &[],
        }
    }

    /// Whether it has runs.
    pub fn runs(&self) -> bool {
        !self.traces.is_empty() && !self.picture
    }

    /// The key of the sizes.
    pub fn size_key(&self) -> &str {
        let chosen = self.size_key.as_ref();
        chosen.map_or(key::SIZE, |chosen| chosen.get_ref())
    }

    /// What the sizes are of.
    pub fn memory(&self) -> &'static str {
        match self.size_key() {
            key::RAM => "RAM",
            key::READ_SIZE => "read buffer",
            _ => "buffer",
        }
    }

    /// Its sizes.
    pub fn sizes<'a>(&'a self, header: &'a Header) -> &'a [Size] {
        self.sizes.as_ref().unwrap_or(&header.sizes)
    }
}
