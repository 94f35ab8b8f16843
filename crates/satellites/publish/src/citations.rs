//! What results use, and what to cite for it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use ssdlab_analysis::Analysis;
use ssdlab_catalogue::Catalogue as Sets;
use ssdlab_config::{Kind, keys, presets};
use ssdlab_device::Catalogue;
use ssdlab_ftl::BUFFER_AWARE;
use ssdlab_policy::{Family, Names, Paper, Source};
use ssdlab_words::listed;

use crate::bibtex::Entry;
use crate::shipped::shipped;

/// What ssdlab is called in a list of references.
pub const TITLE: &str = "ssdlab: a laboratory for the write path of flash storage";

/// The key of ssdlab's own entry.
const OWN: &str = "ssdlab";

/// The format of traces that were made in memory.
const MADE: &str = "none";

/// What to cite for some results.
#[derive(Clone, Debug, Default)]
pub struct Citations {
    /// The entries, sorted by their keys.
    pub entries: Vec<Entry>,
    /// What has a source of which no citation is known, a line each.
    pub unknown: Vec<String>,
}

/// What was found, before it is written.
#[derive(Default)]
struct Found {
    papers: BTreeMap<&'static str, (&'static Paper, BTreeSet<String>)>,
    sets: BTreeMap<String, BTreeSet<String>>,
    own: BTreeSet<String>,
    unknown: BTreeSet<String>,
}

impl Citations {
    /// Reads what an analysis uses. `version` is that of this program, for rows that name none.
    pub fn of(analysis: &Analysis, catalogue: &Arc<Catalogue>, version: &str) -> Self {
        let mut found = Found::default();
        found.systems(analysis, catalogue);
        found.devices(analysis);
        found.traces(analysis);
        let mut versions = values(analysis, "version");
        if versions.is_empty() {
            versions.insert(version.to_owned());
        }
        found.entries(&versions)
    }
}

/// All entries.
impl fmt::Display for Citations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, entry) in self.entries.iter().enumerate() {
            let before = if at == 0 { "" } else { "\n" };
            write!(f, "{before}{entry}")?;
        }
        Ok(())
    }
}

/// The values of a key or column.
fn values(analysis: &Analysis, name: &str) -> BTreeSet<String> {
    let Ok(field) = analysis.field(name) else {
        return BTreeSet::new();
    };
    (0..analysis.rows())
        .filter_map(|row| analysis.text(&field, row))
        .collect()
}

impl Found {
    /// Buffers, FTLs, cleaning policies and placements.
    fn systems(&mut self, analysis: &Analysis, catalogue: &Arc<Catalogue>) {
        for key in keys(catalogue) {
            let family = match key.kind {
                Kind::Choice(Names::Systems(family)) => family,
                Kind::Choice(Names::ReadBuffers) => Family::Buffer,
                _ => continue,
            };
            let entries = catalogue.entries(family);
            let used = values(analysis, key.path);
            if used.is_empty() && ["buffer.policy", "ftl.kind"].contains(&key.path) {
                self.unknown
                    .insert(format!("{}: the results do not say it", key.path));
            }
            for name in used {
                let what = format!("{} = {name}", key.path);
                match entries.iter().find(|entry| entry.name == name) {
                    Some(entry) => self.source(&entry.source, what),
                    None => {
                        let why = "is no system of this program";
                        self.unknown.insert(format!("{what}: {why}"));
                    }
                }
            }
        }
        let aware = BUFFER_AWARE;
        for name in values(analysis, aware.key.path) {
            if let Some(aware_of) = aware.named(&name) {
                self.source(&aware_of.source(), format!("{} = {name}", aware.key.path));
            }
        }
    }

    fn devices(&mut self, analysis: &Analysis) {
        for name in values(analysis, "preset") {
            if let Some(preset) = presets().iter().find(|preset| preset.name == name) {
                self.source(&preset.source, format!("preset = {name}"));
            }
        }
    }

    fn source(&mut self, source: &Source, what: String) {
        if source.is_unknown() {
            self.unknown.insert(format!("{what}: {source}"));
        }
        for paper in source.papers() {
            let entry = self.papers.entry(paper.key);
            let (_, used) = entry.or_insert_with(|| (paper, BTreeSet::new()));
            used.insert(what.clone());
        }
        if source.is_own() {
            self.own.insert(what);
        }
    }

    fn traces(&mut self, analysis: &Analysis) {
        let Ok(name) = analysis.field("trace") else {
            self.unknown
                .insert("traces: the results do not name them".into());
            return;
        };
        let columns = ["trace_set", "trace_sha256", "trace_format"];
        let [set, hash, format] = columns.map(|column| analysis.field(column).ok());
        let mut seen = BTreeSet::new();
        for row in 0..analysis.rows() {
            let text =
                |field: &Option<_>| field.as_ref().and_then(|field| analysis.text(field, row));
            let trace = analysis.text(&name, row).unwrap_or_default();
            let trace = (trace, text(&set), text(&hash), text(&format));
            if seen.insert(trace.clone()) {
                let (name, set, hash, format) = trace;
                self.trace(&name, set, hash.as_deref(), format.as_deref());
            }
        }
    }

