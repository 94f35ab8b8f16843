//! What varies.

use ssdlab_results::Role;

use crate::analysis::{Analysis, Field};
use crate::groups::Levels;

/// The columns of the workload that the user chooses; the others follow from them.
const CHOSEN: [&str; 5] = ["trace", "seed", "system", "wrap", "compact"];

impl Analysis {
    /// The columns of workload and configuration that have several values, workload first, and no column whose values
    /// follow from those of an earlier one. Rows of files that lack a column say nothing about it.
    pub fn axes(&self) -> Vec<Field> {
        self.axes.get_or_init(|| self.find_axes()).clone()
    }

    fn find_axes(&self) -> Vec<Field> {
        let mut axes: Vec<(Field, Levels, Vec<bool>)> = Vec::new();
        for column in self.schema.columns() {
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
            let (levels, known) = (self.levels(&field), self.frame.known(place));
            let follows = |one: &(&Levels, &[bool]), other: &(&Levels, &[bool])| {
                let both = one.1.iter().zip(other.1).map(|(one, other)| *one && *other);
                one.0.follows(other.0, both)
            };
            let this = (&levels, &known[..]);
            let before = |(_, levels, known): &(Field, Levels, Vec<bool>)| {
                follows(&this, &(levels, &known[..]))
            };
            if !levels.varies_in(&known) || axes.iter().any(before) {
                continue;
            }
            // a key that tells more than one that came before it takes its place: the FTL's cleaning follows the FTL
            axes.retain(|(other, levels, known)| {
                !follows(&(levels, &known[..]), &this) || is_main(other) || is_of_workload(other)
            });
            axes.push((field, levels, known));
        }
        axes.into_iter().map(|(field, ..)| field).collect()
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

fn is_sample(field: &Field) -> bool {
    matches!(field.name.as_str(), "trace" | "seed")
}

fn is_of_workload(field: &Field) -> bool {
    field.role == Some(Role::Workload)
}

/// Whether readers look for it first.
fn is_main(field: &Field) -> bool {
    matches!(
        field.path.as_str(),
        "buffer.policy" | "buffer.size" | "ftl.kind" | "preset"
    )
}
