//! The example in C is compiled, linked and run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The static library, which cargo builds for these tests: the newest one beside them.
fn library() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let beside = fs::read_dir(tests.parent().unwrap()).unwrap();
    let libraries = beside.map(|entry| entry.unwrap().path()).filter(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("libssdlab_c-") && name.ends_with(".a")
    });
    let newest = libraries.max_by_key(|path| fs::metadata(path).unwrap().modified().unwrap());
    newest.expect("libssdlab_c-*.a beside the tests")
}

fn ran(command: &mut Command) -> Output {
    let ended = command.output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{command:?}: {said}");
    ended
}

// Planted bugs: an unflushed page that is read as flushed; a sequence number that begins again after a mount; a victim that
// stays held; a header that a compiler warns of.
#[test]
fn the_example_in_c_loses_nothing_at_any_power_cut() {
    let made = tempfile::tempdir().unwrap();
    let program = made.path().join("power_cut");
    ran(Command::new("cc")
        .args([
            "-std=c11",
            "-Wall",
            "-Wextra",
            "-Wpedantic",
            "-Werror",
            "-O1",
            "-I",
        ])
        .arg(folder().join("include"))
        .arg(folder().join("examples/power_cut.c"))
        .arg(library())
        .args(["-lm", "-o"])
        .arg(&program));
    let printed = String::from_utf8(ran(&mut Command::new(&program)).stdout).unwrap();
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines[0], "fab evicts 3 pages, from page 4 on");
    let cuts = lines[1].strip_suffix(" power cuts, nothing lost that was flushed");
    let cuts: u32 = cuts.expect(&printed).parse().unwrap();
    assert!(cuts > 300, "{cuts}");
}
