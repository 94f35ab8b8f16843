//! Files that get their names when they are complete, while others take names, too.
//!
//! Planted bugs that these catch: a name that was free at the start and is somebody else's at the end; a file that takes
//! the place of another than the one that it may replace; a temporary file that is left.

use std::fs::{self, File};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use ssdlab_output::{Files, NewFile, OutputError, WholeFile, make_folder};
use tempfile::TempDir;

/// The names in a folder, sorted.
fn names(folder: &TempDir) -> Vec<String> {
    let entries = fs::read_dir(folder.path()).expect("the folder");
    let name = |entry: std::io::Result<fs::DirEntry>| entry.expect("an entry").file_name();
    let mut names: Vec<String> = entries
        .map(|entry| name(entry).to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

#[test]
fn a_new_file_replaces_nothing() {
    let folder = folder();
    let path = folder.path().join("image");
    let make = || {
        let new = NewFile::create(&path)?;
        new.file().write_all(b"whole")?;
        Ok(new)
    };
    let (first, second): (NewFile, std::io::Result<NewFile>) = (make().expect("it is new"), make());
    let temporary = names(&folder);
    let is_temporary = |name: &String| name.starts_with(".image.") && name.ends_with(".unfinished");
    assert!(
        temporary.len() == 2 && temporary.iter().all(is_temporary),
        "{temporary:?}"
    );
    first.finish().expect("the name is free");
    let error = second
        .expect("it was new")
        .finish()
        .expect_err("it is taken");
    assert_eq!(error.kind(), ErrorKind::AlreadyExists);
    assert_eq!(names(&folder), ["image"]);
    assert_eq!(fs::read(&path).expect("it"), b"whole");
    assert!(make().is_err());
    // one that is given up
    fs::remove_file(&path).expect("it");
    drop(make());
    assert_eq!(names(&folder), [""; 0]);
}

/// A report `1`, `2`, … in a folder; one that begins with `own` may be replaced.
fn report(folder: &Path, files: &mut Files) -> WholeFile {
    let folder = folder.to_owned();
    let is_own = |mut file: File| {
        let mut text = String::new();
        file.read_to_string(&mut text).expect("text");
        text.starts_with("own")
    };
    let name = move |number: u32| folder.join(number.to_string());
    let file = files.create_first_free(name, is_own);
    file.unwrap_or_else(|error| panic!("{error}"))
}

fn written(mut file: WholeFile, text: &str) -> PathBuf {
    file.write_all(text.as_bytes()).expect("room");
    file.finish().unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn reports_at_the_same_time_have_names_of_their_own() {
    let folder = folder();
    let begin = || report(folder.path(), &mut Files::default());
    let number = |path: PathBuf| {
        path.file_name()
            .map(|name| name.to_string_lossy().into_owned())
    };
    let finish = |file, text: &str| number(written(file, text)).expect("a name");
    // all names are free when both begin
    let (first, second) = (begin(), begin());
    assert_eq!(finish(second, "own 1"), "1");
    assert_eq!(finish(first, "other"), "2");
    // both find the first one, which only one of them may replace
    let (first, second) = (begin(), begin());
    assert_eq!(finish(first, "own 2"), "1");
    assert_eq!(finish(second, "own 3"), "3");
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect("it");
    assert_eq!(["1", "2", "3"].map(read), ["own 2", "other", "own 3"]);
    // the one that it would replace has become another
    let third = begin();
    fs::remove_file(folder.path().join("1")).expect("it");
    fs::write(folder.path().join("1"), "new").expect("it");
    assert_eq!(finish(third, "own 4"), "4");
    assert_eq!(names(&folder), ["1", "2", "3", "4"]);
    // a name of another output, and one of an input
    let mut files = Files::default();
    let named = files.create("--csv 1", &folder.path().join("5"));
    let named = named.unwrap_or_else(|error| panic!("{error}"));
    fs::remove_file(folder.path().join("3")).expect("it");
    files
        .input("the trace 4", &folder.path().join("4"))
        .expect("it is no output");
    let last = report(folder.path(), &mut files);
    fs::write(folder.path().join("3"), "meanwhile").expect("it");
    assert_eq!(finish(last, "own 5"), "6");
    written(named, "csv");
    assert_eq!(names(&folder), ["1", "2", "3", "4", "5", "6"]);
}

#[test]
fn what_is_written_after_the_name_is_there() {
    let folder = folder();
    let path = folder.path().join("trace");
    fs::write(&path, "old").expect("it");
    for names in [1, 2] {
        let file = Files::default().create("--record", &path);
        let mut file = file.unwrap_or_else(|error| panic!("{error}"));
        file.write_all(b"first\n").expect("room");
        file.publish().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(fs::read(&path).expect("it"), b"first\n");
        file.write_all(b"second\n").expect("room");
        file.flush().expect("room");
        assert_eq!(fs::read(&path).expect("it"), b"first\nsecond\n", "{names}");
        // the second time it has two names, and is overwritten
        let _ = fs::hard_link(&path, folder.path().join("also"));
    }
    assert_eq!(
        fs::read(folder.path().join("also")).expect("it"),
        b"first\nsecond\n"
    );
}

#[test]
fn folders_and_ways_that_lead_nowhere() {
    let folder = folder();
    let at = |path: &str| folder.path().join(path);
    make_folder(&at("a/b/c")).expect("a folder");
    make_folder(&at("a/b/c")).expect("it is there");
    fs::write(at("file"), "text").expect("it");
    assert!(make_folder(&at("file")).is_err());
    assert!(make_folder(&at("file/a")).is_err());
    std::os::unix::fs::symlink("loop", at("loop")).expect("a link");
    for path in [
        "loop",
        "loop/a",
        "nowhere/a",
        "file/a",
        "a",
        "a/..",
        "a/b/.",
    ] {
        let error = Files::default().create("--html", &at(path)).map(drop);
        let Err(OutputError::Failed { error, .. }) = error else {
            panic!("{path} was written");
        };
        assert!(!error.to_string().contains("unfinished"), "{path}: {error}");
    }
    let empty = Files::default().create("--html", Path::new(""));
    assert!(matches!(empty.map(drop), Err(OutputError::Failed { .. })));
    assert_eq!(names(&folder), ["a", "file", "loop"]);
}

// a disk has as many names as one makes for it
#[test]
fn a_disk_is_itself_by_every_name() {
    use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    // such a device need not be there
    let make = |name: &str, minor| {
        let mode = Mode::RUSR | Mode::WUSR;
        mknodat(
            CWD,
            at(name),
            FileType::BlockDevice,
            mode,
            makedev(7, minor),
        )
    };
    if make("a", 250).is_err() {
        return; // only root can make one
    }
    make("b", 250).expect("another name");
    make("c", 251).expect("another disk");
    let mut files = Files::default();
    files
        .input("the trace a", &at("a"))
        .expect("it is no output");
    let check = |name: &str, files: &mut Files| files.check(format!("--events {name}"), &at(name));
    assert!(check("c", &mut files).is_ok());
    let refused = check("b", &mut files).expect_err("it is the input");
    let told = "--events b: is also an input of this command, the trace a";
    assert_eq!(refused.to_string(), told);
}
