//! The registry of trace formats; detection, messages and lists are made from it.

use crate::decode::Decode;
use crate::entry::Entry;
use crate::formats::{blkparse, msr, plain};
use crate::options::ReadOptions;
use crate::streams::StreamBy;

/// A trace format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// ssdlab's own CSV.
    Plain,
    /// The default text of blkparse.
    Blkparse,
    /// The CSV of the MSR Cambridge traces.
    Msr,
}

impl Format {
    /// All formats, in the order in which detection tries them.
    pub const ALL: [Format; 3] = [Format::Plain, Format::Blkparse, Format::Msr];

    pub(crate) const fn entry(self) -> &'static Entry {
        match self {
            Format::Plain => &plain::ENTRY,
            Format::Blkparse => &blkparse::ENTRY,
            Format::Msr => &msr::ENTRY,
        }
    }

    /// The format of that name.
    pub fn named(name: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.name() == name)
    }

    /// The name, in lower case.
    pub const fn name(self) -> &'static str {
        self.entry().name
    }

    /// One line that describes the format and its units.
    pub const fn about(self) -> &'static str {
        self.entry().about
    }

    /// The tool or collection that writes the format.
    pub const fn source(self) -> &'static str {
        self.entry().source
    }

    /// The format of a first line, given without its line feed, and the reason.
    ///
    /// # Errors
    /// A message with the text found and examples of the known formats.
    pub(crate) fn detect(first_line: &[u8]) -> Result<(Format, String), String> {
        for format in Format::ALL {
            if let Some(reason) = (format.entry().detect)(first_line) {
                return Ok((format, reason));
            }
        }
        Err(match plain::check_header(first_line) {
            Err(bad) if bad.foreign => format!("{}; {}", bad.what, others()),
            Err(bad) => bad.what,
            Ok(_) => unreachable!("a plain header is detected"),
        })
    }

    /// A decoder that follows the options.
    ///
    /// # Errors
    /// A message with the option that the format does not have.
    pub(crate) fn decoder(
        self,
        options: &ReadOptions,
        reason: &str,
    ) -> Result<Box<dyn Decode>, String> {
        for (option, given) in [
            ("--action", options.action.is_some()),
            ("--volume", options.volume.is_some()),
        ] {
            if given && !self.entry().options.contains(&option) {
                let reads = |format: &Format| format.entry().options.contains(&option);
                let readers: Vec<_> = Format::ALL
                    .into_iter()
                    .filter(reads)
                    .map(Format::name)
                    .collect();
                let (readers, name) = (readers.join(" and "), self.name());
                return Err(format!(
                    "{option} is for {readers} traces, but this one is {name} ({reason}); leave it out"
                ));
            }
        }
        self.check_column(options)?;
        (self.entry().decoder)(options)
    }

    /// Refuses a column of `--stream-by` that the format does not have.
    fn check_column(self, options: &ReadOptions) -> Result<(), String> {
        let Some(StreamBy::Column(column)) = &options.stream_by else {
            return Ok(());
        };
        let (name, columns) = (self.name(), self.entry().columns);
        if columns.contains(&&**column) {
            return Ok(());
        }
        let has = match columns {
            [] => "has no column that numbers streams".to_owned(),
            _ => format!("has {}", columns.join(", ")),
        };
        Err(format!(
            "--stream-by column:{column}: the format {name} {has}"
        ))
    }
}

/// Examples of the formats other than plain.
fn others() -> String {
    let others = Format::ALL.into_iter().skip(1);
    let looks = others.map(|format| format!("{} \"{}\"", format.name(), format.entry().example));
    let looks: Vec<_> = looks.collect();
    let looks = looks.join(" or ");
    format!("other formats start like {looks}; choose one of them with --format")
}
