//! Folders that are complete or absent.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use ssdlab_output::NewFolder;

/// The names in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

// planted bugs: a folder that is seen before it is complete; one that stays if its maker fails; one that replaces another
#[test]
fn a_folder_is_complete_or_absent() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("a/b/");
    let new = NewFolder::create(&path).unwrap();
    new.write(Path::new("in/file"), b"text").unwrap();
    assert!(!path.exists());
    drop(new);
    assert_eq!(names(&root.path().join("a")), [""; 0]);

    let new = NewFolder::create(&path).unwrap();
    new.write(Path::new("in/file"), b"text").unwrap();
    new.write(Path::new("run"), b"").unwrap();
    new.make_executable(Path::new("run")).unwrap();
    let late = NewFolder::create(&path).unwrap();
    new.finish().unwrap();
    assert_eq!(fs::read(path.join("in/file")).unwrap(), b"text");
    let mode = |name| path.join(name).metadata().unwrap().permissions().mode() & 0o111;
    assert_ne!(mode("run"), 0);
    assert_eq!(mode("in/file"), 0);
    let error = late.finish().unwrap_err().to_string();
    assert!(error.contains("a/b"), "{error}");
    assert!(NewFolder::create(&path).is_err());
    assert_eq!(names(&root.path().join("a")), ["b"]);
    assert_eq!(names(&path), ["in", "run"]);
}
