use std::fs;
use std::path::{Path, PathBuf};

use ssdlab_results::{Cell, Table, about_part, part_of};
use ssdlab_sweep::{Sweep, Verified};

use super::work::{all, parts, work};
use super::{PLAN, Place};

fn verify(sweep: &Sweep, folder: &Path, number: usize, seed: u64) -> Verified {
    let verified = sweep.verify(number, seed, &work(folder, 2), || ());
    verified.unwrap()
}

/// A sweep that was run.
fn ran() -> (Place, Sweep, PathBuf) {
    let place = Place::new();
    let sweep = place.sweep(PLAN);
    let folder = place.path().join("out");
    all(&sweep, &folder, 2);
    (place, sweep, folder)
}

/// Writes a table as the part of this name.
pub(super) fn write_as_part(path: &Path, table: &Table) {
    let about = about_part(part_of(path).unwrap());
    fs::write(path, table.write_parquet(&[about], Vec::new()).unwrap()).unwrap();
}

/// Changes a cell of a part.
fn tamper(path: &Path, column: &str, row: usize) {
    let mut table = Table::read(path).unwrap();
    let mut cells = table.column(column).unwrap().to_vec();
    cells[row] = Cell::Int(123_456);
    table.set_column(column, cells);
    write_as_part(path, &table);
}

// planted bugs: a comparison that finds nothing; a column that is left out; a part that counts although it was not made
#[test]
fn a_tampered_part_is_named_with_its_columns() {
    let (_place, sweep, folder) = ran();
    let whole = parts(&folder);
    let clean = verify(&sweep, &folder, 9, 1);
    assert_eq!((clean.parts, clean.of, clean.runs), (5, 5, 25));
    assert_eq!(clean.different, Vec::<String>::new());
    let name = whole[2].0.as_str();
    let path = folder.join(name);
    tamper(&path, "flash_programs", 4);
    tamper(&path, "erases", 1);
    let bytes = fs::read(&path).unwrap();
    let found = verify(&sweep, &folder, 5, 1);
    let [line] = &found.different[..] else {
        panic!("{:?}", found.different)
    };
    assert!(line.contains(name), "{line}");
    let (first, second) = line.split_once("; ").expect("two cells");
    assert!(
        first.contains("row 2 (") && first.contains("): erases is 123456, not "),
        "{first}"
    );
    assert!(
        second.contains("row 5 (") && second.contains("): flash_programs is 123456, not "),
        "{second}"
    );
    // nothing is repaired
    assert!(fs::read(&path).unwrap() == bytes);
}

// planted bugs: only cells are compared; what cannot be read is passed over
#[test]
fn other_bytes_around_the_same_cells_differ() {
    let (_place, sweep, folder) = ran();
    let whole = parts(&folder);
    let path = folder.join(&whole[0].0);
    let table = Table::read(&path).unwrap();
    let other = table.write_parquet(&[("made", "elsewhere")], Vec::new());
    fs::write(&path, other.unwrap()).unwrap();
    fs::write(folder.join(&whole[1].0), "PAR1").unwrap();
    let found = verify(&sweep, &folder, 5, 1);
    assert_eq!(found.different.len(), 2);
    assert!(
        found.different[0].contains("all results are the same, but not the file around them"),
        "{:?}",
        found.different
    );
    assert!(found.different[1].contains("no readable Parquet"));
}

// planted bugs: other parts each time; always the first ones
#[test]
fn the_seed_draws_the_parts() {
    let (_place, sweep, folder) = ran();
    for (name, _) in parts(&folder) {
        fs::write(folder.join(name), "PAR1").unwrap();
    }
    let drawn = |seed| verify(&sweep, &folder, 2, seed).different;
    assert_eq!(drawn(1).len(), 2);
    assert_eq!(drawn(1), drawn(1));
    assert!((2..20).any(|seed| drawn(seed) != drawn(1)));
    let empty = folder.join("none");
    let none = sweep.verify(2, 1, &work(&empty, 1), || ());
    let why = none.unwrap_err().to_string();
    assert!(why.contains("has no part of this sweep yet"), "{why}");
}
