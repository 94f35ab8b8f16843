//! Files that grow over several runs.
//!
//! Planted bugs that these catch: a name that is somebody else's by now; a link in the way of the part, which leads to
//! another file; two programs that write one part.

use std::fs::{self, File, Permissions};
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use ssdlab_output::{OutputError, PartFile};
use tempfile::TempDir;

fn refused(path: &Path) -> String {
    match PartFile::open(path) {
        Err(OutputError::Refused(why)) => why,
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("it opens"),
    }
}

#[test]
fn it_grows_and_takes_its_name_at_the_end() {
    let folder = TempDir::new().unwrap();
    let (path, part) = (folder.path().join("t"), folder.path().join("t.part"));
    PartFile::open(&path)
        .unwrap()
        .file()
        .write_all(b"one")
        .unwrap();
    assert!(!path.exists());
    let again = PartFile::open(&path).unwrap();
    assert_eq!(again.file().metadata().unwrap().len(), 3);
    assert_eq!(again.beside(".json"), folder.path().join("t.part.json"));
    again.finish().unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"one");
    assert!(!part.exists());
    let why = refused(&path);
    assert!(why.contains("is there already"), "{why}");
    // a name that is taken in the meantime stays what it is
    fs::remove_file(&path).unwrap();
    let late = PartFile::open(&path).unwrap();
    fs::write(&path, "other").unwrap();
    late.finish().unwrap_err();
    assert_eq!(fs::read(&path).unwrap(), b"other");
    assert!(part.exists());
}

#[test]
fn one_program_writes_it() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("t");
    let first = PartFile::open(&path).unwrap();
    let why = refused(&path);
    assert!(
        why.contains("another program is writing its .part"),
        "{why}"
    );
    drop(first);
    PartFile::open(&path).unwrap().remove();
    assert!(fs::read_dir(folder.path()).unwrap().next().is_none());
}

#[test]
fn what_others_left_is_not_written() {
    let folder = TempDir::new().unwrap();
    let (path, part) = (folder.path().join("t"), folder.path().join("t.part"));
    let own = folder.path().join("own");
    fs::write(&own, "precious").unwrap();
    symlink(&own, &part).unwrap();
    let why = refused(&path);
    assert!(why.contains("its .part is a link"), "{why}");
    fs::remove_file(&part).unwrap();
    fs::create_dir(&part).unwrap();
    assert!(PartFile::open(&path).is_err());
    fs::remove_dir(&part).unwrap();
    // a second name of a file of the user's, which anybody may give it in a folder that all can write
    fs::hard_link(&own, &part).unwrap();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o777)).unwrap();
    let why = refused(&path);
    assert!(why.contains("is not a file of yours"), "{why}");
    fs::remove_file(&part).unwrap();
    File::create(&part).unwrap();
    PartFile::open(&path).unwrap();
    assert_eq!(fs::read(&own).unwrap(), b"precious");
}
