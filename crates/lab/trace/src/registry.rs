//! The registry of trace formats; detection, messages and lists are made from it.

use crate::decode::Decode;
use crate::entry::{Entry, Reads};
use crate::format::Format;
use crate::formats::{ENTRIES, csv, plain};
use crate::head::{BEHIND, Head};
use crate::layout::Layout;
use crate::options::ReadOptions;
use crate::streams::StreamBy;
use crate::text::quoted;
use crate::volumes::{VolumeNames, Volumes};
use ssdlab_words::{either, listed};
use std::fmt;

impl Format {
    /// All formats, in the order in which detection tries them.
    pub const ALL: [Format; ENTRIES.len()] = {
        let mut all = [Format(0); ENTRIES.len()];
        let mut place = 0;
        while place < all.len() {
            all[place] = Format(place as u8);
            place += 1;
        }
        all
    };
    /// ssdlab's own CSV.
    pub const PLAIN: Format = Format::of("plain");
    /// Any table as text, whose columns the user or the header names.
    pub const CSV: Format = Format::of("csv");
    /// A Parquet table.
    pub const PARQUET: Format = Format::of("parquet");

    const fn of(name: &str) -> Format {
        let mut place = 0;
        while !is_same(ENTRIES[place].name, name) {
            place += 1;
        }
        Format(place as u8)
    }

