//! Completions, man pages, help and the version.

use std::fs;
use std::process::Command;

use crate::common::{Lab, words};

#[allow(dead_code)]
#[path = "../../build.rs"]
mod build;

// planted bugs: a script for another program; missing commands
#[test]
fn completions_for_every_shell() {
    let lab = Lab::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = lab.ok(&["completions", shell]);
        for word in ["compare", "generate", "over-provisioning"] {
            assert!(script.contains(word), "{shell}: no {word}");
        }
    }
    lab.write("ssdlab.bash", lab.ok("completions bash"));
    let complete = "source ./ssdlab.bash; COMP_WORDS=(ssdlab comp); COMP_CWORD=1; _ssdlab ssdlab comp ssdlab; \
                    echo \"${COMPREPLY[@]}\"";
    let bash = Command::new("bash")
        .args(["-c", complete])
        .current_dir(lab.path(""))
        .output()
        .expect("bash");
    assert_eq!(
        String::from_utf8_lossy(&bash.stdout),
        "compare completions\n"
    );
}

// planted bugs: a command without a page; a page without the examples
#[test]
fn a_page_for_every_command() {
    let lab = Lab::new();
    let text = lab.ok("man pages/man1");
    assert!(text.ends_with(" pages in pages/man1\n"), "{text}");
    for (page, words) in [
        ("ssdlab.1", ".TH ssdlab 1"),
        ("ssdlab-compare.1", "write buffers on a drive of today"),
        ("ssdlab-config-show.1", "every key with its default"),
        ("ssdlab-trace-generate.1", "\\-\\-requests"),
        ("ssdlab-trace-generate-zipf.1", "theta"),
    ] {
        let text = lab.read(&format!("pages/man1/{page}"));
        assert!(text.contains(words), "{page}: {text}");
    }
    assert!(lab.ok("man").contains(".TH ssdlab 1"));
}

// planted bug: an option that has no effect beside a command
#[test]
fn notices_have_the_libraries_of_the_program() {
    let lab = Lab::new();
    let notices = lab.ok("--notices");
    for named in [
        "parquet 5",
        "clap 4",
        "Permission is hereby granted",
        "Apache License",
    ] {
        assert!(notices.contains(named), "{named}");
    }
    lab.refused("--notices list", &["--notices: takes no command"]);
}

// planted bug: -h as long as --help
#[test]
fn help_is_short_or_has_examples() {
    let lab = Lab::new();
    for command in ["compare", "trace generate", "config show"] {
        let short = lab.ok(&format!("{command} -h"));
        let long = lab.ok(&format!("{command} --help"));
        assert!(
            !short.contains("Examples:") && short.len() < long.len(),
            "{short}"
        );
        assert!(long.contains("Examples:\n  ssdlab "), "{long}");
    }
}

// planted bugs: the commit of an outer repository that only contains the package; no commit in a clone
#[test]
fn the_commit_is_that_of_the_source() {
    let lab = Lab::new();
    let version = lab.ok("--version");
    assert!(
        version.starts_with(concat!("ssdlab ", env!("CARGO_PKG_VERSION"))),
        "{version}"
    );
    fs::create_dir(lab.path("cli")).expect("a folder");
    lab.write("cli/build.rs", "fn main() {}\n");
    let folder = lab.path("cli");
    assert_eq!(build::commit(&folder), None, "no repository");
    let git = |arguments: &[&str]| {
        let who = words("-c user.name=a -c user.email=a@b -c commit.gpgsign=false");
        let output = Command::new("git")
            .args([&who[..], arguments].concat())
            .current_dir(lab.path(""))
            .output()
            .expect("git");
        assert!(output.status.success(), "{output:?}");
        let text = String::from_utf8(output.stdout).expect("text");
        text.trim().to_owned()
    };
    git(&["init", "-q"]);
    git(&["commit", "-q", "--allow-empty", "-m", "empty"]);
    let commit = build::commit(&folder);
    assert_eq!(commit, None, "a repository of something else");
    git(&["add", "cli/build.rs"]);
    git(&["commit", "-q", "-m", "source"]);
    let commit = git(&["rev-parse", "HEAD"]);
    let message = build::commit(&folder).expect("a commit");
    assert!(
        message.len() == 12 && commit.starts_with(&message),
        "{message} of {commit}"
    );
}
