//! The registry of trace formats; detection, messages and lists are made from it.

use crate::decode::Decode;
use crate::entry::{Entry, Head};
use crate::formats::{
    blkparse, blktrace, dm_log_writes, lcs, msr, oracle_general, parquet, plain, vscsi,
};
use crate::options::ReadOptions;
use crate::streams::StreamBy;
use crate::volumes::{VolumeNames, Volumes};
use ssdlab_words::listed;

/// A trace format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// ssdlab's own CSV.
    Plain,
    /// The default text of blkparse.
    Blkparse,
    /// The CSV of the MSR Cambridge traces.
    Msr,
    /// A Parquet table.
    Parquet,
    /// The binary records of blktrace.
    Blktrace,
    /// The binary format lcs of libCacheSim.
    Lcs,
    /// The log of dm-log-writes and of blklogwrites of QEMU.
    DmLogWrites,
    /// The binary records of vscsiStats.
    Vscsi,
    /// The binary format oracleGeneral of libCacheSim.
    OracleGeneral,
}

impl Format {
    /// All formats, in the order in which detection tries them.
    pub const ALL: [Format; 9] = [
        Format::Plain,
        Format::Blkparse,
        Format::Msr,
        Format::Parquet,
        Format::Blktrace,
        Format::Lcs,
        Format::DmLogWrites,
        Format::Vscsi,
        Format::OracleGeneral,
    ];

    pub(crate) const fn entry(self) -> &'static Entry {
        match self {
            Format::Plain => &plain::ENTRY,
            Format::Blkparse => &blkparse::ENTRY,
            Format::Msr => &msr::ENTRY,
            Format::Parquet => &parquet::ENTRY,
            Format::Blktrace => &blktrace::ENTRY,
            Format::Lcs => &lcs::ENTRY,
            Format::DmLogWrites => &dm_log_writes::ENTRY,
            Format::Vscsi => &vscsi::ENTRY,
            Format::OracleGeneral => &oracle_general::ENTRY,
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

    /// The format and the reason, if the first line alone shows it.
    pub(crate) fn detect_by_line(head: Head) -> Option<(Format, String)> {
        let by_line = |format: &Format| format.entry().by_line;
        Format::ALL.into_iter().filter(by_line).find_map(|format| {
            let reason = (format.entry().detect)(head)?;
            Some((format, reason))
        })
    }

    /// The format of a trace that starts with `head`, and the reason.
    ///
    /// # Errors
    /// A message with the text found.
    pub(crate) fn detect(head: Head) -> Result<(Format, String), String> {
        for format in Format::ALL {
            if let Some(reason) = (format.entry().detect)(head) {
                return Ok((format, reason));
            }
        }
        Err(match plain::check_header(head.line()) {
            Err(bad) if bad.foreign => format!(
                "{}; it starts like no other format either: ssdlab list names them, --format chooses one",
                bad.what
            ),
            Err(bad) => bad.what,
            Ok(_) => unreachable!("a plain header is detected"),
        })
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
        let readers = Format::ALL.into_iter().filter(|format| has(format.entry()));
        let readers: Vec<_> = readers.map(Format::name).collect();
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
        for (option, given) in [
            ("--action", options.action.is_some()),
            ("--object", options.object.is_some()),
        ] {
            let takes = |entry: &Entry| entry.options.contains(&option);
            if given && !takes(self.entry()) {
                return Err(self.lacks(option, reason, takes));
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