    pub(crate) const fn entry(self) -> &'static Entry {
        &ENTRIES[self.0 as usize]
    }

    /// The names of the formats that take an option of reading, such as `--sector`.
    pub fn takers(option: &str) -> Vec<&'static str> {
        Format::names(|entry| entry.options.contains(&option))
    }

    /// The bytes of the device for each file or block of a format without addresses, unless an option says otherwise.
    pub const fn slot(self) -> Option<u64> {
        match self.entry().reads {
            Reads::Rows {
                layout:
                    Layout {
                        slot: Some((_, size)),
                        ..
                    },
                ..
            } => Some(*size),
            _ => None,
        }
    }

    fn names(has: impl Fn(&Entry) -> bool) -> Vec<&'static str> {
        let having = ENTRIES.iter().filter(|entry| has(entry));
        having.map(|entry| entry.name).collect()
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

    /// An example of a first line; empty for a format that is not text.
    pub const fn example(self) -> &'static str {
        self.entry().example
    }

    /// The format and the reason, if the first line alone shows it.
    pub(crate) fn detect_by_line(head: Head) -> Option<(Format, String)> {
        let by_line = |format: &Format| format.entry().by_line;
        Format::ALL.into_iter().filter(by_line).find_map(|format| {
            let reason = format.entry().detect(head)?;
            Some((format, reason))
        })
    }

    /// The format of a trace that starts with `head`, and the reason.
    ///
    /// # Errors
    /// A message with the text found and examples of the known formats.
    pub(crate) fn detect(head: Head) -> Result<(Format, String), String> {
        let found = Format::detect_at(head);
        if found.is_ok() {
            return found;
        }
        let mut last = None;
        for (lines, rest) in (1..).zip(head.behind_comments()) {
            if let Some((format, reason)) = Format::detect_by_line(rest) {
                // the reader of plain takes no comments
                let is_plain = format == Format::PLAIN;
                let format = if is_plain { Format::CSV } else { format };
                return Ok((format, behind(lines, &reason)));
            }
            last = Some((lines, rest));
        }
        let Some((lines, rest)) = last else {
            return found;
        };
        match Format::detect_at(rest) {
            Ok((format, reason)) => Ok((format, behind(lines, &reason))),
            Err(what) => Err(behind(lines, &what)),
        }
    }

    fn detect_at(head: Head) -> Result<(Format, String), String> {
        if let Some(found) = Format::detect_by_line(head) {
            return Ok(found);
        }
        let by_lines = Format::ALL
            .into_iter()
            .filter(|format| !format.entry().by_line);
        let fitting: Vec<_> = by_lines
            .filter_map(|format| Some((format, format.entry().detect(head)?)))
            .collect();
        match fitting.as_slice() {
            [] => {}
            [(format, reason)] => return Ok((*format, reason.clone())),
            several => return Err(ambiguous(head.line(), several)),
        }
        Err(match plain::check_header(head.line()) {
            Err(bad) if bad.foreign => match csv::advice(head.line()) {
                Some(advice) => format!("{advice}; or name its format with --format"),
                None => format!("{}; {}", bad.what, others()),
            },
            Err(bad) => bad.what,
            Ok(_) => unreachable!("a plain header is detected"),
        })
    }

    /// What is taken for granted if this format is detected by a line of numbers alone.
    pub(crate) fn guessed_from(self, line: &str) -> String {
        format!(
            "only numbers ({line}) suggest the format {}: {}{}",
            self.name(),
            self.about(),
            self.way_out("--time-unit", "UNIT")
        )
    }

    /// The end of a message about units: how an option gets a value.
    pub(crate) fn way_out(self, option: &str, value: &str) -> String {
        let entry = self.entry();
        let name = match self {
            // whose units are fixed, as table they are not
            Format::PLAIN => Format::CSV.name(),
            _ => entry.name,
        };
        let taken = entry.options.contains(&option) || self == Format::PLAIN;
        let own = taken.then(|| format!("--format {name} {option} {value}"));
        let table = (!entry.example.is_empty() && self != Format::PLAIN && self != Format::CSV).then(|| {
            "--fields time=N,op=N,offset=N,size=N (N counts columns from 1) --time-unit UNIT --sector BYTES".to_owned()
        });
        let ways: Vec<_> = own.into_iter().chain(table).collect();
        match ways.as_slice() {
            [] => String::new(),
            ways => format!("; if that is wrong, give {}", either(ways)),
        }
    }

    /// The volumes that the options choose.
    ///
    /// # Errors
    /// The format has no volumes or no such volume.
    pub(crate) fn volumes(self, options: &ReadOptions, reason: &str) -> Result<Volumes, String> {
        let names = self.entry().volumes;
        let Some(asked) = &options.volume else {
            let names = names.unwrap_or(VolumeNames::AS_WRITTEN);
            return Ok(match options.all_volumes {
                true => Volumes::all(names),
                false => Volumes::one(None, names),
            });
        };
        let Some(names) = names else {
            return Err(self.lacks("--volume", reason, |entry| entry.volumes.is_some()));
        };
        let volume = (names.parse)(asked).map_err(|what| format!("--volume {asked}: {what}"))?;
        Ok(Volumes::one(Some(volume), names))
    }

    /// The message for an option that is for other formats.
    fn lacks(self, option: &str, reason: &str, has: impl Fn(&Entry) -> bool) -> String {
        let readers = Format::names(has);
        format!(
            "{option} is for {} traces, but this one is {} ({reason}); leave it out",
            listed(&readers),
            self.name()
        )
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
        self.check(options, reason)?;
        self.entry().decoder(options)
    }

    /// Refuses options that the format does not have.
    pub(crate) fn check(self, options: &ReadOptions, reason: &str) -> Result<(), String> {
        let given = [
            ("--action", options.action.is_some()),
            ("--sector", options.sector.is_some()),
            ("--size-unit", options.size_unit.is_some()),
            ("--time-unit", options.time_unit.is_some()),
            ("--slot", options.slot.is_some()),
            ("--fields", !options.table.fields.is_empty()),
            ("--header", options.table.header == Some(true)),
            ("--no-header", options.table.header == Some(false)),
            ("--delimiter", options.table.delimiter.is_some()),
            ("--ops", !options.table.ops.is_empty()),
        ];
        for (option, _) in given.into_iter().filter(|(_, given)| *given) {
            let takes = |entry: &Entry| entry.options.contains(&option);
            if !takes(self.entry()) {
                return Err(self.lacks(option, reason, takes));
            }
        }
        self.check_column(options)
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

/// The message for a trace that several formats fit.
fn ambiguous(line: &[u8], fitting: &[(Format, String)]) -> String {
    let fits: Vec<_> = fitting
        .iter()
        .map(|(format, reason)| format!("{} ({reason})", format.name()))
        .collect();
    format!(
        "several formats fit, found {}; choose one with --format: {}",
        quoted(line),
        fits.join(" or ")
    )
}

/// What is found behind some lines of comments.
fn behind(lines: usize, what: &str) -> String {
    let plural = if lines == 1 { "" } else { "s" };
    format!("{BEHIND}{lines} line{plural} of comments, {what}")
}

/// The names of the formats other than plain.
fn others() -> String {
    let names: Vec<_> = Format::ALL.into_iter().skip(1).map(Format::name).collect();
    format!(
        "if it is in another format, choose it with --format: {}",
        names.join(", ")
    )
}

/// Whether two texts are the same, in a constant.
const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

impl fmt::Debug for Format {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(self.name())
    }
}
