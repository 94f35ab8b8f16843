//! The registry of trace formats; detection, messages and lists are made from it.

use crate::decode::Decode;
use crate::entry::{Entry, Head};
use crate::options::ReadOptions;
use crate::streams::StreamBy;
use crate::text::quoted;
use crate::volumes::{VolumeNames, Volumes};
use ssdlab_words::listed;

/// Declares the formats: name of the variant, module, description, in the order in which detection tries them.
macro_rules! formats {
    ($($variant:ident $module:ident $about:literal)+) => {
        use crate::formats::{$($module),+};

        /// A trace format.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Format {
            $(#[doc = $about] $variant),+
        }

        impl Format {
            /// All formats, in the order in which detection tries them.
            pub const ALL: [Format; [$(Format::$variant),+].len()] = [$(Format::$variant),+];

            pub(crate) const fn entry(self) -> &'static Entry {
                match self {
                    $(Format::$variant => &$module::ENTRY),+
                }
            }
        }
    };
}

formats! {
    Plain plain "ssdlab's own CSV."
    Blkparse blkparse "The default text of blkparse."
    Msr msr "The CSV of the MSR Cambridge traces."
    Parquet parquet "A Parquet table."
    Blktrace blktrace "The binary records of blktrace."
    Lcs lcs "The binary format lcs of libCacheSim."
    DmLogWrites dm_log_writes "The log of dm-log-writes and of blklogwrites of QEMU."
    Vscsi vscsi "The binary records of vscsiStats."
    OracleGeneral oracle_general "The binary format oracleGeneral of libCacheSim."
    Spc spc "The text of the Storage Performance Council and of UMass."
    Alibaba alibaba "The CSV of the block traces of Alibaba."
    Tencent tencent "The CSV of the block traces of Tencent."
    Systor17 systor17 "The CSV of the traces of SYSTOR'17."
    Fio fio "The I/O log of fio, versions 2 and 3."
    Disksim disksim "The ASCII trace of DiskSim."
    Mqsim mqsim "The ASCII trace of MQSim and SSDsim."
    Diskmon diskmon "The log of DiskMon."
    Thesios thesios "The CSV of Thesios."
    Baleen baleen "The text of the Tectonic traces of Baleen."
    Midas midas "The text of the traces of MiDAS."
    Camelab camelab "Four fields of unknown units, of the open storage traces of CAMELab."
    Fiu fiu "The text of the traces of Florida International University."
    Csv csv "Any table as text, whose columns the user or the header names."
}

impl Format {
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
            let reason = (format.entry().detect)(head)?;
            Some((format, reason))
        })
    }

    /// The format of a trace that starts with `head`, and the reason.
    ///
    /// # Errors
    /// A message with the text found and examples of the known formats.
    pub(crate) fn detect(head: Head) -> Result<(Format, String), String> {
        if let Some(found) = Format::detect_by_line(head) {
            return Ok(found);
        }
        let by_lines = Format::ALL
            .into_iter()
            .filter(|format| !format.entry().by_line);
        let fitting: Vec<_> = by_lines
            .filter_map(|format| Some((format, (format.entry().detect)(head)?)))
            .collect();
        match fitting.as_slice() {
            [] => {}
            [(format, reason)] => return Ok((*format, reason.clone())),
            several => return Err(ambiguous(head.line(), several)),
        }
        Err(match plain::check_header(head.line()) {
            Err(bad) if bad.foreign => format!("{}; {}", bad.what, others()),
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

/// The names of the formats other than plain.
fn others() -> String {
    let names: Vec<_> = Format::ALL.into_iter().skip(1).map(Format::name).collect();
    format!(
        "if it is in another format, choose it with --format: {}",
        names.join(", ")
    )
}
