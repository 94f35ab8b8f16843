//! All studies that descriptions contain: the kinds of study, and their names.

use std::path::{Component, Path};

use ssdlab_sim::Lab;
use ssdlab_words::{either, listed};

use crate::contest::Contest;
use crate::descriptions::Descriptions;
use crate::equal::Equal;
use crate::error::ReproduceError;
use crate::fills::Fills;
use crate::learned::Learned;
use crate::measured::Measured;
use crate::paper::Paper;
use crate::study::Study;
use crate::theory::Theory;
use crate::times::DriveTimes;

/// Reads a study of one kind.
type Read = fn(&Descriptions, &str, &Lab) -> Result<Box<dyn Study>, ReproduceError>;

/// The file name of a description, and the function that reads it.
const KINDS: [(&str, Read); 8] = [
    (Paper::DESCRIPTION, |descriptions, name, lab| {
        Ok(Box::new(Paper::read(descriptions, name, lab)?))
    }),
    (Theory::DESCRIPTION, |descriptions, name, lab| {
        Ok(Box::new(Theory::read(descriptions, name, lab)?))
    }),
    (Measured::DESCRIPTION, |descriptions, name, lab| {
        Ok(Box::new(Measured::read(descriptions, name, lab)?))
    }),
    (DriveTimes::DESCRIPTION, |descriptions, name, lab| {
        Ok(Box::new(DriveTimes::read(descriptions, name, lab)?))
    }),
    (Fills::DESCRIPTION, |descriptions, name, lab| {
        Ok(Box::new(Fills::read(descriptions, name, lab)?))
    }),
    (Equal::DESCRIPTION, |descriptions, name, lab| {
        Ok(Box::new(Equal::read(descriptions, name, lab)?))
    }),
    (Learned::DESCRIPTION, |descriptions, name, lab| {
        Ok(Box::new(Learned::read(descriptions, name, lab)?))
    }),
    (Contest::DESCRIPTION, |descriptions, name, lab| {
        Ok(Box::new(Contest::read(descriptions, name, lab)?))
    }),
];

impl Descriptions {
    /// The names of all studies, sorted; empty if the folder does not exist.
    pub fn names(&self) -> Vec<String> {
        let mut names = self.folders();
        names.retain(|name| !self.kinds(name).is_empty());
        names.sort();
        names.dedup();
        names
    }

    /// Reads a description, which may name the systems of the laboratory, and checks everything that needs no run.
    ///
    /// # Errors
    /// The name is a path, the study does not exist, or its description has an error.
    pub fn read(&self, name: &str, lab: &Lab) -> Result<Box<dyn Study>, ReproduceError> {
        if !is_name(name) {
            let (name, hint) = (name.to_owned(), self.hint());
            return Err(ReproduceError::Path { name, hint });
        }
        let kinds = self.kinds(name);
        match kinds[..] {
            [(_, read)] => read(self, name, lab),
            [] => Err(self.unknown(name)),
            _ => Err(ReproduceError::Ambiguous {
                path: self.path(name),
                names: listed(&kinds.iter().map(|(file, _)| file).collect::<Vec<_>>()),
            }),
        }
    }

    /// The kinds of study in a folder; exactly one is valid.
    fn kinds(&self, name: &str) -> Vec<&'static (&'static str, Read)> {
        let there = |(file, _): &&(&str, Read)| self.has(name, file);
        KINDS.iter().filter(there).collect()
    }

    fn unknown(&self, name: &str) -> ReproduceError {
        let hint = self.hint();
        match self {
            Descriptions::BuiltIn => ReproduceError::Unknown {
                path: name.into(),
                why: "no such paper".into(),
                hint,
            },
            Descriptions::Folder(_) => ReproduceError::Unknown {
                path: self.path(name),
                why: format!("has no {}", either(&KINDS.map(|(file, _)| file))),
                hint,
            },
        }
    }

    fn hint(&self) -> String {
        match (&self.names()[..], self) {
            ([], Descriptions::Folder(folder)) => {
                format!("{} has no description of a study", folder.display())
            }
            (names, _) => format!("one of: {}", names.join(", ")),
        }
    }
}

/// Whether a name is a single part of a path.
fn is_name(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    parts.next() == Some(Component::Normal(name.as_ref()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    // Planted bug: a folder of studies/ that the list does not name.
    #[test]
    fn every_folder_of_studies_is_built_in() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("studies");
        let there = fs::read_dir(&folder).unwrap().count();
        let found = Descriptions::Folder(folder).names();
        assert_eq!(found.len(), there);
        assert_eq!(Descriptions::BuiltIn.names(), found);
    }
}
