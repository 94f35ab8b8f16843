//! The sets of a catalogue.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use ssdlab_words::listed;

use crate::volumes;

/// A catalogue that cannot be used. Display is the full message for the user.
#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    /// The text is no catalogue.
    #[error("{0}")]
    Wrong(String),
    /// No set has this name.
    #[error("{name:?} is no set of the catalogue; {hint}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// The nearest name, or all.
        hint: String,
    },
}

/// Sets of traces, in the order of their file.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Catalogue {
    #[serde(rename = "set")]
    sets: Vec<Set>,
}

/// A public set of traces.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Set {
    /// Its name in ssdlab: small letters, digits and `-`.
    pub name: String,
    /// What it is, in some words.
    pub title: String,
    /// The name of the trace format of its files.
    pub format: String,
    /// The page of its publisher.
    pub address: String,
    /// How large it is, in words.
    pub size: String,
    /// The number of its volumes (devices, disks), where known.
    pub volumes: Option<u64>,
    /// When it was recorded.
    pub years: String,
    /// The terms of its publisher.
    pub licence: String,
    /// Where these terms are.
    pub licence_address: Option<String>,
    /// Whether a copy may be given to others.
    pub redistribution: String,
    /// Whether the terms must be accepted before it is fetched.
    #[serde(default)]
    pub accept: bool,
    /// BibTeX.
    pub citation: String,
    /// What goes wrong with it.
    pub traps: Vec<String>,
    /// Where these facts were read.
    pub sources: Vec<String>,
    /// How to get it.
    pub get: Get,
    /// Sizes and hashes of files.
    #[serde(default)]
    pub known: Vec<Known>,
}

/// How to get a set. In `location` and `member`, `{volume}` stands for the volume.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", tag = "kind")]
pub enum Get {
    /// One file over HTTP.
    File {
        /// Its address.
        location: String,
    },
    /// A file for each volume.
    Files {
        /// Its address.
        location: String,
        /// The names of the volumes; `w01..w03` stands for three. Empty: too many to list.
        volumes: Vec<String>,
        /// Some, where there is no list.
        #[serde(default)]
        examples: Vec<String>,
        /// What a name is, where there is no list.
        about: Option<String>,
    },
    /// A member of a tar archive for each volume.
    Members {
        /// The addresses of the archives, which are not compressed.
        archives: Vec<String>,
        /// The end of its path in the archive.
        member: String,
        /// As above.
        volumes: Vec<String>,
        /// As above.
        #[serde(default)]
        examples: Vec<String>,
        /// As above.
        about: Option<String>,
    },
    /// Not by a program.
    Browser {
        /// What it needs: `registration`, or `a choice`.
        needs: String,
        /// What to do.
        how: String,
    },
}

/// What is known of a file.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Known {
    /// Its volume, if the set has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volume: Option<String>,
    /// Its size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// SHA-256 in hexadecimal digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// MD5, where the publisher gives nothing better.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub md5: Option<String>,
}

impl Catalogue {
    /// The catalogue of ssdlab.
    ///
    /// # Errors
    /// None, say the tests of this crate.
    pub fn built_in() -> Result<Self, CatalogueError> {
        Self::parse(include_str!("sets.toml"))
    }

    /// A catalogue in TOML.
    ///
    /// # Errors
    /// The text is none; the message names the key, or the set and the key.
    pub fn parse(text: &str) -> Result<Self, CatalogueError> {
        let catalogue: Self = toml::from_str(text).map_err(|error| {
            CatalogueError::Wrong(error.to_string().trim_end_matches('\n').to_owned())
        })?;
        let mut names = BTreeSet::new();
        for set in &catalogue.sets {
            set.check()
                .map_err(|why| CatalogueError::Wrong(format!("set {:?}: {why}", set.name)))?;
            if !names.insert(&set.name) {
                let why = format!("two sets have the name {:?}", set.name);
                return Err(CatalogueError::Wrong(why));
            }
        }
        Ok(catalogue)
    }

    /// All sets.
    pub fn sets(&self) -> &[Set] {
        &self.sets
    }

    /// The set of this name.
    ///
    /// # Errors
    /// There is none; the message names the nearest.
    pub fn set(&self, name: &str) -> Result<&Set, CatalogueError> {
        let found = self.sets.iter().find(|set| set.name == name);
        found.ok_or_else(|| {
            let names: Vec<&str> = self.sets.iter().map(|set| &*set.name).collect();
            CatalogueError::Unknown {
                name: name.to_owned(),
                hint: hint(name, &names),
            }
        })
    }
}

/// The volumes of a set: their names, or what a name is where there is no list.
pub(crate) fn named(names: &[String], examples: &[String], about: Option<&str>) -> String {
    match names {
        [] => format!(
            "{}, such as {}",
            about.unwrap_or("a name"),
            examples.join(", ")
        ),
        names => names.join(", "),
    }
}

