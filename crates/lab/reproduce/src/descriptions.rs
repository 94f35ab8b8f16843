//! The location of descriptions: in this program, or in a folder.

use std::fs;
use std::path::PathBuf;

use crate::error::ReproduceError;
use crate::file::File;

/// Descriptions of studies.
#[derive(Clone, Debug)]
pub enum Descriptions {
    /// The built-in ones.
    BuiltIn,
    /// `NAME/paper.toml`, `NAME/theory.toml`, `NAME/measured.toml`, `NAME/times.toml`, `NAME/fills.toml`,
    /// `NAME/equal.toml`, `NAME/learned.toml` or `NAME/contest.toml` in this folder.
    Folder(PathBuf),
}

/// A built-in description: the name of the study, of its file, and the text.
type BuiltIn = (&'static str, &'static str, &'static str);

macro_rules! built_in {
    ($($name:literal / $file:literal)*) => {
        &[$(($name, $file, include_str!(concat!("../studies/", $name, "/", $file)))),*]
    };
}

/// Sorted by name.
const BUILT_IN: &[BuiltIn] = built_in! {
    "bagc-2012" / "paper.toml"
    "bplru-2008" / "paper.toml"
    "bplru-2008" / "served.csv"
    "deb" / "paper.toml"
    "drive-times" / "measured.csv"
    "drive-times" / "times.toml"
    "equal-ram" / "equal.toml"
    "equal-ram" / "rows.csv"
    "leaftl-2023" / "learned.toml"
    "lfs-2010" / "paper.toml"
    "own-buffer" / "contest.toml"
    "own-buffer" / "page.md"
    "plru-br-2q" / "paper.toml"
    "real-drives" / "measured.toml"
    "real-drives" / "runs.csv"
    "real-drives" / "tenths.csv"
    "sepbit-2022" / "measured.toml"
    "ssdiq-2025" / "measured.toml"
    "theory" / "theory.toml"
    "warp-2026" / "curves.csv"
    "warp-2026" / "handles.csv"
    "warp-2026" / "measured.toml"
    "warp-2026" / "runs.csv"
    "warp-2026" / "shares.csv"
    "warp-2026" / "tenths.csv"
    "write-cliffs" / "drives.csv"
    "write-cliffs" / "fills.toml"
    "write-cliffs" / "means.csv"
    "write-cliffs" / "phases.csv"
    "write-cliffs" / "sources.csv"
};

impl Descriptions {
    /// The names of all folders, in no order; none if the folder of descriptions does not exist.
    pub(crate) fn folders(&self) -> Vec<String> {
        match self {
            Descriptions::BuiltIn => BUILT_IN.iter().map(|entry| entry.0.to_owned()).collect(),
            Descriptions::Folder(folder) => {
                let entries = fs::read_dir(folder).into_iter().flatten().flatten();
                let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
                names.collect()
            }
        }
    }

    /// Whether a study has a file of this name.
    pub(crate) fn has(&self, name: &str, file: &str) -> bool {
        match self {
            Descriptions::BuiltIn => self.built_in(name, file).is_some(),
            Descriptions::Folder(folder) => folder.join(name).join(file).is_file(),
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

    fn built_in(&self, name: &str, file: &str) -> Option<&'static str> {
        let of = |entry: &&BuiltIn| (entry.0, entry.1) == (name, file);
        match self {
            Descriptions::BuiltIn => BUILT_IN.iter().find(of).map(|entry| entry.2),
            Descriptions::Folder(_) => None,
        }
    }

    /// The location of a study in messages.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        match self {
            Descriptions::BuiltIn => format!("built-in {name}").into(),
            Descriptions::Folder(folder) => folder.join(name),
        }
    }
}
