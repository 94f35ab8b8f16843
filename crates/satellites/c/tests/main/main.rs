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

/// What a program in C prints.
fn printed(source: &Path) -> String {
    let made = tempfile::tempdir().unwrap();
    let program = made.path().join("program");
    let flags = "-std=c11 -Wall -Wextra -Wpedantic -Werror -O1 -I";
    ran(Command::new("cc")
        .args(flags.split(' '))
        .arg(folder().join("include"))
        .arg(source)
        .arg(library())
        .args(["-lm", "-o"])
        .arg(&program));
    String::from_utf8(ran(&mut Command::new(&program)).stdout).unwrap()
}

// Planted bugs: settings that the flash of the caller cannot follow, taken without a word; an unknown name without the known ones.
#[test]
fn what_a_controller_cannot_have_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("refused.c");
    let settings = |more: &str| {
        format!(
            "ftl.kind = \\\"page\\\"\\nbuffer.policy = \\\"lru\\\"\\nflash.capacity = \\\"64MiB\\\"\\n{more}"
        )
    };
    let slc = settings("ftl.slc = \\\"dynamic\\\"\\nftl.slc_dynamic = \\\"all\\\"\\n");
    let code = format!(
        r#"#include <stdio.h>
#include "ssdlab.h"
int main(void) {{
    char why[400] = "";
    ssdlab_shape_t shape;
    printf("%d\n", ssdlab_shape("{}", &shape, why, sizeof why));
    printf("%d %s\n", ssdlab_shape("{slc}", &shape, why, sizeof why), why);
    printf("%d %s\n", ssdlab_buffer_new("lfu", 8, 8, 8, why, sizeof why) == NULL, why);
    return 0;
}}
"#,
        settings("")
    );
    fs::write(&source, code).unwrap();
    let said = printed(&source);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[0], "0");
    let slc = "64 ftl.slc must be off: the functions of the flash have no modes of blocks";
    assert_eq!(lines[1], slc);
    let names = "1 \"lfu\" is no buffer that a drive can have; must be one of fifo, lru, ";
    assert!(lines[2].starts_with(names), "{said}");
    assert!(!lines[2].contains("clairvoyant"), "{said}");
}

// Planted bugs: an unflushed page that is read as flushed; a sequence number that begins again after a mount; a victim that
// stays held; a header that a compiler warns of.
#[test]
fn the_example_in_c_loses_nothing_at_any_power_cut() {
    let printed = printed(&folder().join("examples/power_cut.c"));
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines[0], "fab evicts 3 pages, from page 4 on");
    let cuts = lines[1].strip_suffix(" power cuts, nothing lost that was flushed");
    let cuts: u32 = cuts.expect(&printed).parse().unwrap();
    assert!(cuts > 300, "{cuts}");
}