    fn trace(&mut self, name: &str, set: Option<String>, hash: Option<&str>, format: Option<&str>) {
        let what = format!("trace {name}");
        if let Some(set) = set {
            self.sets.entry(set).or_default().insert(what);
        } else if let Some(path) = hash.and_then(shipped) {
            self.own.insert(format!("trace {path}"));
        } else if format == Some(MADE) {
            self.own.insert(format!("workload {name}"));
        } else if hash.is_none() {
            let why = "only a part of it was read, so nothing tells which trace it is";
            self.unknown.insert(format!("{what}: {why}"));
        } else {
            let why = "it is of no set that the plan names, and does not come with ssdlab";
            self.unknown.insert(format!("{what}: {why}"));
        }
    }

    fn entries(mut self, versions: &BTreeSet<String>) -> Citations {
        let own = self.own(versions);
        let mut entries: BTreeMap<String, Entry> = BTreeMap::new();
        entries.insert(own.key.clone(), own);
        let sets = Sets::built_in().expect("a list that the tests read");
        for (name, used) in std::mem::take(&mut self.sets) {
            let set = sets.set(&name).ok();
            let entry = set.and_then(|set| Entry::whole(&set.citation, &note(&used)));
            match entry {
                Some(entry) => {
                    entries.insert(entry.key.clone(), entry);
                }
                None => {
                    self.unknown
                        .insert(format!("traces of {name}: no such set in the catalogue"));
                }
            }
        }
        for (paper, used) in self.papers.values() {
            entries.insert(paper.key.into(), Entry::of(paper, &note(used)));
        }
        Citations {
            entries: entries.into_values().collect(),
            unknown: self.unknown.into_iter().collect(),
        }
    }

    /// ssdlab itself.
    fn own(&self, versions: &BTreeSet<String>) -> Entry {
        let versions: Vec<&str> = versions.iter().map(String::as_str).collect();
        let word = if versions.len() == 1 {
            "version"
        } else {
            "versions"
        };
        let fields = [
            ("author", "{The ssdlab developers}".to_owned()),
            ("title", format!("{{{TITLE}}}")),
            (
                "howpublished",
                format!("Software, {word} {}", listed(&versions)),
            ),
            ("note", crate::bibtex::escaped(&note(&self.own))),
        ];
        Entry::new("misc", OWN, fields)
    }
}

fn note(used: &BTreeSet<String>) -> String {
    if used.is_empty() {
        return String::new();
    }
    let used: Vec<&str> = used.iter().map(String::as_str).collect();
    format!("used as: {}", used.join(", "))
}

#[cfg(test)]
mod tests {
    use biblatex::Bibliography;
    use ssdlab_policy::papers;

    use super::*;

    // planted bugs: a key that two entries have; text that is none of BibTeX; places for papers that have none
    #[test]
    fn every_entry_is_bibtex_with_a_key_of_its_own() {
        let note = "used as: ftl.buffer_aware = merge+victim, trace 100%_{a}\\b#1";
        let sets = Sets::built_in().unwrap();
        let of_sets = sets.sets().iter();
        let of_sets = of_sets.map(|set| Entry::whole(&set.citation, note).expect(&set.name));
        let of_papers = papers::ALL.iter().map(|paper| Entry::of(paper, note));
        let mut keys = BTreeSet::from([OWN.to_owned()]);
        for entry in of_sets.chain(of_papers) {
            assert!(keys.insert(entry.key.clone()), "{}", entry.key);
            let text = entry.to_string();
            let parsed =
                Bibliography::parse(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
            assert_eq!(parsed.len(), 1, "{text}");
            let parsed = parsed.get(&entry.key).expect(&text);
            assert!(parsed.author().is_ok() && parsed.title().is_ok(), "{text}");
            assert!(parsed.get("note").is_some(), "{text}");
        }
    }

    // planted bug: whoever names ssdlab is taken for ssdlab
    #[test]
    fn only_what_is_of_ssdlab_is_cited_as_ssdlab() {
        let mut found = Found::default();
        found.source(&Source::none("ssdlab did not make it"), "a".into());
        found.source(&Source::words("ssdlab's users"), "b".into());
        let cbb = Catalogue::built_in();
        let cbb = cbb
            .entries(Family::Buffer)
            .into_iter()
            .find(|entry| entry.name == "cbb");
        found.source(&cbb.unwrap().source, "cbb".into());
        assert_eq!(found.own, BTreeSet::from(["cbb".to_owned()]));
        assert_eq!(found.unknown.len(), 1);
    }

    #[test]
    fn every_source_has_a_place_for_each_paper() {
        let catalogue = Catalogue::built_in();
        let mut named = BTreeSet::new();
        let of_systems = Family::ALL
            .iter()
            .flat_map(|family| catalogue.entries(*family));
        let of_systems = of_systems.map(|entry| entry.source);
        let of_presets = presets().iter().map(|preset| preset.source);
        let aware = ["watch", "merge", "merge+victim", "skip"];
        let aware = aware.map(|name| BUFFER_AWARE.named(name).unwrap().source());
        for source in of_systems.chain(of_presets).chain(aware) {
            let (short, full) = (source.to_string(), source.in_full().to_string());
            for paper in source.papers() {
                assert!(
                    short.contains(paper.name) && full.contains(paper.title),
                    "{short}"
                );
                named.insert(paper.key);
            }
            assert!(!short.contains("{}"), "{short}");
        }
        let all: BTreeSet<&str> = papers::ALL.iter().map(|paper| paper.key).collect();
        assert_eq!(named, all, "papers that nothing names");
    }
}
