//! The pages of docs/policies: one for each entry of the registry.

mod family;
mod page;
mod picture;
mod result;

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;

use ssdlab_device::registry::Entry;
use ssdlab_sim::Trace;

use family::{FAMILIES, Family};
use result::Results;

/// Where the pages are.
pub const FOLDER: &str = "docs/policies";

/// Texts by their paths in the folder.
type Files = BTreeMap<String, String>;

/// Writes all pages.
pub fn make(root: &Path) -> Result<(), Box<dyn Error>> {
    let (made, there) = (files(root)?, there(root));
    for name in there.keys().filter(|name| !made.contains_key(*name)) {
        fs::remove_file(root.join(FOLDER).join(name))?;
    }
    for (name, text) in made {
        let path = root.join(FOLDER).join(name);
        fs::create_dir_all(path.parent().expect("a folder"))?;
        fs::write(path, text)?;
    }
    Ok(())
}

/// The names of the files that `make` would change.
pub fn check(root: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let (made, there) = (files(root)?, there(root));
    let mut names: Vec<&String> = made.keys().chain(there.keys()).collect();
    names.sort();
    names.dedup();
    names.retain(|name| made.get(*name) != there.get(*name));
    Ok(names.into_iter().map(in_folder).collect())
}

/// The traces of the pages: one for each kind of work. The others of the repository stand in for those of papers.
const TRACES: [&str; 16] = [
    "seed-nilfs2-postmark",
    "w1-ntfs-office-install",
    "w2-ntfs-browser-cache",
    "w4-ext4-random-4k",
    "w5-fat16-media",
    "w5-fat16-media-flush",
    "w6-fat16-p2p",
    "w7-ext3-untar-linux",
    "w8-ext3-kernel-compile",
    "w9-ext3-postmark",
    "w9-fat16-postmark",
    "w9-ntfs-postmark",
    "w20-ext4-rocksdb",
    "w21-ext4-postgres",
    "w22-xfs-fileserver",
    "w23-ext4-phone",
];

/// The traces of the sample. On some pages the picture shows both.
const SAMPLE: [&str; 2] = ["w21-ext4-postgres", "w9-ext3-postmark"];

/// Measures all families on some traces. Returns what the pages do not have: rows of tables, and pictures that show
/// these traces.
pub fn check_sample(root: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let traces = family::traces(&root.join("traces"), |name| SAMPLE.contains(&name))?;
    let there = there(root);
    let mut missing = Vec::new();
    for family in &FAMILIES {
        missing.extend(missing_of(family, &measured(&traces, family)?, &there)?);
    }
    Ok(missing)
}

/// The rows and pictures of a family's results that its pages do not have.
fn missing_of(
    family: &Family,
    results: &[Results],
    there: &Files,
) -> Result<Vec<String>, Box<dyn Error>> {
    let mut missing = Vec::new();
    for (i, entry) in family.entries().iter().enumerate() {
        let [page, picture] = paths(family, entry);
        let text = there.get(&page).map_or("", String::as_str);
        let is_there = |row: &&str| text.lines().any(|line| line == *row);
        for results in results {
            let table = page::table(family, results, i);
            let rows = table.lines().filter(|row| !is_there(row));
            missing.extend(rows.map(|row| format!("{}: {row}", in_folder(&page))));
        }
        let shown = page::picture(&results[0], family, i);
        let made = picture::picture(family, &results[0], i);
        if text.contains(&shown) && there.get(&picture) != Some(&made) {
            missing.push(in_folder(&picture));
        }
    }
    Ok(missing)
}

fn in_folder(name: &String) -> String {
    format!("{FOLDER}/{name}")
}

fn files(root: &Path) -> Result<Files, Box<dyn Error>> {
    let traces = family::traces(&root.join("traces"), |name| TRACES.contains(&name))?;
    let mut files = Files::new();
    let mut all = Vec::new();
    for family in &FAMILIES {
        let results = measured(&traces, family)?;
        add(&mut files, family, &results)?;
        all.push((family, results));
    }
    files.insert("README.md".into(), page::index(&all));
    Ok(files)
}

