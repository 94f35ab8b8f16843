use std::fs;
use std::path::Path;
use std::sync::atomic::Ordering;

use ssdlab_results::{Cell, Table};
use ssdlab_sim::StopFlag;
use ssdlab_sweep::{Sweep, SweepError, Work, WorkEvent, chosen, merge, status};

use super::verify::write_as_part;
use super::{PLAN, Place};

fn never() -> StopFlag {
    StopFlag::default()
}

pub(super) fn work(folder: &Path, jobs: usize) -> Work {
    Work {
        folder: folder.to_owned(),
        jobs,
        memory: None,
        finish: never(),
        stop: None,
    }
}

/// The parts of a folder: their names and bytes.
pub(super) fn parts(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
    let parts = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with("part-"));
    let mut parts: Vec<_> = parts
        .map(|part| {
            (
                part.file_name().into_string().unwrap(),
                fs::read(part.path()).unwrap(),
            )
        })
        .collect();
    parts.sort();
    parts
}

pub(super) fn all(sweep: &Sweep, folder: &Path, jobs: usize) -> Vec<(String, Vec<u8>)> {
    let complete = sweep.work(0..sweep.shards.len(), &work(folder, jobs), |_| ());
    assert!(complete.unwrap());
    parts(folder)
}

// planted bug: a row that depends on the worker, its threads or its share
#[test]
fn parts_are_the_same_whoever_makes_them() {
    let place = Place::new();
    let sweep = place.sweep(PLAN);
    let of = |name: &str| place.path().join(name);
    let one = all(&sweep, &of("one"), 1);
    assert_eq!(one.len(), sweep.shards.len());
    assert!(one == all(&sweep, &of("four"), 4));
    let shared = of("shared");
    for number in [3, 1, 2] {
        let share = chosen(&sweep.shards, number, 3);
        assert!(sweep.work(share, &work(&shared, 1), |_| ()).unwrap());
    }
    assert!(one == parts(&shared));
    let single = of("single");
    for number in 0..sweep.shards.len() {
        assert!(sweep.write(number, &single, None).unwrap());
        assert!(!sweep.write(number, &single, None).unwrap());
    }
    assert!(one == parts(&single));
}

// planted bugs: rows in the order of the shards; a row twice
#[test]
fn a_merged_table_is_in_the_order_of_the_plan() {
    let place = Place::new();
    let sweep = place.sweep(PLAN);
    let folder = place.path().join("out");
    let table = |partial| -> Result<Table, SweepError> {
        let mut table = sweep.columns();
        merge(&sweep, &folder, partial, 2, &mut |part| {
            table.append(&part);
            Ok(())
        })?;
        Ok(table)
    };
    let missing = table(false).unwrap_err().to_string();
    assert!(
        missing.contains(&format!("{0} of {0} parts are missing", sweep.shards.len())),
        "{missing}"
    );
    assert_eq!(table(true).unwrap().rows(), 0);
    all(&sweep, &folder, 2);
    let table = table(false).unwrap();
    let key = |row: usize| {
        let text = |name: &str| table.cell(row, name).to_string();
        (text("trace"), text("buffer_policy"), text("buffer_size"))
    };
    let rows: Vec<_> = (0..table.rows()).map(key).collect();
    let mut expected = Vec::new();
    let made = "uniform --requests 300 --capacity 1MiB --seed";
    for trace in [
        "a.csv",
        "b.csv",
        "c.csv",
        &format!("{made} 1"),
        &format!("{made} 2"),
    ] {
        for (policy, size) in [
            ("lru", "65536"),
            ("lru", "131072"),
            ("fab", "65536"),
            ("fab", "131072"),
            ("none", ""),
        ] {
            expected.push((trace.to_owned(), policy.to_owned(), size.to_owned()));
        }
    }
    assert_eq!(rows, expected);
    let ids = table.column("run_id").unwrap();
    assert!((0..ids.len()).all(|at| !ids[..at].contains(&ids[at])));
    assert_eq!(*table.cell(24, "seed"), Cell::Int(2));
}

// planted bugs: a part that is there runs again; what was planned is not kept
#[test]
fn work_goes_on_with_what_is_missing() {
    let place = Place::new();
    let sweep = place.sweep(PLAN);
    let folder = place.path().join("out");
    sweep.freeze(&folder).unwrap();
    let whole = all(&sweep, &folder, 1);
    fs::remove_file(folder.join(&whole[1].0)).unwrap();
    fs::write(folder.join("part-0123.parquet"), "of something else").unwrap();
    fs::write(folder.join(".part-5.parquet.Ab3dEf6h.unfinished"), "cut").unwrap();
    let now = status(&sweep, &folder).unwrap();
    assert_eq!(
        (
            now.shards,
            now.done,
            now.runs_done,
            now.others,
            now.unfinished
        ),
        (5, 4, 20, 1, 1)
    );
    assert_eq!(now.missing.len(), 1);
    let frozen = place.planned(PLAN).unwrap().frozen(&folder).unwrap();
    let told = std::sync::Mutex::new(0);
    let complete = frozen.work(0..5, &work(&folder, 2), |what| {
        if let WorkEvent::Ran { .. } = what {
            *told.lock().unwrap() += 1;
        }
    });
    assert!(complete.unwrap());
    assert_eq!(told.into_inner().unwrap(), 5);
    fs::remove_file(folder.join("part-0123.parquet")).unwrap();
    assert!(whole == parts(&folder));
    let other = place
        .planned(&PLAN.replace("fab", "fifo"))
        .unwrap()
        .frozen(&folder);
    let why = other.map(drop).unwrap_err().to_string();
    assert!(why.contains("has a sweep of another plan"), "{why}");
}

