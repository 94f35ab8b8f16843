//! A drive with systems of this crate, served by the plugin of this crate.
//!
//! Planted bugs that this test catches: a plugin that knows only the built-in systems, or is not found beside the program or
//! where cargo leaves it; a status page, or `top`, without a figure of this crate; a key that a served drive does not know.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The program in cargo's folder.
const BUILT: &str = env!("CARGO_BIN_EXE_own-policy");
/// The program, copied to the folder of the test.
const COPIED: &str = "./own-policy";

/// A new folder with a drive.
fn drive() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("serve");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    let settings = "flash.capacity=16MiB flash.page_size=4KiB ftl.kind=page ftl.cleaning=most-invalid \
                    buffer.policy=second-chance buffer.chances=3 buffer.size=128KiB precondition=empty";
    let settings = settings.split_whitespace();
    let create = settings.flat_map(|setting| ["--set", setting]);
    let create: Vec<&str> = ["drive", "create", "own.img"]
        .into_iter()
        .chain(create)
        .collect();
    run(&folder, BUILT, &create);
    folder
}

/// Runs a program; what it says to standard error is in the file `told`.
fn ended(folder: &Path, program: &str, args: &[&str]) -> (Output, String) {
    let told = folder.join("told");
    let mut program = Command::new(program);
    program.args(args).current_dir(folder);
    program.stderr(File::create(&told).expect("a file"));
    let output = program.output().expect("the program");
    (output, fs::read_to_string(told).expect("text"))
}

#[track_caller]
fn run(folder: &Path, program: &str, args: &[&str]) -> String {
    let (output, told) = ended(folder, program, args);
    assert!(output.status.success(), "{args:?}: {told}");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn a_drive_of_own_systems_is_served() {
    let folder = &drive();
    fs::copy(BUILT, folder.join(COPIED)).expect("the program");
    let (refused, told) = ended(folder, COPIED, &["serve", "own.img"]);
    assert_eq!(refused.status.code(), Some(2), "{told}");
    assert!(told.contains("libown_policy.so is not in "), "{told}");

    // cargo builds the plugin beside these tests
    let tests = std::env::current_exe().expect("the path of this program");
    let plugin = tests.with_file_name("libown_policy.so");
    fs::copy(plugin, folder.join("libown_policy.so")).expect("the plugin");
    // 64 KiB are written eight times, and reach the flash once
    let write = r#"
        set -e
        address=$(sed -n 's,.*http://,,p' told)
        for pattern in 1 2 3 4 5 6 7 8; do
            set -- "$@" -c "write -q -P $pattern 0 64k"
        done
        qemu-io -t writeback -f raw "$uri" "$@" -c flush
        curl -s "http://$address/status.json"
        curl -s "http://$address/metrics"
        ./own-policy top "$address" --once
    "#;
    let serve = ["serve", "own.img", "--status", "127.0.0.1:0", "--run"];
    let shown = run(folder, COPIED, &[&serve[..], &[write]].concat());
    for part in [
        r#""policy":"second-chance""#,
        r#"{"key":"absorbed","title":"Absorbed by the buffer","text":"87.5 %","value":0.875}"#,
        "\nssdlab_figure_absorbed 0.875\n",
        "buffer second-chance",
        "since the drive was opened\nAbsorbed by the buffer ",
    ] {
        assert!(shown.contains(part), "no {part} in {shown}");
    }

    let checked = run(folder, BUILT, &["drive", "check", "own.img"]);
    assert!(checked.starts_with("Nothing is wrong"), "{checked}");
    // qemu-io ends well even if a pattern differs, but says so
    let read = "qemu-io -f raw $uri -c 'read -q -P 8 0 64k'";
    let read = run(folder, BUILT, &["serve", "own.img", "--run", read]);
    assert_eq!(read, "");
}
