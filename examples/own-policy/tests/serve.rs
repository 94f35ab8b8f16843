//! A drive with systems of this crate, served by the plugin of this crate.
//!
//! Planted bugs that this test catches: a plugin that knows only the built-in systems, or is not found beside the program;
//! a status page, or `top`, without a figure of this crate; a key that a served drive does not know.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// As a user installs it: the program alone.
fn installed(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    let program = env!("CARGO_BIN_EXE_own-policy");
    fs::copy(program, folder.join("own-policy")).expect("the program");
    folder
}

/// Adds the plugin, which cargo builds beside these tests.
fn add_plugin(folder: &Path) {
    let tests = std::env::current_exe().expect("the path of this program");
    let plugin = tests.with_file_name("libown_policy.so");
    fs::copy(plugin, folder.join("libown_policy.so")).expect("the plugin");
}

fn ended(folder: &Path, args: &[&str]) -> Output {
    let mut program = Command::new(folder.join("own-policy"));
    let errors = File::create(folder.join("told")).expect("a file");
    program.args(args).current_dir(folder).stderr(errors);
    program.output().expect("the program")
}

#[track_caller]
fn run(folder: &Path, args: &[&str]) -> String {
    let output = ended(folder, args);
    let told = told(folder);
    assert!(output.status.success(), "{args:?}: {told}");
    String::from_utf8(output.stdout).expect("text")
}

/// What the last command said to standard error.
fn told(folder: &Path) -> String {
    fs::read_to_string(folder.join("told")).expect("text")
}

#[test]
fn a_drive_of_own_systems_is_served() {
    let folder = &installed("serve");
    let settings = "flash.capacity=16MiB flash.page_size=4KiB ftl.kind=page ftl.cleaning=most-invalid \
                    buffer.policy=second-chance buffer.chances=3 buffer.size=128KiB precondition=empty";
    let mut create = vec!["drive", "create", "own.img"];
    for setting in settings.split_whitespace() {
        create.extend(["--set", setting]);
    }
    run(folder, &create);

    let refused = ended(folder, &["serve", "own.img"]);
    assert_eq!(refused.status.code(), Some(2), "{}", told(folder));
    assert!(
        told(folder).contains("libown_policy.so is not in "),
        "{}",
        told(folder)
    );

    add_plugin(folder);
    // 64 KiB are written eight times, and reach the flash once
    let write = r#"
        set -e
        address=$(sed -n 's,.*http://,,p' told)
        for pattern in 1 2 3 4 5 6 7 8; do
            set -- "$@" -c "write -q -P $pattern 0 64k"
        done
        qemu-io -t writeback -f raw "$uri" "$@" -c flush -c 'read -q -P 8 0 64k'
        curl -s "http://$address/status.json"
        curl -s "http://$address/metrics"
        ./own-policy top "$address" --once
    "#;
    let shown = run(
        folder,
        &[
            "serve",
            "own.img",
            "--status",
            "127.0.0.1:0",
            "--run",
            write,
        ],
    );
    for part in [
        r#""policy":"second-chance""#,
        r#"{"key":"absorbed","title":"Absorbed by the buffer","text":"87.5 %","value":0.875}"#,
        "\nssdlab_figure_absorbed 0.875\n",
        "buffer second-chance",
        "Absorbed by the buffer",
    ] {
        assert!(shown.contains(part), "no {part} in {shown}");
    }

    assert!(run(folder, &["drive", "check", "own.img"]).starts_with("Nothing is wrong"));
    // qemu-io ends well even if a pattern differs, but says so
    let read = "qemu-io -f raw $uri -c 'read -q -P 8 0 64k'";
    assert_eq!(run(folder, &["serve", "own.img", "--run", read]), "");
}
