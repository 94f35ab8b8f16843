//! The formats that are written, and the names of files that stand for them.

use std::path::Path;

use ssdlab_words::{FULL_PROGRAM, either, listed, shown_path};

/// A format that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum To {
    /// ssdlab's own CSV.
    Plain,
    /// Apache Parquet.
    Parquet,
    /// The log of fio, version 3, which fio replays.
    Fio,
    /// The ASCII trace of MQSim.
    Mqsim,
    /// The default text of blkparse.
    Blkparse,
}

impl To {
    /// All formats.
    pub const ALL: [To; 5] = [To::Plain, To::Parquet, To::Fio, To::Mqsim, To::Blkparse];

    /// The name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            To::Plain => "plain",
            To::Parquet => "parquet",
            To::Fio => "fio",
            To::Mqsim => "mqsim",
            To::Blkparse => "blkparse",
        }
    }

    /// The format of that name.
    pub fn named(name: &str) -> Option<To> {
        To::ALL.into_iter().find(|to| to.name() == name)
    }

    /// The endings of its files, without a point; the first one is given to new files.
    const fn endings(self) -> &'static [&'static str] {
        match self {
            To::Plain => &["csv"],
            To::Parquet => &["parquet"],
            To::Fio => &["fio", "iolog"],
            To::Mqsim => &["mqsim"],
            To::Blkparse => &["blkparse"],
        }
    }

    /// Whether it can say every request.
    pub(crate) const fn says_all(self) -> bool {
        matches!(self, To::Plain | To::Parquet)
    }

    /// Whether it has a place for the volume of a request.
    pub const fn has_volumes(self) -> bool {
        !matches!(self, To::Plain)
    }

    fn of_ending(ending: &str) -> Option<To> {
        To::ALL
            .into_iter()
            .find(|to| to.endings().contains(&ending))
    }
}

/// How text is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding {
    /// Not at all; Parquet compresses its columns itself.
    None,
    /// zstd.
    Zstd,
    /// gzip.
    Gzip,
}

impl Coding {
    const ALL: [Coding; 3] = [Coding::None, Coding::Zstd, Coding::Gzip];

    /// The ending that it adds to a name.
    const fn ending(self) -> &'static str {
        match self {
            Coding::None => "",
            Coding::Zstd => ".zst",
            Coding::Gzip => ".gz",
        }
    }
}

/// A format and its compression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// The format.
    pub to: To,
    /// The compression.
    pub coding: Coding,
}

impl Target {
    /// Uncompressed text.
    pub const PLAIN: Target = Target {
        to: To::Plain,
        coding: Coding::None,
    };

    /// The target of a file name, which `asked` completes. `unnamed` is the format of a name without an ending.
    ///
    /// # Errors
    /// A name that stands for no format, or for another one than was asked for; Parquet that is to be compressed once more,
    /// or that this build does not write.
    pub fn of_file(
        path: &Path,
        asked: Option<Target>,
        unnamed: Option<To>,
    ) -> Result<Target, String> {
        let shown = shown_path(path);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = name.to_ascii_lowercase();
        let (name, mut coding) = uncompressed(&name);
        let ending = name.rsplit_once('.').map(|(_, ending)| ending);
        let of_name = ending.map_or(unnamed, To::of_ending);
        let to = asked.map(|asked| asked.to).or(of_name).ok_or_else(|| {
            format!(
                "{shown}: its name says no format; let it end in {}, or choose one with --to",
                choices()
            )
        })?;
        if let Some(asked) = asked {
            // a name that ends as uncompressed text is never that of a compressed file
            let says = coding != Coding::None || of_name.is_some();
            let differs = says && asked.coding != Coding::None && asked.coding != coding;
            if differs || ending.is_some() && of_name.is_some_and(|of_name| of_name != to) {
                return Err(format!(
                    "{shown}: its name says another format than --to {}; give it another name",
                    &asked.ending()[1..]
                ));
            }
            if asked.coding != Coding::None {
                coding = asked.coding;
            }
        }
        if to == To::Parquet && coding != Coding::None {
            return Err(format!(
                "{shown}: Parquet compresses its columns itself; leave out {}",
                coding.ending()
            ));
        }
        let target = Target { to, coding };
        target.writable().map_err(|why| format!("{shown}: {why}"))
    }

    /// The target of a name of a format, such as `parquet`, or of an ending, such as `csv.gz`.
    ///
    /// # Errors
    /// A text that is neither, or Parquet, which this build does not write.
    pub fn named(text: &str) -> Result<Target, String> {
        let (name, coding) = uncompressed(text);
        match To::named(name).or_else(|| To::of_ending(name)) {
            Some(to) if to != To::Parquet || coding == Coding::None => {
                Target { to, coding }.writable()
            }
            _ => Err(format!(
                "must be {}, or an ending: {}",
                listed(&To::ALL.map(To::name)),
                choices()
            )),
        }
    }

    /// The target, if this build can write it.
    fn writable(self) -> Result<Self, String> {
        match self.to {
            To::Parquet if cfg!(not(feature = "parquet")) => Err(no_parquet()),
            _ => Ok(self),
        }
    }

    /// The ending of new files, with its point.
    pub fn ending(self) -> String {
        format!(".{}{}", self.to.endings()[0], self.coding.ending())
    }
}

/// Why a build without the feature `parquet` refuses its files.
pub(crate) fn no_parquet() -> String {
    format!("this build writes no Parquet; {FULL_PROGRAM}")
}

/// The endings that stand for a format.
fn choices() -> String {
    let endings = To::ALL.into_iter().flat_map(To::endings);
    let endings: Vec<_> = endings.map(|ending| format!(".{ending}")).collect();
    format!(
        "{} (all but .parquet also with .zst or .gz)",
        either(&endings)
    )
}

/// A name without the ending of a compression, and that.
fn uncompressed(name: &str) -> (&str, Coding) {
    let compressed = Coding::ALL.into_iter().filter(|&c| c != Coding::None);
    let mut found =
        compressed.filter_map(|coding| Some((name.strip_suffix(coding.ending())?, coding)));
    found.next().unwrap_or((name, Coding::None))
}

/// A volume as a name of a file: letters, digits and some signs stay, other bytes become `%` and two digits. Different
/// volumes have different names.
pub fn file_name(volume: &str) -> String {
    let mut name = String::new();
    for (at, byte) in volume.bytes().enumerate() {
        let is_hidden = at == 0 && matches!(byte, b'.' | b'-');
        if !is_hidden && (byte.is_ascii_alphanumeric() || b"._,+=@-".contains(&byte)) {
            name.push(byte.into());
        } else {
            name += &format!("%{byte:02x}");
        }
    }
    if name.is_empty() { "%".into() } else { name }
}
