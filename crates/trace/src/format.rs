//! The trace formats: the registry that detection, messages and lists are drawn from.

use crate::decode::Decode;
use crate::{ReadOptions, blkparse, msr, plain};

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

/// What there is to know of a format.
pub(crate) struct Entry {
    pub name: &'static str,
    /// One line, with the units.
    pub about: &'static str,
    pub source: &'static str,
    /// A first line.
    pub example: &'static str,
    /// Which options it reads of those that not every format does.
    pub options: &'static [&'static str],
    /// Whether a first line, given without its line feed, is of this format: the reason.
    pub detect: fn(&[u8]) -> Option<String>,
    /// The time in the file that is time 0; `None`: that of the first request.
    pub origin: Option<u64>,
    /// A decoder, or what is wrong with the options.
    pub decoder: fn(&ReadOptions) -> Result<Box<dyn Decode>, String>,
}

impl Format {
    /// All formats, in the order in which they are tried.
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

    /// One line: how it looks and in which units.
    pub const fn about(self) -> &'static str {
        self.entry().about
    }

    /// Where the format comes from.
    pub const fn source(self) -> &'static str {
        self.entry().source
    }

    /// The format that a first line, given without its line feed, is of, and the reason.
    ///
    /// # Errors
    /// What was found and how the known formats look.
    pub(crate) fn detect(first_line: &[u8]) -> Result<(Format, String), String> {
        for format in Format::ALL {
            if let Some(reason) = (format.entry().detect)(first_line) {
                return Ok((format, reason));
            }
        }
        Err(match plain::check_header(first_line) {
            Err(bad) if bad.foreign => format!("{}; {}", bad.what, others()),
            Err(bad) => bad.what,
            Ok(()) => unreachable!("a plain header is detected"),
        })
    }

    /// A decoder that keeps to the options.
    ///
    /// # Errors
    /// Which option the format cannot follow.
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
        (self.entry().decoder)(options)
    }
}

/// How the formats beside plain look.
fn others() -> String {
    let others = Format::ALL.into_iter().skip(1);
    let looks = others.map(|format| format!("{} \"{}\"", format.name(), format.entry().example));
    let looks: Vec<_> = looks.collect();
    let looks = looks.join(" or ");
    format!("other formats start like {looks}; --format takes it for one of them")
}
