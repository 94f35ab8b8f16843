//! One key of the configuration: its type, its default and its readers.

use crate::kind::{Kind, Names};
use ssdlab_device::{Catalogue, Family};
use ssdlab_policy::Entry;

/// One key of the configuration file.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Full path, such as `flash.page_size`.
    pub path: &'static str,
    /// Type and range.
    pub kind: Kind,
    /// The default as TOML. None if the key has no value by default, or a default derived from other keys after
    /// merging.
    pub default: Option<&'static str>,
    /// The systems that read it.
    pub reader: Reader,
    /// Meaning and unit in one line.
    pub doc: &'static str,
}

/// The systems that read a key. Other systems ignore it, and the user gets a warning.
#[derive(Clone, Copy, Debug)]
pub enum Reader {
    /// All systems.
    All,
    /// The buffer policies whose [`Entry::keys`] list it.
    Policy,
    /// The FTLs whose [`Entry::keys`] list it.
    Ftl,
    /// The cleaning policies whose [`Entry::keys`] list it.
    Cleaning,
    /// The placements whose [`Entry::keys`] list it.
    Placement,
    /// The cleaning policies and the placements whose [`Entry::keys`] list it.
    CleaningOrPlacement,
    /// The FTLs whose [`Entry::keys`] list it, unless another key (full path) has this value (as TOML).
    FtlUnless(&'static str, &'static str),
    /// All systems, unless another key (full path) has this value (as TOML).
    Unless(&'static str, &'static str),
    /// All systems, if another key (full path) has this value (as TOML).
    If(&'static str, &'static str),
    /// Devices with several chips.
    Chips,
    /// Devices with a write buffer, a read buffer or a RAM region.
    Buffers,
    /// Devices with a protected write buffer or a RAM region.
    ProtectedRam,
}

impl Reader {
    /// The registered systems that may list the key.
    pub(crate) fn entries(&self, catalogue: &Catalogue) -> Vec<Entry> {
        let families: &[Family] = match self {
            Reader::Policy => &[Family::Buffer],
            Reader::Ftl | Reader::FtlUnless(..) => &[Family::Ftl],
            Reader::Cleaning => &[Family::Cleaning],
            Reader::Placement => &[Family::Placement],
            Reader::CleaningOrPlacement => &[Family::Cleaning, Family::Placement],
            _ => &[],
        };
        let entries = families.iter().map(|family| catalogue.entries(*family));
        entries.flatten().collect()
    }
}

/// A key with a default that all systems read.
pub(crate) const fn key(
    path: &'static str,
    kind: Kind,
    default: &'static str,
    doc: &'static str,
) -> Key {
    Key {
        path,
        kind,
        default: Some(default),
        reader: Reader::All,
        doc,
    }
}

impl Key {
    pub(crate) const fn read_by(self, reader: Reader) -> Key {
        Key { reader, ..self }
    }

    /// A key without a fixed default.
    pub(crate) const fn open(path: &'static str, kind: Kind, doc: &'static str) -> Key {
        Key {
            path,
            kind,
            default: None,
            reader: Reader::All,
            doc,
        }
    }

    pub(crate) const fn of_policy(self) -> Key {
        self.read_by(Reader::Policy)
    }

    pub(crate) const fn of_ftl(self) -> Key {
        self.read_by(Reader::Ftl)
    }

    pub(crate) const fn of_cleaning(self) -> Key {
        self.read_by(Reader::Cleaning)
    }

    pub(crate) const fn of_placement(self) -> Key {
        self.read_by(Reader::Placement)
    }

    pub(crate) const fn of_buffer(self) -> Key {
        self.read_by(Reader::Unless("buffer.policy", "\"none\""))
    }

    pub(crate) const fn of_parallel(self) -> Key {
        self.read_by(Reader::Unless("timing.model", "\"serial\""))
    }
}

pub(crate) const fn int(min: i64, max: i64) -> Kind {
    Kind::Int { min, max }
}

pub(crate) const fn float(min: f64, max: f64) -> Kind {
    Kind::Float { min, max }
}

pub(crate) const fn size(min: i64, max: i64, step: i64) -> Kind {
    Kind::Size {
        min,
        max,
        step,
        auto: false,
    }
}

pub(crate) const fn names(names: &'static [&'static str]) -> Kind {
    Kind::Choice(Names::Fixed(names))
}
