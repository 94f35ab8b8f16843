//! Configurations that must be refused, and the text that each message must contain.
//!
//! Planted bugs that these tests catch: an off-by-one in a range; NaN that passes a comparison; lines counted from 0;
//! an unknown key that is skipped; a planned name treated as unknown; a quoted key with a dot treated as a key of a
//! section.

use ssdlab_config::{ConfigError, Resolver};

fn file_error(text: &str) -> ConfigError {
    let mut resolver = Resolver::new();
    let resolved = resolver
        .file("device.toml", text.as_bytes())
        .and_then(|r| r.resolve());
    resolved.err().unwrap_or_else(|| panic!("accepted: {text}"))
}

fn set_error(sets: &[&str]) -> ConfigError {
    let mut resolver = Resolver::new();
    let mut apply = || {
        for set in sets {
            resolver.set(set)?;
        }
        resolver.resolve()
    };
    apply()
        .err()
        .unwrap_or_else(|| panic!("accepted: {sets:?}"))
}

/// The cases of `data/bad.txt`: each is a configuration and the fragments that its message must contain.
fn cases() -> Vec<(String, Vec<&'static str>)> {
    let mut cases = vec![(String::new(), Vec::new())];
    for line in include_str!("data/bad.txt")
        .lines()
        .filter(|line| !line.starts_with("##"))
    {
        let (text, fragments) = cases.last_mut().unwrap();
        match line.strip_prefix("=> ") {
            Some(fragment) => fragments.push(fragment),
            None if fragments.is_empty() && !line.is_empty() => *text += &format!("{line}\n"),
            None if fragments.is_empty() => {}
            None => cases.push((String::new(), Vec::new())),
        }
    }
    cases.retain(|(text, _)| !text.is_empty());
    cases
}

#[test]
fn files() {
    let cases = cases();
    assert!(cases.len() >= 60);
    for (text, fragments) in cases {
        let message = file_error(&text).to_string();
        for fragment in fragments {
            assert!(
                message.contains(fragment),
                "{text}=> {message}\nnot {fragment}"
            );
        }
        assert!(!message.contains('\n'), "{message:?} is more than a line");
    }
}

#[test]
fn lines_count_from_one() {
    let message = file_error("\n\nx = ").to_string();
    assert!(
        message.starts_with("device.toml:3: not TOML: "),
        "{message}"
    );
}

#[test]
fn sets() {
    let table: &[(&[&str], &str)] = &[
        (
            &["drain"],
            "--set drain: must be key=value, such as buffer.policy=lru",
        ),
        (
            &["=3"],
            "--set =3: must be key=value, such as buffer.policy=lru",
        ),
        (
            &["bufer.sise=1"],
            "--set unknown key bufer.sise; did you mean buffer.size?",
        ),
        (
            &["policy=lru"],
            "--set unknown key policy; did you mean buffer.policy?",
        ),
        (
            &["buffer=lru"],
            "--set buffer = \"lru\": is a table; its keys: policy, reads,",
        ),
        (
            &["ftl.log_blocks=0"],
            "--set ftl.log_blocks = 0: must be from 1 to 65535",
        ),
        (
            &["ftl.log_blocks=many"],
            "--set ftl.log_blocks = \"many\": must be an integer",
        ),
        (
            &["buffer.size=16Mb"],
            "--set buffer.size = \"16Mb\": must be a size",
        ),
        (
            &["buffer.policy="],
            "--set buffer.policy = \"\": must be one of none",
        ),
        (
            &["ftl.over_provisioning=0.1", "ftl.spare_blocks=3"],
            "--set ftl.over_provisioning = 0.1: must not be given together with ftl.spare_blocks",
        ),
        (
            &["ftl.kind=ideal", "ftl.buffer_aware=merge+victim"],
            "must be off with ftl.kind",
        ),
        (
            &["ftl.regions=-5"],
            "--set ftl.regions = -5: must be from 1",
        ),
    ];
    for (sets, start) in table {
        let message = set_error(sets).to_string();
        assert!(message.contains(start), "{sets:?}\n  says {message}");
    }
}

#[test]
fn preset_option() {
    let message = |name| {
        Resolver::new()
            .preset(name)
            .resolve()
            .unwrap_err()
            .to_string()
    };
    assert!(
        message("nosuch").starts_with("preset \"nosuch\"")
            || message("nosuch").starts_with("preset = \"nosuch\"")
    );
    assert!(message("bplru2008").ends_with("did you mean \"bplru-2008\"?"));
}

#[test]
fn not_utf8() {
    let error = Resolver::new()
        .file("device.toml", b"drain = true\n\xff")
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "device.toml:2: not a text file in UTF-8; save it as UTF-8"
    );
}

#[test]
fn an_endless_trace_is_no_capacity() {
    let mut resolver = Resolver::new();
    let auto = resolver
        .set("flash.capacity=auto")
        .unwrap()
        .resolve()
        .unwrap();
    let error = auto.with_capacity(u64::MAX).unwrap_err().to_string();
    assert!(error.starts_with("--set flash.capacity = \"auto\", 9223372036854513664 bytes: makes"));
}

#[test]
fn messages_hold_no_control_characters() {
    for set in ["drain=\u{7}\nx", "\u{7}=1", "\u{7}\n", "buffer=\u{7}"] {
        let message = set_error(&[set]).to_string();
        assert!(!message.contains(char::is_control), "{message:?}");
    }
}