/// The nearest of some names, if one is near, or all of them.
fn hint(name: &str, names: &[&str]) -> String {
    const NEAR: f64 = 0.8;
    let likeness = |other: &&&str| strsim::jaro_winkler(name, other);
    let nearest = names
        .iter()
        .max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    match nearest.filter(|nearest| likeness(nearest) > NEAR) {
        Some(nearest) => format!("did you mean {nearest}?"),
        None => format!("it has {}", listed(names)),
    }
}

impl Set {
    /// How to get it, in a word or two: `HTTP`, `registration`, `a choice`.
    pub fn way(&self) -> &str {
        match &self.get {
            Get::Browser { needs, .. } => needs,
            _ => "HTTP",
        }
    }

    /// The names of its volumes that can be fetched alone, one by one, if there is a list.
    pub fn volume_names(&self) -> Vec<String> {
        match &self.get {
            Get::Files { volumes, .. } | Get::Members { volumes, .. } => volumes::all(volumes),
            _ => Vec::new(),
        }
    }

    /// The volume that was asked for, if the set can have it.
    ///
    /// # Errors
    /// It has none of this name, or none was named; the message says which there are.
    pub fn choose<'a>(&self, volume: Option<&'a str>) -> Result<&'a str, String> {
        let names = self.volume_names();
        let list = || match &self.get {
            Get::Files {
                examples, about, ..
            }
            | Get::Members {
                examples, about, ..
            } => named(&names, examples, about.as_deref()),
            _ => String::new(),
        };
        let Some(volume) = volume else {
            let (name, list) = (&self.name, list());
            return Err(format!("--volume: choose one volume of {name}: {list}"));
        };
        volumes::is_safe(volume).map_err(|why| format!("--volume: {why}"))?;
        if !names.is_empty() && !names.iter().any(|name| name == volume) {
            let all: Vec<&str> = names.iter().map(|name| &**name).collect();
            let (name, hint) = (&self.name, hint(volume, &all));
            return Err(format!("--volume: {name} has no volume {volume:?}; {hint}"));
        }
        Ok(volume)
    }

    /// What is known of the file of a volume, or of the only file.
    pub fn known(&self, volume: Option<&str>) -> Known {
        let is_it = |known: &&Known| known.volume.as_deref() == volume;
        self.known.iter().find(is_it).cloned().unwrap_or_default()
    }

    /// Returns what is wrong with it.
    fn check(&self) -> Result<(), String> {
        let is_name = |name: &str| {
            let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            !name.is_empty() && name.chars().all(fits)
        };
        if !is_name(&self.name) {
            return Err("name: must be of small letters, digits and -".to_owned());
        }
        let mut addresses = vec![("address", &self.address)];
        let mut with_volume = Vec::new();
        match &self.get {
            Get::File { location } => addresses.push(("get.location", location)),
            Get::Files { location, .. } => {
                addresses.push(("get.location", location));
                with_volume.push(("get.location", location));
            }
            Get::Members {
                archives, member, ..
            } => {
                if archives.is_empty() {
                    return Err("get.archives: must have an address".to_owned());
                }
                addresses.extend(archives.iter().map(|archive| ("get.archives", archive)));
                with_volume.push(("get.member", member));
            }
            Get::Browser { .. } => {}
        }
        if let Get::Files {
            volumes, examples, ..
        }
        | Get::Members {
            volumes, examples, ..
        } = &self.get
        {
            volumes::check(volumes).map_err(|why| format!("get.volumes: {why}"))?;
            if volumes.is_empty() && examples.is_empty() {
                return Err("get: must have volumes or examples".to_owned());
            }
        }
        for (key, address) in addresses {
            if !is_address(address) {
                return Err(format!(
                    "{key}: must begin with http:// or https://, found {address:?}"
                ));
            }
        }
        for (key, text) in with_volume {
            if text.matches("{volume}").count() != 1 {
                return Err(format!("{key}: must have {{volume}} once, found {text:?}"));
            }
        }
        let digits = |text: &Option<String>, length: usize| {
            text.as_ref().is_none_or(|text| {
                text.len() == length && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
            })
        };
        for known in &self.known {
            let (sha256, md5) = (digits(&known.sha256, 64), digits(&known.md5, 32));
            if !sha256 || !md5 {
                let key = if sha256 { "md5" } else { "sha256" };
                return Err(format!(
                    "known.{key}: must be {} small hexadecimal digits",
                    if sha256 { 32 } else { 64 }
                ));
            }
            let names = self.volume_names();
            let named = known.volume.as_ref();
            if named.is_some_and(|volume| !names.is_empty() && !names.contains(volume)) {
                return Err(format!("known.volume: {named:?} is none of the volumes"));
            }
        }
        Ok(())
    }
}

/// Whether a text is an address that can be fetched.
pub fn is_address(text: &str) -> bool {
    let rest = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"));
    rest.is_some_and(|rest| !rest.is_empty() && !rest.contains(|c: char| c.is_whitespace()))
}
