//! The text of a file of TOML, whose wrong lines a message quotes.

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use ssdlab_counters::{Counter, Log, Reading};
use ssdlab_words::{decimal, decimal_bytes, line_at, shell_word, shown_path};
use toml::Spanned;

use crate::error::CalibrateError;

/// The most bytes of an input; no sheet and no log has more.
const MOST: u64 = 1 << 20;

/// A file of TOML.
#[derive(Debug)]
pub(crate) struct File {
    path: PathBuf,
    text: String,
}

impl File {
    pub fn read(path: &Path) -> Result<Self, CalibrateError> {
        let text = String::from_utf8(bytes(path)?);
        let text = text.map_err(|_| CalibrateError::Unreadable {
            path: path.to_owned(),
            error: std::io::Error::other("is no text in UTF-8"),
        })?;
        let (path, text) = (
            path.to_owned(),
            text.trim_start_matches('\u{feff}').to_owned(),
        );
        Ok(Self { path, text })
    }

    /// The name of the file, without its folder.
    pub fn name(&self) -> String {
        let name = self.path.file_name().unwrap_or(self.path.as_os_str());
        name.to_string_lossy().into_owned()
    }

    /// A path in the file is relative to its folder.
    pub fn beside(&self, path: &str) -> PathBuf {
        self.path.with_file_name("").join(path)
    }

    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, CalibrateError> {
        if self.text.trim().is_empty() {
            let why = "is empty; `ssdlab calibrate --template` prints a file to fill in".into();
            return Err(CalibrateError::Log {
                path: self.path.clone(),
                why,
            });
        }
        toml::from_str(&self.text).map_err(|error| {
            if let Some(why) = self.as_log() {
                return CalibrateError::Log {
                    path: self.path.clone(),
                    why,
                };
            }
            let at = error.span().map_or(0, |span| span.start);
            self.refuse_at(at, error.message())
        })
    }

    /// What a log of counters tells that stands in place of a description; `None` for anything else.
    fn as_log(&self) -> Option<String> {
        let logs = Log::parse(&self.name(), self.text.as_bytes()).unwrap_or_default();
        let reading = Reading::of(logs).ok();
        let reading = reading.filter(|reading| reading.host().is_some() || reading.media.is_some());
        let is_json = self.text.trim_start().starts_with('{');
        let told = match reading {
            None if !is_json => return None,
            None => "no counter of it is known".to_owned(),
            Some(reading) => snapshot(&reading),
        };
        let is = if is_json {
            "a log of counters in JSON"
        } else {
            "a log of counters"
        };
        Some(format!(
            "is {is}, not the description of a drive: {told}. Spare flash follows from how two counters grow under a known workload: \
             name a log as `before` and a later one as `after` of a measurement in a description, which `ssdlab calibrate --template` \
             prints. How long the drive will live one log tells: ssdlab life {}",
            shell_word(&shown_path(&self.path).to_string())
        ))
    }

    /// An error at a value.
    pub fn refuse<T>(&self, value: &Spanned<T>, why: impl Into<String>) -> CalibrateError {
        self.refuse_at(value.span().start, why)
    }

    fn refuse_at(&self, at: usize, why: impl Into<String>) -> CalibrateError {
        let (line, text) = line_at(&self.text, at);
        CalibrateError::Drive {
            path: self.path.clone(),
            line,
            text: text.to_owned(),
            why: why.into(),
        }
    }
}

/// What one reading of a drive's counters tells.
fn snapshot(reading: &Reading) -> String {
    let written = |counter: &Counter| decimal_bytes(counter.bytes as u64);
    match (reading.host(), &reading.media) {
        (Some(host), Some(media)) if host.bytes > 0.0 => format!(
            "until then the host has written {}, and {} went to flash, a write amplification of {} under whatever it has done",
            written(host),
            written(media),
            decimal(media.bytes / host.bytes, 2)
        ),
        (Some(host), _) => format!(
            "until then the host has written {}; the drive does not tell what it wrote to flash, so nothing can be fitted to it",
            written(host)
        ),
        (None, Some(media)) => format!("until then {} went to flash", written(media)),
        (None, None) => "it has no bytes written".into(),
    }
}

/// The bytes of a small file.
pub(crate) fn bytes(path: &Path) -> Result<Vec<u8>, CalibrateError> {
    use std::io::{Error, Read};
    let mut bytes = Vec::new();
    let file =
        std::fs::File::open(path).and_then(|file| file.take(MOST + 1).read_to_end(&mut bytes));
    let read = match file {
        Ok(_) if bytes.len() as u64 > MOST => Err(Error::other("more than 1 MiB")),
        read => read,
    };
    let path = || path.to_owned();
    read.map_err(|error| CalibrateError::Unreadable {
        path: path(),
        error,
    })?;
    Ok(bytes)
}
