//! A description with its text, so that a message can quote the wrong line.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer};
use ssdlab_config::{ConfigError, Resolver};
use ssdlab_sim::Lab;
use ssdlab_words::line_at;
use toml::Spanned;

use crate::error::ReproduceError;

/// The path and the text of a description.
#[derive(Debug)]
pub(crate) struct File {
    pub path: PathBuf,
    pub text: String,
}

impl File {
    /// A text, with a path for messages.
    pub fn of(path: PathBuf, text: String) -> Self {
        Self { path, text }
    }

    /// The whole file.
    pub fn read(path: PathBuf) -> Result<Self, ReproduceError> {
        match fs::read_to_string(&path) {
            Ok(text) => Ok(Self { path, text }),
            Err(error) => Err(ReproduceError::Unreadable { path, error }),
        }
    }

    /// Decodes the text.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, ReproduceError> {
        toml::from_str(&self.text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            self.refuse_at(at, error.message())
        })
    }

    /// An error at a value.
    pub fn refuse<T>(&self, value: &Spanned<T>, why: impl Into<String>) -> ReproduceError {
        self.refuse_at(value.span().start, &why.into())
    }

    /// An error of the configuration at a value.
    pub fn refuse_setting<T>(&self, value: &Spanned<T>, error: &ConfigError) -> ReproduceError {
        let message = error.to_string();
        self.refuse(value, message.strip_prefix("--set ").unwrap_or(&message))
    }

    /// The device of a preset with these settings.
    pub fn resolver<'a>(
        &self,
        lab: &Lab,
        preset: &Spanned<String>,
        set: impl IntoIterator<Item = &'a Spanned<String>>,
    ) -> Result<Resolver, ReproduceError> {
        let mut resolver = lab.resolver();
        resolver.preset(preset.get_ref());
        self.accepts(&resolver, preset, None)?;
        for setting in set {
            resolver = self.accepts(&resolver, setting, Some(setting.get_ref()))?;
        }
        Ok(resolver)
    }

    /// The device with one more setting, unless the configuration refuses the value.
    pub fn accepts(
        &self,
        resolver: &Resolver,
        value: &Spanned<String>,
        setting: Option<&str>,
    ) -> Result<Resolver, ReproduceError> {
        let mut resolver = resolver.clone();
        let set = setting.map_or(Ok(()), |setting| resolver.set(setting).map(drop));
        let resolved = set.and_then(|()| resolver.resolve());
        resolved.map_err(|error| self.refuse_setting(value, &error))?;
        Ok(resolver)
    }

    /// Refuses the value of a name that an earlier one has too.
    pub fn distinct<'a, N: Ord, T: 'a>(
        &self,
        named: impl IntoIterator<Item = (N, &'a Spanned<T>)>,
    ) -> Result<(), ReproduceError> {
        let mut seen = BTreeSet::new();
        for (name, value) in named {
            if !seen.insert(name) {
                return Err(self.refuse(value, "appears twice"));
            }
        }
        Ok(())
    }

    /// An error at a byte.
    pub fn refuse_at(&self, at: usize, why: &str) -> ReproduceError {
        let (line, text) = line_at(&self.text, at);
        ReproduceError::Description {
            path: self.path.clone(),
            line,
            text: text.to_owned(),
            why: why.to_owned(),
        }
    }
}

/// The rows of a table in CSV with a header, each of which is checked.
///
/// # Errors
/// The first row that is not one, or that the check refuses; the message has its line.
pub(crate) fn rows<T: DeserializeOwned>(
    file: &File,
    check: impl Fn(&T) -> Result<(), String>,
) -> Result<Vec<T>, ReproduceError> {
    let mut reader = csv::Reader::from_reader(file.text.as_bytes());
    let header = reader.headers().map(drop);
    header.map_err(|error| file.refuse_at(0, &error.to_string()))?;
    let mut all = Vec::new();
    loop {
        let at = reader.position().byte() as usize;
        let Some(row) = reader.deserialize().next() else {
            return Ok(all);
        };
        let row = row.map_err(|error: csv::Error| match error.kind() {
            csv::ErrorKind::Deserialize { err, .. } => err.kind().to_string(),
            _ => error.to_string(),
        });
        let row: T = row.map_err(|why| file.refuse_at(at, &why))?;
        check(&row).map_err(|why| file.refuse_at(at, &why))?;
        all.push(row);
    }
}

/// A finite number; TOML also allows `nan` and `inf`.
pub(crate) fn finite<'de, D: Deserializer<'de>>(value: D) -> Result<f64, D::Error> {
    let number = f64::deserialize(value)?;
    if number.is_finite() {
        Ok(number)
    } else {
        Err(D::Error::custom(format!("{number}: must be finite")))
    }
}

/// A list with one item at least.
pub(crate) fn some<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    values: D,
) -> Result<Vec<T>, D::Error> {
    match Vec::deserialize(values)? {
        some if !some.is_empty() => Ok(some),
        _ => Err(D::Error::custom("is empty; needs one at least")),
    }
}

/// Whether a text may be part of a file name: letters, digits, `-` and `.`, and no `..`.
pub(crate) fn may_name_a_file(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
    !text.is_empty() && text.chars().all(plain) && !text.contains("..")
}
