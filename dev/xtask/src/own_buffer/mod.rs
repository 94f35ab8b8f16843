//! The measurements in `docs/own-buffer.md`: `cbb` beside the policies of the papers, on many devices and workloads.

mod grid;
mod parts;
mod points;

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use grid::{Competitors, FTLS, Workload};
use points::lines;

pub use parts::measured;

/// The document. Measured parts stand between markers; the rest is written by hand.
pub const DOCUMENT: &str = "docs/own-buffer.md";

/// The folder of its pictures and of a line for each point.
pub const FOLDER: &str = "docs/own-buffer";

/// The lines of all points.
const POINTS: &str = "docs/own-buffer/points.csv";

/// The workload of the sample, and the devices on which it runs.
const SAMPLE: (&str, [usize; 2]) = ("w7-ext3-untar-linux", [0, 4]);

/// Writes the measured parts and files.
pub fn make(root: &Path) -> Result<(), Box<dyn Error>> {
    for (path, text) in made(root)? {
        fs::create_dir_all(root.join(&path).parent().expect("a folder"))?;
        fs::write(root.join(path), text)?;
    }
    Ok(())
}

/// The names of the files that `make` would change.
pub fn check(root: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let made = made(root)?.into_iter();
    let stale = made.filter(|(path, text)| {
        fs::read_to_string(root.join(path)).map_or(true, |there| there != *text)
    });
    Ok(stale.map(|(path, _)| path.display().to_string()).collect())
}

/// Measures one trace on two devices. Returns the lines of points that are not current.
pub fn check_sample(root: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let (name, ftls) = SAMPLE;
    let there = fs::read_to_string(root.join(POINTS)).unwrap_or_default();
    let workload = Workload::shipped(root, |trace| trace == name)?;
    let ftls = ftls.map(|index| &FTLS[index]);
    let cells = grid::measure(&workload, &ftls, Competitors::WithoutVariants)?;
    let made = lines(&cells);
    let stale = made
        .lines()
        .filter(|line| !there.lines().any(|other| other == *line));
    Ok(stale.map(|line| format!("{POINTS}: {line}")).collect())
}

/// All files with their texts.
fn made(root: &Path) -> Result<Vec<(PathBuf, String)>, Box<dyn Error>> {
    let shipped = Workload::shipped(root, |name| !name.contains("nilfs2"))?;
    let ftls: Vec<_> = FTLS.iter().collect();
    let shipped = grid::measure(&shipped, &ftls, Competitors::All)?;
    let generated = grid::measure(&Workload::generated()?, &ftls, Competitors::All)?;
    let document = fs::read_to_string(root.join(DOCUMENT))?;
    let filled = parts::fill(&document, &shipped, &generated)?;
    let mut files = vec![
        (PathBuf::from(DOCUMENT), filled),
        (
            PathBuf::from(POINTS),
            lines(&[shipped.clone(), generated].concat()),
        ),
    ];
    for (name, picture) in parts::pictures(&shipped)? {
        files.push((Path::new(FOLDER).join(name), picture));
    }
    Ok(files)
}
