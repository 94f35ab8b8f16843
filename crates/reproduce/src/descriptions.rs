//! The location of descriptions: in this program, or in a folder.

use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::error::ReproduceError;
use crate::file::File;
use crate::paper::Paper;
use crate::study::Study;
use crate::theory::Theory;

/// Descriptions of studies.
#[derive(Clone, Debug)]
pub enum Descriptions {
    /// The built-in ones.
    BuiltIn,
    /// `NAME/paper.toml` or `NAME/theory.toml` in this folder.
    Folder(PathBuf),
}

/// A built-in description: the name of the study, of its file, and the text.
type BuiltIn = (&'static str, &'static str, &'static str);

macro_rules! built_in {
    ($($name:literal / $file:literal)*) => {
        [$(($name, $file, include_str!(concat!("../studies/", $name, "/", $file)))),*]
    };
}

/// Sorted by name.
const BUILT_IN: [BuiltIn; 5] = built_in! {
    "bagc-2012" / "paper.toml"
    "bplru-2008" / "paper.toml"
    "deb" / "paper.toml"
    "plru-br-2q" / "paper.toml"
    "theory" / "theory.toml"
};

/// Reads a study of one kind.
type Read = fn(&Descriptions, &str) -> Result<Box<dyn Study>, ReproduceError>;

/// The file name of a description, and the function that reads it.
const KINDS: [(&str, Read); 2] = [
    (Paper::DESCRIPTION, |descriptions, name| {
        Ok(Box::new(Paper::read(descriptions, name)?))
    }),
    (Theory::DESCRIPTION, |descriptions, name| {
        Ok(Box::new(Theory::read(descriptions, name)?))
    }),
];

impl Descriptions {
    /// The names of all studies, sorted; empty if the folder does not exist.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = match self {
            Descriptions::BuiltIn => BUILT_IN.iter().map(|entry| entry.0.to_owned()).collect(),
            Descriptions::Folder(folder) => {
                let entries = fs::read_dir(folder).into_iter().flatten().flatten();
                let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
                names.filter(|name| !self.kinds(name).is_empty()).collect()
            }
        };
        names.sort();
        names
    }

    /// Reads a description and checks everything that needs no run.
    ///
    /// # Errors
    /// The name is a path, the study does not exist, or its description has an error.
    pub fn read(&self, name: &str) -> Result<Box<dyn Study>, ReproduceError> {
        if !is_name(name) {
            let (name, hint) = (name.to_owned(), self.hint());
            return Err(ReproduceError::Path { name, hint });
        }
        match self.kinds(name)[..] {
            [(_, read)] => read(self, name),
            [] => Err(self.unknown(name)),
            _ => Err(ReproduceError::Ambiguous {
                path: self.path(name),
                names: KINDS.map(|(file, _)| file).join(" and "),
            }),
        }
    }

    /// One file of a study.
    pub(crate) fn file(&self, name: &str, file: &str) -> Result<File, ReproduceError> {
        let path = self.path(name).join(file);
        match self.built_in(name, file) {
            Some(text) => Ok(File::of(path, text.to_owned())),
            None => File::read(path),
        }
    }

    /// The kinds of study in a folder; exactly one is valid.
    fn kinds(&self, name: &str) -> Vec<&'static (&'static str, Read)> {
        let is_there = |file: &str| match self {
            Descriptions::BuiltIn => self.built_in(name, file).is_some(),
            Descriptions::Folder(folder) => folder.join(name).join(file).is_file(),
        };
        KINDS.iter().filter(|(file, _)| is_there(file)).collect()
    }

    fn built_in(&self, name: &str, file: &str) -> Option<&'static str> {
        let of = |entry: &&BuiltIn| (entry.0, entry.1) == (name, file);
        match self {
            Descriptions::BuiltIn => BUILT_IN.iter().find(of).map(|entry| entry.2),
            Descriptions::Folder(_) => None,
        }
    }

    /// The location of a study in messages.
    fn path(&self, name: &str) -> PathBuf {
        match self {
            Descriptions::BuiltIn => format!("built-in {name}").into(),
            Descriptions::Folder(folder) => folder.join(name),
        }
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
                why: format!("has no {}", KINDS.map(|(file, _)| file).join(" or ")),
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