/// All entries of a family on these traces, for each of its devices.
fn measured(traces: &[(String, Trace)], family: &Family) -> Result<Vec<Results>, Box<dyn Error>> {
    let mut results = Vec::new();
    for device in family.devices {
        let config = family.config(device)?;
        let on: Result<_, _> = traces
            .iter()
            .map(|(_, trace)| family.measure(device, trace))
            .collect();
        results.push(Results {
            device: family.in_figures(&config),
            traces: traces.iter().map(|(name, _)| name.clone()).collect(),
            larger: traces
                .iter()
                .map(|(_, trace)| family::larger(config.flash.capacity, trace))
                .collect(),
            on: on?,
        });
    }
    Ok(results)
}

fn add(files: &mut Files, family: &Family, results: &[Results]) -> Result<(), Box<dyn Error>> {
    for (i, entry) in family.entries().iter().enumerate() {
        let [page, picture] = paths(family, entry);
        files.insert(page, page::page(family, results, i));
        files.insert(picture, picture::picture(family, &results[0], i));
    }
    Ok(())
}

/// The paths of an entry's page and picture.
fn paths(family: &Family, entry: &Entry) -> [String; 2] {
    let path = format!("{}/{}", family.folder, page::stem(entry));
    ["md", "svg"].map(|kind| format!("{path}.{kind}"))
}

/// The files in the folder.
fn there(root: &Path) -> Files {
    let folders = FAMILIES.iter().map(|family| family.folder).chain([""]);
    let mut files = Files::new();
    for folder in folders {
        let entries = fs::read_dir(root.join(FOLDER).join(folder));
        for entry in entries.into_iter().flatten().flatten() {
            let name = entry.file_name();
            let path = Path::new(folder).join(name).display().to_string();
            // a file that is not text differs from every page
            if entry.path().is_file() {
                let text = fs::read_to_string(entry.path()).unwrap_or_default();
                files.insert(path, text);
            }
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::root;

    // Planted bugs: an entry that names another file, or none; two entries with the same page.
    #[test]
    fn every_entry_names_the_file_that_it_stands_in() {
        let mut stems = Vec::new();
        for family in &FAMILIES {
            for entry in family.entries() {
                let text = fs::read_to_string(root().join(entry.about.file)).unwrap();
                let name = format!("name: {:?}", entry.name);
                let is_none = entry.name == "none" && text.contains("name: NO_BUFFER");
                assert!(text.contains(&name) || is_none, "{name}");
                stems.push((family.folder, page::stem(entry)));
            }
        }
        let all = stems.len();
        stems.sort();
        stems.dedup();
        assert_eq!(stems.len(), all);
    }

    // Planted bug: a sentence of docs/compare.md that the tables contradict.
    #[test]
    fn bplru_is_last_on_page_mapping_as_the_guide_says() {
        let guide = fs::read_to_string(root().join("docs/compare.md")).unwrap();
        let guide: Vec<&str> = guide.split_whitespace().collect();
        assert!(
            guide
                .join(" ")
                .contains("`bplru` is last on all sixteen traces")
        );
        let page = fs::read_to_string(root().join(FOLDER).join("buffers/bplru.md")).unwrap();
        let (_, on_page) = page.split_once("\nOn `page`").expect("a table");
        let rows = on_page
            .lines()
            .filter(|line| line.starts_with("| w") || line.starts_with("| seed"));
        let places: Vec<&str> = rows.filter_map(|row| row.split(" | ").nth(3)).collect();
        // the digests notice a trace that is newer than the page
        assert!(places.len() >= 10, "{places:?}");
        let competing = FAMILIES[0]
            .entries()
            .iter()
            .filter(|entry| family::competes(entry));
        assert_eq!(places, vec![competing.count().to_string(); places.len()]);
    }

    // Planted bugs: a sample without rows, or whose traces no picture shows; a picture that is not compared.
    #[test]
    fn the_sample_finds_a_wrong_figure_in_a_table_and_in_a_picture() {
        let family = &FAMILIES[3];
        let entries = family.entries().len();
        let wrong = family::Measured([1.0; 3]);
        let results = Results {
            device: String::new(),
            traces: SAMPLE.map(str::to_owned).into(),
            larger: vec![None; SAMPLE.len()],
            on: vec![vec![vec![wrong; family.ticks.len()]; entries]; SAMPLE.len()],
        };
        let missing = missing_of(family, &[results], &there(root())).unwrap();
        let rows = missing.iter().filter(|what| what.contains(".md: | w"));
        assert_eq!(rows.count(), entries * SAMPLE.len());
        assert!(missing.contains(&"docs/policies/placements/deb.svg".into()));
    }
}
