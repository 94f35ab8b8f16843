//! The structure of the key table. Parsing, checks, output and suggestions all read this table.

pub use crate::keys::KEYS;
use crate::kind::{Kind, Names};
use std::collections::HashMap;
use std::sync::LazyLock;

use ssdlab_policy::{Entry, buffer, cleaning, placement};

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
}

impl Reader {
    /// The registered systems that may list the key.
    pub(crate) fn entries(&self) -> impl Iterator<Item = &'static Entry> {
        let (some, more): (&[Entry], &[Entry]) = match self {
            Reader::Policy => (buffer::ENTRIES, &[]),
            Reader::Ftl | Reader::FtlUnless(..) => (ssdlab_ftl::ENTRIES, &[]),
            Reader::Cleaning => (cleaning::ENTRIES, &[]),
            Reader::Placement => (placement::ENTRIES, &[]),
            Reader::CleaningOrPlacement => (cleaning::ENTRIES, placement::ENTRIES),
            _ => (&[], &[]),
        };
        some.iter().chain(more)
    }
}

/// The tables of the file, in order.
pub(crate) const TABLES: [&str; 5] = ["flash", "timing", "ftl", "buffer", "read_buffer"];

/// The last part of a path.
pub(crate) fn leaf(path: &str) -> &str {
    path.rsplit_once('.').map_or(path, |(_, leaf)| leaf)
}

/// The table of a path; empty for a key outside the tables.
pub(crate) fn table(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(table, _)| table)
}

/// The keys of a table in order; the keys outside the tables if `name` is empty.
pub(crate) fn keys_of(name: &str) -> impl Iterator<Item = &'static Key> + Clone {
    KEYS.iter().filter(move |key| table(key.path) == name)
}

/// The index of a key in [`KEYS`].
pub(crate) fn index(path: &str) -> Option<usize> {
    static INDEX: LazyLock<HashMap<&str, usize>> =
        LazyLock::new(|| (0..).zip(KEYS).map(|(i, key)| (key.path, i)).collect());
    INDEX.get(path).copied()
}

/// The largest number of blocks or pages: page numbers have 32 bits, and one value means "none".
pub(crate) const MAX_PAGES: u32 = u32::MAX - 1;

/// The largest number of chips. A page across all of them stays below 4 GiB.
pub(crate) const MAX_CHIPS: u64 = 1024;

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

pub(crate) const fn names(built: &'static [&'static str]) -> Kind {
    Kind::Choice(Names::Fixed {
        built,
        planned: &[],
    })
}

/// Names, some of them planned but not available yet.
pub(crate) const fn some_built(
    built: &'static [&'static str],
    planned: &'static [&'static str],
) -> Kind {
    Kind::Choice(Names::Fixed { built, planned })
}
