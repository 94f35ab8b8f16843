//! What varies.

use ssdlab_results::Role;
use ssdlab_words::NOTHING;

use crate::analysis::{Analysis, Field};
use crate::groups::Levels;

/// The columns of the workload that the user chooses; the others follow from them.
const CHOSEN: [&str; 5] = ["trace", "seed", "system", "wrap", "compact"];

impl Analysis {
    /// The columns of workload and configuration that have several values, in the order of the schema, and no column whose
    /// values follow from those of another one. Of two that follow from each other, an axis is the one that readers look for
    /// first, or else the one that every run reads: a plan varies the key that makes others moot. Rows of files that lack a
    /// column say nothing about it.
    pub fn axes(&self) -> Vec<Field> {
        self.axes.get_or_init(|| self.find_axes()).clone()
    }

    fn find_axes(&self) -> Vec<Field> {
        let mut varying: Vec<(usize, Varying)> = Vec::new();
        for (at, column) in self.schema.columns().iter().enumerate() {
            let is_chosen = match column.role {
                Role::Workload => CHOSEN.contains(&column.name.as_str()),
                Role::Key => true,
                _ => false,
            };
            let Some(place) = self.frame.place(&column.name).filter(|_| is_chosen) else {
                continue;
            };
            if self.frame.is_empty(place) {
                continue;
            }
            let field = self.field_at(place, column.name.clone());
            let this = Varying {
                levels: self.levels(&field),
                known: self.frame.known(place),
                field,
            };
            if this.levels.varies_in(&this.known) {
                varying.push((at, this));
            }
        }
        varying.sort_by_cached_key(|(_, one)| one.rank());
        let mut axes: Vec<(usize, Varying)> = Vec::new();
        for (at, this) in varying {
            if axes.iter().any(|(_, other)| this.follows(other)) {
                continue;
            }
            // a key that tells more than one that came before it takes its place: the FTL's cleaning follows the FTL
            axes.retain(|(_, other)| {
                let stays = other.rank() < Rank::Read || other.rank() < this.rank();
                stays || !other.follows(&this)
            });
            axes.push((at, this));
        }
        axes.sort_by_key(|(at, _)| *at);
        axes.into_iter().map(|(_, one)| one.field).collect()
    }

    /// The columns that tell runs of one configuration apart: traces and their seeds.
    pub fn samples(&self) -> Vec<Field> {
        let axes = self.axes().into_iter();
        axes.filter(is_sample).collect()
    }

    /// The axes of the configuration.
    pub fn settings(&self) -> Vec<Field> {
        let axes = self.axes().into_iter();
        axes.filter(|field| !is_sample(field)).collect()
    }
}

/// A column that varies.
struct Varying {
    field: Field,
    levels: Levels,
    /// The rows of files that have it.
    known: Vec<bool>,
}

/// The rank of columns of which one must be an axis.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Workload,
    /// Readers look for it first.
    Main,
    /// Every run reads it.
    Read,
    /// It is moot in some runs.
    Moot,
}

impl Varying {
    fn rank(&self) -> Rank {
        let mut rows = self.levels.codes.iter().zip(&self.known);
        let mut is_moot =
            || rows.any(|(&code, known)| *known && self.levels.labels[code as usize] == NOTHING);
        match &self.field {
            field if field.role == Some(Role::Workload) => Rank::Workload,
            field if is_main(field) => Rank::Main,
            _ if is_moot() => Rank::Moot,
            _ => Rank::Read,
        }
    }

    /// Whether its values follow from those of another one, where both are known.
    fn follows(&self, other: &Varying) -> bool {
        let both = self.known.iter().zip(&other.known);
        let both = both.map(|(one, other)| *one && *other);
        self.levels.follows(&other.levels, both)
    }
}

fn is_sample(field: &Field) -> bool {
    matches!(field.name.as_str(), "trace" | "seed")
}

/// Whether readers look for it first.
fn is_main(field: &Field) -> bool {
    matches!(
        field.path.as_str(),
        "buffer.policy" | "buffer.size" | "ftl.kind" | "preset"
    )
}
