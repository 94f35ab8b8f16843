//! The text of a file of TOML, whose wrong lines a message quotes.

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use ssdlab_words::line_at;
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
        if self.text.trim_start().starts_with('{') {
            return Err(CalibrateError::Log {
                path: self.path.clone(),
                why: "is a log of counters in JSON, not the description of a drive; name it as `before` or `after` of a \
                      measurement in a description, which `ssdlab calibrate --template` prints, or ask `ssdlab life` what \
                      one log tells"
                    .into(),
            });
        }
        toml::from_str(&self.text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            self.refuse_at(at, error.message())
        })
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
