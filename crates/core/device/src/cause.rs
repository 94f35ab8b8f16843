//! Why a device works: the causes of its time and of the bytes in its flash.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

macro_rules! causes {
    ($($(#[$meta:meta])* $cause:ident: $key:literal, $name:literal;)*) => {
        /// Why a device works.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Cause {
            $($(#[$meta])* $cause,)*
        }

        impl Cause {
            /// All causes, in the order of the reports.
            pub const ALL: [Cause; [$($key),*].len()] = [$(Cause::$cause),*];

            /// Its key in files and labels.
            pub const fn key(self) -> &'static str {
                match self {
                    $(Cause::$cause => $key,)*
                }
            }

            /// Its name for readers.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Cause::$cause => $name,)*
                }
            }
        }
    };
}

causes! {
    /// Data of the host: in time, reads and read-modify-write too; in bytes, at most as many as the host wrote.
    Host: "host", "host data";
    /// Clean pages of a padded block.
    Padding: "padding", "padding";
    /// The rest of pages that the host wrote in part. What a buffer absorbs is set off against it, so this is a lower
    /// bound.
    ReadModifyWrite: "read_modify_write", "read-modify-write";
    /// What merges move or take from the buffer.
    Merge: "merge", "merges";
    /// What cleaning moves or takes from the buffer; in time, the erases of the `ideal` FTL too.
    Cleaning: "cleaning", "cleaning";
    /// What moves out of an SLC cache; in time, the erases of its blocks too.
    Folding: "folding", "folding";
    /// Tables that the FTL keeps in flash.
    Tables: "tables", "tables of the FTL";
    /// Programs of pages that reached `buffer.flush_age_s`.
    Ageing: "ageing", "ageing";
    /// Accesses of the buffer.
    Buffer: "buffer", "buffer";
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
        Cause::Folding,
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
        Cause::Folding,
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

    /// The part of each cause that `T` can have; those of tables and of folding only where there are any, for few devices have
    /// tables in flash or an SLC cache.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (Cause, u64)> + '_ {
        let parts = T::CAUSES.iter().map(|&cause| (cause, self[cause]));
        let of_few = [Cause::Tables, Cause::Folding];
        parts.filter(move |&(cause, part)| !of_few.contains(&cause) || part > 0)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::{Derived, Endurance, FIGURES, Joules, Results};
    use crate::{Controller, Counters};

    // planted bugs: a cause that no time and no byte has; two causes with one key
    #[test]
    fn each_cause_divides_something() {
        for cause in Cause::ALL {
            let is_known = Time::CAUSES.contains(&cause) || Bytes::CAUSES.contains(&cause);
            assert!(is_known, "{cause:?} is neither in Time nor in Bytes");
            let same = Cause::ALL.iter().filter(|other| other.key() == cause.key());
            assert_eq!(same.count(), 1, "{cause:?}");
        }
    }

    /// The figures with a value if only these parts are not 0.
    fn shown(time: TimeParts, bytes: FlashBytes) -> usize {
        let derived = Derived {
            energy_j: Some(Joules(time)),
            ..Derived::default()
        };
        let endurance = Endurance {
            flash_bytes: bytes,
            ..Endurance::default()
        };
        let results = Results {
            counters: &Counters {
                table_programs: bytes[Cause::Tables],
                fold_pages: bytes[Cause::Folding],
                ..Counters::default()
            },
            derived: &derived,
            endurance: &endurance,
            controller: &Controller::default(),
            placed: None,
            latency_ns: None,
            utilisation: None,
        };
        let values = FIGURES.iter().filter_map(|figure| (figure.value)(&results));
        values.filter(|value| *value > 0.0).count()
    }

    // planted bug: energy, or bytes, of a cause without a figure
    #[test]
    fn each_cause_has_its_figure() {
        let none = || (TimeParts::default(), FlashBytes::default());
        for cause in Time::CAUSES.iter().filter(|cause| **cause != Cause::Buffer) {
            let time = TimeParts::of([(*cause, 1_000_000_000_000)]);
            assert_eq!(shown(time, none().1), 2, "{cause:?}: the sum and its own");
        }
        for cause in Bytes::CAUSES {
            let bytes = FlashBytes::of([(*cause, 4096)]);
            assert!(
                shown(none().0, bytes) >= 2,
                "{cause:?}: the sum and its own"
            );
        }
    }
}
