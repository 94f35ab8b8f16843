//! The tree under test: the files of a clone after a commit of all changes and new files.

use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The folder of the descriptions of studies.
pub const STUDIES: &str = "crates/lab/reproduce/studies";

/// The root of this repository.
pub fn root() -> &'static Path {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask
        .ancestors()
        .nth(2)
        .expect("a workspace around this package")
}

/// The folder of builds.
pub fn target(root: &Path) -> PathBuf {
    root.join(std::env::var_os("CARGO_TARGET_DIR").unwrap_or("target".into()))
}

/// The files that git tracks and the new files that it does not ignore, as sorted paths below `root`.
pub fn files(root: &Path) -> Result<BTreeSet<PathBuf>, Box<dyn Error>> {
    let listed = Command::new("git")
        .args([
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ])
        .current_dir(root)
        .stderr(Stdio::inherit())
        .output()?;
    if !listed.status.success() {
        return Err(format!("git ls-files in {}: {}", root.display(), listed.status).into());
    }
    let names = String::from_utf8(listed.stdout)?;
    let names = names.split_terminator('\0').map(PathBuf::from);
    Ok(names.filter(|name| root.join(name).is_file()).collect())
}

/// All Markdown files but those from which `ssdlab reproduce` makes pages, README.md of the root first.
pub fn documents(root: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let files = files(root)?.into_iter();
    let is_document = |file: &PathBuf| {
        !file.starts_with(STUDIES) && file.extension().is_some_and(|extension| extension == "md")
    };
    let mut documents: Vec<PathBuf> = files.filter(is_document).collect();
    documents.sort_by_key(|document| document.as_os_str() != "README.md");
    Ok(documents)
}

/// Makes `to` an exact copy of the tree. A file with unchanged content keeps its time, so that cargo does not build it
/// again.
pub fn copy(root: &Path, to: &Path) -> Result<(), Box<dyn Error>> {
    let files = files(root)?;
    fs::create_dir_all(to)?;
    remove_others(to, Path::new(""), &files)?;
    for file in files {
        let (from, to) = (root.join(&file), to.join(&file));
        if !same(&from, &to)? {
            fs::create_dir_all(to.parent().expect("a folder"))?;
            fs::copy(from, to)?;
        }
    }
    Ok(())
}

/// Removes everything below `to`/`folder` that is not in the list.
fn remove_others(
    to: &Path,
    folder: &Path,
    files: &BTreeSet<PathBuf>,
) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(to.join(folder))? {
        let entry = entry?;
        let name = folder.join(entry.file_name());
        let is_wanted = |file: &PathBuf| file.starts_with(&name);
        if !entry.file_type()?.is_dir() {
            if !files.contains(&name) {
                fs::remove_file(entry.path())?;
            }
        } else if files.iter().any(is_wanted) {
            remove_others(to, &name, files)?;
        } else {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

/// Whether both files have the same content; false without a copy.
fn same(file: &Path, copy: &Path) -> Result<bool, Box<dyn Error>> {
    let size = |path: &Path| fs::metadata(path).map(|metadata| metadata.len()).ok();
    Ok(size(file) == size(copy) && fs::read(file)? == fs::read(copy)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    fn git(root: &Path, args: &[&str]) {
        let git = Command::new("git").args(args).current_dir(root).status();
        assert!(git.unwrap().success());
    }

    fn times(clone: &Path) -> Vec<std::time::SystemTime> {
        let time = |name| fs::metadata(clone.join(name)).unwrap().modified().unwrap();
        ["README.md", "src/a"].map(time).into()
    }

    // Planted bugs: uncommitted changes left out; ignored or removed files copied; outputs of commands kept; every file
    // copied each time, so that cargo builds everything again.
    #[test]
    fn a_copy_is_what_a_clone_would_be() {
        let folder = TempDir::new().unwrap();
        let (root, clone) = (folder.path().join("root"), folder.path().join("clone"));
        fs::create_dir_all(root.join("src")).unwrap();
        git(&root, &["init", "--quiet"]);
        let write = |name: &str, text: &str| fs::write(root.join(name), text).unwrap();
        for name in ["README.md", "A.md", "src/a", "src/removed"] {
            write(name, "first");
        }
        write(".gitignore", "out\n");
        git(&root, &["add", "--all"]);
        write("out", "ignored");
        write("new.md", "new");
        fs::remove_file(root.join("src/removed")).unwrap();
        copy(&root, &clone).unwrap();
        let all = [".gitignore", "A.md", "README.md", "new.md", "src/a"].map(PathBuf::from);
        assert_eq!(files(&root).unwrap(), all.into());
        let before = times(&clone);

        fs::create_dir_all(clone.join("made/by")).unwrap();
        fs::write(clone.join("made/by/a-command"), "").unwrap();
        fs::write(clone.join("src/b"), "").unwrap();
        fs::write(clone.join("A.md"), "spoilt").unwrap();
        write("src/a", "later");
        copy(&root, &clone).unwrap();
        assert!(!clone.join("made").exists() && !clone.join("src/b").exists());
        assert_eq!(fs::read_to_string(clone.join("A.md")).unwrap(), "first");
        assert_eq!(fs::read_to_string(clone.join("src/a")).unwrap(), "later");
        let after = times(&clone);
        assert!(after[0] == before[0] && after[1] > before[1]);
        assert_eq!(
            documents(&root).unwrap(),
            ["README.md", "A.md", "new.md"].map(PathBuf::from)
        );
    }
}
