//! Why a device works: the causes of its time and of the bytes in its flash.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Why a device works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Data of the host: in time, reads and read-modify-write too; in bytes, at most as many as the host wrote.
    Host,
    /// Clean pages of a padded block.
    Padding,
    /// The rest of pages that the host wrote in part. What a buffer absorbs is set off against it, so this is a lower
    /// bound.
    ReadModifyWrite,
    /// What merges move or take from the buffer.
    Merge,
    /// What cleaning moves or takes from the buffer; in time, the erases of the `ideal` FTL too.
    Cleaning,
    /// Tables that the FTL keeps in flash.
    Tables,
    /// Programs of pages that reached `buffer.flush_age_s`.
    Ageing,
    /// Accesses of the buffer.
    Buffer,
}

impl Cause {
    /// All causes.
    pub const ALL: [Cause; 8] = [
        Cause::Host,
        Cause::Padding,
        Cause::ReadModifyWrite,
        Cause::Merge,
        Cause::Cleaning,
        Cause::Tables,
        Cause::Ageing,
        Cause::Buffer,
    ];

    /// Its key in files and labels.
    pub const fn key(self) -> &'static str {
        match self {
            Cause::Host => "host",
            Cause::Padding => "padding",
            Cause::ReadModifyWrite => "read_modify_write",
            Cause::Merge => "merge",
            Cause::Cleaning => "cleaning",
            Cause::Tables => "tables",
            Cause::Ageing => "ageing",
            Cause::Buffer => "buffer",
        }
    }

    /// Its name for readers.
    pub const fn name(self) -> &'static str {
        match self {
            Cause::Host => "host data",
            Cause::Padding => "padding",
            Cause::ReadModifyWrite => "read-modify-write",
            Cause::Merge => "merges",
            Cause::Cleaning => "cleaning",
            Cause::Tables => "tables of the FTL",
            Cause::Ageing => "ageing",
            Cause::Buffer => "buffer",
        }
    }
}

/// What is divided among causes.
pub trait Divided: Copy {
    /// The causes that it can have, in the order of the reports.
    const CAUSES: &'static [Cause];
}

/// Nanoseconds. Under the serial model the parts add up to `elapsed_ns`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Time {}

/// Bytes programmed into flash, in whole pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bytes {}

impl Divided for Time {
    const CAUSES: &'static [Cause] = &[
        Cause::Host,
        Cause::Padding,
        Cause::Merge,
        Cause::Cleaning,
        Cause::Tables,
        Cause::Ageing,
        Cause::Buffer,
    ];
}

impl Divided for Bytes {
    const CAUSES: &'static [Cause] = &[
        Cause::Host,
        Cause::Padding,
        Cause::ReadModifyWrite,
        Cause::Merge,
        Cause::Cleaning,
        Cause::Tables,
    ];
}

/// The parts of a whole, by cause: of its [`Time`], or of its [`Bytes`]. Serialised, it is an object with the key of each
/// cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PerCause<T: Divided>([u64; Cause::ALL.len()], PhantomData<T>);

/// Time by cause.
pub type TimeParts = PerCause<Time>;

/// Bytes programmed into flash by cause.
pub type FlashBytes = PerCause<Bytes>;

impl<T: Divided> Default for PerCause<T> {
    fn default() -> Self {
        Self([0; Cause::ALL.len()], PhantomData)
    }
}

impl<T: Divided> PerCause<T> {
    /// These parts, and nothing of the other causes.
    pub fn of<const N: usize>(parts: [(Cause, u64); N]) -> Self {
        let mut all = Self::default();
        parts
            .into_iter()
            .for_each(|(cause, part)| all[cause] = part);
        all
    }

    /// The part of each cause that `T` can have; that of tables only where there is one, for few FTLs have tables in
    /// flash.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (Cause, u64)> + '_ {
        let parts = T::CAUSES.iter().map(|&cause| (cause, self[cause]));
        parts.filter(|&(cause, part)| cause != Cause::Tables || part > 0)
    }

    /// The parts that are not 0, the largest first; equal ones in the order of the reports.
    pub fn largest_first(&self) -> Vec<(Cause, u64)> {
        let mut parts: Vec<_> = self.iter().filter(|(_, part)| *part > 0).collect();
        parts.sort_by_key(|(_, part)| std::cmp::Reverse(*part));
        parts
    }

    /// The saturating sum.
    pub fn total(&self) -> u64 {
        self.0.into_iter().fold(0, u64::saturating_add)
    }

    /// What came since an earlier moment of the same device.
    pub fn since(&self, earlier: &Self) -> Self {
        let mut parts = *self;
        for cause in Cause::ALL {
            parts[cause] -= earlier[cause];
        }
        parts
    }
}

impl<T: Divided> Index<Cause> for PerCause<T> {
    type Output = u64;

    fn index(&self, cause: Cause) -> &u64 {
        &self.0[cause as usize]
    }
}

impl<T: Divided> IndexMut<Cause> for PerCause<T> {
    fn index_mut(&mut self, cause: Cause) -> &mut u64 {
        &mut self.0[cause as usize]
    }
}

impl<T: Divided> Serialize for PerCause<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter().map(|(cause, part)| (cause.key(), part)))
    }
}

/// Other keys are left out.
impl<'de, T: Divided> Deserialize<'de> for PerCause<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = BTreeMap::<String, u64>::deserialize(deserializer)?;
        let mut parts = Self::default();
        for cause in T::CAUSES {
            parts[*cause] = read.get(cause.key()).copied().unwrap_or_default();
        }
        Ok(parts)
    }
}

impl Serialize for Cause {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.key())
    }
}