// planted bug: the second writer wins without a word
#[test]
fn other_bytes_under_the_same_name_are_reported() {
    let place = Place::new();
    let sweep = place.sweep(PLAN);
    let folder = place.path().join("out");
    let path = folder.join(format!("part-{}.parquet", sweep.shards[0].name));
    fs::create_dir(&folder).unwrap();
    let mut wrong = sweep.columns();
    wrong.add(wrong.columns().map(|_| Cell::Null).collect::<Vec<_>>());
    let stop = never();
    let disturbed = sweep.work(0..1, &work(&folder, 1), |_| {
        // another worker is faster, but wrong
        if !stop.swap(true, Ordering::Relaxed) {
            write_as_part(&path, &wrong);
        }
    });
    assert!(
        matches!(disturbed, Err(SweepError::Differs { .. })),
        "{disturbed:?}"
    );
    assert_eq!(Table::read(&path).unwrap().rows(), 1);
}

// planted bugs: a part counts because its name is there; the rows of one part count for another; a part that is made again
// keeps its bytes
#[test]
fn parts_that_do_not_prove_themselves_are_made_again() {
    let place = Place::new();
    let sweep = place.sweep(PLAN);
    let folder = place.path().join("out");
    let whole = all(&sweep, &folder, 1);
    let path = |at: usize| folder.join(&whole[at].0);
    let flipped = |at: usize| {
        let mut bytes = whole[at].1.clone();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 4;
        bytes
    };
    let cut = whole[3].1[..whole[3].1.len() - 1].to_vec();
    let bytes = [Vec::new(), whole[0].1.clone(), flipped(2), cut];
    let bytes = bytes.into_iter().enumerate();
    let damage = || {
        bytes
            .clone()
            .for_each(|(at, bytes)| fs::write(path(at), bytes).unwrap())
    };
    damage();
    // a table without a proof
    let bare = Table::new([("run_id", None)]);
    fs::write(path(4), bare.write_parquet(&[], Vec::new()).unwrap()).unwrap();
    let now = status(&sweep, &folder).unwrap();
    assert_eq!((now.done, now.damaged, now.others), (0, 5, 0));
    let why = now.first_damaged.join("\n");
    assert!(why.contains("has the rows of another part"), "{why}");
    assert!(why.contains("is no part of a sweep"), "{why}");
    assert_eq!(sweep.missing(&folder).unwrap().len(), 5);
    for partial in [false, true] {
        let refused = sweep.table(&folder, partial).unwrap_err().to_string();
        assert!(refused.contains("part-"), "{refused}");
    }
    let told = std::sync::Mutex::new(Vec::new());
    let complete = sweep.work(0..5, &work(&folder, 2), |what| {
        if let WorkEvent::Damaged { why } = what {
            told.lock().unwrap().push(why.to_owned());
        }
    });
    assert!(complete.unwrap());
    assert_eq!(told.into_inner().unwrap(), now.first_damaged);
    assert!(whole == parts(&folder));
    damage();
    let written = |number| sweep.write(number, &folder, None).unwrap();
    assert_eq!((0..5).filter(|number| written(*number)).count(), 4);
    assert!(whole == parts(&folder));
}

// planted bug: a changed plan.json is taken for what was planned
#[test]
fn what_was_planned_proves_itself() {
    let place = Place::new();
    let folder = place.path().join("out");
    place.sweep(PLAN).freeze(&folder).unwrap();
    let frozen = || place.planned(PLAN).unwrap().frozen(&folder).map(drop);
    frozen().unwrap();
    let path = folder.join("plan.json");
    let text = fs::read_to_string(&path).unwrap();
    let mut changed = 0;
    for (at, byte) in text
        .bytes()
        .enumerate()
        .filter(|(_, byte)| byte.is_ascii_digit())
    {
        let mut bytes = text.clone().into_bytes();
        bytes[at] = b'0' + (byte - b'0' + 1) % 10;
        fs::write(&path, bytes).unwrap();
        let around = &text[at.saturating_sub(40)..at];
        let why = frozen().expect_err(around).to_string();
        assert!(why.contains("plan.json: "), "{why}");
        changed += 1;
    }
    assert!(changed > 100);
}

// planted bugs: a run is stopped in the middle by the wrong flag; a shard is lost when the flag is set
#[test]
fn a_worker_that_is_to_finish_ends_its_part() {
    let place = Place::new();
    let sweep = place.sweep(PLAN);
    let folder = place.path().join("out");
    let work = work(&folder, 1);
    let finish = work.finish.clone();
    let complete = sweep.work(0..5, &work, |_| finish.store(true, Ordering::Relaxed));
    assert!(!complete.unwrap());
    assert_eq!(parts(&folder).len(), 1);
    let table = Table::read(&folder.join(&parts(&folder)[0].0)).unwrap();
    assert_eq!(table.rows(), 5);
}

// planted bug: the rows of another trace under the old name
#[test]
fn a_trace_that_changed_is_noticed() {
    let place = Place::new();
    let sweep = place.sweep(PLAN);
    let folder = place.path().join("out");
    let path = place.path().join("b.csv");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replacen(",W,", ",R,", 1)).unwrap();
    let why = sweep
        .work(0..5, &work(&folder, 2), |_| ())
        .unwrap_err()
        .to_string();
    assert!(
        why.contains("b.csv: changed since the sweep was planned: its SHA-256 differs"),
        "{why}"
    );
}
